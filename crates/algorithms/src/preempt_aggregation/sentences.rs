//! Preemption and aggregation in sentences.

use super::*;
use lockstep_kernel::view::Cause;

impl<const AGGREGATES: bool> Preempt<AGGREGATES> {
    /// One step: what happened and why.
    pub(super) fn tell_step(&self, told: &ObservedStep<'_, Self>) -> String {
        let (me, name) = (told.name(told.me), |node: Option<NodeId>| node.map_or("nobody", |n| told.name(n)));
        let before = told.before;
        match told.cause {
            Cause::Asked(thread) => {
                let user = told.setup.thread_name(thread);
                if told.ran(ENTER) {
                    format!("{user} enters at once: {me} has the token and nobody asked after it.")
                } else if told.ran(ASK) {
                    let (owner, root) = (self.place(told, before.owner), self.root(before));
                    format!("{user} waits. {me} asks {owner} and is now {root}.")
                } else {
                    format!("{user} waits for the other thread of {me}.")
                }
            }
            Cause::Left(thread) => {
                let user = told.setup.thread_name(thread);
                let again = if told.ran(ASK) {
                    format!(" Another thread of {me} waits, so it asks again.")
                } else {
                    String::new()
                };
                if told.ran(PASS) {
                    format!("{user} leaves. {}{again}", self.tell_pass(told, before.next, &before.r_queue))
                } else {
                    let then = told.granted().map(|t| format!(" {} enters.", told.setup.thread_name(t)));
                    format!(
                        "{user} leaves. Nobody has asked after {me}, so the token stays.{}",
                        then.unwrap_or_default()
                    )
                }
            }
            Cause::Received(_, Msg::Request(who)) => self.tell_request(told, *who),
            Cause::Received(from, Msg::Token(queue, _)) => {
                let user = told.granted().map_or("nobody".into(), |t| told.setup.thread_name(t));
                let (from, with) = (self.place(told, Some(from)), Self::with(told, queue));
                format!("The token comes from {from}{with}, and {user} enters.{}", self.tell_settled(told))
            }
            Cause::Received(_, Msg::Queue(queue, _)) => {
                let list = names(queue, told.setup);
                if before.requesting.is_some() {
                    let root = name(Some(told.me));
                    format!("{root} learns whom its cluster has let wait: {list}.{}", self.tell_settled(told))
                } else if told.ran(LATE_HOLDER) {
                    let pass = self.tell_pass(told, queue.first().copied(), queue.get(1..).unwrap_or_default());
                    format!("The queue {list} comes late: {me} has left and kept the token. {pass}")
                } else {
                    let owner = self.place(told, before.owner);
                    format!("The queue {list} comes late: the token has left {me} already. It follows to {owner}.")
                }
            }
        }
    }

    /// A node, and whether it is far away.
    fn place(&self, told: &ObservedStep<'_, Self>, other: Option<NodeId>) -> String {
        match other {
            None => "nobody".into(),
            Some(other) if self.far(told.before, other) => format!("{} in another cluster", told.name(other)),
            Some(other) => told.name(other).into(),
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

    fn with(told: &ObservedStep<'_, Self>, queue: &[NodeId]) -> String {
        if queue.is_empty() { String::new() } else { format!(" with the queue {}", names(queue, told.setup)) }
    }

    fn tell_pass(&self, told: &ObservedStep<'_, Self>, to: Option<NodeId>, queue: &[NodeId]) -> String {
        let (me, next) = (told.name(told.me), self.place(told, to));
        let with = if AGGREGATES { Self::with(told, queue) } else { String::new() };
        let owner = match told.after.owner.or(told.before.owner).filter(|_| told.ran(LAST_OWNER)) {
            Some(owner) => format!(" {me} points at {}, the last that it will serve.", told.name(owner)),
            None => String::new(),
        };
        format!("{me} sends the token to {next}{with}.{owner}")
    }

    fn tell_request(&self, told: &ObservedStep<'_, Self>, who: NodeId) -> String {
        let (me, before, after) = (told.name(told.me), told.before, told.after);
        let (name, next) = (told.name(who), before.next.map_or("nobody", |n| told.name(n)));
        let near = self.near(before, who);
        if told.ran(FORWARD) {
            let owner = before.owner.map_or("nobody", |o| told.name(o));
            let then = match told.ran(REVERSE) {
                true if near => format!("points at {name} from now on"),
                true => format!("points at {name}, where it sends its cluster's next request"),
                false => format!("still points there, because {name} is in another cluster"),
            };
            format!("{me} is not the root: it passes the request of {name} on to {owner} and {then}.")
        } else if told.ran(GIVE) {
            let place = self.place(told, Some(who));
            format!("{me} has the token and no use for it: it sends it to {place} and points there.")
        } else if told.ran(OVERTAKE) {
            let (count, most) = (after.nb_preempt, self.threshold);
            let mut promised = vec![before.next.unwrap_or(who)];
            promised.extend(&before.r_queue);
            let list = names(&promised, told.setup);
            format!(
                "{name} is near and {next} is not, so {name} goes first: preemption {count} of {most}. \
                 {name} is the new root, and {me} leaves it the queue {list}."
            )
        } else if told.ran(AFTER) {
            let owner = if near { format!(", and the new root: {me} points at it") } else { String::new() };
            format!("{me} is the root and has no successor yet: {} is its next{owner}.", self.place(told, Some(who)))
        } else {
            let why = match (near, self.threshold) {
                (false, _) => format!("{name} is in another cluster"),
                (true, 0) => format!("{name} is near, but there is no preemption"),
                (true, most) => format!("{name} is near, but all {most} preemptions are used"),
            };
            let root = if near { format!(" {name} is the new root.") } else { String::new() };
            if AGGREGATES {
                let list = names(&after.r_queue, told.setup);
                format!("{me} has a successor, {next}, and {why}: it joins R_Queue, now {list}.{root}")
            } else {
                format!("{me} has a successor, {next}, and {why}: the request is sent on to {next}.{root}")
            }
        }
    }

    /// What became of a queue that was absorbed.
    fn tell_settled(&self, told: &ObservedStep<'_, Self>) -> String {
        let (me, after) = (told.name(told.me), told.after);
        let name = |node: Option<NodeId>| node.map_or("nobody", |n| told.name(n));
        if told.ran(SEND_ON) {
            let (next, owner) = (name(after.next), name(after.owner));
            return format!(" {me} has a near successor, {next}, so the queue goes on to {owner}, the root.");
        }
        if !told.ran(TAKE_NEXT) {
            return String::new();
        }
        let rest = match (AGGREGATES, told.ran(SPREAD)) {
            (true, _) if !after.r_queue.is_empty() => format!("; R_Queue is {}", names(&after.r_queue, told.setup)),
            (false, true) => " and gets the requests of the others".into(),
            _ => String::new(),
        };
        format!(" {} is its next{rest}.", name(after.next))
    }
}
