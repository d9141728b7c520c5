//! The narrations of preemption and aggregation.

use super::*;
use lockstep_kernel::view::Cause;

impl<const AGGREGATES: bool> Preempt<AGGREGATES> {
    /// Narrates one step: what happened and why.
    pub(super) fn narrate_step(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, name) = (step.name(step.me), |node: Option<NodeId>| node.map_or("no node", |n| step.name(n)));
        let before = step.before;
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.ran(ENTER) {
                    format!("{user} enters at once: {me} has the token and is the root.")
                } else if step.ran(ASK) {
                    let (owner, root) = (self.place(step, before.owner), self.root(before));
                    format!("{user} waits. {me} sends a request to {owner} and is now {root}.")
                } else {
                    format!("{user} waits for another thread of {me}.")
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let again = if step.ran(ASK) {
                    format!(" Another thread of {me} waits, so it requests again.")
                } else {
                    String::new()
                };
                if step.ran(PASS) {
                    format!("{user} leaves. {}{again}", self.narrate_pass(step, before.next, &before.r_queue))
                } else {
                    let then = step.granted().map(|t| format!(" {} enters.", step.setup.thread_name(t)));
                    format!("{user} leaves. {me} has no next, so the token stays.{}", then.unwrap_or_default())
                }
            }
            Cause::Received(_, Msg::Request(who)) => self.narrate_request(step, *who),
            Cause::Received(from, Msg::Token(queue, _)) => {
                let user = step.granted().map_or("no thread".into(), |t| step.setup.thread_name(t));
                let (from, with) = (self.place(step, Some(from)), Self::with(step, queue));
                format!("The token comes from {from}{with}, and {user} enters.{}", self.narrate_settled(step))
            }
            Cause::Received(_, Msg::Queue(queue, _)) => {
                let list = names(queue, step.setup);
                if before.requesting.is_some() {
                    let root = name(Some(step.me));
                    format!(
                        "{root} receives the far requests that wait for its cluster: {list}.{}",
                        self.narrate_settled(step)
                    )
                } else if step.ran(LATE_HOLDER) {
                    let pass = self.narrate_pass(step, queue.first().copied(), queue.get(1..).unwrap_or_default());
                    format!("The queue {list} arrives late: {me} has left and kept the token. {pass}")
                } else {
                    let owner = self.place(step, before.owner);
                    format!(
                        "The queue {list} arrives late: the token has already left {me}, so {me} forwards the queue to {owner}."
                    )
                }
            }
        }
    }

    /// The name of a node, and whether it is in another cluster.
    fn place(&self, step: &ObservedStep<'_, Self>, other: Option<NodeId>) -> String {
        match other {
            None => "no node".into(),
            Some(other) if self.far(step.before, other) => format!("{} in another cluster", step.name(other)),
            Some(other) => step.name(other).into(),
        }
    }

    fn root(&self, n: &Node) -> &'static str {
        let clusters = &self.clusters;
        if clusters.iter().all(|c| *c == clusters[n.me.index()]) {
            "the root itself"
        } else {
            "the root of its cluster"
        }
    }

    fn with(step: &ObservedStep<'_, Self>, queue: &[NodeId]) -> String {
        if queue.is_empty() { String::new() } else { format!(" with the queue {}", names(queue, step.setup)) }
    }

    fn narrate_pass(&self, step: &ObservedStep<'_, Self>, to: Option<NodeId>, queue: &[NodeId]) -> String {
        let (me, next) = (step.name(step.me), self.place(step, to));
        let with = if AGGREGATES { Self::with(step, queue) } else { String::new() };
        let owner = match step.after.owner.or(step.before.owner).filter(|_| step.ran(LAST_OWNER)) {
            Some(owner) => format!(" {me} points at {}, the last node that the token will serve.", step.name(owner)),
            None => String::new(),
        };
        format!("{me} sends the token to {next}{with}.{owner}")
    }

    fn narrate_request(&self, step: &ObservedStep<'_, Self>, who: NodeId) -> String {
        let (me, before, after) = (step.name(step.me), step.before, step.after);
        let (name, next) = (step.name(who), before.next.map_or("no node", |n| step.name(n)));
        let near = self.near(before, who);
        if step.ran(FORWARD) {
            let owner = before.owner.map_or("no node", |o| step.name(o));
            let then = match step.ran(REVERSE) {
                true if near => format!("points at {name} from now on"),
                true => format!("points at {name}, where it will send the next request of its cluster"),
                false => format!("still points there, because {name} is in another cluster"),
            };
            format!("{me} is not the root: it forwards the request of {name} to {owner} and {then}.")
        } else if step.ran(GIVE) {
            let place = self.place(step, Some(who));
            format!("{me} has the token and is idle: it sends the token to {place} and points there.")
        } else if step.ran(OVERTAKE) {
            let (count, most) = (after.nb_preempt, self.threshold);
            let mut promised = vec![before.next.unwrap_or(who)];
            promised.extend(&before.r_queue);
            let list = names(&promised, step.setup);
            format!(
                "{name} is near and {next} is not, so {name} goes first: preemption {count} of {most}. \
                 {name} is the new root, and {me} leaves it the queue {list}."
            )
        } else if step.ran(AFTER) {
            let owner = if near { format!(", and the new root: {me} points at it") } else { String::new() };
            format!("{me} is the root and has no next yet: {} becomes its next{owner}.", self.place(step, Some(who)))
        } else {
            let why = match (near, self.threshold) {
                (false, _) => format!("{name} is in another cluster"),
                (true, 0) => format!("{name} is near, but preemption is disabled"),
                (true, most) => format!("{name} is near, but nb_preempt has reached the threshold, {most}"),
            };
            let root = if near { format!(" {name} is the new root.") } else { String::new() };
            if AGGREGATES {
                let list = names(&after.r_queue, step.setup);
                format!("{me} has a next, {next}, and {why}: it joins R_Queue, now {list}.{root}")
            } else {
                format!("{me} has a next, {next}, and {why}: the request is forwarded to {next}.{root}")
            }
        }
    }

    /// What happens to a queue that a node takes over.
    fn narrate_settled(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, after) = (step.name(step.me), step.after);
        let name = |node: Option<NodeId>| node.map_or("no node", |n| step.name(n));
        if step.ran(SEND_ON) {
            let (next, owner) = (name(after.next), name(after.owner));
            return format!(" {me} has a near next, {next}, so the queue goes to {owner}, the root.");
        }
        if !step.ran(TAKE_NEXT) {
            return String::new();
        }
        let rest = match (AGGREGATES, step.ran(SPREAD)) {
            (true, _) if !after.r_queue.is_empty() => format!("; R_Queue is {}", names(&after.r_queue, step.setup)),
            (false, true) => " and receives the other requests".into(),
            _ => String::new(),
        };
        format!(" {} becomes its next{rest}.", name(after.next))
    }
}
