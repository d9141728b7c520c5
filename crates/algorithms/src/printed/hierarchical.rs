//! Preemption and aggregation as printed: requests are lost on the way to a new root, and two
//! routes lead into a cluster.
//!
//! *Source.* M. Bertier, L. Arantes and P. Sens, "Hierarchical token based mutual exclusion
//! algorithms", INRIA RR-5177, 2004, Figures 5 and 6. The module `preempt_aggregation` explains the
//! algorithm and its repair.
//!
//! # How we read the paper
//!
//! The paper lost its indentation; its comments say to which `if` each `else` belongs.
//! `Queue(R_Queue)` is the last of the queue (French). The head of `Q` in Receive_Token can only be
//! that of `R_Queue`, into which the received queue has just gone; the head of an empty queue is
//! none. In Receive_Queue the head is that of the received `Q`, which is never stored: that is how
//! it is printed, and how requests are lost. `nb_preempt` starts at 0. Preempt, of which the paper
//! only says that aggregation is disabled, forwards to `next` the requests that would be queued.
//!
//! # What goes wrong
//!
//! * *H1.* The idle holder keeps `owner` = none, as in Figure 1: two nodes inside after 4 steps.
//!   This hides every other error, so it can be repaired separately: `repair = owner`.
//! * *H2.* A new root takes the head of the queue that it receives and loses the rest; with a near
//!   next it loses all of it. 16 steps lead to a node that waits forever, with clusters of 2, 1 and
//!   1 nodes, threshold 1, FIFO. It takes 13 steps if a far request that is queued does not become
//!   owner (`repair = far`, which Figure 7 shows), since preemption then finds a queue of two.
//! * *H3.* A queue that arrives after the token has gone is kept forever. FIFO, clusters of 3 and 2
//!   nodes, threshold 0: 21 steps, one of them the delivery of an empty queue. Unordered: 9 steps,
//!   clusters of 2 and 1 nodes, threshold 1.
//! * *H4.* With the queues repaired (`repair = queues`): a root that has queued a far request
//!   points at it, and points there again when the token leaves, although a near node has requested
//!   in the meantime. Two requests of one cluster are then queued in another, and the first of them
//!   is a root that gives the token away. Two nodes inside after 19 steps, clusters of 2, 1 and 1
//!   nodes, threshold 0, FIFO.
//! * *H5.* Every message overwrites the count of preemptions with older values: the threshold
//!   bounds nothing.

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion, one_token};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{Algorithm, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines};
use std::collections::{BTreeMap, VecDeque};

/// The clusters and the parameters, known to every node.
pub struct Printed<const AGGREGATES: bool = true> {
    clusters: Vec<u32>,
    threshold: u32,
    repair_owner: bool,
    repair_far: bool,
    repair_queues: bool,
}

/// The messages between nodes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// This node requests the token.
    Request(NodeId),
    /// The token, with a queue and the count of preemptions.
    Token(Vec<NodeId>, u32),
    /// A queue for a new root, and the count of preemptions.
    Queue(Vec<NodeId>, u32),
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "request", role: Role::Request },
        MessageKind { name: "token", role: Role::Token },
        MessageKind { name: "queue", role: Role::Request },
    ];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::Request(_) => 0,
            Msg::Token(..) => 1,
            Msg::Queue(..) => 2,
        }
    }

    fn tag(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("R{}", setup.name(*node).trim_start_matches('p')),
            Msg::Token(queue, _) if queue.is_empty() => "T".into(),
            Msg::Token(..) => "T+".into(),
            Msg::Queue(..) => "Q".into(),
        }
    }

    fn label(&self, setup: &Setup) -> String {
        match self {
            Msg::Request(node) => format!("Request({})", setup.name(*node)),
            Msg::Token(queue, count) => format!("Token({},{count})", names(queue, setup)),
            Msg::Queue(queue, count) => format!("Queue({},{count})", names(queue, setup)),
        }
    }
}

/// A queue as the paper writes it: `[D,F]`.
fn names(queue: &[NodeId], setup: &Setup) -> String {
    let names: Vec<&str> = queue.iter().map(|node| setup.name(*node)).collect();
    format!("[{}]", names.join(","))
}

/// One node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    owner: Option<NodeId>,
    next: Option<NodeId>,
    token: bool,
    /// The thread that this node requests for, or that is inside.
    requesting: Option<ThreadId>,
    r_queue: Vec<NodeId>,
    nb_preempt: u32,
    /// Further threads of this node.
    more: VecDeque<ThreadId>,
}

lines! {
    ENTER, ASK, WIPE, LEAVES, PASS, AFTER, NEAR_AFTER, OVERTAKE, PROMISED, APPEND,
    APPEND_OWNER, GIVE, FORWARD, NEAR_FORWARD, TOKEN, COUNT, TAKE_NEXT, SEND_ON, QUEUE,
    QUEUE_NEXT, QUEUE_ON, REPAIRED,
}

impl<const AGGREGATES: bool> Printed<AGGREGATES> {
    #[inline]
    fn near(&self, n: &Node, other: NodeId) -> bool {
        self.clusters[n.me.index()] == self.clusters[other.index()]
    }

    #[inline]
    fn acquire(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        n.requesting = Some(thread);
        if let Some(owner) = n.owner {
            out.line(ASK);
            out.send(owner, Msg::Request(n.me));
            n.owner = None;
            out.line(WIPE);
            n.r_queue.clear();
        } else {
            out.line(ENTER);
            out.grant(thread);
        }
    }

    #[inline]
    fn hand_over(&self, n: &mut Node, next: NodeId, out: &mut impl Out<Msg>) {
        if !self.near(n, next) {
            out.line(LEAVES);
            n.nb_preempt = 0;
            n.owner = Some(*n.r_queue.last().unwrap_or(&next));
        }
        out.line(PASS);
        out.send(next, Msg::Token(n.r_queue.clone(), n.nb_preempt));
        n.token = false;
        n.next = None;
        if self.repair_queues {
            n.r_queue.clear();
        }
    }

    #[inline]
    fn request(&self, n: &mut Node, who: NodeId, out: &mut impl Out<Msg>) {
        let near = self.near(n, who);
        if let Some(owner) = n.owner {
            out.line(FORWARD);
            out.send(owner, Msg::Request(who));
            if near {
                out.line(NEAR_FORWARD);
                n.owner = Some(who);
            }
        } else if n.requesting.is_none() {
            out.line(GIVE);
            n.token = false;
            out.send(who, Msg::Token(n.r_queue.clone(), n.nb_preempt));
            if self.repair_owner {
                out.line(REPAIRED);
                n.owner = Some(who);
            }
        } else if let Some(next) = n.next {
            if near && n.nb_preempt < self.threshold {
                out.line(OVERTAKE);
                n.nb_preempt += 1;
                n.r_queue.insert(0, next);
                n.next = Some(who);
                n.owner = Some(who);
                out.line(PROMISED);
                out.send(who, Msg::Queue(std::mem::take(&mut n.r_queue), n.nb_preempt));
            } else {
                out.line(APPEND);
                if AGGREGATES {
                    n.r_queue.push(who);
                } else {
                    out.send(next, Msg::Request(who));
                }
                if near || !self.repair_far {
                    out.line(APPEND_OWNER);
                    n.owner = Some(who);
                }
            }
        } else {
            out.line(AFTER);
            n.next = Some(who);
            if near {
                out.line(NEAR_AFTER);
                n.owner = Some(who);
            }
        }
    }

    /// Handles the queue when a near node is next.
    #[inline]
    fn send_on(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        match n.owner {
            Some(owner) => out.send(owner, Msg::Queue(std::mem::take(&mut n.r_queue), n.nb_preempt)),
            None => out.impossible("a queue is to be sent to the owner, and there is none"),
        }
    }

    #[inline]
    fn queue(&self, n: &mut Node, queue: Vec<NodeId>, count: u32, out: &mut impl Out<Msg>) {
        if self.repair_queues && n.requesting.is_none() {
            return self.late(n, queue, count, out);
        }
        out.line(QUEUE);
        n.nb_preempt = count;
        if self.repair_queues {
            n.r_queue.splice(0..0, queue.iter().copied());
        }
        match n.next {
            None => {
                out.line(QUEUE_NEXT);
                n.next = queue.first().copied();
                n.r_queue.retain(|who| Some(who) != queue.first());
            }
            Some(next) if self.near(n, next) => {
                out.line(QUEUE_ON);
                self.send_on(n, out);
            }
            Some(_) => {}
        }
    }

    /// Repaired: a queue reaches a node that no longer waits.
    #[inline]
    fn late(&self, n: &mut Node, mut queue: Vec<NodeId>, count: u32, out: &mut impl Out<Msg>) {
        out.line(REPAIRED);
        if queue.is_empty() {
        } else if n.token {
            let first = queue.remove(0);
            n.r_queue = queue;
            self.hand_over(n, first, out);
        } else if let Some(owner) = n.owner {
            out.send(owner, Msg::Queue(queue, count));
        } else {
            out.impossible("a queue reached a terminal node that neither waits nor has the token");
        }
    }
}

impl<const AGGREGATES: bool> Algorithm for Printed<AGGREGATES> {
    type Node = Node;
    type Msg = Msg;

    /// The tree of two levels: every cluster except that of node 0 has a proxy, its first host or a
    /// separate node.
    fn arrange(setup: &mut Setup) {
        let cluster = |node: NodeId, setup: &Setup| setup.clusters[node.index()];
        let mut proxies = BTreeMap::new();
        for node in setup.ids().filter(|node| cluster(*node, setup) != setup.clusters[0]) {
            proxies.entry(cluster(node, setup)).or_insert(node);
        }
        if setup.params.get("proxies") == "extra" {
            for (cluster, proxy) in &mut proxies {
                *proxy = setup.add_node(&format!("P{cluster}"), *cluster);
            }
        }
        for node in setup.ids() {
            let proxy = proxies.get(&cluster(node, setup)).filter(|proxy| **proxy != node);
            setup.parents[node.index()] = proxy.copied().unwrap_or(NodeId(0));
        }
    }

    fn new(setup: &Setup) -> Self {
        let repair = setup.params.get("repair");
        Printed {
            clusters: setup.clusters.clone(),
            threshold: setup.params.get("threshold").parse().unwrap_or(0),
            repair_owner: matches!(repair, "owner" | "far" | "queues"),
            repair_far: repair == "far",
            repair_queues: repair == "queues",
        }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        let owner = Some(setup.parents[me.index()]).filter(|p| *p != me);
        Node {
            me,
            token: owner.is_none(),
            owner,
            next: None,
            requesting: None,
            r_queue: Vec::new(),
            nb_preempt: 0,
            more: VecDeque::new(),
        }
    }

    #[inline]
    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) if n.requesting.is_some() => n.more.push_back(thread),
            Call::Request(thread) => self.acquire(n, thread, out),
            Call::Release(_) => {
                n.requesting = None;
                if let Some(next) = n.next {
                    self.hand_over(n, next, out);
                }
                if let Some(thread) = n.more.pop_front() {
                    self.acquire(n, thread, out);
                }
            }
        }
    }

    #[inline]
    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        match msg {
            Msg::Request(who) if who == n.me => out.impossible("a request came back to its own node"),
            Msg::Request(who) => self.request(n, who, out),
            Msg::Token(queue, count) => match n.requesting {
                Some(thread) if !n.token => {
                    out.line(TOKEN);
                    n.token = true;
                    n.r_queue.splice(0..0, queue);
                    if self.near(n, from) {
                        out.line(COUNT);
                        n.nb_preempt = count;
                    }
                    match n.next {
                        None => {
                            out.line(TAKE_NEXT);
                            n.next = (!n.r_queue.is_empty()).then(|| n.r_queue.remove(0));
                        }
                        Some(next) if self.near(n, next) => {
                            out.line(SEND_ON);
                            self.send_on(n, out);
                        }
                        Some(_) => {}
                    }
                    out.grant(thread);
                }
                _ => out.impossible("the token came to a node that did not request it"),
            },
            Msg::Queue(queue, count) => self.queue(n, queue, count, out),
        }
    }

    fn view(&self, n: &Node, setup: &Setup) -> NodeView {
        let link = |kind: &str, to: Option<NodeId>| to.map(|to| PointerView { kind: kind.into(), to });
        let asking = n.requesting.filter(|_| !n.token).map(Waiter::User);
        let remote = n.next.iter().chain(&n.r_queue).copied().map(Waiter::Remote);
        NodeView {
            token: n.token,
            links: link("owner", n.owner).into_iter().chain(link("next", n.next)).collect(),
            queue: asking.into_iter().chain(remote).chain(n.more.iter().copied().map(Waiter::User)).collect(),
            vars: vec![
                Var::maybe_node("owner", n.owner),
                Var::maybe_node("next", n.next),
                Var::new("token", n.token),
                Var::new("requesting", n.requesting.is_some()),
                Var::new("nb_preempt", n.nb_preempt),
                Var::new("R_Queue", names(&n.r_queue, setup)),
            ],
            badges: if n.owner.is_none() { vec!["terminal".into()] } else { Vec::new() },
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), one_token(|n: &Node| n.token, |m| matches!(m, Msg::Token(..)))]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, before, after) = (step.name(step.me), step.before, step.after);
        let name = |node: Option<NodeId>| node.map_or("no node", |n| step.name(n));
        let list = |queue: &[NodeId]| names(queue, step.setup);
        match step.cause {
            Cause::Asked(thread) => {
                let user = step.setup.thread_name(thread);
                if step.ran(ENTER) {
                    let how = if before.token { "and it does" } else { "and lets it in WITHOUT the token" };
                    format!("{user} enters: owner of {me} is none, so {me} believes that it has the token, {how}.")
                } else if step.ran(ASK) {
                    let wiped = match before.r_queue.as_slice() {
                        [] => String::new(),
                        queue => format!(" Its R_Queue {} is emptied.", list(queue)),
                    };
                    format!(
                        "{user} waits. {me} sends a request to {}; its owner is now none.{wiped}",
                        name(before.owner)
                    )
                } else {
                    format!("{user} waits for another thread of {me}.")
                }
            }
            Cause::Left(thread) => {
                let user = step.setup.thread_name(thread);
                if !step.ran(PASS) {
                    return format!("{user} leaves. {me} has no next.");
                }
                let last = before.r_queue.last().copied().or(before.next);
                let leaves = match (step.ran(LEAVES), before.owner) {
                    (false, _) => String::new(),
                    (true, Some(owner)) if self.near(before, owner) && last != Some(owner) => format!(
                        " The token leaves the cluster, so {me} points at {}, no longer at {}, which is near.",
                        name(last),
                        step.name(owner)
                    ),
                    (true, _) => format!(" The token leaves the cluster, so {me} points at {}.", name(last)),
                };
                let with = list(&before.r_queue);
                format!("{user} leaves, and {me} sends the token to {} with {with}.{leaves}", name(before.next))
            }
            Cause::Received(_, Msg::Request(who)) => {
                let who = step.name(*who);
                if step.ran(FORWARD) {
                    format!("{me} forwards the request to {} and points at {}.", name(before.owner), name(after.owner))
                } else if step.ran(GIVE) {
                    let what = if before.token { "the token" } else { "a token that it does NOT have" };
                    let then = if step.ran(REPAIRED) { "points there (repaired)" } else { "keeps owner = none" };
                    format!("{me} is terminal and idle: it sends {what} to {who} and {then}.")
                } else if step.ran(OVERTAKE) {
                    let count = after.nb_preempt;
                    format!(
                        "{who} is near and overtakes {}: preemption {count}. The queue follows it.",
                        name(before.next)
                    )
                } else if step.ran(AFTER) {
                    format!("{me} is terminal and has no next: {who} becomes its next.")
                } else if AGGREGATES {
                    let points =
                        if step.ran(APPEND_OWNER) { format!(", and {me} points at it") } else { String::new() };
                    format!("{who} joins R_Queue, now {}{points}.", list(&after.r_queue))
                } else {
                    format!("{me} forwards the request to its next, {}, and points at {who}.", name(before.next))
                }
            }
            Cause::Received(_, Msg::Token(queue, _)) => {
                let then = match (step.ran(SEND_ON), after.next) {
                    (true, _) => format!(" Its next is near, so the queue goes to {}.", name(after.owner)),
                    (false, Some(next)) => format!(" {} becomes its next.", step.name(next)),
                    (false, None) => String::new(),
                };
                format!("The token reaches {me} with {}, and its thread enters.{then}", list(queue))
            }
            Cause::Received(_, Msg::Queue(queue, _)) if step.ran(REPAIRED) => {
                format!("The queue {} arrives late; {me} handles it (repaired).", list(queue))
            }
            Cause::Received(_, Msg::Queue(queue, count)) => {
                let lost: &[NodeId] = match (self.repair_queues, step.ran(QUEUE_NEXT)) {
                    (true, _) => &[],
                    (false, true) => queue.get(1..).unwrap_or_default(),
                    (false, false) => queue,
                };
                let lost = if lost.is_empty() { String::new() } else { format!(" {} is LOST.", list(lost)) };
                let head = match after.next {
                    Some(next) if step.ran(QUEUE_NEXT) => format!(" {} becomes its next.", step.name(next)),
                    _ => String::new(),
                };
                let late = match before.requesting {
                    None if head.is_empty() => "",
                    None => " But {me} is not requesting any more, so it will never send the token there.",
                    Some(_) => "",
                };
                format!("{me} receives {} and the count {count}.{head}{late}{lost}", list(queue))
            }
        }
    }
}

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread requests",
        &[
            line(ASK, "owner known: send it a request; owner := none"),
            line(WIPE, "  R_Queue := empty; wait for the token"),
            line(ENTER, "else enter"),
        ],
    ),
    (
        "a thread leaves and next is known",
        &[
            line(LEAVES, "next far: nb_preempt := 0; owner := last of R_Queue, or next"),
            line(PASS, "send Token(R_Queue, nb_preempt) to next; next := none"),
        ],
    ),
    (
        "a request arrives",
        &[
            line(AFTER, "terminal, requesting, no next: next := requester"),
            line(NEAR_AFTER, "  near: owner := requester"),
            line(OVERTAKE, "near, nb_preempt < threshold: count; next, owner := it"),
            line(PROMISED, "  send Queue(old next + R_Queue, nb_preempt) to owner"),
            line(APPEND, "else R_Queue := R_Queue + it (Preempt: send it to next)"),
            line(APPEND_OWNER, "  owner := requester"),
            line(GIVE, "terminal, not requesting: send Token(R_Queue, nb_preempt)"),
            line(FORWARD, "not terminal: forward it to owner"),
            line(NEAR_FORWARD, "  near: owner := requester"),
        ],
    ),
    (
        "Token(queue, count) arrives",
        &[
            line(TOKEN, "R_Queue := queue + R_Queue; our thread enters"),
            line(COUNT, "near sender: nb_preempt := count"),
            line(TAKE_NEXT, "no next: next := head of R_Queue, and out of it"),
            line(SEND_ON, "near next: send Queue(R_Queue, nb_preempt) to owner"),
        ],
    ),
    (
        "Queue(queue, count) arrives",
        &[
            line(QUEUE, "nb_preempt := count"),
            line(QUEUE_NEXT, "no next: next := head of queue, and out of R_Queue"),
            line(QUEUE_ON, "near next: send Queue(R_Queue, nb_preempt) to owner"),
        ],
    ),
    ("repaired", &[line(REPAIRED, "owner := requester; a late queue is served or forwarded")]),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "preempt-aggregation-printed",
    title: "PreemptAggregation, as printed",
    year: 2004,
    source: "Bertier, Arantes and Sens, Hierarchical token based mutual exclusion algorithms, INRIA RR-5177, 2004, Figures 5 and 6. The module `preempt_aggregation` explains the algorithm and its repair. 6",
    printed: true,
    params: &[
        Param {
            name: "repair",
            about: "owner: an idle holder sets its owner; far: in addition, a queued far requester does not become owner; queues: owner, and no queue is lost",
            values: &["none", "owner", "far", "queues"],
        },
        Param {
            name: "threshold",
            about: "the number of near requests that may overtake far ones while the token is in a cluster",
            values: &["1", "0"],
        },
        Param {
            name: "proxies",
            about: "host: the proxy of a cluster is its first host; extra: a separate node",
            values: &["host", "extra"],
        },
    ],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &["mutual exclusion", "the threshold avoids starvation"],
    tree_link: "owner",
    listing: LISTING,
    sample: SampleSystem { nodes: 4, threads: 2, clusters: 2, rate: 3.0, ..SampleSystem::CLUSTERS },
    drive: Drive::of::<Printed>(),
};

/// The entry of preemption alone.
pub const PREEMPT: Entry =
    Entry { id: "preempt-printed", title: "Preempt, as printed", drive: Drive::of::<Printed<false>>(), ..ENTRY };
