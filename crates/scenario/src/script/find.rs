//! Which event a reference means at one step, why there is none, and how an event is written so
//! that it is found again.

use super::{Channel, Reference, Who};
use crate::quoted;
use lockstep_kernel::history::Player;
use lockstep_kernel::view::{FlightFrame, ThreadState};
use lockstep_kernel::{Cells, Event, Frame, NodeId, Setup};

/// Events listed at most where one is not possible.
const LISTED: usize = 12;

/// An event that is possible at the player's cursor, in words that mean this very event there.
/// `title` is how the history calls it.
pub fn written(event: Event, title: &str, player: &dyn Player) -> Option<String> {
    // a title also says where a thread has migrated to
    let (before, after) = title.split_once(" (now at ").unwrap_or((title, ""));
    let text = format!("{before}{}", after.split_once(')').map_or("", |(_, rest)| rest));
    // several messages that look alike: say which
    let numbered = (1..=player.frame().flights.len()).map(|n| format!("{text} #{n}"));
    let means =
        |text: &String| Reference::read(text, player.setup()).and_then(|reference| reference.find(player)) == Ok(event);
    std::iter::once(text.clone()).chain(numbered).find(means)
}

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
    /// The event that this is at the player's cursor, or why it is not possible and what is.
    pub fn find(&self, player: &dyn Player) -> Result<Event, String> {
        let (setup, frame) = (player.setup(), player.frame());
        // what time brings is possible, also where there are too many ranges to list them all
        let possible = |event: Event| player.choice_of(event).is_some() || player.next() == Some(event);
        let event = self.candidates(&frame, setup).into_iter().find(|e| possible(*e));
        event.ok_or_else(|| {
            let usual = player.usual();
            let titles: Vec<String> = usual.iter().take(LISTED + 1).map(|p| format!("`{}`", p.title)).collect();
            let list = match titles.len() {
                0 => "nothing".into(),
                n if n > LISTED => format!("{}, …", titles[..LISTED].join(", ")),
                _ => titles.join(", "),
            };
            format!("{}; possible events: {list}.", self.why_not(setup, &frame))
        })
    }

    /// What this may mean in a state, the likeliest first.
    fn candidates(&self, frame: &Frame, setup: &Setup) -> Vec<Event> {
        match self {
            Reference::Exactly(event) => vec![*event],
            Reference::Message(act, channel) => {
                let events = frame.flights.iter().filter(|f| channel.is(f)).map(|f| act(f.id));
                match channel.nth {
                    None => events.collect(),
                    Some(n) => events.skip(n - 1).take(1).collect(),
                }
            }
            Reference::Thread(who, state, cells) => {
                let here = frame.nodes.iter().flat_map(|n| n.threads.iter().map(move |t| (n.id, t)));
                let meant = here.filter(|(at, t)| t.doing == *state && [Who::At(*at), Who::Thread(t.id)].contains(who));
                // where the resource is divided, plain asking means all of it
                let whole = Cells { lo: 0, hi: setup.cells };
                let events = meant.flat_map(|(_, t)| match (state, cells) {
                    (ThreadState::Waiting, _) => vec![Event::Cancel(t.id)],
                    (ThreadState::Inside, _) => vec![Event::Release(t.id)],
                    (ThreadState::Idle, Some(cells)) => vec![Event::Lock(t.id, *cells)],
                    (ThreadState::Idle, None) => vec![Event::Request(t.id), Event::Lock(t.id, whole)],
                });
                events.collect()
            }
        }
    }

    fn why_not(&self, setup: &Setup, frame: &Frame) -> String {
        let down = |n: &NodeId| frame.nodes.get(n.index()).is_some_and(|n| n.crashed);
        match self {
            Reference::Thread(Who::At(node), state, _) => {
                let name = setup.name(*node);
                match state {
                    _ if down(node) => format!("{name} is down"),
                    ThreadState::Idle => format!("No thread at {name} is idle"),
                    ThreadState::Waiting => format!("No thread at {name} waits, or it may not give up"),
                    ThreadState::Inside => format!("No thread at {name} is inside"),
                }
            }
            Reference::Thread(Who::Thread(t), ..) | Reference::Exactly(Event::Migrate(t, _)) => {
                let here = frame.nodes.iter().flat_map(|n| &n.threads).find(|f| f.id == *t);
                let doing = match here.map(|t| t.doing) {
                    Some(ThreadState::Waiting) => "waits",
                    Some(ThreadState::Inside) => "is inside",
                    _ => "is idle",
                };
                format!("{} {doing}", setup.thread_name(*t))
            }
            Reference::Message(_, channel) => match frame.flights.iter().find(|f| channel.is(f)) {
                None if channel.from == channel.to => {
                    let label = channel.label.as_deref().unwrap_or_default();
                    format!("{} has no step {} scheduled", setup.name(channel.from), quoted(label))
                }
                None => format!("No {} is in flight", channel.title(setup)),
                Some(f) if f.held => format!("The {} is delayed", channel.title(setup)),
                Some(_) => format!("The {} is behind another message: the network is FIFO", channel.title(setup)),
            },
            Reference::Exactly(Event::Restart(node)) => format!("{} is not down", setup.name(*node)),
            Reference::Exactly(Event::Crash(node)) => format!("{} is down already", setup.name(*node)),
            Reference::Exactly(_) => "This is not possible".into(),
        }
    }
}
