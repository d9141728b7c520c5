//! Events as people write them: `p1.2 asks`, `deliver REQ(p3) p2→p1`, `p2 crashes`, `run until p3
//! enters`.

mod find;
mod step;

pub use find::written;
pub use step::{Goal, MOST_STEPS, Step};

use crate::quoted;
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Cells, Event, NodeId, Setup, ThreadId};
use lockstep_spec::{node, thread};

/// A thread, or any thread of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// This thread.
    Thread(ThreadId),
    /// A thread that is at this node.
    At(NodeId),
}

/// An event as people write it: it names what they see, not numbers of messages.
#[derive(Clone, Debug)]
pub enum Reference {
    /// What a thread does next in this state: an idle one asks (`p1.2 asks`, or `p1.2 asks for
    /// [0,2)` where the resource is divided), a waiting one gives up (`p1.2 gives up`), one inside
    /// leaves (`p1.2 leaves`). `p1 asks` means the first idle thread of p1, and so on.
    Thread(Who, ThreadState, Option<Cells>),
    /// `deliver p3→p2`, `lose …`, `double …`, `hold …`, `let go …`: the first message for which
    /// this is possible. `p2: <label>` delivers a step that the node scheduled for itself.
    Message(Act, Channel),
    /// `p2 crashes`, `p2 restarts`, `p1.2 migrates to p3`.
    Exactly(Event),
}

/// What happens to the message of this number.
type Act = fn(u32) -> Event;

/// What can happen to a message, as in the titles of events; then other words for it.
const ACTS: [(&str, Act); 9] = [
    ("deliver", Event::Deliver),
    ("lose", Event::Drop),
    ("double", Event::Duplicate),
    ("hold", Event::Hold),
    ("let go", Event::Resume),
    ("drop", Event::Drop),
    ("duplicate", Event::Duplicate),
    ("delay", Event::Hold),
    ("resume", Event::Resume),
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
        Ok(Channel { label, from: node(setup, from)?, to: node(setup, to)?, nth })
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
            None => Ok(Who::At(node(setup, text)?)),
        }
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
    /// Reads an event; what it names must exist, whether it is possible depends on the state.
    pub fn read(text: &str, setup: &Setup) -> Result<Self, String> {
        let text = &text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (verb, act) in ACTS {
            if let Some(what) = text.strip_prefix(verb).and_then(|t| t.strip_prefix(' ')) {
                return Ok(Reference::Message(act, Channel::read(what, setup)?));
            }
        }
        if let Some((name, label)) = text.split_once(": ") {
            let (from, (label, nth)) = (node(setup, name)?, ordinal(label));
            let channel = Channel { label: Some(label.to_owned()), from, to: from, nth };
            return Ok(Reference::Message(Event::Deliver, channel));
        }
        if let Some((who, to)) = text.split_once(" migrates to ") {
            return Ok(Reference::Exactly(Event::Migrate(thread(who, setup)?, node(setup, to)?)));
        }
        if let Some((who, range)) = text.split_once(" asks for ").or_else(|| text.split_once(" requests ")) {
            let who = Who::read(who, setup)?;
            return Ok(Reference::Thread(who, ThreadState::Idle, Some(cells(range, setup)?)));
        }
        let of_thread = |who, state| Ok(Reference::Thread(Who::read(who, setup)?, state, None));
        match text.split_once(' ') {
            Some((who, "asks" | "requests")) => of_thread(who, ThreadState::Idle),
            Some((who, "gives up" | "cancels")) => of_thread(who, ThreadState::Waiting),
            Some((who, "leaves")) => of_thread(who, ThreadState::Inside),
            Some((name, "crashes")) => Ok(Reference::Exactly(Event::Crash(node(setup, name)?))),
            Some((name, "restarts")) => Ok(Reference::Exactly(Event::Restart(node(setup, name)?))),
            _ => Err(format!(
                "{} is not an event; expected `p1.2 asks`, `p1 leaves`, `deliver p2→p1`, `lose …`, `double …`, `hold …`, \
                 `let go …`, `p2 crashes`, `p2 restarts`, `p1.2 migrates to p3`, `p1 gives up`, `p1 asks for [0,2)`, \
                 `deliver all` or `run until p3 enters`.",
                quoted(text)
            )),
        }
    }
}
