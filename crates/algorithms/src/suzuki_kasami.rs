//! Suzuki and Kasami's broadcast algorithm.
//!
//! *Source.* I. Suzuki and T. Kasami, "A distributed mutual exclusion algorithm", ACM TOCS 3(4),
//! 1985.
//!
//! # The idea
//!
//! No node knows where the token is, so a node broadcasts its request, with a number that counts
//! its requests. `RN` of each node holds the highest number received from every other node; `LN`,
//! which travels in the token, holds the number of the last served request of each node. A request
//! is pending if `RN` is one ahead of `LN`, and outdated otherwise, however late it arrives; so the
//! order of messages does not matter. The queue `Q` travels in the token too. A node that leaves
//! writes its own number into `LN`, appends the nodes that it knows to be waiting, and sends the
//! token to the head. An entry costs n messages, or none at the token holder.
//!
//! # Where we depart from the paper
//!
//! The paper has one process per node. Here further threads wait at their node; when a thread has
//! left, the next enters at once if the token stays, otherwise the node requests again. The setup
//! names the first token holder.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// The number of nodes, known to every node.
pub struct SuzukiKasami {
    nodes: u32,
}

/// The contents of the token.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Token {
    /// The number of the last served request of each node.
    ln: Vec<u32>,
    /// The nodes that get the token next, in order.
    q: VecDeque<NodeId>,
}

/// The messages between nodes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The sender requests the token; the number of its request.
    Request(u32),
    /// The token.
    Privilege(Box<Token>),
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "request", role: Role::Request }, MessageKind { name: "token", role: Role::Token }];

    #[inline]
    fn kind(&self) -> usize {
        usize::from(matches!(self, Msg::Privilege(_)))
    }

    fn tag(&self, _: &Setup) -> String {
        match self {
            Msg::Request(number) => format!("R{number}"),
            Msg::Privilege(_) => "T".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(number) => format!("REQUEST({number})"),
            Msg::Privilege(token) if token.q.is_empty() => "PRIVILEGE".into(),
            Msg::Privilege(token) => format!("PRIVILEGE(then {})", names(token.q.iter().map(|j| setup.name(*j)))),
        }
    }
}

/// Names with commas between them.
fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    rn: Vec<u32>,
    token: Option<Box<Token>>,
    /// The thread that this node requests for, or that is inside.
    requesting: Option<ThreadId>,
    /// Further threads of this node.
    more: VecDeque<ThreadId>,
}

lines! {
    ENTER, COUNT, ASK, RECORD, GIVE, OPEN, ARRIVE, SERVED, APPEND, PASS, AGAIN,
}

impl SuzukiKasami {
    fn all_nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes).map(NodeId)
    }

    fn acquire(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        n.requesting = Some(thread);
        if n.token.is_some() {
            out.line(ENTER);
            return out.grant(thread);
        }
        if out.line(COUNT) {
            n.rn[n.me.index()] += 1;
        }
        if out.line(ASK) {
            for other in self.all_nodes().filter(|j| *j != n.me) {
                out.send(other, Msg::Request(n.rn[n.me.index()]));
            }
        }
    }

    fn leave(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        n.requesting = None;
        let Some(mut token) = n.token.take() else {
            return out.impossible("a thread left, but its node does not have the token");
        };
        if out.line(SERVED) {
            token.ln[n.me.index()] = n.rn[n.me.index()];
        }
        for j in self.all_nodes() {
            if n.rn[j.index()] == token.ln[j.index()] + 1 && !token.q.contains(&j) && out.line(APPEND) {
                token.q.push_back(j);
            }
        }
        match token.q.pop_front() {
            Some(head) if out.line(PASS) => out.send(head, Msg::Privilege(token)),
            _ => n.token = Some(token),
        }
    }
}

impl Algorithm for SuzukiKasami {
    type Node = Node;
    type Msg = Msg;

    fn new(setup: &Setup) -> Self {
        SuzukiKasami { nodes: setup.nodes() as u32 }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let (size, here) = (setup.nodes(), setup.parents[me.index()] == me);
        let token = here.then(|| Box::new(Token { ln: vec![0; size], q: VecDeque::with_capacity(size) }));
        let more = VecDeque::with_capacity(setup.threads[me.index()] as usize);
        Node { me, rn: vec![0; size], token, requesting: None, more }
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) if n.requesting.is_some() => n.more.push_back(thread),
            Call::Request(thread) => self.acquire(n, thread, out),
            Call::Release(_) => {
                self.leave(n, out);
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
                if out.line(RECORD) {
                    n.rn[j] = n.rn[j].max(number);
                }
                let open = n.token.as_ref().is_some_and(|t| n.rn[j] == t.ln[j] + 1 || !out.line(OPEN));
                if n.requesting.is_none()
                    && open
                    && out.line(GIVE)
                    && let Some(token) = n.token.take()
                {
                    out.send(from, Msg::Privilege(token));
                }
            }
            Msg::Privilege(token) => match n.requesting {
                Some(thread) if n.token.is_none() => {
                    out.line(ARRIVE);
                    n.token = Some(token);
                    out.grant(thread);
                }
                _ => out.impossible("the token came to a node that did not request it"),
            },
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let asking = n.requesting.filter(|_| n.token.is_none()).map(Waiter::User);
        let q = n.token.iter().flat_map(|t| &t.q).map(|j| Waiter::Remote(*j));
        let numbers = |name: &str, array: &[u32]| Var::list(name, ["[", " ", "]"], array.iter());
        let mut vars = vec![numbers("RN", &n.rn)];
        if let Some(token) = &n.token {
            vars.push(numbers("LN", &token.ln));
        }
        NodeView {
            token: n.token.is_some(),
            queue: asking.into_iter().chain(q).chain(n.more.iter().copied().map(Waiter::User)).collect(),
            vars,
            ..NodeView::default()
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            mutual_exclusion(),
            one_token(|n: &Node| n.token.is_some(), |m| matches!(m, Msg::Privilege(_))),
            one_open_request_for_each_node(),
        ]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, after) = (step.name(step.me), step.after);
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.ran(ENTER) {
                    format!("{user} enters at once: {me} has the token, and it is idle.")
                } else if step.ran(ASK) {
                    let number = after.rn[step.me.index()];
                    format!(
                        "{user} waits. {me} does not know where the token is, so it broadcasts request number {number} of {me}."
                    )
                } else {
                    format!("{user} waits for another thread of {me}.")
                }
            }
            Cause::Left(thread) => {
                let mut text = format!("{} leaves. ", step.setup.thread_name(thread));
                let sent = step.effects.list.iter().find_map(|e| match e {
                    lockstep_kernel::Effect::Send(to, Msg::Privilege(token)) => Some((*to, token)),
                    _ => None,
                });
                text += &match sent {
                    None => format!("{me} knows of no pending request, so the token stays."),
                    Some((head, token)) if token.q.is_empty() => {
                        format!("{} is the only waiting node: the token goes there.", step.name(head))
                    }
                    Some((head, token)) => format!(
                        "The token's queue starts with {}, so the token goes there; after it: {}.",
                        step.name(head),
                        names(token.q.iter().map(|j| step.name(*j)))
                    ),
                };
                if let Some(next) = step.granted() {
                    text += &format!(" {} waited at {me} and enters.", step.setup.thread_name(next));
                } else if step.ran(AGAIN) {
                    text += &format!(" Another thread waits at {me}, which broadcasts a new request.");
                }
                text
            }
            Cause::Received(from, Msg::Request(number)) => {
                let who = step.name(from);
                let asked = format!("{me} receives request number {number} of {who}");
                match &step.before.token {
                    _ if step.ran(GIVE) => {
                        format!("{asked}, has the token and is idle: the token goes to {who}.")
                    }
                    Some(token) if token.ln[from.index()] >= *number => {
                        format!("{asked}. LN in the token says that this request was served: {me} ignores it.")
                    }
                    Some(_) => format!("{asked}, but is inside: when it leaves, it will find {who} in RN."),
                    None if step.before.rn[from.index()] >= *number => {
                        format!("{asked}, which it already knows.")
                    }
                    None => format!("{asked} and stores it in RN, for the time when {me} has the token."),
                }
            }
            Cause::Received(_, Msg::Privilege(_)) => {
                let user = step.granted().map_or("no thread".into(), |t| step.setup.thread_name(t));
                format!("The token reaches {me}, and {user} enters.")
            }
        }
    }
}

/// A node requests again only after it was served: its own number is the token's or one more, no
/// node has received a higher one, and no node is twice in the token's queue.
fn one_open_request_for_each_node() -> Invariant<SuzukiKasami> {
    Invariant {
        name: "one open request for each node",
        check: Box::new(|system, world| {
            let held = world.nodes.iter().filter_map(|n| n.token.as_ref());
            let moving = world.flights.iter().filter_map(|f| match &f.msg {
                Msg::Privilege(token) => Some(token),
                Msg::Request(_) => None,
            });
            let Some(token) = held.chain(moving).next() else { return Ok(()) };
            for n in &world.nodes {
                let (i, name) = (n.me.index(), system.setup.name(n.me));
                let own = n.rn[i];
                if own != token.ln[i] && own != token.ln[i] + 1 {
                    return Err(format!("{name} has requested {own} times and was served {} times", token.ln[i]));
                }
                if world.nodes.iter().any(|other| other.rn[i] > own) {
                    return Err(format!("a node has received a request that {name} never sent"));
                }
                if token.q.iter().filter(|j| **j == n.me).count() > 1 {
                    return Err(format!("{name} is twice in the token's queue"));
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
            line(ENTER, "token here: enter"),
            essential(COUNT, "else RN[self] += 1"),
            essential(ASK, "  broadcast REQUEST(RN[self])"),
        ],
    ),
    (
        "REQUEST(number) of j arrives",
        &[
            essential(RECORD, "RN[j] := max(RN[j], number)"),
            essential(GIVE, "token here and idle: send it to j"),
            essential(OPEN, "  but only if RN[j] = LN[j] + 1"),
        ],
    ),
    ("the PRIVILEGE arrives", &[line(ARRIVE, "enter")]),
    (
        "a thread leaves",
        &[
            essential(SERVED, "LN[self] := RN[self]"),
            essential(APPEND, "append every j with RN[j] = LN[j] + 1 to Q"),
            essential(PASS, "Q not empty: send the PRIVILEGE to its head"),
            line(AGAIN, "another thread waits here: it requests"),
        ],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "suzuki-kasami",
    title: "Suzuki–Kasami",
    year: 1985,
    source: "Suzuki and Kasami, A distributed mutual exclusion algorithm, ACM TOCS 3(4), 1985",
    printed: false,
    params: &[],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "an entry takes n messages, or none if the token is here",
        "an isolated entry takes n − 1 messages on average if all nodes request equally often",
        "messages may overtake each other",
    ],
    tree_link: "",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<SuzukiKasami>(),
};
