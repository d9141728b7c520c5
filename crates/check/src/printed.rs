//! The papers as printed: a system that shows what each reading does, what goes wrong, the repair.

use crate::Check;
use lockstep_algorithms::find;
use lockstep_scenario::library::GROUPS;
use serde::{Deserialize, Serialize};

/// One reading of a paper as printed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PrintedRow {
    /// The paper, as [`Group::paper`](lockstep_scenario::library::Group) names it.
    pub paper: String,
    /// The algorithm as printed, in a system that shows what this reading does.
    pub check: Check,
    /// The repaired algorithm in the same system.
    pub repaired: Check,
    /// What goes wrong, or that nothing does.
    pub wrong: String,
    /// What the repair is.
    pub repair: String,
}

impl PrintedRow {
    /// The authors and the year of the paper.
    pub fn source(&self) -> &'static str {
        GROUPS.iter().find(|group| group.paper == self.paper).map_or("", |group| group.source)
    }

    /// The algorithm and the reading, for a heading.
    pub fn title(&self) -> String {
        let title = find(self.check.algorithm()).map_or("", |entry| entry.title);
        let reading: Vec<String> =
            self.check.spec.given.iter().map(|(name, value)| format!("{name} {value}")).collect();
        if reading.is_empty() { title.into() } else { format!("{title} ({})", reading.join(", ")) }
    }
}

const ALIEN_THREADS: &str = GROUPS[0].paper;
const LECTURE_NOTES: &str = GROUPS[1].paper;
const CLUSTERS: &str = GROUPS[2].paper;
const RANGE_LOCKS: &str = GROUPS[3].paper;
const WAIT_FREE: &str = GROUPS[4].paper;

/// Paper, id, options, repaired id, its options, what goes wrong, the repair.
type Row = [&'static str; 7];

/// Every paper as printed, with each of its readings.
pub fn printed() -> Vec<PrintedRow> {
    let row = |[paper, id, options, repaired, its_options, wrong, repair]: &Row| PrintedRow {
        paper: (*paper).into(),
        check: Check::read(id, options).expect("a test reads them all"),
        repaired: Check::read(repaired, its_options).expect("a test reads them all"),
        wrong: (*wrong).into(),
        repair: (*repair).into(),
    };
    ROWS.iter().map(row).collect()
}

const ONE_QUEUE: &str = "Each node has one queue for all its waiting threads and aliens. However the head of the queue is woken, taking the token sets probOwner and tokenRequested.";
const OWNER: &str = "A token holder that sends the token away sets its owner to the receiver.";
const QUEUES: &str = "The receiver puts the whole queue that arrives in front of its own. A queue that arrives too late is served by the token holder or forwarded to it.";
const GUARD: &str = "A request is parked only at a cell that the node itself has already claimed. Cells are claimed in ascending order, so no two requests wait for each other. All other cells are given up to the request.";
const TAIL: &str =
    "Only the tail of the queue stores a request as its next, with or without the token; every other node forwards it.";
const NUMBERED: &str = "Releases are numbered. The answer to a try carries the number of the last release, and only a reset with a higher number allows the next try.";
const ACKNOWLEDGED: &str = "An exit is acknowledged by the process's own reset, not by the answer to a try; until the reset arrives, the process may not try again.";
const NOTHING: &str = "Nothing is wrong.";

const ROWS: &[Row] = &[
    [
        ALIEN_THREADS,
        "alien-printed",
        "--nodes 2",
        "alien",
        "--nodes 2",
        "An alien takes the token away while local threads wait, and requests it back for them. They wait for a local signal, so the returning token wakes no thread and is lost.",
        ONE_QUEUE,
    ],
    [
        ALIEN_THREADS,
        "alien-printed",
        "--param variant=v2 --nodes 2",
        "alien",
        "--param variant=v2 --nodes 2",
        "As in the first variant: the returning token wakes no thread and is lost.",
        ONE_QUEUE,
    ],
    [
        ALIEN_THREADS,
        "alien-printed",
        "--param reading=lenient --nodes 3 --topology star",
        "alien",
        "--nodes 3 --topology star",
        "A thread that another thread of its node wakes leaves tokenRequested true. After the token has gone, the next thread of that node finds the flag set and enters without the token.",
        ONE_QUEUE,
    ],
    [
        ALIEN_THREADS,
        "alien-printed",
        "--param reading=lenient --nodes 3 --requests 1",
        "alien",
        "--nodes 3 --requests 1",
        "On a chain, one request of each node is enough for the same violation.",
        ONE_QUEUE,
    ],
    [
        ALIEN_THREADS,
        "alien-printed",
        "--param reading=lenient --param variant=v2 --nodes 2",
        "alien",
        "--param variant=v2 --nodes 2",
        "The token holder's probOwner is out of date too. The holder forwards a request to the node that sent it, where no alien represents it.",
        ONE_QUEUE,
    ],
    [
        LECTURE_NOTES,
        "central-server-printed",
        "--nodes 2 --requests 1",
        "central-server",
        "--nodes 2 --requests 1",
        "The server grants a request at once if its queue is empty, and adds requests only to a queue that is not empty. The queue stays empty, so every request is granted.",
        "The node inside stays at the head of the queue until it releases.",
    ],
    [
        LECTURE_NOTES,
        "ricart-agrawala-printed",
        "--nodes 2 --requests 3",
        "ricart-agrawala",
        "--nodes 2 --requests 3",
        NOTHING,
        "No repair is needed. Ours advances its clock only for requests, as the original does, and a single node enters at once.",
    ],
    [
        LECTURE_NOTES,
        "token-ring-printed",
        "--nodes 2 --requests 1",
        "token-ring",
        "--nodes 2 --requests 1",
        "The start-up code sends the token away unconditionally, even if the first node is already inside.",
        "The first node passes the token on before any request is possible.",
    ],
    [
        LECTURE_NOTES,
        "token-ring-printed",
        "--param start=guarded --nodes 2 --requests 1",
        "token-ring",
        "--nodes 2 --requests 1",
        "The flag waiting is never cleared. A node that has been inside once keeps the token when it comes round again, although it has no request.",
        "Entering clears the flag waiting.",
    ],
    [
        CLUSTERS,
        "naimi-trehel-printed",
        "--nodes 2 --requests 1",
        "naimi-trehel",
        "--nodes 2 --requests 1",
        "An idle token holder sends the token away but does not record that, and enters without it.",
        OWNER,
    ],
    [
        CLUSTERS,
        "proxy-printed",
        "--clusters 1+1 --requests 1",
        "proxy",
        "--clusters 1+1 --requests 1",
        "The same through the proxies: an idle token holder does not record that it sent the token away.",
        OWNER,
    ],
    [
        CLUSTERS,
        "preempt-printed",
        "--clusters 1+1 --requests 1",
        "preempt",
        "--clusters 1+1 --requests 1",
        "The same with preemption: an idle token holder does not record that it sent the token away.",
        OWNER,
    ],
    [
        CLUSTERS,
        "preempt-aggregation-printed",
        "--clusters 1+1 --requests 1",
        "preempt-aggregation",
        "--clusters 1+1 --requests 1",
        "The same with aggregation: an idle token holder does not record that it sent the token away.",
        OWNER,
    ],
    [
        CLUSTERS,
        "preempt-printed",
        "--param repair=owner --clusters 2+1+1 --requests 1",
        "preempt",
        "--clusters 2+1+1 --requests 1",
        "A new root serves the head of the queue that it receives and drops the rest.",
        QUEUES,
    ],
    [
        CLUSTERS,
        "preempt-aggregation-printed",
        "--param repair=owner --clusters 2+1+1 --requests 1",
        "preempt-aggregation",
        "--clusters 2+1+1 --requests 1",
        "A new root serves the head of the queue that it receives and drops the rest.",
        QUEUES,
    ],
    [
        CLUSTERS,
        "preempt-aggregation-printed",
        "--param repair=far --clusters 2+1+1 --requests 1",
        "preempt-aggregation",
        "--clusters 2+1+1 --requests 1",
        "If a queued remote request does not become the owner, as the figure shows, two remote requests wait in one queue sooner, and the second is dropped.",
        QUEUES,
    ],
    [
        CLUSTERS,
        "preempt-aggregation-printed",
        "--param repair=owner --clusters 2+1 --requests 1 --network unordered",
        "preempt-aggregation",
        "--clusters 2+1 --requests 1 --network unordered",
        "The token overtakes its queue, and the queue arrives at a node to which the token does not return.",
        QUEUES,
    ],
    [
        CLUSTERS,
        "preempt-aggregation-printed",
        "--param repair=owner --param threshold=0 --clusters 3+2 --requests 1",
        "preempt-aggregation",
        "--param threshold=0 --clusters 3+2 --requests 1",
        "On FIFO links too, a queue can arrive after the token has moved on; it is then parked and never served.",
        QUEUES,
    ],
    [
        CLUSTERS,
        "preempt-aggregation-printed",
        "--param repair=queues --param threshold=0 --clusters 2+1+1",
        "preempt-aggregation",
        "--param threshold=0 --clusters 2+1+1",
        "A root sets its owner to a remote request when it queues it, and again when the token leaves, although a local node has requested in between. The cluster then has two roots, and one without the token sends it away.",
        "Of the queued requests only a local one becomes the owner, and when the token leaves the cluster only the root gets a new owner.",
    ],
    [
        RANGE_LOCKS,
        "naimi-trehel-async-printed",
        "--nodes 3 --requests 1 --topology star",
        "naimi-trehel-async",
        "--nodes 3 --requests 1 --topology star",
        "The token holder stores every request in next; the second overwrites the first, so the first is never served.",
        TAIL,
    ],
    [
        RANGE_LOCKS,
        "naimi-trehel-async-printed",
        "--param reading=n2 --nodes 3 --requests 1 --topology star",
        "naimi-trehel-async",
        "--nodes 3 --requests 1 --topology star",
        "A node without the token forwards a request to its owner, even if it is its own owner: the node sends a message to itself.",
        TAIL,
    ],
    [
        RANGE_LOCKS,
        "naimi-trehel-async-printed",
        "--param reading=n3 --nodes 3 --requests 1 --topology star",
        "naimi-trehel-async",
        "--nodes 3 --requests 1 --topology star",
        "The tail of the queue accepts no request while it waits for the token. It sends the request to itself again and again.",
        TAIL,
    ],
    [
        RANGE_LOCKS,
        "naimi-trehel-async-printed",
        "--param reading=n4 --nodes 3 --topology star --cancels 1",
        "naimi-trehel-async",
        "--nodes 3 --topology star --cancels 1",
        "Cancelling forgets the request, but the node keeps its place in the queue. When it requests again it is in the queue twice, with only one next.",
        "A cancelled request keeps its place and the token passes through it. A new request made in the meantime takes the place without a message.",
    ],
    [
        RANGE_LOCKS,
        "swq-printed",
        "--param reading=s1 --nodes 3 --requests 1 --topology star --cells 2",
        "swq",
        "--nodes 3 --requests 1 --topology star --cells 2",
        "Without a guard, two requests can be queued in opposite orders at two cells.",
        GUARD,
    ],
    [
        RANGE_LOCKS,
        "swq-printed",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "swq",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "A request is parked where its remaining part overlaps an unfinished local request, claimed or not. Two requests can park each other.",
        GUARD,
    ],
    [
        RANGE_LOCKS,
        "swq-printed",
        "--param reading=s3 --nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "swq",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "A request is parked where its range overlaps the range of an unfinished local request. Two requests can park each other.",
        GUARD,
    ],
    [
        RANGE_LOCKS,
        "swq-printed",
        "--param reading=s4 --nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "swq",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "A part that has been received is forwarded while its receiver waits for the others, but is still counted as received: a thread enters without it.",
        "A received part is kept until the whole lock has been used.",
    ],
    [
        RANGE_LOCKS,
        "swq-printed",
        "--param reading=s5 --nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "swq",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "A part that has been received is forwarded while its receiver waits for the others, and never returns.",
        "A received part is kept until the whole lock has been used.",
    ],
    [
        RANGE_LOCKS,
        "swq-printed",
        "--param reading=s6 --nodes 3 --requests 1 --topology star --cells 2",
        "swq",
        "--nodes 3 --requests 1 --topology star --cells 2",
        "Parked requests are forwarded only when a message about a part arrives. A node that finds its last part locally never forwards them.",
        "Parked requests are forwarded whenever the guard opens, also after a local part.",
    ],
    [
        RANGE_LOCKS,
        "swq-printed",
        "--param reading=s7 --nodes 3 --requests 1 --topology star --cells 2",
        "swq",
        "--nodes 3 --requests 1 --topology star --cells 2",
        "A request counts as satisfied as soon as its node is the tail of all its cells. Idle cells therefore open the guard before they are claimed.",
        GUARD,
    ],
    [
        RANGE_LOCKS,
        "swq-printed",
        "--param reading=s8 --nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "swq",
        "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2",
        "A request counts as satisfied only when it has received all its tokens. Until then two requests park each other.",
        GUARD,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--nodes 2 --topology star",
        "wdme",
        "--nodes 2 --topology star",
        "The acknowledgement of an exit cannot be told from the answer to a try: it lets its process enter while another is inside.",
        ACKNOWLEDGED,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--param reading=awaited --nodes 2 --topology star",
        "wdme",
        "--nodes 2 --topology star",
        "The flag turn is never cleared once it is set. A process sends a second useless try while the same process is inside, which the paper's theorem excludes.",
        NUMBERED,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--param reading=own-kind --nodes 2 --topology star",
        "wdme",
        "--nodes 2 --topology star",
        "The flag turn is never cleared once it is set. A process sends a second useless try while the same process is inside, which the paper's theorem excludes.",
        NUMBERED,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--param reading=own-kind --param turn=cleared --nodes 2 --topology star",
        "wdme",
        "--nodes 2 --topology star",
        "If a try clears the flag, a late reset of an older release still allows a second useless try.",
        NUMBERED,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--param reading=awaited --param turn=cleared --nodes 2 --topology star",
        "wdme",
        "--nodes 2 --topology star",
        "If a try clears the flag, a late reset of an older release still allows a second useless try.",
        NUMBERED,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--param reading=literal --param turn=cleared --nodes 2 --topology star",
        "wdme",
        "--nodes 2 --topology star",
        "The acknowledgement of an exit lets its process enter while another is inside; the flag makes no difference.",
        ACKNOWLEDGED,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--param reading=literal --param turn=dropped --nodes 2 --topology star",
        "wdme",
        "--nodes 2 --topology star",
        "The acknowledgement of an exit lets its process enter while another is inside; the flag makes no difference.",
        ACKNOWLEDGED,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--param reading=own-kind --param turn=dropped --nodes 2 --topology star --network unordered",
        "wdme",
        "--nodes 2 --topology star --network unordered",
        "Without the flag, a reset that overtakes the failure it belongs to is lost, and its process may never try again.",
        NUMBERED,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--param reading=awaited --param turn=dropped --nodes 2 --topology star --network unordered",
        "wdme",
        "--nodes 2 --topology star --network unordered",
        "Without the flag, a reset that overtakes the failure it belongs to is lost, and its process may never try again.",
        NUMBERED,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--param reading=awaited --param turn=dropped --nodes 2 --topology star",
        "wdme",
        "--nodes 2 --topology star",
        "Nothing is wrong on FIFO links, without the flag and with an acknowledgement of its own kind.",
        NUMBERED,
    ],
    [
        WAIT_FREE,
        "wdme-printed",
        "--param reading=own-kind --param turn=dropped --nodes 2 --topology star",
        "wdme",
        "--nodes 2 --topology star",
        "Nothing is wrong on FIFO links, without the flag and with an acknowledgement of its own kind.",
        NUMBERED,
    ],
];
