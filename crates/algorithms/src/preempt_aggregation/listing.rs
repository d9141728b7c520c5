//! The listings and table entries of preemption with aggregation and of preemption alone.

use super::*;
use lockstep_kernel::Entry;
use lockstep_kernel::entry::{Drive, Line, Needs, Param, SampleSystem, essential, line};

const WANT: (&str, &[Line]) = (
    "a thread requests",
    &[
        line(ENTER, "we are the root, so the token is here: enter"),
        essential(ASK, "else send a request to owner"),
        essential(BECOME_ROOT, "  owner := none, we are the root now"),
        line(COUNT_ANEW, "  nb_preempt := 0"),
    ],
);

const LEAVE: (&str, &[Line]) =
    ("a thread leaves", &[line(KEEP, "next unknown: nb_preempt := 0"), line(HAND_OVER, "else the token goes to next")]);

const ROOT: [Line; 9] = [
    line(FORWARD, "not the root: forward it to owner"),
    line(REVERSE, "  near, or owner far: owner := requester"),
    line(GIVE, "root and idle: send the token"),
    essential(POINT, "  owner := requester"),
    line(AFTER, "root without next: next := requester"),
    essential(NEAR_AFTER, "  near: owner := requester"),
    line(OVERTAKE, "near, nb_preempt < threshold: next, owner := it"),
    line(COUNT, "  nb_preempt := nb_preempt + 1"),
    essential(PROMISED, "  send it Queue(old next + R_Queue, nb_preempt)"),
];

const TOKEN_ARRIVES: (&str, &[Line]) = (
    "the token arrives",
    &[line(LARGER, "near sender: nb_preempt := the larger count"), line(TOKEN, "absorb its queue; our thread enters")],
);

const HAND: (&str, &[Line]) = (
    "the token goes to another node",
    &[
        line(LEAVES, "it is far: nb_preempt := 0"),
        essential(LAST_OWNER, "  root: owner := last of R_Queue, or that node"),
        essential(PASS, "send Token(R_Queue, nb_preempt); R_Queue := empty"),
    ],
);

/// The listing, in our own words.
const LISTING: &[(&str, &[Line])] = &[
    WANT,
    LEAVE,
    (
        "a request arrives",
        &[
            ROOT[0],
            ROOT[1],
            ROOT[2],
            ROOT[3],
            ROOT[4],
            ROOT[5],
            ROOT[6],
            ROOT[7],
            ROOT[8],
            essential(APPEND, "else it joins R_Queue"),
            essential(NEAR_LAST, "  near: owner := requester"),
        ],
    ),
    TOKEN_ARRIVES,
    (
        "a queue arrives",
        &[
            essential(LATE_HOLDER, "we hold the token, idle: it goes to the first"),
            essential(LATE, "not requesting: forward it to owner"),
            line(LATE_POINT, "  owner far: owner := its last"),
            essential(IN_FRONT, "else, or with the token: R_Queue := it + R_Queue"),
            line(OLDER, "  a far next goes between the two"),
            line(TAKE_NEXT, "  no next: next := first of R_Queue"),
            line(SEND_ON, "  near next: send Queue(R_Queue, nb_preempt) to owner"),
        ],
    ),
    HAND,
];

/// The listing without aggregation.
const PLAIN_LISTING: &[(&str, &[Line])] = &[
    WANT,
    LEAVE,
    (
        "a request arrives",
        &[
            ROOT[0],
            ROOT[1],
            ROOT[2],
            ROOT[3],
            ROOT[4],
            ROOT[5],
            ROOT[6],
            ROOT[7],
            ROOT[8],
            essential(APPEND, "else (no aggregation) forward it to next"),
            line(NEAR_LAST, "  near (as measured: always): owner := requester"),
        ],
    ),
    TOKEN_ARRIVES,
    (
        "a queue arrives",
        &[
            essential(LATE_HOLDER, "we hold the token, idle: it goes to the first"),
            essential(LATE, "not requesting: forward it to owner"),
            line(LATE_POINT, "  owner far: as requests; owner := its last"),
            essential(IN_FRONT, "else R_Queue := it"),
            line(OLDER, "  a far next goes behind it"),
            line(TAKE_NEXT, "  no next: next := first of R_Queue"),
            line(SEND_ON, "  near next: send Queue(R_Queue, nb_preempt) to owner"),
            line(SPREAD, "  what is left: forward it to next, as requests"),
        ],
    ),
    HAND,
];

const THRESHOLD: Param = Param {
    name: "threshold",
    about: "the number of near requests that may overtake far ones while the token is in a cluster",
    values: &["1", "0", "2", "3"],
};

const PROXIES: Param = Param {
    name: "proxies",
    about: "host: the proxy of a cluster is its first host; extra: a separate node",
    values: &["host", "extra"],
};

/// The entry in the table of algorithms.
pub const ENTRY: Entry = Entry {
    id: "preempt-aggregation",
    title: "PreemptAggregation",
    year: 2004,
    source: "Bertier, Arantes and Sens, Hierarchical token based mutual exclusion algorithms, INRIA RR-5177, 2004, §3.2 (repaired)",
    printed: false,
    params: &[THRESHOLD, PROXIES],
    needs: Needs { fifo: false, fifo_with: None, tree: false },
    claims: &[
        "preemption raises the number of messages within clusters and lowers the number between them",
        "obtaining time falls as the threshold rises",
        "aggregation saves messages",
        "the threshold bounds how often a far request is overtaken, so no request starves (on FIFO links)",
    ],
    tree_link: "owner",
    listing: LISTING,
    sample: SampleSystem::CLUSTERS,
    drive: Drive::of::<PreemptAggregation>(),
};

/// The entry of preemption alone.
pub const PREEMPT: Entry = Entry {
    id: "preempt",
    title: "Preempt",
    source: "Bertier, Arantes and Sens, Hierarchical token based mutual exclusion algorithms, INRIA RR-5177, 2004, §3.2 and §4 (repaired)",
    params: &[
        Param {
            name: "owner",
            about: "repaired: a far requester whose request is forwarded does not become owner; as-measured: it does, as printed",
            values: &["repaired", "as-measured"],
        },
        THRESHOLD,
        PROXIES,
    ],
    claims: &[
        "preemption raises the number of messages within clusters and lowers the number between them",
        "obtaining time falls as the threshold rises",
    ],
    listing: PLAIN_LISTING,
    drive: Drive::of::<Preempt>(),
    ..ENTRY
};
