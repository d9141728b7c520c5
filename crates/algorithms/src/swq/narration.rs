//! Split waiting queues, with and without path reversal: a node and its steps as people see them.

use super::*;
use lockstep_kernel::cells::listed;
use lockstep_kernel::view::{Cause, Waiter};
use lockstep_kernel::{Effect, PointerView, Var};
use std::collections::BTreeSet;

impl<const REVERSES: bool> Swq<REVERSES> {
    pub(super) fn show(&self, n: &Node<REVERSES>, setup: &Setup) -> NodeView {
        let name = |node: NodeId| if node == n.me { "self" } else { setup.name(node) };
        let text = |words: Vec<String>| if words.is_empty() { "none".into() } else { words.join(", ") };
        let pointers = |of: &dyn Fn(Cell) -> Option<NodeId>| {
            text(n.cells.ranges(of).iter().map(|(range, to)| format!("{range}: {}", name(*to))).collect())
        };
        let owners: BTreeSet<NodeId> = n.cells.iter().map(|(_, c)| c.owner).collect();
        let nexts: BTreeSet<NodeId> = n.cells.iter().filter_map(|(_, c)| c.next).collect();
        let link = |kind: &'static str| move |to: NodeId| PointerView { kind: kind.into(), to };
        let waits = if let Phase::Waiting(thread) = n.phase { Some(Waiter::User(thread)) } else { None };
        let parked = |m: &Request<REVERSES>| match REVERSES {
            true => format!("{}: {}", name(m.who), m.pos),
            false => format!("{}: {} from {}", name(m.who), m.range, m.pos),
        };
        NodeView {
            token: n.cells.iter().any(|(_, c)| c.owned),
            links: owners.into_iter().map(link("owner")).chain(nexts.into_iter().map(link("next"))).collect(),
            queue: (waits.into_iter())
                .chain(n.parked.iter().map(|m| Waiter::Remote(m.who)))
                .chain(n.deferred.iter().map(|(thread, _)| Waiter::User(*thread)))
                .collect(),
            vars: vec![
                Var::new("owners", pointers(&|c| Some(c.owner))),
                Var::new("nexts", pointers(&|c| c.next)),
                Var::new("owned", listed(n.ranges(|c| c.owned))),
                Var::new("request", listed(Some(n.request).filter(|r| !r.is_empty()))),
                Var::new("requestFound", listed(n.ranges(|c| c.found))),
                Var::new("requestReceived", listed(n.ranges(|c| c.received))),
                Var::new("waitingRequest", text(n.parked.iter().map(parked).collect())),
            ],
            badges: match n.phase {
                Phase::Idle => Vec::new(),
                Phase::Waiting(_) => vec!["waiting".into()],
                Phase::Held(_) => vec!["lock held".into()],
                Phase::Draining => vec!["cancelled".into()],
            },
        }
    }

    pub(super) fn narrate_step(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, before, after) = (step.name(step.me), step.before, step.after);
        let mut text = match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                match after.deferred.back().filter(|_| step.ran(DEFER)) {
                    Some((_, range)) => {
                        format!("{user} declares a lock on {range}, which waits: {me} has one lock at a time.")
                    }
                    None => format!("{user} declares a lock on {}.", after.request),
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let range = before.request;
                match (step.ran(UNLOCK), step.ran(CANCEL)) {
                    (true, _) => format!("{user} unlocks {range}."),
                    (_, true) => {
                        format!(
                            "{user} cancels its lock on {range}. Its places stay queued, and the tokens will pass through."
                        )
                    }
                    _ => format!("{user} cancels before its turn."),
                }
            }
            Cause::Received(_, Msg::Request(m)) if REVERSES => {
                format!("The request of {} for cell {} reaches {me}.", step.name(m.who), m.pos)
            }
            Cause::Received(_, Msg::Request(m)) => {
                let how = if m.who == step.me { "comes back to" } else { "reaches" };
                format!("The request of {} for {} {how} {me}, searching for cell {}.", step.name(m.who), m.range, m.pos)
            }
            Cause::Received(_, Msg::Found(part)) if REVERSES => format!("{me} is in the queue of {part}."),
            Cause::Received(_, Msg::Found(part)) => {
                let all = if after.complete() { ", and its lock is now in every queue" } else { "" };
                format!("{me} is the tail of {part}{all}.")
            }
            Cause::Received(from, Msg::Token(part)) => {
                format!("The token of {part} and its data reach {me} from {}.", step.name(from))
            }
        };
        if step.ran(MINE) {
            let mine = after.ranges(|c| c.found);
            text += &format!(" {me} itself is the tail there: it finds {}.", listed(mine));
        }
        if step.ran(DRAINED) {
            text += " Every token of the cancelled lock has been here, so the lock is finished.";
        }
        if step.ran(REPLAY) {
            let why =
                if self.strict { "All tokens of its lock have arrived" } else { "Its own lock no longer searches" };
            text += &format!(" {why}, so parked requests continue.");
        }
        for effect in &step.effects.list {
            text += &self.narrate_effect(step, effect);
        }
        if step.ran(PARK)
            && let Some(m) = after.parked.last()
        {
            let (who, pos) = (step.name(m.who), m.pos);
            let why = match (REVERSES, self.strict) {
                (true, _) => format!("The unfinished lock of {me} claims cell {pos} too"),
                (false, true) => format!("A lock of {me} that waits has claimed cell {pos}"),
                (false, false) => format!("A lock of {me} that still searches has claimed cell {pos}"),
            };
            text += &format!(" {why}, so the request of {who} is parked.");
        }
        if step.ran(KEEP) && step.granted().is_none() {
            text += &format!(" The cells received for the lock of {me} stay until it is unlocked.");
        }
        text
    }

    fn narrate_effect(&self, step: &ObservedStep<'_, Self>, effect: &Effect<Msg<REVERSES>>) -> String {
        let me = step.name(step.me);
        match effect {
            Effect::Send(to, Msg::Request(m)) if REVERSES => {
                let (to, who, cell) = (step.name(*to), step.name(m.who), m.pos);
                if m.who == step.me {
                    format!(" {me} requests cell {cell} from {to} and is the tail of its queue from now on.")
                } else {
                    format!(
                        " {me} is not the tail there: it forwards the request to {to} and points at {who} from now on."
                    )
                }
            }
            Effect::Send(to, Msg::Request(m)) => {
                let (to, who) = (step.name(*to), step.name(m.who));
                let request = if m.who == step.me { "Its request".into() } else { format!("The request of {who}") };
                format!(" {request} goes to {to}, where {me} believes the tail of cell {} to be.", m.pos)
            }
            Effect::Send(to, Msg::Found(part)) => {
                let to = step.name(*to);
                let tail = if REVERSES { " and" } else { ", becomes the tail and" };
                format!(" {me} is the tail of {part}: {to} comes next there{tail} is told so.")
            }
            Effect::Send(to, Msg::Token(part)) => {
                format!(" {part} is free and goes to its next, {}.", step.name(*to))
            }
            Effect::Grant(thread) => {
                let user = step.setup.thread_name(*thread);
                format!(" All cells of {} are found and here: {user} has its lock.", step.after.request)
            }
            Effect::Refuse(_) => " These cells do not exist.".into(),
            Effect::Later(_) => String::new(),
        }
    }
}
