//! Writes an event as people would, so that it is found again.

use super::Reference;
use lockstep_kernel::history::Player;
use lockstep_kernel::{Event, Setup};

/// An event that is possible at the player's moment, in words that mean this very event there.
pub fn written(event: Event, player: &dyn Player) -> Option<String> {
    let setup = player.setup();
    let text = title(event, player, setup)?;
    let means = |text: &str| Reference::read(text, setup).and_then(|r| r.find(player)) == Ok(event);
    if means(&text) {
        return Some(text);
    }
    // several messages that look alike: say which
    let alike = player.frame().flights.len();
    (1..=alike).map(|n| format!("{text} #{n}")).find(|text| means(text))
}

fn title(event: Event, player: &dyn Player, setup: &Setup) -> Option<String> {
    let thread = |t| setup.thread_name(t);
    let message = |verb: &str, id: u32| {
        let frame = player.frame();
        let flight = frame.flights.iter().find(|f| f.id == id)?;
        let (label, from, to) = (&flight.label, setup.name(flight.from), setup.name(flight.to));
        Some(if from == to { format!("{to}: {label}") } else { format!("{verb} {label} {from}→{to}") })
    };
    match event {
        Event::Request(t) => Some(format!("{} asks", thread(t))),
        Event::Lock(t, cells) => Some(format!("{} asks for {cells}", thread(t))),
        Event::Cancel(t) => Some(format!("{} gives up", thread(t))),
        Event::Release(t) => Some(format!("{} leaves", thread(t))),
        Event::Deliver(id) => message("deliver", id),
        Event::Drop(id) => message("lose", id),
        Event::Duplicate(id) => message("double", id),
        Event::Hold(id) => message("hold", id),
        Event::Resume(id) => message("let go", id),
        Event::Crash(n) => Some(format!("{} crashes", setup.name(n))),
        Event::Restart(n) => Some(format!("{} restarts", setup.name(n))),
        Event::Migrate(t, to) => Some(format!("{} migrates to {}", thread(t), setup.name(to))),
    }
}
