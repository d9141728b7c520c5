//! Which event a reference means at one moment, and why there is none.

use super::{Act, Channel, Reference, Who};
use crate::quoted;
use lockstep_kernel::history::Player;
use lockstep_kernel::view::{FlightFrame, ThreadState};
use lockstep_kernel::{Cells, Event, Frame, NodeId, Setup, ThreadId};

/// Events listed at most where one is not possible.
const LISTED: usize = 12;

impl Channel {
    fn is(&self, flight: &FlightFrame) -> bool {
        (flight.from, flight.to) == (self.from, self.to) && self.label.as_ref().is_none_or(|l| *l == flight.label)
    }

    fn title(&self, setup: &Setup) -> String {
        let what = self.label.as_ref().map_or_else(|| "message".to_owned(), |l| format!("message {}", quoted(l)));
        format!("{what} from {} to {}", setup.name(self.from), setup.name(self.to))
    }
}

impl Reference {
    /// The event that this is at the player's moment, or why it is not possible and what is.
    pub fn find(&self, player: &dyn Player) -> Result<Event, String> {
        let picks = player.enabled();
        let (setup, frame) = (player.setup(), player.frame());
        // what time brings is possible, also where there are too many ranges to list them all
        let possible = |event: Event| picks.iter().any(|p| p.event == event) || player.next() == Some(event);
        let event = self.candidates(&frame, setup).into_iter().find(|e| possible(*e));
        event.ok_or_else(|| {
            let titles: Vec<String> = picks
                .iter()
                .filter(|p| !p.event.is_fault())
                .take(LISTED + 1)
                .map(|p| format!("`{}`", p.title))
                .collect();
            let list = match titles.len() {
                0 => "nothing".into(),
                n if n > LISTED => format!("{}, …", titles[..LISTED].join(", ")),
                _ => titles.join(", "),
            };
            format!("{}; possible would be {list}.", self.why_not(setup, &frame))
        })
    }

    /// What this may mean in a state, the likeliest first.
    fn candidates(&self, frame: &Frame, setup: &Setup) -> Vec<Event> {
        let threads = |who: Who, doing: ThreadState| -> Vec<ThreadId> {
            let here = frame.nodes.iter().flat_map(|n| n.threads.iter().map(move |t| (n.id, t)));
            let meant = here.filter(|(at, t)| t.doing == doing && (who == Who::At(*at) || who == Who::Thread(t.id)));
            meant.map(|(_, t)| t.id).collect()
        };
        match self {
            Reference::Asks(who) => {
                // where the resource is divided, plain asking means all of it
                let whole = Cells { lo: 0, hi: setup.cells };
                let idle = threads(*who, ThreadState::Idle).into_iter();
                idle.flat_map(|t| [Event::Request(t), Event::Lock(t, whole)]).collect()
            }
            Reference::AsksFor(who, cells) => {
                threads(*who, ThreadState::Idle).into_iter().map(|t| Event::Lock(t, *cells)).collect()
            }
            Reference::GivesUp(who) => threads(*who, ThreadState::Waiting).into_iter().map(Event::Cancel).collect(),
            Reference::Leaves(who) => threads(*who, ThreadState::Inside).into_iter().map(Event::Release).collect(),
            Reference::Message(act, channel) => {
                let flights = frame.flights.iter().filter(|f| channel.is(f) && f.from != f.to);
                only(flights.map(|f| act.on(f.id)).collect(), channel.nth)
            }
            Reference::Local(node, label, nth) => {
                let promised = frame.flights.iter().filter(|f| f.from == *node && f.to == *node && f.label == *label);
                only(promised.map(|f| Event::Deliver(f.id)).collect(), *nth)
            }
            Reference::Crashes(node) => vec![Event::Crash(*node)],
            Reference::Restarts(node) => vec![Event::Restart(*node)],
            Reference::Migrates(thread, to) => vec![Event::Migrate(*thread, *to)],
        }
    }

    fn why_not(&self, setup: &Setup, frame: &Frame) -> String {
        let down = |n: &NodeId| frame.nodes.get(n.index()).is_some_and(|n| n.crashed);
        let doing = |t: &ThreadId| {
            let here = frame.nodes.iter().flat_map(|n| &n.threads).find(|f| f.id == *t);
            let name = setup.thread_name(*t);
            match here.map(|t| t.doing) {
                Some(ThreadState::Waiting) => format!("{name} waits"),
                Some(ThreadState::Inside) => format!("{name} is inside"),
                _ => format!("{name} is idle"),
            }
        };
        match self {
            Reference::Asks(Who::At(node))
            | Reference::AsksFor(Who::At(node), _)
            | Reference::GivesUp(Who::At(node))
            | Reference::Leaves(Who::At(node))
                if down(node) =>
            {
                format!("{} is down", setup.name(*node))
            }
            Reference::Asks(Who::At(node)) | Reference::AsksFor(Who::At(node), _) => {
                format!("No thread at {} is idle", setup.name(*node))
            }
            Reference::GivesUp(Who::At(node)) => {
                format!("No thread at {} waits, or it may not give up", setup.name(*node))
            }
            Reference::Leaves(Who::At(node)) => format!("Nobody at {} is inside", setup.name(*node)),
            Reference::Asks(Who::Thread(t))
            | Reference::AsksFor(Who::Thread(t), _)
            | Reference::GivesUp(Who::Thread(t))
            | Reference::Leaves(Who::Thread(t))
            | Reference::Migrates(t, _) => doing(t),
            Reference::Message(_, channel) => {
                let there = frame.flights.iter().find(|f| channel.is(f));
                match there {
                    None => format!("No {} is on its way", channel.title(setup)),
                    Some(f) if f.held => format!("The {} is held back", channel.title(setup)),
                    Some(_) => format!("The {} is not next on its link", channel.title(setup)),
                }
            }
            Reference::Local(node, label, _) => format!("{} has no step {} ahead", setup.name(*node), quoted(label)),
            Reference::Crashes(node) => format!("{} is down already", setup.name(*node)),
            Reference::Restarts(node) => format!("{} is not down", setup.name(*node)),
        }
    }
}

/// The event that an ordinal means, or all of them.
fn only(events: Vec<Event>, nth: Option<usize>) -> Vec<Event> {
    match nth {
        None => events,
        Some(n) => events.get(n - 1).copied().into_iter().collect(),
    }
}

impl Act {
    fn on(self, message: u32) -> Event {
        match self {
            Act::Deliver => Event::Deliver(message),
            Act::Lose => Event::Drop(message),
            Act::Double => Event::Duplicate(message),
            Act::Hold => Event::Hold(message),
            Act::LetGo => Event::Resume(message),
        }
    }
}
