//! Split waiting queues, with and without path reversal: the listings and their entries in the
//! table of algorithms.

use super::*;
use lockstep_kernel::Entry;
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, essential, line};

const TEST: (&str, &[Line]) =
    ("lockTest; doLock waits for it", &[essential(HOLD, "whole range found and owned: the lock is held")]);

const RELEASE: (&str, &[Line]) = (
    "unlock",
    &[
        line(UNLOCK, "held: forget the request"),
        line(CANCEL, "still waiting: cancelled, but stay in the queues"),
        line(DRAINED, "cancelled, every token was here: forget it"),
        line(TURN, "then the next lock of this node is created"),
    ],
);

const RECEIVE: (&str, &[Line]) = ("exchangeToken(run)", &[line(HAVE, "owned += run")]);

const SEND_TOKENS: (&str, &[Line]) = (
    "sendTokens, after every event",
    &[
        essential(SEND, "owned with a next: send it the run"),
        essential(KEEP, "  but not what my lock uses or waits for"),
    ],
);

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    (
        "lockCreate(range)",
        &[
            line(DEFER, "a lock of this node is not finished: wait for it"),
            line(START, "request := range; route it from its first cell"),
        ],
    ),
    TEST,
    RELEASE,
    (
        "requestToken: route a request from cell pos",
        &[
            essential(SEARCH, "owners[pos] is another node: forward it there"),
            essential(PARK, "pos claimed by my unfinished lock: park it"),
            line(MINE, "my own request: requestFound += the run I am tail of"),
            essential(NEXT, "another's: nexts[run] := requester"),
            essential(OWNER, "  owners[run] := requester"),
            essential(TELL, "  foundPart(run) to the requester"),
            essential(REPLAY, "guard open again: route the parked requests"),
        ],
    ),
    ("foundPart(run)", &[essential(TAIL, "owners[run] := this node"), essential(COUNT, "requestFound += run")]),
    RECEIVE,
    SEND_TOKENS,
];

/// The listing with path reversal.
const REVERSING_LISTING: &[(&str, &[Line])] = &[
    (
        "lockCreate(range)",
        &[
            line(DEFER, "a lock of this node is not finished: wait for it"),
            line(START, "request := range; claim its first cell"),
        ],
    ),
    TEST,
    RELEASE,
    (
        "claim the next cell, pos",
        &[
            line(MINE, "tail of pos: it is found, continue"),
            essential(ASK, "else requestToken(pos) to owners[pos]"),
            essential(AT_ONCE, "  owners[pos] := this node, at once"),
        ],
    ),
    (
        "requestToken(cell)",
        &[
            line(PASS, "not the tail: forward it to owners[cell]"),
            line(REVERSE, "  owners[cell] := requester"),
            essential(PARK, "tail, my unfinished lock claims or seeks it: park"),
            essential(NEXT, "tail: nexts[cell] := requester"),
            essential(OWNER, "  owners[cell] := requester"),
            essential(TELL, "  foundPart(cell) to the requester"),
            essential(REPLAY, "my lock complete or finished: take parked requests"),
        ],
    ),
    ("foundPart(run)", &[line(COUNT, "requestFound += run; claim the next cell")]),
    RECEIVE,
    SEND_TOKENS,
];

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "swq",
    title: "Split waiting queues",
    year: 2009,
    source: "Quinson and Vernier, Byte-Range Asynchronous Locking in Distributed Settings, PDP 2009, §4 (repaired)",
    printed: false,
    params: &[Param {
        name: "guard",
        about: "prose: parked requests wait until all parts of our lock are found; strict: until all its tokens have arrived",
        values: &["prose", "strict"],
    }],
    needs: Needs { fifo: false, fifo_with: None, tree: true },
    claims: &[
        "locks on disjoint ranges are held at the same time",
        "overlapping requests are served first come, first served",
        "searching for one part after another avoids deadlocks",
        "always slower than Naimi–Tréhel when every node locks the whole resource",
        "faster than Naimi–Tréhel on partial locks",
        "faster than a central manager for large resources",
    ],
    tree_link: "owner",
    listing: LISTING,
    sample: SampleSystem::CELLS,
    drive: Drive::of::<Swq<false>>(),
};

/// The entry of the algorithm with path reversal.
pub const PATH_REVERSAL: Entry = Entry {
    id: "swq-pr",
    title: "Split waiting queues with path reversal",
    year: 2009,
    source: "After Quinson and Vernier, Byte-Range Asynchronous Locking in Distributed Settings, PDP 2009 (our variant)",
    printed: false,
    params: &[Param {
        name: "bundling",
        about: "the tail also gives away following cells; needs FIFO links and may starve a request",
        values: &["false", "true"],
    }],
    needs: Needs { fifo: false, fifo_with: Some(("bundling", "true")), tree: true },
    claims: &["locks on disjoint ranges are held at the same time", "no request starves", "one search per cell"],
    tree_link: "owner",
    listing: REVERSING_LISTING,
    sample: SampleSystem::CELLS,
    drive: Drive::of::<Swq<true>>(),
};
