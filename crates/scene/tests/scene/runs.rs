//! Runs of real algorithms, the same on every machine.

use lockstep_algorithms::find;
use lockstep_kernel::history::Player;
use lockstep_kernel::timing::{Delays, Duration, Load, Timing};
use lockstep_kernel::{Frame, Setup, Topology};
use lockstep_scene::{Arrangement, Painter, Room, Scene, Shape, ShapeKind, StageInput, StagePicture};
use std::cell::RefCell;

pub const STAGE: Room = Room { width: 758.0, height: 460.0 };
pub const PHONE: Room = Room { width: 374.0, height: 440.0 };
pub const HALL: Room = Room { width: 1200.0, height: 800.0 };

/// The states of a run, its system with the nodes that the algorithm added, and its tree.
pub struct RecordedRun {
    pub name: String,
    pub frames: Vec<Frame>,
    pub setup: Setup,
    pub tree_link: &'static str,
    painter: RefCell<Painter>,
}

impl RecordedRun {
    pub fn input(&self, at: usize, room: Room, arrange: Arrangement) -> StageInput<'_> {
        let before = at.checked_sub(1).map(|i| &self.frames[i]);
        StageInput { before, arrange, ..StageInput::new(&self.frames[at], &self.setup, self.tree_link, room) }
    }

    /// Draws with the painter of this run, as a stage does.
    pub fn draw(&self, input: &StageInput<'_>) -> StagePicture {
        self.painter.borrow_mut().draw_stage(input)
    }

    pub fn last(&self) -> usize {
        self.frames.len() - 1
    }
}

/// A player under load.
pub fn player(id: &str, setup: Setup) -> (Box<dyn Player>, &'static str) {
    let entry = find(id).unwrap();
    let mut timing = Timing::paper(3.0, 7);
    timing.section = Duration::Const(0.15);
    timing.delays = Delays::everywhere(Duration::Uniform(0.05, 0.2));
    timing.load = Load::Poisson(3.0);
    timing.ranged.share = 0.3;
    let setup = Setup { params: entry.complete(&setup.params).unwrap(), ..setup };
    ((entry.drive.boot)(setup, &timing), entry.tree_link)
}

/// A run in the order of virtual time.
pub fn run(id: &str, setup: Setup, steps: usize) -> RecordedRun {
    let name = format!("{id} with {} nodes", setup.nodes());
    let (mut player, tree_link) = player(id, setup);
    let mut frames = vec![player.frame()];
    for _ in 0..steps {
        let Some(event) = player.next() else { break };
        player.pick(event).unwrap();
        frames.push(player.frame());
    }
    RecordedRun { name, frames, setup: player.setup().clone(), tree_link, painter: RefCell::default() }
}

pub fn clustered(count: usize, size: usize) -> Setup {
    let mut setup = Setup::new(count * size, 2, Topology::Star);
    setup.clusters = (0..count * size).map(|i| (i / size) as u32).collect();
    setup
}

/// Nodes in clusters of about equal size.
pub fn grouped(n: usize) -> Setup {
    let count = (n as f64).sqrt().round() as usize;
    let mut setup = Setup::new(n, 2, Topology::Star);
    setup.clusters = (0..n).map(|i| (i * count / n) as u32).collect();
    setup
}

/// Runs of every kind of system with `n` hosts.
pub fn all(n: usize, steps: usize) -> Vec<RecordedRun> {
    let tree = |threads| Setup::new(n, threads, Topology::BinaryTree);
    let full = || Setup::new(n, 1, Topology::Full);
    vec![
        run("alien", tree(3).with("variant", "v2"), steps),
        run("naimi-trehel", tree(2), steps),
        run("swq", Setup::new(n, 2, Topology::Star).divided(12), steps),
        run("central-range", Setup::new(n, 2, Topology::Star).divided(40), steps),
        run("token-ring", Setup::new(n, 2, Topology::Ring), steps),
        run("ricart-agrawala", full(), steps),
        run("suzuki-kasami", full(), steps),
        run("maekawa", full(), steps),
        run("central-server", Setup::new(n, 2, Topology::Star), steps),
        run("wdme", full(), steps),
        run("proxy", grouped(n).with("proxies", "extra"), steps),
        run("preempt-aggregation", grouped(n), steps),
    ]
}

pub const ARRANGEMENTS: [Arrangement; 5] =
    [Arrangement::Auto, Arrangement::Initial, Arrangement::Living, Arrangement::Ring, Arrangement::Clusters];

/// Fails where two siblings have one key.
pub fn keys_are_unique(scene: &Scene, what: &str) {
    for layer in &scene.layers {
        layer.walk(&mut |s: &Shape| {
            if let ShapeKind::Group(children) = &s.kind {
                let mut keys: Vec<&str> = children.iter().map(|c| c.key.as_str()).collect();
                keys.sort_unstable();
                let double = keys.windows(2).find(|w| w[0] == w[1]);
                assert_eq!(double, None, "{what}: two of one key in {}", s.key);
            }
        });
    }
}
