//! The state expected at a stop: how it is read, what of it does not hold, and what a state shows.

use crate::reader::{FileValue, scalar};
use crate::script::Channel;
use crate::{LocatedProblem, Place, quoted};
use lockstep_kernel::view::{NodeFrame, ThreadState, Waiter};
use lockstep_kernel::{Frame, NodeId, Role, Setup, sort};
use lockstep_spec::{node, thread};

/// The state expected at a stop. What is not mentioned may be anything, except that every invariant
/// must hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Expect {
    /// What must be seen.
    pub facts: Vec<Fact>,
    /// The invariants that are violated here, where showing that is the point.
    pub violated: Vec<(String, Place)>,
    /// Where the stop stands.
    pub place: Place,
}

/// Something that must be seen in a state.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// At this node, or in the whole system.
    pub node: Option<NodeId>,
    /// `queue`, `inside`, `token`, a variable or a kind of pointer of a node; `in_flight`,
    /// `inside`, `waiting`, `messages` or `entries` of the whole system.
    pub name: String,
    /// Its value, as [`seen`] gives it.
    pub value: Vec<String>,
    /// Where it stands.
    pub place: Place,
}

/// What a state shows: the names in a list, or one value. Lists are sorted, except queues. Nothing
/// where there is nothing of that name.
pub fn seen(frame: &Frame, setup: &Setup, node: Option<NodeId>, name: &str) -> Option<Vec<String>> {
    let Some(at) = node.map(|node| &frame.nodes[node.index()]) else {
        return Some(match name {
            "in_flight" => sorted(frame.flights.iter().filter(|f| f.role != Role::Local).map(|f| {
                let (from, to) = (setup.name(f.from), setup.name(f.to));
                format!("{} {from}→{to}", f.label)
            })),
            "messages" => vec![frame.counters.messages.to_string()],
            "entries" => vec![frame.counters.entries.to_string()],
            _ => {
                let doing = if name == "inside" { ThreadState::Inside } else { ThreadState::Waiting };
                let threads = frame.nodes.iter().flat_map(|n| &n.threads).filter(|t| t.doing == doing);
                sorted(threads.map(|t| t.name.clone()))
            }
        });
    };
    let waiter = |waiter: &Waiter| waiter_name(waiter, at.id, setup);
    let inside = at.threads.iter().filter(|t| t.doing == ThreadState::Inside);
    match name {
        "queue" => Some(at.view.queue.iter().map(waiter).collect()),
        "inside" => Some(sorted(inside.map(|t| waiter(&Waiter::User(t.id))))),
        "token" => Some(vec![at.view.token.to_string()]),
        _ => variable(at, name, setup).map(|text| vec![text]),
    }
}

/// The value of a variable, or the targets of the pointers of a kind.
fn variable(node: &NodeFrame, name: &str, setup: &Setup) -> Option<String> {
    let var = node.view.vars.iter().find(|v| v.name == name);
    let targets = node.view.links.iter().filter(|l| l.kind == name).map(|l| setup.name(l.to));
    let targets = Some(targets.collect::<Vec<_>>().join(", ")).filter(|targets| !targets.is_empty());
    var.map(|var| var.value.text(|n| setup.name(n).into())).or(targets)
}

fn sorted(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    sort::by(&mut names, Ord::cmp);
    names
}

/// Reads an entry of a queue as figures write it: `u2`, `p3.2`, `A2`, `A(p2)`, `p4`.
pub fn waiter(text: &str, at: NodeId, setup: &Setup) -> Result<Waiter, String> {
    let digits = |n: &&str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
    let numbered = |prefix| text.strip_prefix(prefix).filter(digits);
    if let Some(remote) = setup.named(text) {
        Ok(Waiter::Remote(remote))
    } else if let Some(n) = numbered("u") {
        thread(&format!("{}.{n}", setup.name(at)), setup).map(Waiter::User)
    } else if let Some(home) = text.strip_prefix("A(").and_then(|t| t.strip_suffix(')')) {
        node(setup, home).map(Waiter::Alien)
    } else if let Some(n) = numbered("A") {
        node(setup, &format!("p{n}")).map(Waiter::Alien)
    } else if text.contains('.') {
        thread(text, setup).map(Waiter::User)
    } else {
        Err(format!(
            "{} is not an entry of a queue; expected u2 (a thread of the node), p3.2 (a thread of p3), A2 or A(p2) \
             (the alien of p2) or p4 (another node).",
            quoted(text)
        ))
    }
}

/// An entry of a queue as [`waiter`] reads it.
fn waiter_name(waiter: &Waiter, node: NodeId, setup: &Setup) -> String {
    match waiter {
        Waiter::User(t) => {
            let short = format!("u{}", setup.thread_number(*t));
            let plain = setup.home(*t) == node && setup.named(&short).is_none();
            if plain { short } else { setup.thread_name(*t) }
        }
        Waiter::Alien(home) => format!("A({})", setup.name(*home)),
        Waiter::Remote(other) => setup.name(*other).into(),
    }
}

impl Expect {
    /// Reads a field of `[stop.expect]`: a node with its facts, or a fact of the whole system.
    pub(crate) fn read(&mut self, field: FileValue<'_>, place: Place, setup: &Setup) {
        match setup.named(field.name) {
            Some(node) => {
                for (field, place) in field.table().iter().flat_map(|table| table.fields()) {
                    let value = of_node(field, node, setup);
                    let fact = |value| Fact { node: Some(node), name: field.name.into(), value, place };
                    self.facts.extend(value.map(fact));
                }
            }
            None if field.name == "violated" => {
                let names = field.one_or_more();
                self.violated.extend(names.iter().filter_map(|name| Some((name.text()?.into(), place))));
            }
            None => {
                let fact = |value| Fact { node: None, name: field.name.into(), value, place };
                self.facts.extend(of_system(field, place, setup).map(fact));
            }
        }
    }

    /// Everything expected that does not hold in a state.
    pub fn failures(&self, frame: &Frame, setup: &Setup) -> Vec<LocatedProblem> {
        let mut failures: Vec<LocatedProblem> = self.facts.iter().filter_map(|f| f.failure(frame, setup)).collect();
        let mut fails = |place, message| failures.push(LocatedProblem { place, message });
        for held in frame.invariants.iter().filter(|held| self.violated.iter().all(|(name, _)| *name != held.name)) {
            if let Some(why) = &held.broken {
                fails(self.place, format!("`{}` is violated: {why}.", held.name));
            }
        }
        for (name, place) in &self.violated {
            match frame.invariants.iter().find(|held| held.name == *name) {
                Some(held) if held.broken.is_some() => {}
                Some(_) => fails(*place, format!("violated: `{name}` holds; expected that it is violated.")),
                None => {
                    let names: Vec<&str> = frame.invariants.iter().map(|h| h.name.as_str()).collect();
                    let (name, names) = (quoted(name), names.join(", "));
                    fails(*place, format!("violated: {name} is not an invariant; expected one of {names}."));
                }
            }
        }
        sort::by(&mut failures, Ord::cmp);
        failures
    }
}

impl Fact {
    fn failure(&self, frame: &Frame, setup: &Setup) -> Option<LocatedProblem> {
        let list = |names: &[String]| if names.is_empty() { "none".into() } else { names.join(", ") };
        let at = self.node.map_or(String::new(), |node| format!("{}.", setup.name(node)));
        let message = match (seen(frame, setup, self.node, &self.name), self.node) {
            (Some(seen), _) if seen == self.value => return None,
            (Some(seen), _) => format!("{at}{}: {}; expected {}.", self.name, list(&seen), list(&self.value)),
            (None, node) => {
                let view = &frame.nodes[node?.index()].view;
                let own = ["queue", "inside", "token"].map(str::to_owned).into_iter();
                let own = own.chain(view.vars.iter().map(|v| v.name.clone()));
                let mut names = sorted(own.chain(view.links.iter().map(|l| l.kind.clone())));
                names.dedup();
                format!("{at}{}: there is no such variable; expected one of {}.", self.name, names.join(", "))
            }
        };
        Some(LocatedProblem { place: self.place, message })
    }
}

/// What is expected of a node.
fn of_node(field: FileValue<'_>, node: NodeId, setup: &Setup) -> Option<Vec<String>> {
    let name = |waiter: Waiter| waiter_name(&waiter, node, setup);
    let inside = |text: &str| match waiter(text, node, setup) {
        Ok(Waiter::User(thread)) => Ok(name(Waiter::User(thread))),
        _ => Err(format!("inside: {} is not allowed; expected \"u1\", a thread, or \"none\".", quoted(text))),
    };
    match field.name {
        "queue" => {
            let entry = |entry: FileValue<'_>| entry.parse(|text| waiter(text, node, setup).map(name));
            Some(field.list().into_iter().filter_map(entry).collect())
        }
        "inside" => {
            let threads = field.one_or_more().into_iter().filter_map(|item| {
                item.parse(|text| match text {
                    "none" => Ok(None),
                    text => inside(text).map(Some),
                })
            });
            Some(sorted(threads.flatten()))
        }
        "token" => field.read("true or false", |value| Some(vec![value.as_bool()?.to_string()])),
        _ => field.read("a string, a number, true or false", |value| Some(vec![scalar(value)?])),
    }
}

/// What is expected of the whole system.
fn of_system(field: FileValue<'_>, place: Place, setup: &Setup) -> Option<Vec<String>> {
    // a node with one thread stands for it
    let user = |text: &str| {
        let only = setup.named(text).filter(|n| setup.threads[n.index()] == 1).map(|n| setup.first_thread(n));
        only.map_or_else(|| thread(text, setup), Ok).map(|thread| setup.thread_name(thread))
    };
    let message = |text: &str| match Channel::read(text, setup)? {
        Channel { label: Some(label), from, to, .. } => Ok(format!("{label} {}→{}", setup.name(from), setup.name(to))),
        _ => Err(format!("{} is not a message; expected \"REQ(p2) p2→p1\".", quoted(text))),
    };
    match field.name {
        "in_flight" => Some(sorted(field.list().iter().filter_map(|item| item.parse(message)))),
        "inside" | "waiting" => Some(sorted(field.list().iter().filter_map(|item| item.parse(user)))),
        "messages" | "entries" => Some(vec![field.whole(0..1 << 63)?.to_string()]),
        other => {
            let why = node(setup, other).err().unwrap_or_default();
            let also = "in_flight, inside, waiting, messages, entries and violated";
            field.add_at(place, format!("{why} Besides nodes, expected one of {also}."));
            None
        }
    }
}
