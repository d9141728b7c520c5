//! Mueller's path reversal for nodes with several threads.
//!
//! *Source.* F. Mueller, "Decentralized synchronization for multi-threaded DSMs" (2000), as used
//! for comparison by Meza, Pérez and Eterovic (2005). It extends the single-threaded algorithm of
//! Naimi and Tréhel.
//!
//! # The idea
//!
//! Waiting requests form one distributed first-come-first-served queue. Every node has a guess
//! where its tail is (`owner`; none: this node is the tail). A request follows the guesses to the
//! tail, and every node on the route then guesses the requester: the path is reversed. The tail
//! stores the node that comes after it (`next`) and passes the token there.
//!
//! # How we read it
//!
//! Mueller's paper itself is not available to us; summaries describe local queues whose union
//! resembles one global queue. Three readings are possible:
//!
//! * `a` The request of each thread is a separate entry of the distributed queue. A node is in it
//!   with several *runs* of threads, each with its own `next`; while the node is the tail, a
//!   further thread only extends the last run, without a message.
//! * `b` One request per node, which serves all its threads, including those that request in the
//!   meantime, before it passes the token on. Other nodes can starve.
//! * `c` One request per node and one thread per visit of the token; if others wait, the node
//!   requests again.
//!
//! With one thread per node, all three are the same. Only `a` and `c` behave as the comparison
//! reports (messages hardly depend on the number of threads, waiting times rise abruptly with
//! load), so `a` is the default.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token, owners_lead_to_a_tail};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::VecDeque;

/// The reading of the paper.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Runs,
    Exhaustive,
    OneByOne,
}

/// The algorithm's parameters.
pub struct Mueller {
    reading: Reading,
}

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// This node requests a place after the tail.
    Request(NodeId),
    /// The token.
    Token,
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] =
        &[MessageKind { name: "request", role: Role::Request }, MessageKind { name: "token", role: Role::Token }];

    #[inline]
    fn kind(&self) -> usize {
        usize::from(*self == Msg::Token)
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("R{}", setup.name(*node).trim_start_matches('p')),
            Msg::Token => "T".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("REQ({})", setup.name(*node)),
            Msg::Token => "TOKEN".into(),
        }
    }
}

/// A section of the distributed queue that belongs to one node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Run {
    /// Threads still to be served in this run, including the one inside.
    count: u32,
    /// The node that gets the token after this run.
    next: Option<NodeId>,
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    /// Where the tail of the distributed queue is believed to be; none if this node is the tail.
    owner: Option<NodeId>,
    token: bool,
    inside: bool,
    users: VecDeque<ThreadId>,
    runs: VecDeque<Run>,
}

lines! {
    ASK, BECOME_TAIL, LONGER, ENTER, PASS, AGAIN, FORWARD, AFTER, GIVE, REVERSE, TOKEN,
}

impl Mueller {
    /// Puts this node, with one thread, behind the tail.
    fn ask(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if let Some(owner) = n.owner
            && out.line(ASK)
        {
            out.send(owner, Msg::Request(n.me));
            if out.line(BECOME_TAIL) {
                n.owner = None;
            }
        }
        n.runs.push_back(Run { count: 1, next: None });
    }

    /// The token is here: the first thread of the first run enters.
    fn serve(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        if n.token
            && !n.inside
            && !n.runs.is_empty()
            && let Some(thread) = n.users.pop_front()
        {
            out.line(ENTER);
            n.inside = true;
            out.grant(thread);
        }
    }
}

impl Algorithm for Mueller {
    type Node = Node;
    type Msg = Msg;

    fn new(setup: &Setup) -> Self {
        let reading = match setup.params.get("reading") {
            "b" => Reading::Exhaustive,
            "c" => Reading::OneByOne,
            _ => Reading::Runs,
        };
        Mueller { reading }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let owner = Some(setup.parents[me.index()]).filter(|p| *p != me);
        let threads = setup.threads[me.index()] as usize;
        let (users, runs) = (VecDeque::with_capacity(threads), VecDeque::with_capacity(threads + 1));
        Node { me, token: owner.is_none(), owner, inside: false, users, runs }
    }

    fn anonymous(&self) -> bool {
        true
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) => {
                n.users.push_back(thread);
                let joins = match self.reading {
                    Reading::Runs => n.owner.is_none(),
                    Reading::Exhaustive | Reading::OneByOne => true,
                };
                match n.runs.back_mut().filter(|_| joins) {
                    Some(_) if self.reading == Reading::OneByOne => {}
                    Some(run) => {
                        out.line(LONGER);
                        run.count += 1;
                    }
                    None => self.ask(n, out),
                }
                self.serve(n, out);
            }
            Call::Release(_) => {
                n.inside = false;
                let Some(run) = n.runs.front_mut() else { return };
                run.count -= 1;
                if run.count > 0 {
                    return self.serve(n, out);
                }
                let next = run.next;
                n.runs.pop_front();
                if let Some(next) = next
                    && out.line(PASS)
                {
                    n.token = false;
                    out.send(next, Msg::Token);
                }
                if !n.users.is_empty() && n.runs.is_empty() && out.line(AGAIN) {
                    self.ask(n, out);
                    self.serve(n, out);
                }
            }
        }
    }

    fn on_message(&self, n: &mut Node, _: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(who) if who == n.me => out.impossible("a request came back to its own node"),
            Msg::Request(who) => {
                if let Some(owner) = n.owner {
                    out.line(FORWARD);
                    out.send(owner, Msg::Request(who));
                } else if let Some(run) = n.runs.back_mut() {
                    out.line(AFTER);
                    run.next = Some(who);
                } else if n.token {
                    out.line(GIVE);
                    n.token = false;
                    out.send(who, Msg::Token);
                } else {
                    return out.impossible("the tail has neither the token nor a request");
                }
                if out.line(REVERSE) {
                    n.owner = Some(who);
                }
            }
            Msg::Token if n.token || n.runs.is_empty() => {
                out.impossible("the token came to a node that did not request it")
            }
            Msg::Token => {
                out.line(TOKEN);
                n.token = true;
                self.serve(n, out);
            }
        }
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let mut users = n.users.iter().copied();
        let mut queue = Vec::new();
        for (i, run) in n.runs.iter().enumerate() {
            let waiting = run.count as usize - usize::from(i == 0 && n.inside);
            queue.extend(users.by_ref().take(waiting).map(Waiter::User));
            queue.extend(run.next.map(Waiter::Remote));
        }
        queue.extend(users.map(Waiter::User));
        let link = |kind: &str, to: Option<NodeId>| to.map(|to| PointerView { kind: kind.into(), to });
        let next = n.runs.front().and_then(|r| r.next);
        NodeView {
            token: n.token,
            links: link("owner", n.owner).into_iter().chain(link("next", next)).collect(),
            queue,
            vars: vec![
                Var::maybe_node("owner", n.owner),
                Var::maybe_node("next", next),
                Var::new("token", n.token),
                Var::new("runs", n.runs.len()),
            ],
            badges: if n.owner.is_none() { vec!["tail".into()] } else { Vec::new() },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            mutual_exclusion(),
            one_token(|n: &Node| n.token, |m| *m == Msg::Token),
            owners_lead_to_a_tail(|n: &Node| n.owner),
        ]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let me = step.name(step.me);
        let entered = step.granted().map(|t| format!(" {} enters.", step.setup.thread_name(t))).unwrap_or_default();
        let owner = || step.before.owner.map_or("no node", |o| step.name(o));
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.granted() == Some(thread) {
                    format!("{user} enters at once: {me} has the token and no request comes before it.")
                } else if step.ran(ASK) {
                    format!(
                        "{user} waits. {me} sends a request to {}, where it believes the tail of the queue to be, and is now the tail itself.",
                        owner()
                    )
                } else {
                    format!("{user} waits at {me} without a message: {me} is already in the queue.")
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                let passed =
                    if step.ran(PASS) { format!(" {me} passes the token on to its next.") } else { String::new() };
                let again = if step.ran(ASK) {
                    format!(" Other threads still wait at {me}, so it requests again.")
                } else {
                    String::new()
                };
                let stays = if passed.is_empty() && entered.is_empty() { " The token stays." } else { "" };
                format!("{user} leaves.{passed}{again}{entered}{stays}")
            }
            Cause::Received(_, Msg::Request(who)) => {
                let who = step.name(*who);
                if step.ran(FORWARD) {
                    format!(
                        "{me} is not the tail: it forwards the request to {} and points at {who} from now on.",
                        owner()
                    )
                } else if step.ran(GIVE) {
                    format!("{me} has the token and is idle: it sends the token to {who} and points there.")
                } else {
                    format!("{me} is the tail: {who} comes after it, and {me} points at {who}.")
                }
            }
            Cause::Received(_, Msg::Token) => format!("The token reaches {me}.{entered}"),
        }
    }
}

const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread requests",
        &[
            essential(ASK, "not the tail: send a request to owner"),
            essential(BECOME_TAIL, "  owner := none, we are the tail now"),
            line(LONGER, "already in the queue: our run gets longer"),
        ],
    ),
    (
        "a thread leaves",
        &[
            line(ENTER, "more in this run: the next of our threads enters"),
            essential(PASS, "run done and next known: send the token to next"),
            essential(AGAIN, "c: more threads wait: request again"),
        ],
    ),
    (
        "a request arrives",
        &[
            line(FORWARD, "not the tail: forward it to owner"),
            line(AFTER, "tail of the queue: next := requester"),
            line(GIVE, "tail with an idle token: send it to the requester"),
            essential(REVERSE, "owner := requester, in all three cases"),
        ],
    ),
    ("the token arrives", &[line(TOKEN, "our first waiting thread enters")]),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "mueller",
    title: "Mueller's path reversal",
    year: 2000,
    source: "Mueller, Decentralized synchronization for multi-threaded DSMs, 2000, as compared by Meza, Pérez and Eterovic 2005",
    printed: false,
    params: &[Param {
        name: "reading",
        about: "a: one queue entry per thread; b: one per node, for all its threads; c: one per node, for one thread at a time",
        values: &["a", "b", "c"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: true },
    claims: &[
        "light load: the fewest messages (H(n−1) per entry with one thread per node)",
        "messages hardly depend on the number of threads",
        "waiting times rise abruptly with load, the sooner the more threads",
    ],
    tree_link: "owner",
    listing: LISTING,
    sample: SampleSystem { rate: 3.0, ..SampleSystem::CHAIN },
    drive: Drive::of::<Mueller>(),
};
