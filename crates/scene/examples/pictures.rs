//! Writes pictures of many systems, light and dark, for inspection: `cargo run -p lockstep-scene
//! --example pictures -- FOLDER`.

use lockstep_algorithms::find;
use lockstep_kernel::timing::{Delays, Duration, Load, Timing};
use lockstep_kernel::{Event, Frame, NodeId, Setup, Topology};
use lockstep_scene::diagram::{DeliveryDrag, DiagramAxis, DiagramInput};
use lockstep_scene::{Arrangement, CausalChain, Painter, Room, STYLE, Scene, StageInput, diagram, to_svg};
use std::fmt::Write;

const STAGE: Room = Room { width: 758.0, height: 460.0 };
const PHONE: Room = Room { width: 374.0, height: 440.0 };

const LIGHT: &str = "--ground:#f6f7f9;--panel:#fff;--ink:#17202b;--muted:#55616f;--hairline:#d5dce4;--edge:#b4bfcb";
const DARK: &str = "--ground:#0e131a;--panel:#161d27;--ink:#e7ecf3;--muted:#9aa7b6;--hairline:#2a3442;--edge:#46556a;\
    --accent:#7aa2ff;--waiting:#56b4e9;--section:#3ccb9b;--token:#f2b134;--token-edge:#0e131a;--alien:#e09bcb;\
    --alien-soft:#2b2231;--violation:#ff7a70;--on-mark:#0e131a";

/// A run of an algorithm for some steps: its frames and its setup.
fn run(id: &str, setup: Setup, steps: usize) -> (Vec<Frame>, Setup, &'static str) {
    let entry = find(id).expect("a known algorithm");
    let mut timing = Timing::paper(6.0, 7);
    timing.section = Duration::Const(0.15);
    timing.delays = Delays::everywhere(Duration::Uniform(0.05, 0.2));
    timing.load = Load::Poisson(3.0);
    timing.ranged.share = 0.3;
    let setup = Setup { params: entry.complete(&setup.params).expect("known parameters"), ..setup };
    let mut player = (entry.drive.boot)(setup, &timing);
    let mut frames = vec![player.frame()];
    for _ in 0..steps {
        let Some(event) = player.next() else { break };
        player.pick(event);
        frames.push(player.frame());
    }
    let setup = player.setup().clone();
    (frames, setup, entry.tree_link)
}

fn clustered(count: usize, size: usize) -> Setup {
    let mut setup = Setup::new(count * size, 2, Topology::Star);
    setup.clusters = (0..count * size).map(|i| (i / size) as u32).collect();
    setup
}

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/pictures".into());
    std::fs::create_dir_all(&folder)?;
    let tree = |n| Setup::new(n, 3, Topology::BinaryTree);
    let star = |n| Setup::new(n, 2, Topology::Star);
    let few = |n, t| Setup::new(n, 1, t);
    let systems: Vec<(&str, &str, Setup, usize, Arrangement, Room)> = vec![
        ("alien-3", "alien", Setup::new(3, 3, Topology::Chain).with("variant", "v2"), 14, Arrangement::Auto, STAGE),
        ("alien-7", "alien", tree(7).with("variant", "v2"), 40, Arrangement::Auto, STAGE),
        ("alien-7-living", "alien", tree(7).with("variant", "v2"), 40, Arrangement::Living, STAGE),
        ("naimi-15-living", "naimi-trehel", tree(15), 60, Arrangement::Living, STAGE),
        ("alien-31", "alien", tree(31).with("variant", "v2"), 90, Arrangement::Auto, STAGE),
        ("alien-7-phone", "alien", tree(7).with("variant", "v2"), 40, Arrangement::Auto, PHONE),
        ("swq-5", "swq", star(5).divided(12), 40, Arrangement::Auto, STAGE),
        ("swq-pr-3", "swq-pr", star(3).divided(100), 30, Arrangement::Auto, STAGE),
        ("central-range-5", "central-range", star(5).divided(8), 30, Arrangement::Auto, STAGE),
        ("swq-phone", "swq", star(4).divided(12), 40, Arrangement::Auto, PHONE),
        ("ring-7", "token-ring", few(7, Topology::Ring), 30, Arrangement::Auto, STAGE),
        ("ra-3", "ricart-agrawala", few(3, Topology::Full), 16, Arrangement::Auto, STAGE),
        ("ra-5", "ricart-agrawala", few(5, Topology::Full), 30, Arrangement::Auto, STAGE),
        ("lamport-7", "lamport", few(7, Topology::Full), 60, Arrangement::Auto, STAGE),
        ("sk-5", "suzuki-kasami", few(5, Topology::Full), 30, Arrangement::Auto, STAGE),
        ("maekawa-7", "maekawa", few(7, Topology::Full), 30, Arrangement::Auto, STAGE),
        ("server-5", "central-server", few(5, Topology::Star), 20, Arrangement::Auto, STAGE),
        ("wdme-4", "wdme", few(4, Topology::Star), 30, Arrangement::Auto, STAGE),
        ("cr-15", "carvalho-roucairol", few(15, Topology::Full), 60, Arrangement::Auto, STAGE),
        ("ra-31", "ricart-agrawala", few(31, Topology::Full), 60, Arrangement::Auto, STAGE),
        ("proxy-9", "proxy", clustered(3, 3), 50, Arrangement::Auto, STAGE),
        ("proxy-extra", "proxy", clustered(3, 3).with("proxies", "extra"), 60, Arrangement::Auto, STAGE),
        ("preempt-4x4", "preempt-aggregation", clustered(4, 4), 80, Arrangement::Auto, STAGE),
        ("proxy-phone", "proxy", clustered(2, 3), 40, Arrangement::Auto, PHONE),
        ("alien-127", "alien", tree(127).with("variant", "v2"), 300, Arrangement::Auto, STAGE),
        ("alien-1023", "alien", few(1023, Topology::BinaryTree).with("variant", "v2"), 1500, Arrangement::Auto, STAGE),
        ("server-255", "central-server", few(255, Topology::Star), 500, Arrangement::Auto, STAGE),
        ("ring-255", "token-ring", few(255, Topology::Ring), 300, Arrangement::Auto, STAGE),
        ("proxy-200", "proxy", clustered(10, 20), 600, Arrangement::Auto, STAGE),
    ];
    for (name, id, setup, steps, arrange, room) in systems {
        let (frames, setup, tree_link) = run(id, setup, steps);
        let frame = &frames[frames.len() - 1];
        let before = frames.len().checked_sub(2).map(|i| &frames[i]);
        let input = StageInput {
            before,
            arrange,
            selected: Some(NodeId(1)),
            ..StageInput::new(frame, &setup, tree_link, room)
        };
        let stage = Painter::new().draw_stage(&input);
        std::fs::write(format!("{folder}/{name}.html"), page(&[&stage.scene], room.width, Some(room.height)))?;
        std::fs::write(format!("{folder}/{name}.svg"), to_svg(&stage.scene))?;
        println!("{name}: {:?} {:?}, scale {:.2}", stage.layout.arrange, stage.layout.size, stage.layout.scale(room));
    }
    diagrams(&folder)
}

/// A page with the light and the dark version side by side.
fn page(scenes: &[&Scene], width: f64, height: Option<f64>) -> String {
    let mut page = format!("<!doctype html><style>body{{margin:0}}{STYLE}</style>");
    for scene in scenes {
        for (palette, scheme) in [(LIGHT, "light"), (DARK, "dark")] {
            let svg = to_svg(scene);
            // the page's variables instead of the fallbacks: without the embedded style and paper
            let body = &svg[svg.find("</style>").unwrap_or(0) + 8..];
            let body = &body[body.find("/>").unwrap_or(0) + 2..];
            let (w, h) = (scene.width, scene.height);
            let _ = write!(
                page,
                "<div style='{palette};background:var(--ground);display:inline-block;color-scheme:{scheme}'>\
                 <svg class=scene viewBox='0 0 {w} {h}' width={width} height={}>{body}</div>",
                height.unwrap_or(h)
            );
        }
        page += "<br>";
    }
    page
}

/// The space-time diagram with every kind of event.
fn diagrams(folder: &str) -> std::io::Result<()> {
    let entry = find("alien").expect("a known algorithm");
    let (frames, setup, _) = run("alien", Setup::new(3, 2, Topology::Chain).with("variant", "v2"), 40);
    let causes = CausalChain::of(&frames, 36);
    let opened = [NodeId(1)];
    let plain = DiagramInput::new(&frames, 40, &setup, 740.0);
    let time = DiagramInput { axis: DiagramAxis::Time, ..DiagramInput::new(&frames, 40, &setup, 740.0) };
    let open = DiagramInput { opened: &opened, causes: Some(&causes), ..DiagramInput::new(&frames, 36, &setup, 740.0) };
    let delivered = frames.iter().rev().find_map(|f| match f.last.as_ref()?.event {
        Event::Deliver(id) => Some(id),
        _ => None,
    });
    let dragging = delivered.map(|message| DeliveryDrag { message, x: 300.0 });
    let drag = DiagramInput { dragging, ..DiagramInput::new(&frames, 40, &setup, 740.0) };
    let mut player = (entry.drive.boot)(setup.clone(), &Timing::paper(6.0, 3));
    let mut faulty = vec![player.frame()];
    let wanted: [fn(Event) -> bool; 6] = [
        |e| matches!(e, Event::Duplicate(_)),
        |e| matches!(e, Event::Drop(_)),
        |e| matches!(e, Event::Migrate(..)),
        |e| matches!(e, Event::Crash(NodeId(1))),
        |e| matches!(e, Event::Deliver(_)),
        |e| matches!(e, Event::Restart(_)),
    ];
    for kind in wanted {
        for _ in 0..8 {
            let pick = player.enabled().into_iter().map(|p| p.event).find(|e| kind(*e));
            let Some(event) = pick.or_else(|| player.next()) else { break };
            player.pick(event);
            faulty.push(player.frame());
            if pick.is_some() && !matches!(event, Event::Deliver(_)) {
                break;
            }
        }
    }
    let faults = DiagramInput::new(&faulty, faulty.len() - 1, &setup, 740.0);
    let all = [&plain, &time, &open, &drag, &faults].map(diagram::draw);
    std::fs::write(format!("{folder}/diagrams.html"), page(&all.each_ref(), 740.0, None))?;
    let crashed = faulty.iter().find(|f| f.nodes.iter().any(|n| n.crashed)).unwrap_or(&faulty[0]);
    let room = Room { width: 740.0, height: 400.0 };
    let stage = Painter::new()
        .draw_stage(&StageInput { causes: Some(&causes), ..StageInput::new(crashed, &setup, entry.tree_link, room) });
    std::fs::write(format!("{folder}/crashed.html"), page(&[&stage.scene], 740.0, Some(400.0)))
}
