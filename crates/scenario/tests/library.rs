//! The prepared scenarios are tests: every stop must be reached as it is described.

use lockstep_scenario::{LIBRARY, parse};

#[test]
fn every_expectation_of_the_library_holds() {
    for (id, text) in LIBRARY {
        let scenario = parse(id, text).unwrap_or_else(|p| panic!("{id}: {p:#?}"));
        let played = scenario.play();
        assert!(played.failures.is_empty(), "{id}: {:#?}", played.failures);
        assert_eq!(played.stops.len(), scenario.stops.len());
        let opens = scenario.opens_at.map_or(0, |i| played.stops[i]);
        assert_eq!(played.player.cursor(), opens, "{id} opens where it says");
    }
}

#[test]
fn the_figures_have_the_stops_and_totals_of_the_text() {
    for (id, names, opens) in [("alien-figure-1", "1a 1b 1c 1d 1e 1f", 1), ("alien-figure-2", "2a 2b 2c 2d 2e 2f", 1)] {
        let text = LIBRARY.iter().find(|(i, _)| *i == id).unwrap().1;
        let scenario = parse(id, text).unwrap();
        let stops: Vec<&str> = scenario.stops.iter().map(|s| s.name.as_str()).collect();
        assert_eq!((stops.join(" ").as_str(), scenario.opens_at), (names, Some(opens)));
        let mut player = scenario.play().player;
        player.seek(player.timeline().last().unwrap().id);
        let counters = player.frame().counters;
        assert_eq!((counters.entries, counters.messages), (8, 6), "{id}");
        for stop in &scenario.stops {
            assert!(!stop.expect.nodes.is_empty() && stop.expect.in_flight.is_some(), "{id} {}", stop.name);
        }
    }
}

#[test]
fn without_piggyback_the_figures_take_more_messages() {
    for (id, messages) in [("alien-figure-1", 8), ("alien-figure-2", 7)] {
        let text = LIBRARY.iter().find(|(i, _)| *i == id).unwrap().1.replace("piggyback = true", "piggyback = false");
        let mut player = parse(id, &text).unwrap().boot();
        // the same requests, then whatever time brings
        for event in ["p1.1", "p1.2", "p1.3", "p3.1", "p3.2"] {
            ask(&mut *player, event);
        }
        deliver_all(&mut *player);
        for event in ["p1.4", "p2.1", "p2.2"] {
            ask(&mut *player, event);
        }
        deliver_all(&mut *player);
        while let Some(event) = player.next() {
            player.pick(event).unwrap();
        }
        let counters = player.frame().counters;
        assert_eq!((counters.entries, counters.messages), (8, messages), "{id}");
    }
}

fn ask(player: &mut dyn lockstep_kernel::history::Player, thread: &str) {
    let title = format!("{thread} asks");
    let event = player.enabled().iter().find(|p| p.title == title).unwrap().event;
    player.pick(event).unwrap();
}

fn deliver_all(player: &mut dyn lockstep_kernel::history::Player) {
    while let Some(pick) = player.enabled().into_iter().find(|p| matches!(p.event, lockstep_kernel::Event::Deliver(_)))
    {
        player.pick(pick.event).unwrap();
    }
}

#[test]
fn a_falsified_expectation_fails_at_its_place() {
    let text = LIBRARY[0].1;
    let falsified = [
        (
            "queue = [\"u2\", \"u3\", \"A2\"] }",
            "queue = [\"u3\", \"u2\", \"A2\"] }",
            "The queue of p1 is (u2, u3, A(p2))",
        ),
        ("messages = 5", "messages = 6", "5 messages were sent; expected are 6."),
        ("entries = 8", "entries = 9", "8 sections were entered; expected are 9."),
        ("inside = \"u4\"", "inside = \"none\"", "p1.4 is inside at p1; expected is nobody."),
        (
            "tokenRequested = true, inside = \"none\", queue = [\"A3\"]",
            "tokenRequested = false, queue = []",
            "tokenRequested of p2 is true",
        ),
        (
            "in_flight = []\nmessages = 4",
            "in_flight = [\"TOKEN p1->p2\"]\nmessages = 4",
            "On its way is nothing; expected is TOKEN p1→p2.",
        ),
        (
            "probOwner = \"p3\", token = true",
            "probOwner = \"p3\", token = false",
            "The token is at p3; expected is that it is elsewhere.",
        ),
        (
            "numLocal = 5",
            "numlocal = 5",
            "p1 has no `numlocal`; it has inside, numLocal, probOwner, queue, token, tokenRequested.",
        ),
    ];
    for (right, wrong, says) in falsified {
        let changed = text.replacen(right, wrong, 1);
        assert_ne!(text, changed, "{right}");
        let failures = parse("x", &changed).unwrap().play().failures;
        let failure =
            failures.iter().find(|p| p.message.contains(says)).unwrap_or_else(|| panic!("{says}: {failures:#?}"));
        let line = changed.lines().nth(failure.line - 1).unwrap();
        let name = wrong.split_whitespace().next().unwrap();
        assert!(line.contains(name), "{failure} points at {line}");
    }
}

#[test]
fn an_impossible_event_says_why_and_what_is_possible() {
    let cases = [
        ("\"p1.2 asks\"", "\"p1.1 asks\"", "`p1.1 asks`: p1.1 is inside; possible would be `p1.2 asks`, "),
        ("\"p1.2 leaves\"", "\"p2.2 leaves\"", "p2.2 waits; possible"),
        ("\"deliver REQ(p3) p3→p2\"", "\"deliver p2→p1\"", "No message from p2 to p1 is on its way; possible"),
        ("\"p1.1 leaves\"", "\"p3 restarts\"", "p3 is not down; possible"),
    ];
    for (right, wrong, says) in cases {
        let changed = LIBRARY[0].1.replacen(right, wrong, 1);
        let failures = parse("x", &changed).unwrap().play().failures;
        assert_eq!(failures.len(), 1, "a script that cannot be followed is one problem: {failures:#?}");
        assert!(failures[0].message.contains(says), "{}", failures[0]);
    }
}
