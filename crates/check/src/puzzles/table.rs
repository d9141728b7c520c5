//! The puzzles themselves.

use super::Level::{self, Easy, Hard, Medium};
use super::Puzzle;
use crate::Check;
use lockstep_kernel::explore::{RequestMeasure, SearchGoal};
use lockstep_kernel::{NodeId, ThreadId};

/// Text, level, id, title.
type Name = (&'static str, Level, &'static str, &'static str);

fn puzzle(
    (text, level, id, title): Name,
    [algorithm, options]: [&str; 2],
    goal: SearchGoal,
    par: usize,
    [task, hint]: [&'static str; 2],
) -> Puzzle {
    let check = Check::read(algorithm, options).expect("a test reads them all");
    Puzzle { id, text, level, title, task, hint, check, goal, par }
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
            ("000", Easy, "down-the-chain", "Down the chain"),
            ["alien", "--nodes 3 --requests 1"],
            order(&[3]),
            5,
            [
                "Let the thread of p3 be the first to enter.",
                "Nobody else need ask; just see its request and the token through.",
            ],
        ),
        puzzle(
            ("000", Easy, "short-cut", "The short cut"),
            ["alien", "--param variant=v2 --nodes 4 --requests 1"],
            SearchGoal::AtLeast(RequestMeasure::Forwards, 2),
            3,
            [
                "Have one request passed on twice.",
                "A node without anybody waiting passes on what it cannot serve. Who is farthest from the token?",
            ],
        ),
        puzzle(
            ("000", Medium, "at-rest", "At rest elsewhere"),
            ["alien", "--nodes 3"],
            SearchGoal::Rests { at: NodeId(1), entries: 3 },
            8,
            [
                "After three entries or more everything is quiet and the token lies at p2.",
                "The token stays where it was last used, unless somebody asks it back.",
            ],
        ),
        puzzle(
            ("000", Medium, "busy-host", "A busy host is cheap"),
            ["alien", "--nodes 3 --threads 2"],
            SearchGoal::Thrifty { entries: 4, messages: 2 },
            9,
            [
                "Four entries with at most two messages. Each node may ask twice.",
                "One request, one token; who waits at the same node shares them.",
            ],
        ),
        puzzle(
            ("000", Hard, "hide-and-seek", "Hide and seek"),
            ["alien", "--param variant=v2 --nodes 3 --requests 1 --network unordered"],
            SearchGoal::AtLeast(RequestMeasure::Forwards, 3),
            10,
            [
                "These links do not keep the order. Have one request passed on three times, although there are only three nodes.",
                "A later request overtakes it, and the token moves on behind its back.",
            ],
        ),
        puzzle(
            ("000", Hard, "lost-for-good", "Lost for good"),
            ["alien-printed", "--nodes 2"],
            broken("one token"),
            12,
            [
                "Two nodes run the text as printed. Lose the token.",
                "It must come back to a node where everybody waits for a local signal: ask again before the token leaves.",
            ],
        ),
    ]
}

fn notes() -> Vec<Puzzle> {
    vec![
        puzzle(
            ("001", Easy, "open-door", "The open door"),
            ["central-server-printed", "--nodes 3 --requests 1"],
            SearchGoal::Inside(3),
            9,
            ["The server as printed forgets whom it let in. Get all three inside at once.", "Nobody has to leave."],
        ),
        puzzle(
            ("001", Easy, "both-deferred", "Not now"),
            ["ricart-agrawala", "--nodes 3 --requests 1"],
            shows(1, "D", "{p2, p3}"),
            5,
            [
                "Make p1 defer its replies to both others.",
                "Its own request must be the older one: equal counts are decided by the number of the node.",
            ],
        ),
        puzzle(
            ("001", Medium, "last-come", "Last come, first served"),
            ["central-server", "--nodes 3 --requests 1"],
            order(&[3, 2, 1]),
            13,
            [
                "The three enter in the order p3, p2, p1.",
                "What counts is the order of arrival at the server; all of them may enter one after the other.",
            ],
        ),
        puzzle(
            ("001", Medium, "kept-for-nothing", "Kept for nothing"),
            ["token-ring-printed", "--param start=guarded --nodes 2 --requests 1"],
            SearchGoal::Stuck,
            7,
            [
                "Bring the printed ring to a halt while somebody waits.",
                "A node that has been inside once still looks as if it waited.",
            ],
        ),
        puzzle(
            ("001", Hard, "twice-overtaken", "Overtaken twice"),
            ["ricart-agrawala", "--nodes 2 --requests 3"],
            SearchGoal::AtLeast(RequestMeasure::Bypass, 2),
            9,
            [
                "One thread waits while others enter twice.",
                "The clock only moves with requests: a slow request is an old one at home and a young one elsewhere.",
            ],
        ),
    ]
}

fn hierarchical() -> Vec<Puzzle> {
    vec![
        puzzle(
            ("002", Easy, "given-away", "Given away and not noticed"),
            ["naimi-trehel-printed", "--nodes 2 --requests 1"],
            SearchGoal::Inside(2),
            4,
            ["The text as printed: get two inside.", "The idle holder still believes that it has the token."],
        ),
        puzzle(
            ("002", Medium, "near-before-far", "Near before far"),
            ["preempt-aggregation", "--clusters 2+1"],
            SearchGoal::AtLeast(RequestMeasure::Bypass, 3),
            8,
            [
                "One thread waits while others enter three times.",
                "A slow request counts as waiting too; and near requests go first.",
            ],
        ),
        puzzle(
            ("002", Hard, "queue-too-late", "The queue that came too late"),
            ["preempt-aggregation-printed", "--param repair=owner --clusters 2+1 --requests 1 --network unordered"],
            SearchGoal::Stuck,
            9,
            [
                "The printed text, with its idle holder repaired, on links that do not keep the order: bring everything to a halt while somebody waits.",
                "A queue is sent after the token. Let the token win.",
            ],
        ),
        puzzle(
            ("002", Hard, "long-way", "The long way"),
            ["naimi-trehel", "--nodes 4 --topology star"],
            SearchGoal::AtLeast(RequestMeasure::Forwards, 2),
            13,
            [
                "Everybody points at p1. Have one request passed on twice all the same.",
                "Let it be slow: whoever asks twice meanwhile turns pointers round behind its back.",
            ],
        ),
    ]
}

fn ranged() -> Vec<Puzzle> {
    vec![
        puzzle(
            ("003", Easy, "after-you", "After you"),
            ["swq-printed", "--nodes 2 --requests 1 --topology star --cells 2 --placement p1,p2"],
            SearchGoal::Stuck,
            4,
            [
                "Two nodes have a cell each. Make them wait for each other for ever.",
                "Each must want what the other has, at the same time.",
            ],
        ),
        puzzle(
            ("003", Medium, "all-at-once", "All at once"),
            ["swq", "--nodes 3 --requests 1 --topology star --cells 3"],
            SearchGoal::Inside(3),
            9,
            [
                "Three cells, all at p1. Get all three threads inside at once.",
                "Nobody may want what another one wants.",
            ],
        ),
        puzzle(
            ("003", Medium, "parked", "Parked"),
            ["swq", "--nodes 3 --requests 1 --topology star --cells 2 --placement p1,p3"],
            shows(2, "waitingRequest", "p3: [0,2) from 0"),
            7,
            [
                "p1 holds cell 0, p3 cell 1. Make p2 park the request of p3 for both cells.",
                "p2 must have claimed cell 0 and still look for the other one.",
            ],
        ),
        puzzle(
            ("003", Hard, "overwritten", "Overwritten"),
            ["naimi-trehel-async-printed", "--nodes 3 --requests 1 --topology star"],
            SearchGoal::Stuck,
            8,
            [
                "Algorithm 2 as printed: bring it to a halt while somebody waits.",
                "A holder takes every request as its next, also the second.",
            ],
        ),
    ]
}

fn wait_free() -> Vec<Puzzle> {
    vec![
        puzzle(
            ("004", Easy, "two-releases", "Two tenures"),
            ["wdme", "--nodes 2 --topology star"],
            shows(3, "releases", "2"),
            11,
            ["Make the register count two releases.", "The same process may win twice, once its reset has come."],
        ),
        puzzle(
            ("004", Medium, "undisputed", "Undisputed"),
            ["wdme", "--param resets=tried --nodes 3 --topology star"],
            SearchGoal::Thrifty { entries: 3, messages: 10 },
            13,
            [
                "Three entries with at most ten messages.",
                "An entry that nobody disputes costs try, ok, exit and one reset. What need not have arrived need not be sent either.",
            ],
        ),
        puzzle(
            ("004", Hard, "false-ok", "The wrong ok"),
            ["wdme-printed", "--nodes 2 --topology star --network unordered"],
            SearchGoal::Inside(2),
            11,
            [
                "The text as printed, on links that do not keep the order: get two inside.",
                "The acknowledgement of an exit looks like the answer to a try. Keep one for later.",
            ],
        ),
        puzzle(
            ("004", Hard, "useless-try", "A useless try"),
            ["wdme-printed", "--param reading=own-kind --nodes 3 --requests 1 --topology star"],
            broken("no second try under one holder"),
            12,
            [
                "Refute the text's theorem: have a process try twice under one holder.",
                "After its first reset a process believes for ever that it may try.",
            ],
        ),
    ]
}

fn beyond() -> Vec<Puzzle> {
    vec![
        puzzle(
            ("beyond", Easy, "broadcast", "One call for all"),
            ["suzuki-kasami", "--nodes 3 --requests 1 --topology full"],
            order(&[3, 2]),
            8,
            ["p3 enters first and p2 second.", "The token goes to whom its holder has heard of."],
        ),
        puzzle(
            ("beyond", Medium, "permission-kept", "Permission kept"),
            ["carvalho-roucairol", "--nodes 3 --requests 3 --topology full"],
            SearchGoal::Thrifty { entries: 3, messages: 0 },
            5,
            [
                "Three entries without a single message.",
                "Who has been given a permission keeps it until somebody asks. Who has all of them at the beginning?",
            ],
        ),
        puzzle(
            ("beyond", Medium, "vote-back", "May I have my vote back?"),
            ["maekawa", "--nodes 3 --requests 1 --topology full"],
            shows(1, "asked back", "true"),
            4,
            ["p1 gives its vote away and asks for it back.", "An older request must come after a younger one."],
        ),
    ]
}
