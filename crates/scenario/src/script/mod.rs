//! Events as people write them: `p1.2 asks`, `deliver REQ(p3) p2→p1`, `p2 crashes`, `run until p3
//! enters`.

mod find;
mod step;
mod write;

pub use step::{Goal, MOST_STEPS, Step};
pub use write::written;

use crate::quoted;
use lockstep_kernel::{Cells, NodeId, Setup, ThreadId};

/// An event as people write it: it names what they see, not numbers of messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reference {
    /// `p1.2 asks`, or `p1 asks`: its first idle thread.
    Asks(Who),
    /// `p1.2 asks for [0,2)`: for these cells of a divided resource.
    AsksFor(Who, Cells),
    /// `p1.2 gives up`, or `p1 gives up`: its first waiting thread.
    GivesUp(Who),
    /// `p1.2 leaves`, or `p1 leaves`: the thread that is inside there.
    Leaves(Who),
    /// `deliver p3→p2`, `lose …`, `double …`, `hold …`, `let go …`: the first message for which
    /// this is possible.
    Message(Act, Channel),
    /// `p2: <label>`: a step that the node scheduled for itself; where several are alike, `p2:
    /// <label> #2` is the second.
    Local(NodeId, String, Option<usize>),
    /// `p2 crashes`.
    Crashes(NodeId),
    /// `p2 restarts`.
    Restarts(NodeId),
    /// `p1.2 migrates to p3`.
    Migrates(ThreadId, NodeId),
}

/// A thread, or any thread of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// This thread.
    Thread(ThreadId),
    /// A thread that is at this node.
    At(NodeId),
}

/// What happens to a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// It arrives.
    Deliver,
    /// It is lost.
    Lose,
    /// It is doubled.
    Double,
    /// It is held back.
    Hold,
    /// It moves on.
    LetGo,
}

/// The verbs of [`Act`], as in the titles of events; then other words for them.
const ACTS: [(&str, Act); 8] = [
    ("deliver", Act::Deliver),
    ("lose", Act::Lose),
    ("double", Act::Double),
    ("hold", Act::Hold),
    ("let go", Act::LetGo),
    ("drop", Act::Lose),
    ("duplicate", Act::Double),
    ("resume", Act::LetGo),
];

/// A message by its way, and by its label where that matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The label: `REQ(p3)`.
    pub label: Option<String>,
    /// Sender.
    pub from: NodeId,
    /// Receiver.
    pub to: NodeId,
    /// Which of several that are alike, in the order of sending, from 1; the first possible one if
    /// not given.
    pub nth: Option<usize>,
}

/// Takes the `#2` from the end of a text.
fn ordinal(text: &str) -> (&str, Option<usize>) {
    let cut = text.rsplit_once(" #").and_then(|(rest, n)| Some((rest, n.parse().ok().filter(|n| *n > 0)?)));
    cut.map_or((text, None), |(rest, n)| (rest, Some(n)))
}

impl Channel {
    /// Reads `REQ(p3) p2→p1`, `p2→p1` or `p2->p1`; `#2` after it means the second of several that
    /// are alike.
    pub fn read(text: &str, setup: &Setup) -> Result<Self, String> {
        let (text, nth) = ordinal(text.trim());
        let (label, way) =
            text.rsplit_once(' ').map_or((None, text), |(label, way)| (Some(label.trim().to_owned()), way));
        let ends = way.split_once('→').or_else(|| way.split_once("->"));
        let Some((from, to)) = ends else {
            return Err(format!(
                "{} does not say from where to where; expected p2→p1, or REQ(p2) p2→p1.",
                quoted(text)
            ));
        };
        Ok(Channel { label, from: lockstep_spec::node(setup, from)?, to: lockstep_spec::node(setup, to)?, nth })
    }
}

impl Who {
    /// Reads `p1.2` or `p1`.
    pub fn read(text: &str, setup: &Setup) -> Result<Self, String> {
        if let Some(node) = setup.named(text) {
            return Ok(Who::At(node));
        }
        match text.rsplit_once('.') {
            Some(_) => Ok(Who::Thread(thread(text, setup)?)),
            None => Ok(Who::At(lockstep_spec::node(setup, text)?)),
        }
    }
}

/// Reads `p1.2`, the second thread of p1.
pub fn thread(text: &str, setup: &Setup) -> Result<ThreadId, String> {
    let Some((name, number)) = text.rsplit_once('.') else {
        return Err(format!("{} is not a thread; expected p1.2, the second thread of p1.", quoted(text)));
    };
    let node = lockstep_spec::node(setup, name)?;
    let count = setup.threads[node.index()];
    match number.parse::<u32>() {
        Ok(n) if (1..=count).contains(&n) => Ok(ThreadId(setup.first_thread(node).0 + n - 1)),
        _ => Err(match count {
            0 => format!("{name} has no threads, so there is no {}.", quoted(text)),
            _ => format!("There is no thread {}; {name} has {name}.1 to {name}.{count}.", quoted(text)),
        }),
    }
}

/// Reads `[0,2)` or `0..2`, the cells 0 and 1.
pub fn cells(text: &str, setup: &Setup) -> Result<Cells, String> {
    let bounds = text.strip_prefix('[').and_then(|t| t.strip_suffix(')')).and_then(|t| t.split_once(','));
    let bounds = bounds.or_else(|| text.split_once(".."));
    match bounds.map(|(lo, hi)| (lo.trim().parse(), hi.trim().parse())) {
        Some((Ok(lo), Ok(hi))) if lo < hi && hi <= setup.cells => Ok(Cells { lo, hi }),
        _ => Err(format!("{} is not a range of cells; expected [0,1) to [0,{}).", quoted(text), setup.cells)),
    }
}

impl Reference {
    /// Reads an event; what it names must exist, whether it is possible depends on the moment.
    pub fn read(text: &str, setup: &Setup) -> Result<Self, String> {
        let text = &text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (verb, act) in ACTS {
            if let Some(what) = text.strip_prefix(verb).and_then(|t| t.strip_prefix(' ')) {
                return Ok(Reference::Message(act, Channel::read(what, setup)?));
            }
        }
        if let Some((name, label)) = text.split_once(": ") {
            let (label, nth) = ordinal(label);
            return Ok(Reference::Local(lockstep_spec::node(setup, name)?, label.to_owned(), nth));
        }
        if let Some((who, to)) = text.split_once(" migrates to ") {
            return Ok(Reference::Migrates(thread(who, setup)?, lockstep_spec::node(setup, to)?));
        }
        let ranged = text.split_once(" asks for ").or_else(|| text.split_once(" requests "));
        if let Some((who, range)) = ranged {
            return Ok(Reference::AsksFor(Who::read(who, setup)?, cells(range, setup)?));
        }
        match text.split_once(' ') {
            Some((who, "gives up" | "cancels")) => Ok(Reference::GivesUp(Who::read(who, setup)?)),
            Some((who, "asks" | "requests")) => Ok(Reference::Asks(Who::read(who, setup)?)),
            Some((who, "leaves")) => Ok(Reference::Leaves(Who::read(who, setup)?)),
            Some((name, "crashes")) => Ok(Reference::Crashes(lockstep_spec::node(setup, name)?)),
            Some((name, "restarts")) => Ok(Reference::Restarts(lockstep_spec::node(setup, name)?)),
            _ => Err(format!(
                "{} is not an event; expected `p1.2 asks`, `p1 leaves`, `deliver p2→p1`, `lose …`, `double …`, `hold …`, `let go …`, \
                 `p2 crashes`, `p2 restarts`, `p1.2 migrates to p3`, `p1 gives up`, `p1 asks for [0,2)`, `deliver all` or \
                 `run until p3 enters`.",
                quoted(text)
            )),
        }
    }
}
