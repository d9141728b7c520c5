//! Pictures of the prepared scenarios: a violation is seen from the last row, and what is drawn is
//! true of the run.

use lockstep_kernel::{Frame, Setup};
use lockstep_scenario::LIBRARY;
use lockstep_scene::diagram::{self, DiagramInput};
use lockstep_scene::explain::words;
use lockstep_scene::{Painter, Room, Scene, Shape, ShapeKind, StageInput, StagePicture};

/// The stage of a window of 1366×768.
const SCREEN: Room = Room { width: 758.0, height: 420.0 };

/// A scenario that was played, with the frames of its timeline.
struct PlayedScenario {
    frames: Vec<Frame>,
    setup: Setup,
    tree_link: &'static str,
    /// The names of the stops and their positions.
    stops: Vec<(String, usize)>,
}

impl PlayedScenario {
    fn of(id: &str) -> PlayedScenario {
        let (_, text) = LIBRARY.iter().find(|(i, _)| *i == id).unwrap();
        let scenario = lockstep_scenario::parse(id, text).unwrap();
        let played = scenario.play();
        let mut player = played.player;
        let line = player.timeline();
        let at = |moment: &u32| line.iter().position(|s| s.id == *moment).unwrap();
        let names = scenario.stops.iter().map(|s| s.name.clone());
        let stops = names.zip(played.stops.iter().map(at)).collect();
        let mut frames: Vec<Frame> = Vec::new();
        for step in &line {
            player.seek(step.id);
            frames.push(player.judged_frame(frames.last()));
        }
        let setup = player.setup().clone();
        PlayedScenario { frames, setup, tree_link: scenario.algorithm.tree_link, stops }
    }

    fn stop(&self, name: &str) -> usize {
        self.stops.iter().find(|(n, _)| n == name).unwrap().1
    }

    fn last(&self) -> usize {
        self.frames.len() - 1
    }

    fn stage(&self, at: usize, room: Room) -> StagePicture {
        let before = at.checked_sub(1).map(|i| &self.frames[i]);
        let input = StageInput::new(&self.frames[at], &self.setup, self.tree_link, room);
        Painter::new().draw_stage(&StageInput { before, ..input })
    }

    fn diagram(&self, at: usize) -> Scene {
        diagram::draw(&DiagramInput::new(&self.frames, at, &self.setup, 900.0))
    }
}

/// The shapes with a class.
fn classed<'a>(scene: &'a Scene, class: &str) -> Vec<&'a Shape> {
    let mut found = Vec::new();
    for layer in &scene.layers {
        layer.walk(&mut |s: &'a Shape| {
            if s.class.split(' ').any(|c| c == class) {
                found.push(s);
            }
        });
    }
    found
}

#[test]
fn threads_inside_together_are_red_on_cards_and_in_the_diagram() {
    for id in ["notes-lamport-without", "alien-printed-two-inside", "hierarchical-printed-two-inside"] {
        let run = PlayedScenario::of(id);
        let stage = run.stage(run.last(), SCREEN).scene;
        assert_eq!(classed(&stage, "together").len(), 2, "{id}");
        assert!(!classed(&stage, "violated").is_empty(), "{id}");
        assert_eq!(classed(&run.diagram(run.last()), "bar-together").len(), 2, "{id}");
        assert!(stage.about.contains("Mutual exclusion is violated."), "{id}: {}", stage.about);
    }
    let calm = PlayedScenario::of("alien-figure-1");
    for at in 0..calm.frames.len() {
        assert!(classed(&calm.stage(at, SCREEN).scene, "violated").is_empty(), "step {at}");
    }
}

#[test]
fn a_request_that_cannot_be_served_is_marked_from_the_step_where_that_is_certain() {
    for (id, waiting) in [("ranges-deadlock", 2), ("maekawa-deadlock", 3), ("hierarchical-printed-f-waits", 1)] {
        let run = PlayedScenario::of(id);
        let stage = run.stage(run.last(), SCREEN).scene;
        assert_eq!(classed(&stage, "never").len(), waiting, "{id}: marks on the cards");
        assert_eq!(classed(&run.diagram(run.last()), "bar-stuck").len(), waiting, "{id}: bars");
        let since = run.frames[run.last()].stuck[0].since;
        assert!(stage.about.contains(&format!("since step {since}")), "{id}: {}", stage.about);
        assert!(classed(&run.stage(since as usize - 1, SCREEN).scene, "never").is_empty(), "{id}: too early");
    }
}

#[test]
fn a_lost_token_is_called_lost() {
    use lockstep_kernel::timing::{Load, Timing};
    use lockstep_kernel::{Event, NodeId, ThreadId, Topology};
    let entry = lockstep_algorithms::find("naimi-trehel").unwrap();
    let mut setup = Setup::new(3, 1, Topology::Star);
    setup.params = entry.complete(&Default::default()).unwrap();
    let timing = Timing { load: Load::ByHand, ..Timing::paper(1.0, 1) };
    let mut player = (entry.drive.boot)(setup, &timing);
    let token = |player: &dyn lockstep_kernel::history::Player| {
        words::token(&player.frame(), |n| player.setup().name(n).into()).unwrap()
    };
    player.pick(Event::Request(ThreadId(1))).unwrap();
    player.pick(Event::Deliver(player.frame().flights[0].id)).unwrap();
    assert_eq!(token(&*player), "in flight to p2");
    player.pick(Event::Drop(player.frame().flights[0].id)).unwrap();
    assert_eq!(token(&*player), "lost");
    let beginning = player.timeline()[0].id;
    player.seek(beginning);
    player.pick(Event::Crash(NodeId(0))).unwrap();
    assert_eq!(token(&*player), "lost: p1 is down");
}

#[test]
fn only_algorithms_with_a_token_show_one() {
    for id in ["notes-central-server", "waitfree-tries", "waitfree-resets"] {
        let run = PlayedScenario::of(id);
        for at in 0..run.frames.len() {
            let (stage, diagram) = (run.stage(at, SCREEN).scene, run.diagram(at));
            assert!(classed(&stage, "token").is_empty(), "{id}, step {at}");
            assert!(classed(&diagram, "token-sent").is_empty(), "{id}, step {at}");
        }
    }
    let run = PlayedScenario::of("notes-token-ring");
    assert!((0..run.frames.len()).all(|at| !classed(&run.stage(at, SCREEN).scene, "token").is_empty()));
}

/// The routes of the pointers between the same two nodes, in pairs.
fn side_by_side(stage: &StagePicture) -> Vec<(String, f64)> {
    let ends = |key: &str| {
        let mut parts: Vec<&str> = key.rsplit('-').skip(1).take(2).collect();
        parts.sort_unstable();
        parts.join("-")
    };
    let mut found = Vec::new();
    for (i, (key, a)) in stage.routes.iter().enumerate() {
        for (other, b) in stage.routes[..i].iter().filter(|(other, _)| ends(other) == ends(key)) {
            // the median distance of the middle of one from the other
            let mut apart: Vec<f64> = (4..=16)
                .map(|k| {
                    let p = a.at(f64::from(k) / 20.0);
                    (0..=60).map(|m| b.at(f64::from(m) / 60.0).distance(p)).fold(f64::INFINITY, f64::min)
                })
                .collect();
            apart.sort_by(f64::total_cmp);
            found.push((format!("{key} and {other}"), apart[apart.len() / 2]));
        }
    }
    found
}

#[test]
fn pointers_between_the_same_two_nodes_never_cover_each_other() {
    let mut pairs = 0;
    for (id, _) in LIBRARY {
        let run = PlayedScenario::of(id);
        for at in 0..run.frames.len() {
            for (which, apart) in side_by_side(&run.stage(at, SCREEN)) {
                pairs += 1;
                assert!(apart >= 8.0, "{id}, step {at}: {which} are {apart:.1} px apart");
            }
        }
    }
    assert!(pairs > 100, "only {pairs} pairs");
}

#[test]
fn both_pointers_of_b_are_visible_in_figure_4c() {
    let run = PlayedScenario::of("hierarchical-figure-4");
    let at = run.stop("4c");
    let of_b = run.frames[at].nodes[1].view.links.clone();
    assert_eq!(of_b.iter().map(|l| l.kind.as_str()).collect::<Vec<_>>(), ["owner", "next"]);
    let stage = run.stage(at, SCREEN).scene;
    let links = stage.having("data-link");
    assert_eq!(links.iter().filter(|l| l.datum("data-from") == Some("B")).count(), 2);
}

#[test]
fn pointers_of_ranges_carry_their_cells() {
    for id in ["ranges-splitting", "ranges-merging", "ranges-deadlock"] {
        let run = PlayedScenario::of(id);
        let stage = run.stage(run.last(), SCREEN).scene;
        let links = stage.having("data-link");
        assert!(!links.is_empty(), "{id}");
        for link in links {
            let cells = link.datum("data-cells").unwrap_or_default();
            let text = |s: &Shape| matches!(&s.kind, ShapeKind::Text { text, .. } if text == cells);
            let mut written = false;
            link.walk(&mut |s: &Shape| written |= text(s));
            assert!(cells.starts_with('[') && written, "{id}: {:?}", link.key);
        }
    }
}

#[test]
fn a_sentence_about_older_requests_is_true_of_a_run_without_the_deferral() {
    let run = PlayedScenario::of("notes-lamport-without");
    let said = &run.frames[run.stop("overtaken")].last.as_ref().unwrap().sentence;
    assert!(said.contains("although its own 1@p1 is older"), "{said}");
}

/// The points of a path of straight lines and quadratic curves, up to its arrow head.
fn along(d: &str) -> Vec<(f64, f64)> {
    let body = d.trim_start_matches('M').split('M').next().unwrap();
    let numbers = |text: &str| {
        let pairs = text.split([' ', 'L']).filter(|p| !p.is_empty());
        let of = |p: &str| p.split_once(',').map(|(x, y)| (x.parse::<f64>().unwrap(), y.parse::<f64>().unwrap()));
        pairs.filter_map(of).collect::<Vec<_>>()
    };
    let points = numbers(&body.replace('Q', " "));
    let (a, knee, b) = match points[..] {
        [a, b] => (a, ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0), b),
        [a, knee, b] => (a, knee, b),
        _ => panic!("{d}"),
    };
    let at =
        |t: f64, k: fn((f64, f64)) -> f64| (1.0 - t) * (1.0 - t) * k(a) + 2.0 * t * (1.0 - t) * k(knee) + t * t * k(b);
    (0..=60).map(|i| f64::from(i) / 60.0).map(|t| (at(t, |p| p.0), at(t, |p| p.1))).collect()
}

#[test]
fn no_arrow_passes_over_the_event_of_a_third_node() {
    for id in ["notes-ricart-agrawala", "notes-lamport-deferral", "suzuki-kasami"] {
        let run = PlayedScenario::of(id);
        let scene = run.diagram(run.last());
        let dots: Vec<(usize, f64, f64)> = (scene.having("data-event").iter())
            .filter_map(|s| match s.kind {
                ShapeKind::Circle { x, y, .. } => Some((s.datum("data-event")?.parse().ok()?, x, y)),
                _ => None,
            })
            .collect();
        assert!(dots.len() > 5, "{id}");
        let mut seen = 0;
        for sent in classed(&scene, "sent").into_iter().filter(|s| !s.class.contains("lost")) {
            let ShapeKind::Path(d) = &sent.kind else { continue };
            let points = along(d);
            let ((x0, y0), (x1, y1)) = (points[0], points[points.len() - 1]);
            for (i, x, y) in &dots {
                let own = length(x - x0, y - y0) < 1.0 || length(x - x1, y - y1) < 9.0;
                let between = *y > y0.min(y1) + 1.0 && *y < y0.max(y1) - 1.0;
                if own || !between {
                    continue;
                }
                seen += 1;
                let near = points.iter().map(|(px, py)| length(px - x, py - y)).fold(f64::INFINITY, f64::min);
                assert!(near >= 5.5, "{id}: {} passes event {i} at {near:.1} px", sent.key);
            }
        }
        assert!(seen > 0 || run.setup.nodes() < 3, "{id}");
    }
}

#[test]
fn events_carry_their_clocks_where_the_algorithm_has_clocks() {
    let run = PlayedScenario::of("notes-ricart-agrawala");
    let scene = run.diagram(run.last());
    let clocks: Vec<String> = (scene.having("data-clock").iter())
        .filter_map(|s| match &s.kind {
            ShapeKind::Text { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(clocks.len(), run.last(), "one for each event");
    assert_eq!(clocks[0], "153", "the first row of the notes");
    assert!(PlayedScenario::of("alien-figure-1").diagram(3).having("data-clock").is_empty());
}

#[test]
fn figures_7_and_8_show_queues_and_counts_in_a_small_window() {
    let run = PlayedScenario::of("hierarchical-figures-7-8");
    // the stage of a window of 1366×768, with facts and legend above and below it
    let stage = run.stage(run.stop("7a"), Room { width: 700.0, height: 300.0 });
    assert!(stage.layout.cards.iter().all(|c| c.w >= 80.0), "{:?}", stage.layout.size);
    assert!(stage.layout.noted, "{:?}", stage.layout.size);
    let notes: Vec<String> = classed(&stage.scene, "note")
        .iter()
        .filter_map(|s| match &s.kind {
            ShapeKind::Text { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert!(notes.iter().any(|n| n.contains("R_Q")), "{notes:?}");
}

#[test]
fn the_time_of_the_own_request_stays_visible_when_replies_are_deferred() {
    let run = PlayedScenario::of("notes-lamport-deferral");
    let mut deferred = 0;
    for (at, frame) in run.frames.iter().enumerate() {
        let stage = run.stage(at, SCREEN).scene;
        for node in &frame.nodes {
            let value =
                |name: &str| node.view.vars.iter().find(|v| v.name == name).map(|v| v.value.text(|_| String::new()));
            let (tr, d) = (value("Tr").unwrap_or_default(), value("D").unwrap_or_default());
            if tr != "none" && d != "{}" {
                deferred += 1;
                let written = classed(&stage, "note")
                    .iter()
                    .any(|s| matches!(&s.kind, ShapeKind::Text { text, .. } if text.contains(&format!("Tr {tr}"))));
                assert!(written, "step {at}: {} has Tr {tr} and D {d}", node.name);
            }
        }
    }
    assert!(deferred > 0);
}

#[test]
fn diagrams_that_are_compared_share_origin_and_scale() {
    use lockstep_scene::diagram::{DiagramAxis, SharedScale};
    let runs = ["notes-ricart-agrawala", "hierarchical-figure-4"].map(PlayedScenario::of);
    let inputs = runs.each_ref().map(|run| {
        let input = DiagramInput::new(&run.frames, run.last(), &run.setup, 600.0);
        DiagramInput { axis: DiagramAxis::Time, ..input }
    });
    let scale = SharedScale::of(&[&inputs[0], &inputs[1]]);
    let places = inputs.map(|input| {
        let scene = diagram::draw(&DiagramInput { scale, ..input });
        let of = |s: &&Shape| match &s.kind {
            ShapeKind::Path(d) => d.split(',').next().map(str::to_owned),
            _ => None,
        };
        classed(&scene, "tick").iter().filter_map(of).collect::<Vec<_>>()
    });
    assert!(!places[0].is_empty());
    assert_eq!(places[0], places[1], "the same instant stands at the same place");
}

#[test]
fn the_votes_of_maekawa_are_on_its_cards() {
    let run = PlayedScenario::of("maekawa-deadlock");
    let stage = run.stage(run.last(), SCREEN).scene;
    let votes = |s: &&&Shape| matches!(&s.kind, ShapeKind::Text { text, .. } if text.contains("votes 1/2"));
    assert_eq!(classed(&stage, "note").iter().filter(votes).count(), 3);
}

fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}
