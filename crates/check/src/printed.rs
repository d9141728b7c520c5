//! The texts as printed: each reading's counterexample, what goes wrong in our own words, and what the repair is.

use crate::Check;
use serde::{Deserialize, Serialize};

/// One reading of a printed text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PrintedRow {
    /// The number of the text.
    pub text: String,
    /// The algorithm as printed, in a system that shows what this reading does.
    pub check: Check,
    /// The repaired algorithm in the same system.
    pub repaired: Check,
    /// What goes wrong, or that nothing does.
    pub wrong: String,
    /// What the repair is.
    pub repair: String,
}

/// Text, id, options, repaired id, its options, what goes wrong, the repair.
type Row = [&'static str; 7];

/// Every printed text and each of its readings.
pub fn printed() -> Vec<PrintedRow> {
    let row = |[text, id, options, repaired, as_well, wrong, repair]: &Row| PrintedRow {
        text: (*text).into(),
        check: Check::read(id, options).expect("a test reads them all"),
        repaired: Check::read(repaired, as_well).expect("a test reads them all"),
        wrong: (*wrong).into(),
        repair: (*repair).into(),
    };
    ROWS.iter().map(row).collect()
}

const ONE_QUEUE: &str = "One queue for all who wait at a node; whatever wakes its head, taking the token always sets probOwner and tokenRequested right.";
const OWNER: &str = "A holder that gives the token away points at whom it gave it to.";
const QUEUES: &str = "A queue that arrives goes, all of it, in front of the receiver's own; one that comes too late is served where the token is, or sent on.";
const GUARD: &str = "A request is parked only by a cell that ours has claimed; claiming goes from low cells to high, so no two requests wait for each other. The rest is yielded.";
const TAIL: &str = "Only the tail of the queue, with or without the token, takes a request as its next; everybody else passes it on.";
const NUMBERED: &str = "Releases are numbered: an answer to a try says after which release it was judged, and only a younger reset opens the way.";
const ACKNOWLEDGED: &str = "An exit is not acknowledged with the answer to a try: the winner's own reset is the acknowledgement, and it is barred until that comes.";
const NOTHING: &str = "Nothing is wrong.";

const ROWS: &[Row] = &[
    [
        "000", "alien-printed", "--nodes 2", "alien", "--nodes 2",
        "An alien that takes the token away while others wait asks for it back in their name, but they wait for a local signal: the returning token finds nobody to wake and is lost.",
        ONE_QUEUE,
    ],
    [
        "000", "alien-printed", "--param variant=v2 --nodes 2", "alien", "--param variant=v2 --nodes 2",
        "As in the first variant: the returning token finds nobody to wake and is lost.",
        ONE_QUEUE,
    ],
    [
        "000", "alien-printed", "--param reading=lenient --nodes 3 --topology star", "alien", "--nodes 3 --topology star",
        "Whoever is woken by a neighbour leaves tokenRequested true. When the token has gone, the next thread of that node takes the flag for the token and enters without it.",
        ONE_QUEUE,
    ],
    [
        "000", "alien-printed", "--param reading=lenient --nodes 3 --requests 1", "alien", "--nodes 3 --requests 1",
        "On a chain one request of each node is enough for the same.",
        ONE_QUEUE,
    ],
    [
        "000", "alien-printed", "--param reading=lenient --param variant=v2 --nodes 2", "alien", "--param variant=v2 --nodes 2",
        "The holder's probOwner is stale as well, so it passes a request on to the very node that made it, where no alien acts for it.",
        ONE_QUEUE,
    ],
    [
        "001", "central-server-printed", "--nodes 2 --requests 1", "central-server", "--nodes 2 --requests 1",
        "The server grants at once while its queue is empty, and only a queue that is not empty is ever added to: it stays empty, and everybody is let in.",
        "The holder stays at the head of the queue until it releases.",
    ],
    [
        "001", "ricart-agrawala-printed", "--nodes 2 --requests 3", "ricart-agrawala", "--nodes 2 --requests 3",
        NOTHING,
        "None is needed; ours counts only requests, as the original does, and a single node enters at once.",
    ],
    [
        "001", "token-ring-printed", "--nodes 2 --requests 1", "token-ring", "--nodes 2 --requests 1",
        "The start-up sends the first token away without looking: the first node may be inside with it.",
        "The first node passes the token on before anybody can ask.",
    ],
    [
        "001", "token-ring-printed", "--param start=guarded --nodes 2 --requests 1", "token-ring", "--nodes 2 --requests 1",
        "Nothing ever clears the flag waiting: a node that has been inside once catches the token at its next visit, though it wants nothing, and keeps it.",
        "Who is let in is no longer waiting.",
    ],
    [
        "002", "naimi-trehel-printed", "--nodes 2 --requests 1", "naimi-trehel", "--nodes 2 --requests 1",
        "An idle holder that sends the token away keeps on believing that it has it, and enters without it.",
        OWNER,
    ],
    [
        "002", "proxy-printed", "--clusters 1+1 --requests 1", "proxy", "--clusters 1+1 --requests 1",
        "The same through the proxies: an idle holder does not notice that it gave the token away.",
        OWNER,
    ],
    [
        "002", "preempt-printed", "--clusters 1+1 --requests 1", "preempt", "--clusters 1+1 --requests 1",
        "The same with preemption: an idle holder does not notice that it gave the token away.",
        OWNER,
    ],
    [
        "002", "preempt-aggregation-printed", "--clusters 1+1 --requests 1", "preempt-aggregation", "--clusters 1+1 --requests 1",
        "The same with aggregation: an idle holder does not notice that it gave the token away.",
        OWNER,
    ],
    [
        "002", "preempt-printed", "--param repair=owner --clusters 2+1+1 --requests 1", "preempt", "--clusters 2+1+1 --requests 1",
        "A new root takes the head of the queue that it is sent and forgets the rest.",
        QUEUES,
    ],
    [
        "002", "preempt-aggregation-printed", "--param repair=owner --clusters 2+1+1 --requests 1", "preempt-aggregation",
        "--clusters 2+1+1 --requests 1",
        "A new root takes the head of the queue that it is sent and forgets the rest.",
        QUEUES,
    ],
    [
        "002", "preempt-aggregation-printed", "--param repair=far --clusters 2+1+1 --requests 1", "preempt-aggregation",
        "--clusters 2+1+1 --requests 1",
        "If a far request that is queued does not become owner, as the figure shows, two of them wait in one queue sooner, and the second is forgotten.",
        QUEUES,
    ],
    [
        "002", "preempt-aggregation-printed", "--param repair=owner --clusters 2+1 --requests 1 --network unordered",
        "preempt-aggregation", "--clusters 2+1 --requests 1 --network unordered",
        "The token overtakes the queue that belongs to it; the queue arrives where no token will come again.",
        QUEUES,
    ],
    [
        "002", "preempt-aggregation-printed", "--param repair=owner --param threshold=0 --clusters 3+2 --requests 1",
        "preempt-aggregation", "--param threshold=0 --clusters 3+2 --requests 1",
        "Also on links that keep the order a queue may arrive after the token has gone on, and is parked for ever.",
        QUEUES,
    ],
    [
        "002", "preempt-aggregation-printed", "--param repair=queues --param threshold=0 --clusters 2+1+1",
        "preempt-aggregation", "--param threshold=0 --clusters 2+1+1",
        "A root points at a far request that it has queued, and again when the token leaves, though a near node has asked meanwhile: two doors lead into the cluster, and a root without the token gives it away.",
        "Of those that join the queue only a near one becomes owner, and when the token leaves the cluster only the root gets a new owner.",
    ],
    [
        "003", "naimi-trehel-async-printed", "--nodes 3 --requests 1 --topology star", "naimi-trehel-async", "--nodes 3 --requests 1 --topology star",
        "Whoever has the token takes every request as its next: the second overwrites the first, which nobody serves.",
        TAIL,
    ],
    [
        "003", "naimi-trehel-async-printed", "--param reading=n2 --nodes 3 --requests 1 --topology star", "naimi-trehel-async",
        "--nodes 3 --requests 1 --topology star",
        "Whoever has no token passes a request on to its owner, even if that is itself: a message to its own sender.",
        TAIL,
    ],
    [
        "003", "naimi-trehel-async-printed", "--param reading=n3 --nodes 3 --requests 1 --topology star", "naimi-trehel-async",
        "--nodes 3 --requests 1 --topology star",
        "A tail that still waits for the token takes no request: it sends it to itself, where it circles for ever.",
        TAIL,
    ],
    [
        "003", "naimi-trehel-async-printed", "--param reading=n4 --nodes 3 --topology star --cancels 1", "naimi-trehel-async",
        "--nodes 3 --topology star --cancels 1",
        "Cancelling forgets the request, yet the node keeps its place in the queue; when it asks again it stands there twice and has one next only.",
        "A cancelled lock keeps its place: the token passes through, and a lock asked for meanwhile takes the place back without a message.",
    ],
    [
        "003", "swq-printed", "--param reading=s1 --nodes 3 --requests 1 --topology star --cells 2", "swq",
        "--nodes 3 --requests 1 --topology star --cells 2",
        "Without a guard two requests stand in opposite orders in the queues of two cells.",
        GUARD,
    ],
    [
        "003", "swq-printed", "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2", "swq",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "A request is parked where its part meets our unfinished request, claimed or not: each parks the other.",
        GUARD,
    ],
    [
        "003", "swq-printed", "--param reading=s3 --nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2", "swq",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "A request is parked where its range meets that of our unfinished request: each parks the other.",
        GUARD,
    ],
    [
        "003", "swq-printed", "--param reading=s4 --nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2", "swq",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "A part that came is passed on while its receiver waits for the others, and is still counted: a thread enters without it.",
        "A part that came is kept until the whole lock has been used.",
    ],
    [
        "003", "swq-printed", "--param reading=s5 --nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2", "swq",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "A part that came is passed on while its receiver waits for the others, and never comes back.",
        "A part that came is kept until the whole lock has been used.",
    ],
    [
        "003", "swq-printed", "--param reading=s6 --nodes 3 --requests 1 --topology star --cells 2", "swq",
        "--nodes 3 --requests 1 --topology star --cells 2",
        "Parked requests move on only when news of a part arrives: who finds its last part itself forgets them.",
        "Parked requests move on whenever the guard opens, also on an own part.",
    ],
    [
        "003", "swq-printed", "--param reading=s7 --nodes 3 --requests 1 --topology star --cells 2", "swq",
        "--nodes 3 --requests 1 --topology star --cells 2",
        "Satisfied is who is the tail of all its cells at this moment: idle cells open the guard before they are claimed.",
        GUARD,
    ],
    [
        "003", "swq-printed", "--param reading=s8 --nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2", "swq",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "Satisfied is who has received all tokens: until then each parks the other.",
        GUARD,
    ],
    [
        "004", "wdme-printed", "--nodes 2 --topology star", "wdme", "--nodes 2 --topology star",
        "The acknowledgement of an exit looks like the answer to a try: it lets its process in while another is inside.",
        ACKNOWLEDGED,
    ],
    [
        "004", "wdme-printed", "--param reading=awaited --nodes 2 --topology star", "wdme", "--nodes 2 --topology star",
        "The flag turn, once set, is never taken back: a second useless try is sent under one holder, which the text's theorem excludes.",
        NUMBERED,
    ],
    [
        "004", "wdme-printed", "--param reading=own-kind --nodes 2 --topology star", "wdme", "--nodes 2 --topology star",
        "The flag turn, once set, is never taken back: a second useless try is sent under one holder, which the text's theorem excludes.",
        NUMBERED,
    ],
    [
        "004", "wdme-printed", "--param reading=own-kind --param turn=cleared --nodes 2 --topology star", "wdme", "--nodes 2 --topology star",
        "If a try clears the flag, a reset of an older release that comes late still opens the way for a second useless try.",
        NUMBERED,
    ],
    [
        "004", "wdme-printed", "--param reading=awaited --param turn=cleared --nodes 2 --topology star", "wdme", "--nodes 2 --topology star",
        "If a try clears the flag, a reset of an older release that comes late still opens the way for a second useless try.",
        NUMBERED,
    ],
    [
        "004", "wdme-printed", "--param reading=literal --param turn=cleared --nodes 2 --topology star", "wdme", "--nodes 2 --topology star",
        "The acknowledgement of an exit lets its process in while another is inside; the flag makes no difference.",
        ACKNOWLEDGED,
    ],
    [
        "004", "wdme-printed", "--param reading=literal --param turn=dropped --nodes 2 --topology star", "wdme", "--nodes 2 --topology star",
        "The acknowledgement of an exit lets its process in while another is inside; the flag makes no difference.",
        ACKNOWLEDGED,
    ],
    [
        "004", "wdme-printed", "--param reading=own-kind --param turn=dropped --nodes 2 --topology star --network unordered", "wdme",
        "--nodes 2 --topology star --network unordered",
        "Without the flag a reset that overtakes the failure it answers is lost, and its process may never try again.",
        NUMBERED,
    ],
    [
        "004", "wdme-printed", "--param reading=awaited --param turn=dropped --nodes 2 --topology star --network unordered", "wdme",
        "--nodes 2 --topology star --network unordered",
        "Without the flag a reset that overtakes the failure it answers is lost, and its process may never try again.",
        NUMBERED,
    ],
    [
        "004", "wdme-printed", "--param reading=awaited --param turn=dropped --nodes 2 --topology star", "wdme", "--nodes 2 --topology star",
        "Nothing is wrong where links keep the order, without the flag and with an acknowledgement that is not mistaken.",
        NUMBERED,
    ],
    [
        "004", "wdme-printed", "--param reading=own-kind --param turn=dropped --nodes 2 --topology star", "wdme", "--nodes 2 --topology star",
        "Nothing is wrong where links keep the order, without the flag and with an acknowledgement that is not mistaken.",
        NUMBERED,
    ],
];
