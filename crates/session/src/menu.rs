//! The menu of a node or a message: every event that concerns it, faults included.

use crate::run::StepView;
use lockstep_kernel::history::EnabledEvent;
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Event, Frame, NodeId};
use lockstep_scene::explain::why;

/// What a menu is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MenuSubject {
    /// A message in flight, by its id.
    Message(u32),
    /// A node.
    Node(NodeId),
}

/// An open menu: its subject and its place in the window.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OpenMenu {
    /// What it is about.
    pub subject: MenuSubject,
    /// Pixels from the left of the window.
    pub x: f64,
    /// Pixels from the top of the window.
    pub y: f64,
}

/// Whether an event concerns the subject of a menu.
pub fn concerns(event: Event, subject: MenuSubject, frame: &Frame) -> bool {
    let here = |thread| match subject {
        MenuSubject::Node(node) => {
            frame.nodes.get(node.index()).is_some_and(|n| n.threads.iter().any(|t| t.id == thread))
        }
        MenuSubject::Message(_) => false,
    };
    match event {
        Event::Request(t) | Event::Lock(t, _) | Event::Cancel(t) | Event::Release(t) | Event::Migrate(t, _) => here(t),
        Event::Deliver(m) | Event::Drop(m) | Event::Duplicate(m) | Event::Hold(m) | Event::Resume(m) => {
            subject == MenuSubject::Message(m) || matches!(event, Event::Deliver(_)) && arrives(m, subject, frame)
        }
        Event::Crash(n) | Event::Restart(n) => subject == MenuSubject::Node(n),
    }
}

fn arrives(message: u32, subject: MenuSubject, frame: &Frame) -> bool {
    frame.flights.iter().any(|f| f.id == message && subject == MenuSubject::Node(f.to))
}

/// The most events that a menu lists.
const MOST: usize = 60;

/// What a menu shows.
pub struct MenuContents<'a> {
    /// The name of the node, or the label of the message.
    pub title: String,
    /// Why a message cannot be delivered, and why threads of a node wait.
    pub hints: Vec<String>,
    /// The events.
    pub picks: Vec<&'a EnabledEvent>,
    /// How many more there are.
    pub more: usize,
}

impl MenuContents<'_> {
    /// The contents of a menu at a step.
    pub fn of(shown: &StepView, subject: MenuSubject) -> MenuContents<'_> {
        let (frame, setup) = (&shown.frame, &shown.origin.setup);
        let mut picks: Vec<&EnabledEvent> = shown.picks.iter().filter(|p| concerns(p.event, subject, frame)).collect();
        let more = picks.len().saturating_sub(MOST);
        picks.truncate(MOST);
        let (title, hints) = match subject {
            MenuSubject::Message(id) => {
                let label = frame.flights.iter().find(|f| f.id == id).map_or(String::new(), |f| f.label.clone());
                (label, why::explain_undelivered(frame, setup, id).into_iter().collect())
            }
            MenuSubject::Node(id) => {
                let node = &frame.nodes[id.index()];
                let waiting = node.threads.iter().filter(|t| t.doing == ThreadState::Waiting);
                let hint = |t| (why::explain_wait(frame, setup, node, t), t);
                let hints = waiting.map(hint).map(|(why, t)| format!("{} waits: {why}.", t.name)).collect();
                (setup.name(id).to_owned(), hints)
            }
        };
        MenuContents { title, hints, picks, more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::StageRun;

    #[test]
    fn a_menu_has_what_concerns_its_subject() {
        let mut run = StageRun::of_library("alien-figure-1", 0).unwrap();
        run.seek_index(4);
        let shown = run.view_with(Some(&mut |_| true));
        let flight = shown.frame.flights[0].clone();
        let of = |subject| {
            shown.picks.iter().filter(|p| concerns(p.event, subject, &shown.frame)).map(|p| p.event).collect::<Vec<_>>()
        };
        let message = of(MenuSubject::Message(flight.id));
        assert!(message.contains(&Event::Deliver(flight.id)) && message.contains(&Event::Drop(flight.id)));
        assert!(message.iter().all(|e| !matches!(e, Event::Request(_) | Event::Crash(_))));
        let contents = MenuContents::of(&shown, MenuSubject::Message(flight.id));
        assert_eq!((contents.title.as_str(), contents.picks.len()), (flight.label.as_str(), message.len()));
        let node = of(MenuSubject::Node(flight.to));
        assert!(node.contains(&Event::Deliver(flight.id)) && node.contains(&Event::Crash(flight.to)));
        assert!(!node.contains(&Event::Drop(flight.id)), "what happens to a message is in its own menu");
    }
}
