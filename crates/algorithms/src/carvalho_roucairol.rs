//! Carvalho and Roucairol's saved permissions.
//!
//! *Source.* O. S. F. Carvalho and G. Roucairol, "On mutual exclusion in computer networks", CACM
//! 26(2), 1983.
//!
//! # The idea
//!
//! Ricart and Agrawala's algorithm requests permission from every other node each time. But a
//! permission, once given, is valid until its giver wants to enter and requests it back. So each
//! pair of nodes shares one permission, which is at one of the two or in flight between them. A
//! node enters when it has all n − 1 of its permissions, and requests only those that it lacks. A
//! node that enters repeatedly without competition sends no message at all; the worst case is 2(n −
//! 1) messages, as before.
//!
//! Requests are numbered as in Ricart and Agrawala's algorithm, and of two competing requests the
//! older wins. The third case is new: a waiting node that holds the permission and must give it
//! away requests it again in the same step.
//!
//! # Where we depart from the paper
//!
//! * Initially the lower-numbered node of each pair has the permission. (If neither had it, both
//!   would have to request what neither owns.)
//! * The paper has one process per node. Here further threads wait at their node. When a thread has
//!   left, the node first answers the requests that it deferred. The next thread then enters at
//!   once if no permission is gone; otherwise the node requests with a new number.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{
    Algorithm, Effect, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines,
};
use std::collections::VecDeque;

/// No parameters.
pub struct CarvalhoRoucairol;

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The sender requests permission; the number of its request.
    Request(u32),
    /// The permission that the two nodes share.
    Reply,
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "request", role: Role::Request }, MessageKind { name: "reply", role: Role::Reply }];

    #[inline]
    fn kind(&self) -> usize {
        usize::from(*self == Msg::Reply)
    }

    fn tag(&self, _: &Setup) -> String {
        match self {
            Msg::Request(number) => format!("R{number}"),
            Msg::Reply => "OK".into(),
        }
    }

    fn label(&self, _: &Setup) -> String {
        match self {
            Msg::Request(number) => format!("REQUEST({number})"),
            Msg::Reply => "REPLY".into(),
        }
    }
}

/// What a node knows about another node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Other {
    /// Whether the permission that we share is here.
    permission: bool,
    /// Whether our reply to it is deferred.
    deferred: bool,
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    /// The highest number seen.
    highest: u32,
    /// The number of our request, while a thread waits or is inside.
    number: u32,
    inside: bool,
    /// The thread that this node requests for, or that is inside.
    requesting: Option<ThreadId>,
    /// Further threads of this node.
    more: VecDeque<ThreadId>,
    /// All nodes; this one always has its own permission.
    others: Vec<Other>,
}

impl Node {
    fn may_enter(&self) -> bool {
        self.others.iter().all(|o| o.permission)
    }

    fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.others.len() as u32).map(NodeId)
    }
}

lines! {
    NUMBER, ASK, ENTER, HIGHEST, INSIDE, OLDER, DEFER, GONE, REPLY, ASK_BACK, ARRIVE, ANSWER,
    ANSWERED, AGAIN,
}

impl CarvalhoRoucairol {
    fn acquire(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        n.requesting = Some(thread);
        out.line(NUMBER);
        n.number = n.highest + 1;
        n.highest = n.number;
        if !n.may_enter() && out.line(ASK) {
            for j in n.ids().filter(|j| !n.others[j.index()].permission) {
                out.send(j, Msg::Request(n.number));
            }
        }
        self.try_to_enter(n, out);
    }

    fn try_to_enter(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if let Some(thread) = n.requesting
            && n.may_enter()
        {
            out.line(ENTER);
            n.inside = true;
            out.grant(thread);
        }
    }

    /// Gives the permission that is shared with `j` to `j`.
    fn reply(&self, n: &mut Node, j: NodeId, out: &mut impl Out<Msg>) {
        if out.line(GONE) {
            n.others[j.index()].permission = false;
        }
        out.send(j, Msg::Reply);
    }
}

impl Algorithm for CarvalhoRoucairol {
    type Node = Node;
    type Msg = Msg;

    fn new(_: &Setup) -> Self {
        CarvalhoRoucairol
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let other = |j: NodeId| Other { permission: me <= j, deferred: false };
        let more = VecDeque::with_capacity(setup.threads[me.index()] as usize);
        let others = setup.ids().map(other).collect();
        Node { me, highest: 0, number: 0, inside: false, requesting: None, more, others }
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) if n.requesting.is_some() => n.more.push_back(thread),
            Call::Request(thread) => self.acquire(n, thread, out),
            Call::Release(_) => {
                n.inside = false;
                n.requesting = None;
                n.number = 0;
                for j in n.ids() {
                    if n.others[j.index()].deferred && out.line(ANSWER) {
                        if out.line(ANSWERED) {
                            n.others[j.index()].deferred = false;
                        }
                        self.reply(n, j, out);
                    }
                }
                if let Some(thread) = n.more.pop_front() {
                    out.line(AGAIN);
                    self.acquire(n, thread, out);
                }
            }
        }
    }

    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        let j = from.index();
        match msg {
            Msg::Request(number) => {
                if out.line(HIGHEST) {
                    n.highest = n.highest.max(number);
                }
                let asking = n.requesting.is_some() && !n.inside;
                let inside = n.inside && out.line(INSIDE);
                let older = asking && (n.number, n.me) < (number, from) && out.line(OLDER);
                if inside || older {
                    out.line(DEFER);
                    n.others[j].deferred = true;
                } else if !n.others[j].permission {
                    out.impossible("a permission was requested from a node that does not have it");
                } else {
                    out.line(REPLY);
                    self.reply(n, from, out);
                    if asking && out.line(ASK_BACK) {
                        out.send(from, Msg::Request(n.number));
                    }
                }
            }
            Msg::Reply if n.others[j].permission || n.inside || n.requesting.is_none() => {
                out.impossible("a permission came to a node that was not missing it");
            }
            Msg::Reply => {
                if out.line(ARRIVE) {
                    n.others[j].permission = true;
                }
                self.try_to_enter(n, out);
            }
        }
    }

    fn set_clock(&self, n: &mut Node, next: u32) {
        n.highest = next.saturating_sub(1);
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let others = |which: fn(&Other) -> bool| {
            n.ids().filter(|j| *j != n.me && which(&n.others[j.index()])).collect::<Vec<NodeId>>()
        };
        let asking = n.requesting.filter(|_| !n.inside).map(Waiter::User);
        let deferred = others(|o| o.deferred).into_iter().map(Waiter::Remote);
        let here = others(|o| o.permission);
        NodeView {
            token: false,
            queue: asking.into_iter().chain(deferred).chain(n.more.iter().copied().map(Waiter::User)).collect(),
            vars: vec![
                Var::new("highest", n.highest),
                Var::new("our number", if n.requesting.is_some() { n.number.to_string() } else { "none".into() }),
                Var::new("permissions", format!("{} of {}", here.len(), n.others.len() - 1)),
            ],
            badges: if n.may_enter() { vec!["may enter".into()] } else { Vec::new() },
            links: here.into_iter().map(|to| PointerView { kind: "permission".into(), to }).collect(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), one_permission_for_each_pair(), the_older_wins()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, after) = (step.name(step.me), step.after);
        let sent = |reply: bool| {
            let to = step.effects.list.iter().filter_map(move |e| match e {
                Effect::Send(to, msg) if (*msg == Msg::Reply) == reply => Some(step.name(*to)),
                _ => None,
            });
            to.collect::<Vec<_>>().join(", ")
        };
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.granted() == Some(thread) {
                    format!("{user} enters at once, without a message: {me} still has every permission.")
                } else if step.ran(ASK) {
                    format!(
                        "{user} requests with number {}. {me} lacks the permission of {} and sends requests there.",
                        after.number,
                        sent(false)
                    )
                } else {
                    format!("{user} waits for another thread of {me}.")
                }
            }
            Cause::Left(thread) => {
                let mut text = format!("{} leaves. ", step.setup.thread_name(thread));
                text += &if step.ran(ANSWER) {
                    format!("Now {me} gives the deferred permissions: to {}.", sent(true))
                } else {
                    format!("No request was deferred, so {me} keeps every permission for the next time.")
                };
                if let Some(next) = step.granted() {
                    text += &format!(" {} waited at {me} and enters.", step.setup.thread_name(next));
                } else if step.ran(ASK) {
                    text += &format!(" Another thread waits at {me}, which sends a request to {}.", sent(false));
                }
                text
            }
            Cause::Received(from, Msg::Request(number)) => {
                let who = step.name(from);
                if step.before.inside && step.ran(DEFER) {
                    format!("{me} is inside, so it defers its reply to {who}.")
                } else if step.before.inside {
                    format!("{me} gives the permission to {who}, although it is inside.")
                } else if step.ran(DEFER) {
                    format!(
                        "{me} has requested too, and its number {} is older than {number} of {who}: it defers its reply.",
                        after.number
                    )
                } else if step.ran(ASK_BACK) && (after.number, step.me) < (*number, from) {
                    format!(
                        "{me} gives the permission to {who} and requests it back, although its own number {} is older than {number}.",
                        after.number
                    )
                } else if step.ran(ASK_BACK) {
                    format!(
                        "{me} has requested too, but number {number} of {who} is older than its own {}: it gives the permission away and requests it back in the same step.",
                        after.number
                    )
                } else {
                    format!("{me} has no request of its own: the shared permission goes to {who}.")
                }
            }
            Cause::Received(from, Msg::Reply) => {
                let (who, missing) = (step.name(from), after.others.iter().filter(|o| !o.permission).count());
                match step.granted() {
                    Some(thread) => format!(
                        "The permission of {who} reaches {me}. It was the last missing one: {} enters.",
                        step.setup.thread_name(thread)
                    ),
                    None => format!("The permission of {who} reaches {me}, which still lacks {missing}."),
                }
            }
        }
    }
}

/// Each pair of nodes shares one permission: it is at exactly one of the two, or in flight between
/// them.
fn one_permission_for_each_pair() -> Invariant<CarvalhoRoucairol> {
    Invariant {
        name: "one permission for each pair",
        check: Box::new(|system, world| {
            for a in &world.nodes {
                for b in &world.nodes[a.me.index() + 1..] {
                    let held = [a.others[b.me.index()].permission, b.others[a.me.index()].permission];
                    let moving = world.flights.iter().filter(|f| {
                        f.msg == Msg::Reply && ((f.from, f.to) == (a.me, b.me) || (f.from, f.to) == (b.me, a.me))
                    });
                    let count = held.iter().filter(|h| **h).count() + moving.count();
                    if count != 1 {
                        let (a, b) = (system.setup.name(a.me), system.setup.name(b.me));
                        return Err(format!("{a} and {b} share {count} permissions instead of one"));
                    }
                }
            }
            Ok(())
        }),
    }
}

/// No permission is in flight to a request that is younger than its giver's own.
fn the_older_wins() -> Invariant<CarvalhoRoucairol> {
    Invariant {
        name: "the older request wins",
        check: Box::new(|system, world| {
            for f in world.flights.iter().filter(|f| f.msg == Msg::Reply) {
                let (giver, taker) = (&world.nodes[f.from.index()], &world.nodes[f.to.index()]);
                if giver.requesting.is_some() && (giver.number, giver.me) < (taker.number, taker.me) {
                    let (giver, taker) = (system.setup.name(giver.me), system.setup.name(taker.me));
                    return Err(format!("{giver} has a request but gave way to the younger request of {taker}"));
                }
            }
            Ok(())
        }),
    }
}

const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread requests",
        &[
            line(NUMBER, "our number := highest + 1"),
            essential(ASK, "send REQUEST to the nodes whose permission is missing"),
            line(ENTER, "all permissions here: enter"),
        ],
    ),
    (
        "REQUEST(number) of j arrives",
        &[
            essential(HIGHEST, "highest := max(highest, number)"),
            essential(INSIDE, "we are inside, or"),
            essential(OLDER, "we requested, and our request is older:"),
            line(DEFER, "  defer the reply"),
            line(REPLY, "else give the permission to j"),
            essential(ASK_BACK, "  we requested: send j our request too"),
        ],
    ),
    ("REPLY of j arrives", &[essential(ARRIVE, "its permission is here; all of them: enter")]),
    (
        "a thread leaves",
        &[
            essential(ANSWER, "give the permission to each deferred node"),
            essential(ANSWERED, "  it is not deferred any more"),
            line(AGAIN, "another thread waits here: it requests"),
        ],
    ),
    ("a permission is given", &[essential(GONE, "it is not here any more")]),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "carvalho-roucairol",
    title: "Carvalho–Roucairol",
    year: 1983,
    source: "Carvalho and Roucairol, On mutual exclusion in computer networks, CACM 26(2), 1983",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "an entry takes between 0 and 2(n − 1) messages",
        "an isolated entry takes n − 1 messages on average if all nodes request equally often",
        "a node that enters again before any other node requests sends no message",
    ],
    tree_link: "",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<CarvalhoRoucairol>(),
};
