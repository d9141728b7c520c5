//! Maekawa's quorum algorithm.
//!
//! *Source.* M. Maekawa, "A √N algorithm for mutual exclusion in decentralized systems", ACM TOCS
//! 3(2), 1985, with the correction of B. A. Sanders, "The information structure of distributed
//! mutual exclusion algorithms", ACM TOCS 5(3), 1987.
//!
//! # The idea
//!
//! Each node has one vote and a *quorum*: a few nodes, including itself, chosen so that any two
//! quorums share a node. A node with the votes of its whole quorum may enter; no other node can,
//! because a node in both quorums has only one vote. A line of a projective plane has about √n
//! nodes, row and column of a square about 2√n.
//!
//! Three nodes can deadlock, each with one vote and waiting for another. So requests are numbered,
//! and the older has precedence. A voter that receives an older request than the one it voted for
//! asks for its vote back (INQUIRE); any other late request is told FAILED. A node that has failed
//! somewhere gives a vote back when asked (RELINQUISH). A node that has not failed keeps it,
//! because it may be about to enter.
//!
//! *Sanders' correction.* A request that was the oldest on arrival, so that a vote was asked back
//! for it, can be overtaken by a still older one. It must then be told FAILED. As printed in 1985
//! it is not, and four nodes in a square deadlock after 19 steps.
//!
//! # Where we depart from the paper
//!
//! * The paper requires FIFO links. Here a vote names the request that it is given to and how often
//!   that request has had it, INQUIRE and RELINQUISH name the vote, and FAILED the request. So
//!   outdated messages are recognised, and an INQUIRE that overtakes its vote waits for it.
//! * A node's own vote costs no message and no time.
//! * The paper has one process per node. Here further threads wait at their node, which requests
//!   again, with a new number, when a thread has left.
//! * If n is not a square, the last row is shorter, and any two quorums still share a node. The
//!   plane is available for n = 3, 7, 13, 21 and 31, by perfect difference sets; any other n uses
//!   the grid.

mod quorums;

pub use quorums::quorums;

use lockstep_kernel::algorithm::{Call, MessageKind, Role};
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, essential, line};
use lockstep_kernel::invariant::{Invariant, mutual_exclusion};
use lockstep_kernel::view::{Cause, ObservedStep, Waiter};
use lockstep_kernel::{
    Algorithm, Effect, Entry, Message, NodeId, NodeView, Out, PointerView, Setup, ThreadId, Var, lines,
};
use std::collections::VecDeque;

/// The quorum of each node, in node order, known to every node.
pub struct Maekawa {
    quorums: Vec<Vec<NodeId>>,
}

/// A vote given to a request: the number of the request, and how many times it has had this vote.
type Vote = (u32, u32);

/// The messages between nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Msg {
    /// The sender requests the vote; the number of its request.
    Request(u32),
    /// The vote.
    Locked(Vote),
    /// An older request precedes this one.
    Failed(u32),
    /// The voter asks for this vote back, unless the receiver is about to enter.
    Inquire(Vote),
    /// The vote, given back unused; the request remains.
    Relinquish(Vote),
    /// The vote, given back after use.
    Release,
}

const fn reply(name: &'static str) -> MessageKind {
    MessageKind { name, role: Role::Reply }
}

impl Message for Msg {
    const KINDS: &'static [MessageKind] = &[
        MessageKind { name: "request", role: Role::Request },
        reply("locked"),
        reply("failed"),
        reply("inquire"),
        reply("relinquish"),
        reply("release"),
    ];

    #[inline]
    fn kind(&self) -> usize {
        match self {
            Msg::Request(_) => 0,
            Msg::Locked(_) => 1,
            Msg::Failed(_) => 2,
            Msg::Inquire(_) => 3,
            Msg::Relinquish(_) => 4,
            Msg::Release => 5,
        }
    }

    fn tag(&self, _: &Setup) -> String {
        match self {
            Msg::Request(number) => format!("R{number}"),
            _ => ["", "L", "F", "?", "↩", "✓"][self.kind()].into(),
        }
    }

    fn label(&self, _: &Setup) -> String {
        match self {
            Msg::Request(number) => format!("REQUEST({number})"),
            _ => Self::KINDS[self.kind()].name.to_ascii_uppercase(),
        }
    }
}

/// A request, as a voter stores it. The smaller is the older.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Claim {
    number: u32,
    node: NodeId,
    /// How many times it has had our vote.
    times: u32,
}

/// What a requester knows about one member of its quorum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Member {
    /// How many times its vote has arrived for this request.
    times: u32,
    /// Whether it is here now.
    held: bool,
    /// Whether we know that another request comes first there.
    failed: bool,
    /// Whether the voter has asked for it back.
    inquired: bool,
}

/// One node: a voter, and a requester.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    me: NodeId,
    /// The highest number of a request seen.
    highest: u32,
    /// The request that our vote is given to.
    locked: Option<Claim>,
    /// Whether we have asked for it back. If so, the first of the queue is older than `locked` and
    /// has not been told FAILED; all others have.
    inquired: bool,
    /// The requests that wait for our vote, oldest first.
    queue: Vec<Claim>,
    /// The thread that this node requests for, or that is inside, and the number of its request.
    asking: Option<(u32, ThreadId)>,
    inside: bool,
    /// Our quorum, in its order.
    quorum: Vec<Member>,
    /// Further threads of this node.
    more: VecDeque<ThreadId>,
}

impl Node {
    fn has_failed(&self) -> bool {
        self.quorum.iter().any(|m| m.failed)
    }
}

lines! {
    NUMBER, ASK, HIGHEST, LOCK, QUEUE, RESOLVE, INQUIRE, SANDERS, FAIL, HELD, ENTER, EARLY,
    YIELD, REMEMBER, LATE, OLD_NEWS, REQUEUE, NEXT = 19, RELEASE, AGAIN,
}

/// Sends a message, or delivers it locally if the receiver is this node.
macro_rules! post {
    ($self:ident, $n:ident, $to:expr, $msg:expr, $out:ident) => {{
        let (to, msg) = ($to, $msg);
        if to == $n.me { $self.receive($n, to, msg, $out) } else { $out.send(to, msg) }
    }};
}

/// The voter.
impl Maekawa {
    fn requested(&self, n: &mut Node, claim: Claim, out: &mut impl Out<Msg>) {
        if out.line(HIGHEST) {
            n.highest = n.highest.max(claim.number);
        }
        let Some(locked) = n.locked else {
            if out.line(LOCK) {
                self.give_vote(n, claim, out);
            }
            return;
        };
        let head = n.queue.first().copied();
        if out.line(QUEUE) {
            enqueue(n, claim);
        }
        let (line, to, msg) = match head {
            Some(head) if claim > head => (FAIL, claim.node, Msg::Failed(claim.number)),
            _ if claim > locked => (FAIL, claim.node, Msg::Failed(claim.number)),
            Some(head) if n.inquired => (SANDERS, head.node, Msg::Failed(head.number)),
            _ => (INQUIRE, locked.node, Msg::Inquire((locked.number, locked.times))),
        };
        if out.line(RESOLVE) && out.line(line) {
            n.inquired |= line == INQUIRE;
            post!(self, n, to, msg, out);
        }
    }

    fn give_vote(&self, n: &mut Node, claim: Claim, out: &mut impl Out<Msg>) {
        let claim = Claim { times: claim.times + 1, ..claim };
        n.locked = Some(claim);
        post!(self, n, claim.node, Msg::Locked((claim.number, claim.times)), out);
    }

    fn vote_is_back(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        n.locked = None;
        n.inquired = false;
        if !n.queue.is_empty() && out.line(NEXT) {
            let oldest = n.queue.remove(0);
            self.give_vote(n, oldest, out);
        }
    }
}

/// The queue is ordered by age.
fn enqueue(n: &mut Node, claim: Claim) {
    let place = n.queue.partition_point(|c| *c < claim);
    n.queue.insert(place, claim);
}

/// The requester.
impl Maekawa {
    fn acquire(&self, n: &mut Node, thread: ThreadId, out: &mut impl Out<Msg>) {
        out.line(NUMBER);
        n.highest += 1;
        let number = n.highest;
        n.asking = Some((number, thread));
        if out.line(ASK) {
            for member in &self.quorums[n.me.index()] {
                post!(self, n, *member, Msg::Request(number), out);
            }
        }
    }

    fn locked(&self, n: &mut Node, m: usize, vote: Vote, out: &mut impl Out<Msg>) {
        let member = &mut n.quorum[m];
        let thread = match n.asking {
            Some((number, thread)) if vote == (number, member.times + 1) && !member.held => thread,
            _ => return out.impossible("a vote came to a node that did not request it"),
        };
        if out.line(HELD) {
            *member = Member { times: vote.1, held: true, failed: false, ..*member };
        }
        if n.quorum.iter().all(|m| m.held) {
            out.line(ENTER);
            n.inside = true;
            n.quorum.iter_mut().for_each(|m| m.inquired = false);
            out.grant(thread);
        } else if n.quorum[m].inquired && n.has_failed() && out.line(EARLY) {
            self.relinquish(n, m, out);
        }
    }

    fn failed(&self, n: &mut Node, m: usize, number: u32, out: &mut impl Out<Msg>) {
        let current = n.asking.is_some_and(|a| a.0 == number) && n.quorum[m].times == 0;
        if !current && out.line(OLD_NEWS) {
            return;
        }
        n.quorum[m].failed = true;
        for m in 0..n.quorum.len() {
            if n.quorum[m].held && n.quorum[m].inquired && out.line(LATE) {
                self.relinquish(n, m, out);
            }
        }
    }

    fn inquired(&self, n: &mut Node, m: usize, vote: Vote, out: &mut impl Out<Msg>) {
        let Member { times, held, .. } = n.quorum[m];
        let coming = !held && vote.1 == times + 1;
        let current = n.asking.is_some_and(|a| a.0 == vote.0) && !n.inside && (held || coming);
        if !current && out.line(OLD_NEWS) {
            return;
        }
        if held && n.has_failed() && out.line(YIELD) {
            self.relinquish(n, m, out);
        } else {
            n.quorum[m].inquired = out.line(REMEMBER);
        }
    }

    /// Gives a vote back: until it arrives again, another request comes first there.
    fn relinquish(&self, n: &mut Node, m: usize, out: &mut impl Out<Msg>) {
        let (times, number) = (n.quorum[m].times, n.asking.map_or(0, |a| a.0));
        n.quorum[m] = Member { times, held: false, failed: true, inquired: false };
        post!(self, n, self.quorums[n.me.index()][m], Msg::Relinquish((number, times)), out);
    }

    fn leave(&self, n: &mut Node, out: &mut impl Out<Msg>) {
        n.inside = false;
        n.asking = None;
        for (m, to) in self.quorums[n.me.index()].iter().enumerate() {
            if out.line(RELEASE) {
                n.quorum[m] = Member::default();
                post!(self, n, *to, Msg::Release, out);
            }
        }
        if let Some(thread) = n.more.pop_front() {
            out.line(AGAIN);
            self.acquire(n, thread, out);
        }
    }

    fn receive(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        let given = n.locked.filter(|l| l.node == from);
        let member = self.quorums[n.me.index()].iter().position(|m| *m == from);
        match (msg, given, member) {
            (Msg::Request(number), ..) => self.requested(n, Claim { number, node: from, times: 0 }, out),
            (Msg::Relinquish(vote), Some(claim), _) if vote == (claim.number, claim.times) => {
                if out.line(REQUEUE) {
                    enqueue(n, claim);
                }
                self.vote_is_back(n, out);
            }
            (Msg::Release, Some(_), _) => self.vote_is_back(n, out),
            (Msg::Relinquish(_) | Msg::Release, ..) => {
                out.impossible("a vote came back from a node that did not have it")
            }
            (Msg::Locked(vote), _, Some(m)) => self.locked(n, m, vote, out),
            (Msg::Failed(number), _, Some(m)) => self.failed(n, m, number, out),
            (Msg::Inquire(vote), _, Some(m)) => self.inquired(n, m, vote, out),
            (.., None) => out.impossible("a node outside the quorum sent a message about its vote"),
        }
    }
}

impl Algorithm for Maekawa {
    type Node = Node;
    type Msg = Msg;

    fn refuses(setup: &Setup) -> Option<(&'static str, String)> {
        quorums::refused(setup.nodes(), setup.params.get("quorums"))
    }

    fn new(setup: &Setup) -> Self {
        Maekawa { quorums: quorums(setup.nodes(), setup.params.get("quorums") == "plane") }
    }

    fn start(&self, me: NodeId, setup: &Setup) -> Node {
        Node {
            me,
            highest: 0,
            locked: None,
            inquired: false,
            queue: Vec::with_capacity(self.quorums[me.index()].len()),
            asking: None,
            inside: false,
            quorum: vec![Member::default(); self.quorums[me.index()].len()],
            more: VecDeque::with_capacity(setup.threads[me.index()] as usize),
        }
    }

    fn on_call(&self, n: &mut Node, call: Call, out: &mut impl Out<Msg>) {
        match call {
            Call::Request(thread) if n.asking.is_some() => n.more.push_back(thread),
            Call::Request(thread) => self.acquire(n, thread, out),
            Call::Release(_) => self.leave(n, out),
        }
    }

    fn on_message(&self, n: &mut Node, from: NodeId, msg: Msg, out: &mut impl Out<Msg>) {
        self.receive(n, from, msg, out);
    }

    fn view(&self, n: &Node, _: &Setup) -> NodeView {
        let quorum = &self.quorums[n.me.index()];
        let ours = n.asking.map(|(_, thread)| thread).filter(|_| !n.inside).map(Waiter::User);
        let has_own_vote = ours.clone().filter(|_| !n.queue.iter().any(|c| c.node == n.me));
        let waiter = |c: &Claim| ours.clone().filter(|_| c.node == n.me).unwrap_or(Waiter::Remote(c.node));
        let badges = [("failed", n.has_failed()), ("inquired", n.quorum.iter().any(|m| m.inquired))];
        NodeView {
            token: false,
            links: (quorum.iter().filter(|m| **m != n.me))
                .map(|m| PointerView { kind: "quorum".into(), to: *m })
                .chain(n.locked.map(|l| PointerView { kind: "vote".into(), to: l.node }))
                .collect(),
            queue: (has_own_vote.into_iter())
                .chain(n.queue.iter().map(waiter))
                .chain(n.more.iter().copied().map(Waiter::User))
                .collect(),
            vars: vec![
                Var::new("highest", n.highest),
                Var::new("our number", n.asking.map_or("none".into(), |a| a.0.to_string())),
                Var::new("votes", format!("{} of {}", n.quorum.iter().filter(|m| m.held).count(), quorum.len())),
                Var::maybe_node("vote given to", n.locked.map(|l| l.node)),
                Var::new("asked back", n.inquired),
            ],
            badges: badges.iter().filter(|b| b.1).map(|b| b.0.into()).collect(),
        }
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![mutual_exclusion(), each_vote_is_given_to_one()]
    }

    fn narrate(&self, step: &ObservedStep<'_, Self>) -> String {
        let (me, after) = (step.name(step.me), step.after);
        let mut text = match step.cause {
            Cause::Asked(_) if step.ran(ASK) => String::new(),
            Cause::Asked(thread) => format!("{} waits for another thread of {me}.", step.setup.thread_name(thread)),
            Cause::Left(thread) => format!("{} leaves: {me} returns every vote.", step.setup.thread_name(thread)),
            Cause::Received(from, msg) => self.narrate_message(step, step.name(from), msg),
        };
        let given_back = step.effects.list.iter().filter_map(|e| match e {
            Effect::Send(to, Msg::Relinquish(_)) => Some(format!("the vote of {}", step.name(*to))),
            _ => None,
        });
        let own_back = step.before.locked.is_some_and(|l| l.node == step.me) && step.ran(REQUEUE) && !step.ran(RELEASE);
        let given_back: Vec<String> = given_back.chain(own_back.then_some("its own vote".into())).collect();
        if !given_back.is_empty() {
            text += &format!(" {me} has failed somewhere, so it gives back {}.", given_back.join(", "));
        }
        if step.ran(NEXT)
            && let Some(next) = after.locked
        {
            let itself = if next.node == step.me { " itself" } else { "" };
            text += &format!(" The vote of {me} goes to {}{itself}, the oldest waiting request.", step.name(next.node));
        } else if after.locked.is_none() && step.before.locked.is_some() {
            text += &format!(" No request waits for the vote of {me}: it is free.");
        }
        if let Some((number, thread)) = after.asking.filter(|_| step.ran(ASK) && after.quorum.len() > 1) {
            let others = self.quorums[step.me.index()].iter().filter(|m| **m != step.me);
            let others = others.map(|m| step.name(*m)).collect::<Vec<_>>().join(", ");
            let user = step.setup.thread_name(thread);
            text +=
                &format!(" {user} requests with number {number}: {me} needs the votes of {others} and its own, which ");
            text += &match after.locked {
                Some(l) if l.node != step.me => format!("{} has.", step.name(l.node)),
                _ => "is free.".into(),
            };
        }
        if let Some(thread) = step.granted() {
            text += &format!(" {me} has all votes of its quorum: {} enters.", step.setup.thread_name(thread));
        }
        text.trim_start().into()
    }
}

impl Maekawa {
    fn narrate_message(&self, step: &ObservedStep<'_, Self>, who: &str, msg: &Msg) -> String {
        let (me, before, after) = (step.name(step.me), step.before, step.after);
        let holder = before.locked.map_or("no node", |l| step.name(l.node));
        match msg {
            Msg::Request(number) => {
                let asked = format!("{who} requests the vote of {me} with number {number}.");
                if step.ran(LOCK) {
                    format!("{asked} It is free, so {who} gets it.")
                } else if step.ran(INQUIRE) && before.locked.is_some_and(|l| l.node == step.me) {
                    let keeps = if step.ran(REMEMBER) { " and may still win" } else { "" };
                    format!("{asked} That request is older than the one of {me} itself, which has the vote{keeps}.")
                } else if step.ran(INQUIRE) {
                    format!("{asked} {holder} has it, and its request is younger: {me} asks for the vote back.")
                } else if step.ran(SANDERS) {
                    let overtaken = before.queue.first().map_or("no node", |c| step.name(c.node));
                    format!(
                        "{asked} It was asked back for {overtaken}, but this request is older still: {overtaken} has FAILED."
                    )
                } else if step.ran(FAIL) {
                    format!("{asked} Older requests come first: {who} is queued and told that it has FAILED.")
                } else {
                    format!("{asked} {holder} has it, so {who} is queued.")
                }
            }
            Msg::Locked(_) if after.inside => format!("{who} gives its vote to {me}."),
            Msg::Locked(_) if step.ran(EARLY) => {
                format!("The vote of {who} reaches {me}, but {who} has already asked for it back.")
            }
            Msg::Locked(_) => {
                let missing = after.quorum.iter().filter(|m| !m.held).count();
                format!("{who} gives its vote to {me}, which still needs {missing}.")
            }
            Msg::Failed(_) if step.ran(OLD_NEWS) => {
                format!("{me} had failed at {who}, but the vote has arrived in the meantime.")
            }
            Msg::Failed(_) if step.ran(LATE) => format!("At {who} another request comes before {me}."),
            Msg::Failed(_) => {
                format!("At {who} another request comes before {me}, which keeps its votes for now.")
            }
            Msg::Inquire(_) if after.inside => {
                format!("{who} asks for its vote back, but {me} is inside: {who} has to wait.")
            }
            Msg::Inquire(_) if step.ran(OLD_NEWS) => format!("{who} asks for a vote that it already has back."),
            Msg::Inquire(_) if step.ran(YIELD) => format!("{who} asks for its vote back."),
            Msg::Inquire(_) => format!(
                "{who} asks for its vote back, but {me} may still win: it keeps the vote and stores the INQUIRE."
            ),
            Msg::Relinquish(_) => format!("{who} returns the vote of {me} unused and queues for it again."),
            Msg::Release => format!("{who} has left and returns the vote of {me}."),
        }
    }
}

/// A vote that is given is at exactly one node, or in flight to or from it; a free vote is at no
/// other node.
fn each_vote_is_given_to_one() -> Invariant<Maekawa> {
    Invariant {
        name: "each vote is given to one",
        check: Box::new(|system, world| {
            let held = world.nodes.iter().flat_map(|n| {
                let members = system.algorithm.quorums[n.me.index()].iter().zip(&n.quorum);
                members.filter(|(_, m)| m.held).map(|(id, _)| *id)
            });
            let moving = world.flights.iter().filter_map(|f| match f.msg {
                Msg::Locked(_) => Some(f.from),
                Msg::Relinquish(_) | Msg::Release => Some(f.to),
                Msg::Request(_) | Msg::Failed(_) | Msg::Inquire(_) => None,
            });
            let mut left: Vec<i32> = world.nodes.iter().map(|n| i32::from(n.locked.is_some())).collect();
            held.chain(moving).for_each(|voter| left[voter.index()] -= 1);
            match system.setup.ids().find(|voter| left[voter.index()] != 0) {
                Some(voter) => {
                    Err(format!("the vote of {} is given to no request or to several", system.setup.name(voter)))
                }
                None => Ok(()),
            }
        }),
    }
}

const LISTING: &[(&str, &[Line])] = &[
    (
        "a thread requests",
        &[line(NUMBER, "our number := highest + 1"), essential(ASK, "send REQUEST(our number) to the quorum")],
    ),
    (
        "REQUEST(number) arrives",
        &[
            line(HIGHEST, "highest := max(highest, number)"),
            essential(LOCK, "our vote is free: give it (LOCKED)"),
            essential(QUEUE, "else queue the request by its age"),
            essential(RESOLVE, "  and see to it that the older wins:"),
            essential(INQUIRE, "  older than all: ask for the vote back (INQUIRE)"),
            line(SANDERS, "    once; one that it overtakes has FAILED"),
            essential(FAIL, "  else it has FAILED"),
        ],
    ),
    (
        "a vote arrives (LOCKED)",
        &[
            essential(HELD, "it is ours, and we have not failed there"),
            line(ENTER, "all votes of the quorum: enter"),
            line(EARLY, "asked back already, failed elsewhere: RELINQUISH"),
        ],
    ),
    ("FAILED arrives", &[essential(LATE, "RELINQUISH every vote that was asked back")]),
    (
        "INQUIRE arrives",
        &[
            essential(YIELD, "failed somewhere: RELINQUISH"),
            essential(REMEMBER, "else keep the vote and store the INQUIRE"),
            line(OLD_NEWS, "it concerns an earlier vote, or we are inside: nothing"),
        ],
    ),
    (
        "our vote comes back (RELINQUISH or RELEASE)",
        &[
            essential(REQUEUE, "RELINQUISH: queue that request again"),
            essential(NEXT, "give the vote to the oldest in the queue"),
        ],
    ),
    (
        "a thread leaves",
        &[essential(RELEASE, "send RELEASE to the quorum"), line(AGAIN, "another thread waits here: it requests")],
    ),
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "maekawa",
    title: "Maekawa's quorums",
    year: 1985,
    source: "Maekawa, A √N algorithm for mutual exclusion in decentralized systems, ACM TOCS 3(2), 1985, with the correction of Sanders, 1987",
    printed: false,
    params: &[Param {
        name: "quorums",
        about: "grid: row and column of a square; plane: a line of a projective plane where one exists (3, 7, 13, 21, 31 nodes)",
        values: &["grid", "plane"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "an isolated entry takes 3(K − 1) messages for quorums of K nodes, about 3√n",
        "under load an entry takes at most 5(K − 1) messages",
        "without asking for votes back it deadlocks; without Sanders' correction it still does, with four nodes in a square",
    ],
    tree_link: "quorum",
    listing: LISTING,
    sample: SampleSystem::CHAIN,
    drive: Drive::of::<Maekawa>(),
};
