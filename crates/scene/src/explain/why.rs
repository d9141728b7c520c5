//! Why something cannot happen yet, in words: what a waiting thread waits for, and why a message
//! cannot be delivered.

use crate::explain::{trouble, words};
use lockstep_kernel::view::{NodeFrame, ThreadFrame, ThreadState};
use lockstep_kernel::{Frame, Network, Role, Setup, Waiter};

/// Says why a thread waits: which threads are inside, where the token is, which entries of the
/// queue come first.
pub fn explain_wait(frame: &Frame, setup: &Setup, node: &NodeFrame, thread: &ThreadFrame) -> String {
    let mut why = Vec::new();
    if let Some(stuck) = frame.stuck(thread.id) {
        let how = if stuck.never { "nothing can serve it any more" } else { "no delivery or release can serve it" };
        why.push(format!("{how} (since step {})", stuck.since));
    }
    if node.crashed {
        why.push(format!("{} is down", node.name));
    }
    let name = |n| setup.name(n).to_owned();
    let before: Vec<String> = (node.view.queue.iter())
        .take_while(|w| **w != Waiter::User(thread.id))
        .map(|w| match w {
            Waiter::User(other) => setup.thread_name(*other),
            Waiter::Alien(home) | Waiter::Remote(home) => name(*home),
        })
        .collect();
    let here = node.view.queue.contains(&Waiter::User(thread.id)) && !before.is_empty();
    let inside: Vec<String> = (frame.nodes.iter())
        .flat_map(|n| &n.threads)
        .filter(|t| t.doing == ThreadState::Inside && overlaps(t, thread))
        .map(|t| t.name.clone())
        .collect();
    if !inside.is_empty() {
        why.push(format!("{} {} inside", words::list(&inside), if inside.len() == 1 { "is" } else { "are" }));
    }
    match frame.nodes.iter().find(|n| n.view.token && trouble::has_token(frame)) {
        Some(holder) if holder.id != node.id => why.push(format!("the token is at {}", holder.name)),
        None if trouble::has_token(frame) => {
            if let Some(f) = frame.flights.iter().find(|f| f.role == Role::Token) {
                why.push(format!("the token is in flight from {} to {}", name(f.from), name(f.to)));
            }
        }
        _ => {}
    }
    if here {
        let are = if before.len() == 1 { "is" } else { "are" };
        why.push(format!("{} {are} ahead of it in the queue of {}", words::list(&before), node.name));
    }
    if why.is_empty() {
        let in_flight: Vec<String> = (frame.flights.iter())
            .filter(|f| f.from != f.to && (f.from == node.id || f.to == node.id))
            .map(|f| format!("{} {}→{}", f.label, name(f.from), name(f.to)))
            .take(3)
            .collect();
        let asked = |w: &Waiter| matches!(w, Waiter::Remote(home) | Waiter::Alien(home) if *home == node.id);
        let stands = |n: &NodeFrame| n.id != node.id && n.view.queue.iter().any(asked);
        let at: Vec<String> = frame.nodes.iter().filter(|n| stands(n)).map(|n| n.name.clone()).collect();
        why.push(match in_flight.len() {
            0 if !at.is_empty() => {
                format!(
                    "its request is queued at {}, and no message from or to {} is in flight",
                    words::list(&at),
                    node.name
                )
            }
            0 => format!("no message from or to {} is in flight", node.name),
            1 => format!("{} must be delivered first", in_flight[0]),
            _ => format!("{} must be delivered first", words::list(&in_flight)),
        });
    }
    why.join("; ")
}

fn overlaps(a: &ThreadFrame, b: &ThreadFrame) -> bool {
    match (a.cells, b.cells) {
        (Some(a), Some(b)) => a.overlaps(b),
        _ => true,
    }
}

/// Says why a message cannot be delivered now; `None` if it can.
pub fn explain_undelivered(frame: &Frame, setup: &Setup, message: u32) -> Option<String> {
    let flight = frame.flights.iter().find(|f| f.id == message)?;
    let what = format!("{} {}→{}", flight.label, setup.name(flight.from), setup.name(flight.to));
    if flight.held {
        return Some(format!("{what} is delayed: resume it first."));
    }
    let ahead = frame.flights.iter().find(|f| (f.from, f.to) == (flight.from, flight.to) && f.id < flight.id);
    match ahead {
        Some(first) if setup.network == Network::Fifo && flight.from != flight.to => {
            Some(format!("{what} cannot overtake {}: the network is FIFO.", first.label))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_kernel::timing::{Load, Timing};
    use lockstep_kernel::{Event, NodeId, ThreadId, Topology};

    #[test]
    fn a_deadlock_names_where_the_requests_are_queued() {
        let entry = lockstep_algorithms::find("maekawa").unwrap();
        let mut setup = Setup::new(3, 1, Topology::Star);
        setup.params = entry.complete(&Default::default()).unwrap();
        let timing = Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) };
        let mut player = (entry.drive.boot)(setup, &timing);
        for thread in 0..3 {
            player.pick(Event::Request(ThreadId(thread))).unwrap();
        }
        // drop every message that could resolve the deadlock
        while let Some(flight) = player.frame().flights.first() {
            let request = flight.label.starts_with("REQUEST");
            player.pick(if request { Event::Deliver(flight.id) } else { Event::Drop(flight.id) }).unwrap();
        }
        let frame = player.frame();
        let why = explain_wait(&frame, player.setup(), &frame.nodes[0], &frame.nodes[0].threads[0]);
        assert_eq!(why, "its request is queued at p2 and p3, and no message from or to p1 is in flight");
    }

    #[test]
    fn the_reasons_name_the_thread_inside() {
        let entry = lockstep_algorithms::find("alien").unwrap();
        let mut setup = Setup::new(3, 2, Topology::Chain);
        setup.params = entry.complete(&Default::default()).unwrap();
        let mut player = (entry.drive.boot)(setup, &Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) });
        for thread in [0, 1, 4] {
            player.pick(Event::Request(ThreadId(thread))).unwrap();
        }
        let frame = player.frame();
        let why = |node: u32, thread: usize| {
            let node = &frame.nodes[NodeId(node).index()];
            explain_wait(&frame, player.setup(), node, &node.threads[thread])
        };
        assert_eq!(why(0, 1), "p1.1 is inside");
        assert_eq!(why(2, 0), "p1.1 is inside; the token is at p1");
        assert_eq!(explain_undelivered(&frame, player.setup(), frame.flights[0].id), None);
        player.pick(Event::Hold(frame.flights[0].id)).unwrap();
        let frame = player.frame();
        assert!(explain_undelivered(&frame, player.setup(), frame.flights[0].id).unwrap().contains("is delayed"));
    }
}
