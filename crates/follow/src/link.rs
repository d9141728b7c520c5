//! A link that opens the state before the first event that is not allowed.

use crate::kinds::name_of;
use crate::node::{Input, NodeRun};
use crate::system::FollowedSystem;
use lockstep_kernel::history::Player;
use lockstep_kernel::{Call, Entry, Event, Lock, Message, NodeId, Topology};
use lockstep_scenario::link::{Link, MOST_CHOICES};

/// The run up to that event as a link, if the stage can make it.
pub fn before(entry: &'static Entry, followed: &FollowedSystem, nodes: &[NodeRun]) -> Option<String> {
    let mut setup = followed.setup.clone();
    // a link counts its nodes; it does not name them
    setup.names = lockstep_kernel::Setup::new(setup.nodes(), 1, Topology::Star).names;
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
    let whole = nodes.iter().zip(&next).all(|(node, done)| node.handled.len() == *done);
    let link = Link::of(entry, &*player, &timing).encode();
    (whole && Link::decode(&link).is_ok()).then_some(link)
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
