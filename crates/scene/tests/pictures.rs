//! Pictures of random frames, wilder than those of any algorithm: everything in a frame appears
//! once, and nothing covers anything else.

use lockstep_kernel::view::{Counters, FlightFrame, NodeFrame, StepFrame, ThreadFrame, ThreadState};
use lockstep_kernel::{Event, Frame, NodeId, NodeView, PointerView, Role, Setup, ThreadId, Topology, Waiter};
use lockstep_scene::{Painter, Rect, Room, Shape, StageInput, StagePicture, to_svg};
use std::rc::Rc;

const STAGE: Room = Room { width: 758.0, height: 460.0 };
const PHONE: Room = Room { width: 374.0, height: 440.0 };

/// A small random generator: the same frames on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
}

fn setup(n: usize) -> Setup {
    Setup::new(n, 3, if n <= 3 { Topology::Chain } else { Topology::BinaryTree })
}

fn frame(setup: &Setup, seed: u64) -> Frame {
    let mut dice = Dice(seed);
    let n = setup.nodes();
    let holder = dice.below(n);
    let nodes = setup.ids().map(|id| {
        let i = id.index();
        let mut queue = Vec::new();
        let mut threads = Vec::new();
        for k in 0..3 {
            let thread = ThreadId((i * 3 + k) as u32);
            let doing = match dice.below(3) {
                0 if i == holder && !threads.iter().any(|t: &ThreadFrame| t.doing == ThreadState::Inside) => {
                    ThreadState::Inside
                }
                1 => {
                    queue.push(Waiter::User(thread));
                    ThreadState::Waiting
                }
                _ => ThreadState::Idle,
            };
            threads.push(ThreadFrame {
                id: thread,
                name: setup.thread_name(thread),
                number: k as u32 + 1,
                doing,
                cells: None,
                since: 0,
            });
        }
        for other in 0..n {
            if other != i && queue.len() < 5 && dice.below(3) == 0 {
                queue.push(if other % 2 == 0 {
                    Waiter::Alien(NodeId(other as u32))
                } else {
                    Waiter::Remote(NodeId(other as u32))
                });
            }
        }
        let to = NodeId(if i == holder { i } else { dice.below(n) } as u32);
        let view = NodeView {
            token: i == holder,
            links: vec![PointerView { kind: "probOwner".into(), to }],
            queue,
            ..NodeView::default()
        };
        NodeFrame {
            id,
            name: setup.name(id).into(),
            cluster: 0,
            crashed: dice.below(9) == 0,
            view,
            cells: Default::default(),
            threads,
        }
    });
    let nodes: Vec<Rc<NodeFrame>> = nodes.map(Rc::new).collect();
    let flights = (0..dice.below(5) as u32).map(|id| {
        let (from, to) = (dice.below(n) as u32, dice.below(n) as u32);
        let role = [Role::Request, Role::Token, Role::Reply][dice.below(3)];
        let due = 100_000_000 + dice.below(900_000_000) as u64;
        FlightFrame {
            id,
            from: NodeId(from),
            to: NodeId(to),
            tag: "R2".into(),
            label: format!("REQ(p{from})"),
            role,
            sent: 0,
            due,
            held: false,
        }
    });
    let flights = flights.collect();
    let last = StepFrame {
        event: Event::Request(ThreadId(0)),
        title: "p1.1 asks".into(),
        sentence: String::new(),
        node: NodeId(0),
        lines: Vec::new(),
        sent: Vec::new(),
        granted: Vec::new(),
    };
    Frame {
        step: 4,
        now: 90_000_000,
        nodes,
        flights,
        invariants: Vec::new(),
        counters: Counters::default(),
        last: Some(last),
        stuck: Vec::new(),
    }
}

fn picture(setup: &Setup, frame: &Frame, before: Option<&Frame>, room: Room) -> StagePicture {
    Painter::new().draw_stage(&StageInput {
        before,
        selected: Some(NodeId(0)),
        ..StageInput::new(frame, setup, "probOwner", room)
    })
}

fn all() -> impl Iterator<Item = (Setup, Frame, Room)> {
    [(3, STAGE), (7, STAGE), (15, STAGE), (3, PHONE), (7, PHONE)].into_iter().flat_map(|(n, room)| {
        (0..24).map(move |seed| {
            let setup = setup(n);
            let frame = frame(&setup, seed * 77 + n as u64);
            (setup, frame, room)
        })
    })
}

#[test]
fn everything_in_a_frame_appears_exactly_once() {
    for (setup, frame, room) in all() {
        let scene = picture(&setup, &frame, None, room).scene;
        let named = |attribute: &str| {
            scene.having(attribute).iter().map(|s| s.datum(attribute).unwrap_or("").to_owned()).collect::<Vec<_>>()
        };

        let names: Vec<String> = frame.nodes.iter().map(|n| n.name.clone()).collect();
        assert_eq!(named("data-node"), names);
        for node in &frame.nodes {
            let card =
                scene.having("data-node").into_iter().find(|s| s.datum("data-node") == Some(&node.name)).unwrap();
            // a crashed node has forgotten what it knew
            let token = node.view.token && !node.crashed;
            assert_eq!(card.datum("data-token"), Some(if token { "true" } else { "false" }));
            assert!(!node.crashed || card.datum("data-queue") == Some(""), "{} is down", node.name);
            let mut shown = Vec::new();
            card.walk(&mut |s: &Shape| {
                shown.extend(s.datum("data-waiter").map(str::to_owned));
                shown.extend(s.datum("data-more").into_iter().flat_map(|m| m.split(' ').map(str::to_owned)));
            });
            assert_eq!(
                shown.join(" "),
                card.datum("data-queue").unwrap(),
                "each waiter of {} once, in order",
                node.name
            );
            let mut diamonds = 0;
            card.walk(&mut |s: &Shape| diamonds += usize::from(s.class == "token"));
            assert_eq!(diamonds, usize::from(token));
        }
        let inside: Vec<&String> = frame
            .nodes
            .iter()
            .flat_map(|n| &n.threads)
            .filter(|t| t.doing == ThreadState::Inside)
            .map(|t| &t.name)
            .collect();
        assert_eq!(named("data-inside-thread").iter().collect::<Vec<_>>(), inside);

        let mut links: Vec<(String, String)> = (frame.nodes.iter())
            .filter(|n| !n.crashed)
            .flat_map(|n| {
                n.view.links.iter().filter(|l| l.to != n.id).map(|l| (n.name.clone(), setup.name(l.to).to_owned()))
            })
            .collect();
        let mut drawn: Vec<(String, String)> = named_pairs(&scene, "data-link");
        links.sort();
        drawn.sort();
        assert_eq!(drawn, links);
        let ids: Vec<String> = frame.flights.iter().map(|f| f.id.to_string()).collect();
        let mut flights = named("data-flight-id");
        flights.sort();
        assert_eq!(flights, ids);
    }
}

fn named_pairs(scene: &lockstep_scene::Scene, attribute: &str) -> Vec<(String, String)> {
    let pair =
        |s: &&Shape| (s.datum("data-from").unwrap_or("").to_owned(), s.datum("data-to").unwrap_or("").to_owned());
    scene.having(attribute).iter().map(pair).collect()
}

#[test]
fn messages_stay_off_the_cards_and_inside_the_picture() {
    for (setup, frame, room) in all() {
        let stage = picture(&setup, &frame, None, room);
        let whole = Rect { x: 0.0, y: 0.0, w: stage.layout.width, h: stage.layout.height };
        for track in &stage.tracks {
            for now in [0.0, 50e6, 90e6, 2e9] {
                let p = track.place(now);
                assert!(whole.contains(p), "{p:?} is outside {whole:?}");
                let covered = stage.layout.cards.iter().filter(|c| c.contains(p)).count();
                assert_eq!(covered, 0, "a message of {} nodes lies on a card", setup.nodes());
            }
        }
    }
}

#[test]
fn only_turned_pointers_leave_a_ghost() {
    let setup = setup(7);
    let (a, b) = (frame(&setup, 1), frame(&setup, 2));
    assert!(picture(&setup, &a, Some(&a), STAGE).scene.having("data-ghost").is_empty());
    assert!(!picture(&setup, &b, Some(&a), STAGE).scene.having("data-ghost").is_empty());
}

#[test]
fn keys_are_unique_among_siblings() {
    for (setup, frame, room) in all() {
        for layer in &picture(&setup, &frame, None, room).scene.layers {
            layer.walk(&mut |s| {
                if let lockstep_scene::ShapeKind::Group(children) = &s.kind {
                    let mut keys: Vec<&str> = children.iter().map(|c| c.key.as_str()).collect();
                    keys.sort_unstable();
                    let count = keys.len();
                    keys.dedup();
                    assert_eq!(keys.len(), count, "in {}", s.key);
                }
            });
        }
    }
}

/// Reads tags and checks that each one opened is closed in order; no attribute twice; no bare `&`
/// or `<`.
fn well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        assert!(rest[..start].split('&').skip(1).all(|t| t.contains(';')), "a bare & in {}", &rest[..start]);
        let end = rest.find('>').expect("every tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            let name = tag.split(' ').next().unwrap();
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    assert!(open.is_empty());
}

#[test]
fn svg_is_well_formed() {
    for (setup, frame, room) in all().step_by(7) {
        well_formed(&to_svg(&picture(&setup, &frame, None, room).scene));
        let line = vec![frame.clone(), frame];
        well_formed(&to_svg(&lockstep_scene::diagram::draw(&lockstep_scene::diagram::DiagramInput::new(
            &line, 1, &setup, 700.0,
        ))));
    }
}
