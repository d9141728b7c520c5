//! The table of puzzles.

use super::Puzzle;
use super::PuzzleLevel::{self, Easy, Hard, Medium};
use crate::Check;
use lockstep_kernel::explore::{RequestMeasure, SearchGoal};
use lockstep_kernel::{NodeId, ThreadId};
use lockstep_scenario::library::{GROUPS, Group};

const ALIEN_THREADS: Group = GROUPS[0];
const LECTURE_NOTES: Group = GROUPS[1];
const CLUSTERS: Group = GROUPS[2];
const RANGE_LOCKS: Group = GROUPS[3];
const WAIT_FREE: Group = GROUPS[4];
const BEYOND: Group = GROUPS[5];

/// Paper, level, id, title.
type Name = (Group, PuzzleLevel, &'static str, &'static str);

fn puzzle(
    (group, level, id, title): Name,
    [algorithm, options]: [&str; 2],
    goal: SearchGoal,
    par: usize,
    [task, hint]: [&'static str; 2],
) -> Puzzle {
    let check = Check::read(algorithm, options).expect("a test reads them all");
    Puzzle { id, group, level, title, task, hint, check, goal, par }
}

fn order(threads: &[u32]) -> SearchGoal {
    SearchGoal::Order(threads.iter().map(|t| ThreadId(t - 1)).collect())
}

fn shows(node: u32, name: &str, value: &str) -> SearchGoal {
    SearchGoal::Shows { node: NodeId(node - 1), name: name.into(), value: value.into() }
}

fn broken(invariant: &str) -> SearchGoal {
    SearchGoal::Broken(invariant.into())
}

pub fn all() -> Vec<Puzzle> {
    [alien(), notes(), hierarchical(), ranged(), wait_free(), beyond()].concat()
}

fn alien() -> Vec<Puzzle> {
    vec![
        puzzle(
            (ALIEN_THREADS, Easy, "down-the-chain", "Down the chain"),
            ["alien", "--nodes 3 --requests 1"],
            order(&[3]),
            5,
            [
                "Let the thread of p3 be the first to enter.",
                "No other thread needs to request. Deliver its request and then the token.",
            ],
        ),
        puzzle(
            (ALIEN_THREADS, Easy, "short-cut", "The short cut"),
            ["alien", "--param variant=v2 --nodes 4 --requests 1"],
            SearchGoal::AtLeast(RequestMeasure::Forwards, 2),
            3,
            [
                "Get one request forwarded twice.",
                "A node without waiting threads forwards a request that it cannot serve. Which node is farthest from the token?",
            ],
        ),
        puzzle(
            (ALIEN_THREADS, Medium, "at-rest", "At rest at p2"),
            ["alien", "--nodes 3"],
            SearchGoal::Rests { at: NodeId(1), entries: 3 },
            8,
            [
                "After three entries or more, reach a state with no message in flight, no waiting thread and the token at p2.",
                "The token stays where it was last used until another node requests it.",
            ],
        ),
        puzzle(
            (ALIEN_THREADS, Medium, "busy-host", "A busy host is cheap"),
            ["alien", "--nodes 3 --threads 2"],
            SearchGoal::Thrifty { entries: 4, messages: 2 },
            9,
            [
                "Make four entries with at most two messages. Each node may request twice.",
                "One request message and one token message serve all threads that wait at the same node.",
            ],
        ),
        puzzle(
            (ALIEN_THREADS, Hard, "hide-and-seek", "Hide and seek"),
            ["alien", "--param variant=v2 --nodes 3 --requests 1 --network unordered"],
            SearchGoal::AtLeast(RequestMeasure::Forwards, 3),
            10,
            [
                "Messages may overtake each other. Get one request forwarded three times, although there are only three nodes.",
                "Let a later request overtake it, so that the token moves while the first request is still in flight.",
            ],
        ),
        puzzle(
            (ALIEN_THREADS, Hard, "lost-for-good", "Lost for good"),
            ["alien-printed", "--nodes 2"],
            broken("one token"),
            12,
            [
                "Two nodes run the algorithm as printed. Lose the token.",
                "It must return to a node whose threads all wait for a local signal: request again before the token leaves.",
            ],
        ),
    ]
}

fn notes() -> Vec<Puzzle> {
    vec![
        puzzle(
            (LECTURE_NOTES, Easy, "open-door", "The open door"),
            ["central-server-printed", "--nodes 3 --requests 1"],
            SearchGoal::Inside(3),
            9,
            [
                "The server as printed forgets which requests it granted. Get all three threads inside at once.",
                "No thread has to leave.",
            ],
        ),
        puzzle(
            (LECTURE_NOTES, Easy, "both-deferred", "Not now"),
            ["ricart-agrawala", "--nodes 3 --requests 1"],
            shows(1, "D", "{p2, p3}"),
            5,
            [
                "Make p1 defer its replies to both other nodes.",
                "Its own request must be the older one. If two clocks are equal, the smaller node number wins.",
            ],
        ),
        puzzle(
            (LECTURE_NOTES, Medium, "last-come", "Last come, first served"),
            ["central-server", "--nodes 3 --requests 1"],
            order(&[3, 2, 1]),
            13,
            [
                "Let the three nodes enter in the order p3, p2, p1.",
                "The server serves requests in the order of their arrival. Decide which arrives first.",
            ],
        ),
        puzzle(
            (LECTURE_NOTES, Medium, "kept-for-nothing", "Kept for nothing"),
            ["token-ring-printed", "--param start=guarded --nodes 2 --requests 1"],
            SearchGoal::Stuck,
            7,
            [
                "Reach a deadlock of the ring as printed: a thread waits and no event can serve it.",
                "After a node has been inside once, its flag waiting stays set.",
            ],
        ),
        puzzle(
            (LECTURE_NOTES, Hard, "twice-overtaken", "Overtaken twice"),
            ["ricart-agrawala", "--nodes 2 --requests 3"],
            SearchGoal::AtLeast(RequestMeasure::Bypass, 2),
            9,
            [
                "Let other threads enter twice while one thread waits.",
                "Clocks advance only with requests. A delayed request is old at its own node and still unknown at the other.",
            ],
        ),
    ]
}

fn hierarchical() -> Vec<Puzzle> {
    vec![
        puzzle(
            (CLUSTERS, Easy, "given-away", "Sent away but not recorded"),
            ["naimi-trehel-printed", "--nodes 2 --requests 1"],
            SearchGoal::Inside(2),
            4,
            [
                "The algorithm as printed: get two threads inside.",
                "An idle token holder does not record that it sent the token away.",
            ],
        ),
        puzzle(
            (CLUSTERS, Medium, "near-before-far", "Near before far"),
            ["preempt-aggregation", "--clusters 2+1"],
            SearchGoal::AtLeast(RequestMeasure::Bypass, 3),
            8,
            [
                "Let other threads enter three times while one thread waits.",
                "A thread also waits while its request is in flight, and requests of the local cluster go first.",
            ],
        ),
        puzzle(
            (CLUSTERS, Hard, "queue-too-late", "The queue that came too late"),
            ["preempt-aggregation-printed", "--param repair=owner --clusters 2+1 --requests 1 --network unordered"],
            SearchGoal::Stuck,
            9,
            [
                "The algorithm as printed, with the idle token holder repaired, on unordered links: reach a deadlock while a thread waits.",
                "The queue is sent after the token. Deliver the token first.",
            ],
        ),
        puzzle(
            (CLUSTERS, Hard, "long-way", "The long route"),
            ["naimi-trehel", "--nodes 4 --topology star"],
            SearchGoal::AtLeast(RequestMeasure::Forwards, 2),
            13,
            [
                "All nodes point at p1. Get one request forwarded twice nevertheless.",
                "Delay it. A node that requests twice in the meantime changes the owners along its route.",
            ],
        ),
    ]
}

fn ranged() -> Vec<Puzzle> {
    vec![
        puzzle(
            (RANGE_LOCKS, Easy, "after-you", "After you"),
            ["swq-printed", "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2"],
            SearchGoal::Stuck,
            4,
            [
                "Each of two nodes holds one cell. Make them wait for each other in a deadlock.",
                "Each must request the cell of the other at the same time.",
            ],
        ),
        puzzle(
            (RANGE_LOCKS, Medium, "all-at-once", "All at once"),
            ["swq", "--nodes 3 --requests 1 --topology star --cells 3"],
            SearchGoal::Inside(3),
            9,
            [
                "p1 holds all three cells. Get all three threads inside at once.",
                "No two threads may request the same cell.",
            ],
        ),
        puzzle(
            (RANGE_LOCKS, Medium, "parked", "Parked"),
            ["swq", "--nodes 3 --requests 1 --topology star --cells 2 --placement p1,p3"],
            shows(2, "waitingRequest", "p3: [0,2) from 0"),
            7,
            [
                "p1 holds cell 0 and p3 holds cell 1. Make p2 park the request of p3 for both cells.",
                "p2 must have claimed cell 0 and still be searching for cell 1.",
            ],
        ),
        puzzle(
            (RANGE_LOCKS, Hard, "overwritten", "Overwritten"),
            ["naimi-trehel-async-printed", "--nodes 3 --requests 1 --topology star"],
            SearchGoal::Stuck,
            8,
            [
                "Algorithm 2 as printed: reach a deadlock while a thread waits.",
                "A token holder stores every request in next, even if next is already set.",
            ],
        ),
    ]
}

fn wait_free() -> Vec<Puzzle> {
    vec![
        puzzle(
            (WAIT_FREE, Easy, "two-releases", "Two releases"),
            ["wdme", "--nodes 2 --topology star"],
            shows(3, "releases", "2"),
            11,
            ["Make the register count two releases.", "One process may enter twice, once its reset has arrived."],
        ),
        puzzle(
            (WAIT_FREE, Medium, "undisputed", "No competition"),
            ["wdme", "--param resets=tried --nodes 3 --topology star"],
            SearchGoal::Thrifty { entries: 3, messages: 10 },
            13,
            [
                "Make three entries with at most ten messages.",
                "An entry without competition costs try, ok, exit and one reset. At the end, some messages need not be sent at all.",
            ],
        ),
        puzzle(
            (WAIT_FREE, Hard, "false-ok", "The wrong ok"),
            ["wdme-printed", "--nodes 2 --topology star --network unordered"],
            SearchGoal::Inside(2),
            11,
            [
                "The algorithm as printed, on unordered links: get two processes inside.",
                "The acknowledgement of an exit cannot be told from the answer to a try. Delay one.",
            ],
        ),
        puzzle(
            (WAIT_FREE, Hard, "useless-try", "A useless try"),
            ["wdme-printed", "--param reading=own-kind --nodes 3 --requests 1 --topology star"],
            broken("no second try under one holder"),
            12,
            [
                "Refute the paper's theorem: make a process try twice while the same process is inside.",
                "After its first reset, the flag turn of a process is never cleared.",
            ],
        ),
    ]
}

fn beyond() -> Vec<Puzzle> {
    vec![
        puzzle(
            (BEYOND, Easy, "broadcast", "One call for all"),
            ["suzuki-kasami", "--nodes 3 --requests 1 --topology full"],
            order(&[3, 2]),
            8,
            [
                "Let p3 enter first and p2 second.",
                "The token holder sends the token to a node whose request has reached it.",
            ],
        ),
        puzzle(
            (BEYOND, Medium, "permission-kept", "Permission kept"),
            ["carvalho-roucairol", "--nodes 3 --requests 3 --topology full"],
            SearchGoal::Thrifty { entries: 3, messages: 0 },
            5,
            [
                "Make three entries without any message.",
                "A node keeps a permission until the other node requests it. Which node has all permissions initially?",
            ],
        ),
        puzzle(
            (BEYOND, Medium, "vote-back", "May I have my vote back?"),
            ["maekawa", "--nodes 3 --requests 1 --topology full"],
            shows(1, "asked back", "true"),
            4,
            [
                "Make p1 give its vote away and then ask for it back.",
                "An older request must arrive after a younger one.",
            ],
        ),
    ]
}
