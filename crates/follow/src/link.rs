//! A link that opens the state before the first event that is not allowed.

use crate::kinds::name_of;
use crate::node::{Input, NodeRun};
use crate::system::{FollowedSystem, stage_names};
use lockstep_kernel::history::Player;
use lockstep_kernel::{Call, Entry, Event, Lock, Message, NodeId};
use lockstep_scenario::link::{Link, MOST_CHOICES};

/// The run up to that event as a link, or why the stage cannot make it.
pub fn before(
    entry: &'static Entry,
    followed: &FollowedSystem,
    nodes: &[NodeRun],
    restarted: bool,
) -> Result<String, String> {
    if restarted {
        return Err("a node crashed or recovered before this event, and a link has no such step.".to_owned());
    }
    let mut setup = followed.setup.clone();
    setup.names = stage_names(&setup);
    let timing = followed.timing.clone().unwrap_or_else(|| entry.sample.timing(1));
    let mut player = (entry.drive.boot)(setup, &timing);
    let mut next = vec![0; nodes.len()];
    let mut steps = 0;
    loop {
        let mut moved = false;
        for (at, node) in nodes.iter().enumerate() {
            while let Some(input) = node.handled.get(next[at]) {
                if steps > MOST_CHOICES || !step(&mut *player, NodeId(at as u32), input) {
                    break;
                }
                next[at] += 1;
                steps += 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    if steps > MOST_CHOICES {
        return Err(format!("there are more than {MOST_CHOICES} steps before this event."));
    }
    let stuck = nodes.iter().zip(&next).position(|(node, done)| node.handled.len() > *done);
    if let Some(at) = stuck {
        let setup = &followed.system.setup;
        let name = setup.name(NodeId(at as u32));
        return Err(match &nodes[at].handled[next[at]] {
            Input::Message(from, msg) if from.0 != u32::MAX => {
                let (label, from) = (msg.label(setup), setup.name(*from));
                format!("{name} handles {label} of {from} here, and our implementation has no such message in flight.")
            }
            _ => format!("our implementation does not let {name} do its next step here."),
        });
    }
    let link = Link::of(entry, &*player, &timing).encode();
    Link::decode(&link).map(|_| link).map_err(|problems| problems.join(" "))
}

/// Makes one input happen on the stage.
fn step(player: &mut dyn Player, node: NodeId, input: &Input) -> bool {
    let event = match input {
        Input::Begin => return true, // every node has begun
        Input::Call(Call::Request(thread)) => Event::Request(*thread),
        Input::Call(Call::Release(thread)) => Event::Release(*thread),
        Input::Lock(Lock::Create(thread, cells)) => Event::Lock(*thread, *cells),
        Input::Lock(Lock::Cancel(thread)) => Event::Cancel(*thread),
        Input::Message(from, msg) => {
            let from = if from.0 == u32::MAX { node } else { *from };
            let label = msg.label(player.setup());
            let frame = player.frame();
            let mut flights = frame.flights.iter().filter(|f| f.from == from && f.to == node);
            let same = flights.clone().find(|f| f.label == label);
            // stamps of another implementation differ from ours
            let flight = same.or_else(|| flights.find(|f| name_of(&f.label) == name_of(&label)));
            let Some(flight) = flight else { return false };
            Event::Deliver(flight.id)
        }
    };
    player.pick(event).is_some()
}
