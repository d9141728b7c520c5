//! The state expected at a stop, and what of it does not hold.

use crate::script::{Channel, thread};
use crate::{LocatedProblem, Place, quoted};
use lockstep_kernel::view::{NodeFrame, ThreadState, Waiter};
use lockstep_kernel::{Frame, NodeId, Role, Setup, ThreadId, sort};

/// The state expected at a stop. What is not mentioned may be anything, except that every invariant
/// must hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expect {
    /// What is expected of nodes.
    pub nodes: Vec<(NodeId, Fact, Place)>,
    /// The messages on their way, in any order.
    pub in_flight: Option<(Vec<Channel>, Place)>,
    /// Messages sent since the beginning.
    pub messages: Option<(u64, Place)>,
    /// Critical sections entered since the beginning.
    pub entries: Option<(u64, Place)>,
    /// Everybody who is inside.
    pub inside: Option<(Vec<ThreadId>, Place)>,
    /// Everybody who waits.
    pub waiting: Option<(Vec<ThreadId>, Place)>,
    /// The invariants that are violated here, where showing that is the point.
    pub violated: Vec<(String, Place)>,
    /// Where the stop stands.
    pub place: Place,
}

/// Something expected of a node.
#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// Who waits there, in this order.
    Queue(Vec<Waiter>),
    /// Which of the threads there are inside.
    Inside(Vec<ThreadId>),
    /// Whether the token is there.
    Token(bool),
    /// The value of a variable, or the targets of pointers of one kind.
    Named(String, String),
}

/// Reads an entry of a queue as figures write it: `u2`, `p3.2`, `A2`, `A(p2)`, `p4`.
pub fn waiter(text: &str, node: NodeId, setup: &Setup) -> Result<Waiter, String> {
    if let Some(remote) = setup.named(text) {
        return Ok(Waiter::Remote(remote));
    }
    let number = |t: &str| !t.is_empty() && t.chars().all(|c| c.is_ascii_digit());
    if let Some(n) = text.strip_prefix('u').filter(|n| number(n)) {
        return thread(&format!("{}.{n}", setup.name(node)), setup).map(Waiter::User);
    }
    if let Some(home) = text.strip_prefix("A(").and_then(|t| t.strip_suffix(')')) {
        return lockstep_spec::node(setup, home).map(Waiter::Alien);
    }
    if let Some(n) = text.strip_prefix('A').filter(|n| number(n)) {
        return lockstep_spec::node(setup, &format!("p{n}")).map(Waiter::Alien);
    }
    if text.contains('.') {
        return thread(text, setup).map(Waiter::User);
    }
    Err(format!(
        "{} is not an entry of a queue; expected u2 (a thread of the node), p3.2 (a thread of p3), A2 or A(p2) (the alien of p2) or p4 \
         (another node).",
        quoted(text)
    ))
}

/// An entry of a queue as [`waiter`] reads it.
pub(crate) fn waiter_name(waiter: &Waiter, node: NodeId, setup: &Setup) -> String {
    match waiter {
        Waiter::User(t)
            if setup.home(*t) == node && setup.named(&format!("u{}", setup.thread_number(*t))).is_none() =>
        {
            format!("u{}", setup.thread_number(*t))
        }
        Waiter::User(t) => setup.thread_name(*t),
        Waiter::Alien(home) => format!("A({})", setup.name(*home)),
        Waiter::Remote(other) => setup.name(*other).into(),
    }
}

impl Expect {
    /// Everything expected that does not hold in a state.
    pub fn failures(&self, frame: &Frame, setup: &Setup) -> Vec<LocatedProblem> {
        let mut failures = Vec::new();
        for (node, fact, place) in &self.nodes {
            let Some(at) = frame.nodes.get(node.index()) else { continue };
            failures.extend(fact.failure(at, setup).map(|why| LocatedProblem::at(*place, why)));
        }
        if let Some((channels, place)) = &self.in_flight {
            failures.extend(wrong_flights(channels, frame, setup).map(|why| LocatedProblem::at(*place, why)));
        }
        let doing = [(&self.inside, ThreadState::Inside, "inside"), (&self.waiting, ThreadState::Waiting, "waiting")];
        for (expected, doing, what) in doing {
            let Some((threads, place)) = expected else { continue };
            let found = doing_so(frame.nodes.iter().map(|n| &**n), doing);
            if !same(threads, &found) {
                let (found, right) = (people(&found, setup), people(threads, setup));
                failures.push(LocatedProblem::at(*place, format!("{what}: {found}; expected is {right}.")));
            }
        }
        let counts = [
            (self.messages, frame.counters.messages, "messages were sent"),
            (self.entries, frame.counters.entries, "sections were entered"),
        ];
        for (expected, found, what) in counts {
            if let Some((expected, place)) = expected.filter(|(n, _)| *n != found) {
                failures.push(LocatedProblem::at(place, format!("{found} {what}; expected are {expected}.")));
            }
        }
        self.judge_invariants(frame, &mut failures);
        failures
    }

    fn judge_invariants(&self, frame: &Frame, failures: &mut Vec<LocatedProblem>) {
        let expected = |name: &str| self.violated.iter().any(|(n, _)| n == name);
        for held in &frame.invariants {
            if let Some(why) = held.broken.as_ref().filter(|_| !expected(&held.name)) {
                failures.push(LocatedProblem::at(self.place, format!("`{}` is violated: {why}.", held.name)));
            }
        }
        for (name, place) in &self.violated {
            match frame.invariants.iter().find(|h| h.name == *name) {
                Some(held) if held.broken.is_some() => {}
                Some(_) => failures
                    .push(LocatedProblem::at(*place, format!("`{name}` holds; expected is that it is violated."))),
                None => {
                    let names: Vec<&str> = frame.invariants.iter().map(|h| h.name.as_str()).collect();
                    let there = names.join(", ");
                    failures.push(LocatedProblem::at(
                        *place,
                        format!("There is no invariant {}; there are {there}.", quoted(name)),
                    ));
                }
            }
        }
    }

    /// Whether anything is expected at all.
    pub fn is_empty(&self) -> bool {
        *self == Expect { place: self.place, ..Expect::default() }
    }
}

/// The threads that do something, in their order.
fn doing_so<'a>(nodes: impl Iterator<Item = &'a NodeFrame>, doing: ThreadState) -> Vec<ThreadId> {
    nodes.flat_map(|n| &n.threads).filter(|t| t.doing == doing).map(|t| t.id).collect()
}

fn same(a: &[ThreadId], b: &[ThreadId]) -> bool {
    a.len() == b.len() && a.iter().all(|t| b.contains(t))
}

fn people(threads: &[ThreadId], setup: &Setup) -> String {
    let names: Vec<String> = threads.iter().map(|t| setup.thread_name(*t)).collect();
    if names.is_empty() { "nobody".into() } else { names.join(", ") }
}

impl Fact {
    fn failure(&self, node: &NodeFrame, setup: &Setup) -> Option<String> {
        let name = &node.name;
        match self {
            Fact::Queue(queue) => {
                let list = |queue: &[Waiter]| {
                    let names: Vec<String> = queue.iter().map(|w| waiter_name(w, node.id, setup)).collect();
                    format!("({})", names.join(", "))
                };
                let differs = *queue != node.view.queue;
                differs
                    .then(|| format!("The queue of {name} is {}; expected is {}.", list(&node.view.queue), list(queue)))
            }
            Fact::Inside(expected) => {
                let found = doing_so(std::iter::once(node), ThreadState::Inside);
                (!same(expected, &found)).then(|| {
                    format!("{} is inside at {name}; expected is {}.", people(&found, setup), people(expected, setup))
                })
            }
            Fact::Token(expected) => {
                let (found, right) = if *expected { ("not ", "there") } else { ("", "elsewhere") };
                (*expected != node.view.token)
                    .then(|| format!("The token is {found}at {name}; expected is that it is {right}."))
            }
            Fact::Named(key, expected) => named(node, key, setup).map_or_else(
                || {
                    let vars = node.view.vars.iter().map(|v| v.name.as_str());
                    let links = node.view.links.iter().map(|l| l.kind.as_str());
                    let mut names: Vec<&str> =
                        ["queue", "inside", "token"].into_iter().chain(vars).chain(links).collect();
                    sort::by(&mut names, Ord::cmp);
                    names.dedup();
                    Some(format!("{name} has no {}; it has {}.", quoted(key), names.join(", ")))
                },
                |found| {
                    (found != *expected)
                        .then(|| format!("{key} of {name} is {found}; expected is {}.", quoted(expected)))
                },
            ),
        }
    }
}

/// The value of a variable, or the targets of the pointers of a kind, as text.
fn named(node: &NodeFrame, key: &str, setup: &Setup) -> Option<String> {
    let name = |n: NodeId| setup.name(n).to_owned();
    let var = node.view.vars.iter().find(|v| v.name == key).map(|v| v.value.text(name));
    var.or_else(|| {
        let targets: Vec<String> = node.view.links.iter().filter(|l| l.kind == key).map(|l| name(l.to)).collect();
        (!targets.is_empty()).then(|| targets.join(", "))
    })
}

fn wrong_flights(expected: &[Channel], frame: &Frame, setup: &Setup) -> Option<String> {
    let title = |label: &str, from, to| format!("{label} {}→{}", setup.name(from), setup.name(to));
    let moving = frame.flights.iter().filter(|f| f.role != Role::Local);
    let mut found: Vec<String> = moving.map(|f| title(&f.label, f.from, f.to)).collect();
    let mut right: Vec<String> =
        expected.iter().map(|c| title(c.label.as_deref().unwrap_or(""), c.from, c.to)).collect();
    sort::by(&mut found, Ord::cmp);
    sort::by(&mut right, Ord::cmp);
    let list = |names: &[String]| if names.is_empty() { "nothing".into() } else { names.join(", ") };
    (found != right).then(|| format!("On its way is {}; expected is {}.", list(&found), list(&right)))
}
