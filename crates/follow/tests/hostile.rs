//! What a log says of its system is not believed, and where the stage cannot follow it says why.

use lockstep_follow::follow;
use lockstep_trace::{Conformance, LogInput, ReadOptions, judge, read};

fn followed(text: &str, algorithm: &str) -> Conformance {
    let judgement = judge(read(vec![LogInput::new("log", text)], &ReadOptions::default())).unwrap();
    follow(&judgement, Some(algorithm)).unwrap().unwrap()
}

#[test]
fn a_link_to_a_huge_system_is_not_opened() {
    let header = |nodes: usize| {
        format!(
            "{{\"lockstep\":\"log\",\"algorithm\":\"ricart-agrawala\",\"link\":\"v=1&a=ricart-agrawala&n={nodes}\"}}\n"
        )
    };
    let lines = "{\"node\":\"p0\",\"event\":\"request\"}\n{\"node\":\"p1\",\"event\":\"request\"}\n";
    let why = followed(&(header(1_023) + lines), "ricart-agrawala").unknown.unwrap();
    assert_eq!(why, "link: a system of 1023 nodes is not allowed; expected the 2 of the log.");
    let found = followed(&(header(2) + lines), "ricart-agrawala");
    assert_eq!((found.ok, found.unknown), (Some(true), None));
}

#[test]
fn a_log_of_very_many_nodes_is_not_followed() {
    let lines: String = (0..20_000).map(|node| format!("{{\"node\":\"n{node}\",\"event\":\"request\"}}\n")).collect();
    let why = followed(&lines, "ricart-agrawala").unknown.unwrap();
    assert_eq!(why, "The log has 20000 nodes; expected at most 1023 to follow an algorithm.");
}

#[test]
fn the_stage_says_who_is_who_or_why_it_cannot_follow() {
    let early = "{\"node\":\"ann\",\"event\":\"request\"}\n{\"node\":\"ann\",\"event\":\"enter\"}\n\
                 {\"node\":\"bob\",\"event\":\"request\"}\n";
    let found = followed(early, "ricart-agrawala");
    assert_eq!((found.ok, found.link.is_some()), (Some(false), true));
    let names = found.names.iter().map(|(log, stage)| format!("{log} is {stage}"));
    assert_eq!(found.stage(), Some(format!("On the stage, {}.", names.collect::<Vec<_>>().join(", "))));
    assert_eq!(found.names.len(), 2);
    let crashed =
        format!("{{\"node\":\"bob\",\"event\":\"crash\"}}\n{{\"node\":\"bob\",\"event\":\"recover\"}}\n{early}");
    let found = followed(&crashed, "ricart-agrawala");
    assert_eq!((found.ok, &found.link), (Some(false), &None));
    let expected = "The stage cannot show what should have happened: a node crashed or recovered before this event, and \
                    a link has no such step.";
    assert_eq!(found.stage().as_deref(), Some(expected));
}
