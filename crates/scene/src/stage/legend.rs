//! The legend: the layers of a picture, which can be hidden one by one.

use crate::card::{diamond, hexagon, hourglass};
use crate::explain::words;
use crate::geometry::point;
use crate::layout::{CardSize, Layout};
use crate::stage::StageInput;
use crate::stage::link;
use crate::{Shape, ShapeKind};
use lockstep_kernel::timing::{Delays, Duration, RangeTiming, Timing};
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Entry, Frame, NodeId, Setup, Waiter};

/// The sample of a layer in the legend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LegendSample {
    /// The diamond.
    Token,
    /// The double ring.
    Inside,
    /// The ring with a gap.
    Waiting,
    /// The dashed hexagon.
    Alien,
    /// The square of another node's request.
    Remote,
    /// An arrow with the stroke of this number.
    Link(usize),
    /// The faint arrow of a pointer that has just changed.
    Ghost,
    /// The mark of a message in flight.
    Message,
    /// The outline of a cluster.
    Hull,
    /// Part of the bar of cells.
    Cells,
    /// Clocks and replies.
    Note,
}

impl LegendSample {
    /// The sample in a square of 20 by 20.
    pub fn shapes(self) -> Vec<Shape> {
        let c = point(10.0, 10.0);
        let rect = |class: &str, x, y, w, h| vec![Shape::new("r", class, ShapeKind::Rect { x, y, w, h, r: 3.0 })];
        let arrow = |class: String| {
            let parts = vec![Shape::path("w", "route", "M1,10L18,10"), Shape::path("h", "head", "M12,6L18,10L12,14")];
            vec![Shape::group("l", class, parts)]
        };
        match self {
            LegendSample::Token => vec![diamond("d", "token", c, 7.5)],
            LegendSample::Inside => {
                vec![Shape::circle("r", "inside-ring", c, 7.5), Shape::circle("d", "inside-disc", c, 4.5)]
            }
            LegendSample::Waiting => vec![hourglass("w", "waiting-ring", c, 7.0)],
            LegendSample::Alien => vec![hexagon("a", "alien-hexagon", c, 8.0)],
            LegendSample::Remote => rect("remote-square", 4.0, 4.0, 12.0, 12.0),
            LegendSample::Link(i) => arrow(format!("link stroke-{i}")),
            LegendSample::Ghost => arrow("link ghost stroke-0".into()),
            LegendSample::Message => {
                let disc = Shape::new("disc", "disc", ShapeKind::Circle { x: 10.0, y: 10.0, r: 6.5 });
                vec![Shape::group("m", "flight request", vec![Shape::path("w", "flight-route", "M0,10L20,10"), disc])]
            }
            LegendSample::Hull => rect("hull", 1.5, 3.0, 17.0, 14.0),
            LegendSample::Cells => rect("cell-box", 1.0, 6.0, 18.0, 8.0),
            LegendSample::Note => vec![Shape::path("n", "note-lines", "M3,7H17M3,13H12")],
        }
    }
}

/// A layer of the picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LegendLayer {
    /// Its stable name for scripts and for [`StageInput::hidden`].
    pub id: String,
    /// Its name in the legend.
    pub name: String,
    /// What it looks like.
    pub sample: LegendSample,
    /// Whether this picture shows any of it.
    pub present: bool,
}

/// The optional parts of the pictures of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PictureFeatures {
    /// A token.
    pub token: bool,
    /// Alien threads in queues.
    pub alien: bool,
    /// Requests of other nodes in queues.
    pub remote: bool,
    /// The kinds of pointers, the one along which requests travel first.
    pub links: Vec<String>,
}

/// The steps after which an algorithm under load has shown all of its features.
const TRIAL: usize = 160;
/// A trial of a larger system would take long, and a smaller one shows the same features.
const MOST_TRIED: usize = 64;

impl PictureFeatures {
    /// The features of one frame.
    pub fn of_frame(frame: &Frame, tree_link: &str) -> PictureFeatures {
        let waits = |which: fn(&Waiter) -> bool| frame.nodes.iter().any(|n| n.view.queue.iter().any(which));
        PictureFeatures {
            token: words::token(frame, |_| String::new()).is_some(),
            alien: waits(|w| matches!(w, Waiter::Alien(_))),
            remote: waits(|w| matches!(w, Waiter::Remote(_))),
            links: link::kinds(frame, tree_link),
        }
    }

    /// The features of both.
    pub fn union(mut self, other: PictureFeatures) -> PictureFeatures {
        self.links.extend(other.links.into_iter().filter(|k| !self.links.contains(k)).collect::<Vec<_>>());
        let (token, alien, remote) = (self.token | other.token, self.alien | other.alien, self.remote | other.remote);
        PictureFeatures { token, alien, remote, links: self.links }
    }

    /// The features of an algorithm in a system, found by a short run under heavy load. With them
    /// the legend stays the same while a run is played.
    pub fn of_trial_run(entry: &Entry, setup: &Setup) -> PictureFeatures {
        let timing = Timing {
            section: Duration::Const(0.15),
            delays: Delays::everywhere(Duration::Uniform(0.05, 0.2)),
            ranged: RangeTiming { share: 0.3, ..RangeTiming::default() }, // some ranges overlap
            ..Timing::paper(3.0, 1)
        };
        let mut player = (entry.drive.boot)(smaller(setup, MOST_TRIED), &timing);
        let mut kinds = PictureFeatures::of_frame(&player.frame(), entry.tree_link);
        for _ in 0..TRIAL {
            let Some(event) = player.next() else { break };
            player.pick(event);
            kinds = kinds.union(PictureFeatures::of_frame(&player.frame(), entry.tree_link));
        }
        link::move_first(&mut kinds.links, entry.tree_link);
        kinds
    }
}

/// A system of at most `most` of the nodes, spread evenly over all clusters. A pointer leads to the
/// first remaining ancestor.
fn smaller(setup: &Setup, most: usize) -> Setup {
    let (nodes, mut small) = (setup.nodes(), setup.clone());
    if nodes <= most {
        return small;
    }
    let kept: Vec<usize> = (0..most).map(|i| i * nodes / most).collect();
    let place = |node: NodeId| kept.binary_search(&node.index()).ok();
    let parent = |node: usize| {
        let mut ancestors =
            std::iter::successors(Some(setup.parents[node]), |n| setup.parents.get(n.index()).copied()).take(nodes);
        // a root that is left out: the first node holds the token instead
        ancestors.find_map(place).unwrap_or(0)
    };
    small.names = kept.iter().map(|i| setup.names[*i].clone()).collect();
    small.threads = kept.iter().map(|i| setup.threads[*i].min(2)).collect();
    small.clusters = kept.iter().map(|i| setup.clusters[*i]).collect();
    small.parents = kept.iter().map(|i| NodeId(parent(*i) as u32)).collect();
    small.placement = setup.placement.iter().map(|holder| NodeId(place(*holder).unwrap_or(0) as u32)).collect();
    small
}

/// The layers of a picture, in the order of the legend.
pub fn layers(input: &StageInput<'_>, layout: &Layout, can: &PictureFeatures) -> Vec<LegendLayer> {
    let here = PictureFeatures::of_frame(input.frame, input.tree_link);
    let mut layers = Vec::new();
    let mut add = |id: &str, name: &str, sample, present| {
        layers.push(LegendLayer { id: id.into(), name: name.into(), sample, present });
    };
    let does = |what: ThreadState| input.frame.nodes.iter().any(|n| n.threads.iter().any(|t| t.doing == what));
    if can.token {
        add("token", "token", LegendSample::Token, here.token);
    }
    add("inside", "inside", LegendSample::Inside, does(ThreadState::Inside));
    add("queue", "waiting", LegendSample::Waiting, does(ThreadState::Waiting));
    // three kinds of entries of the queue; they are hidden together
    if layout.size < CardSize::Mini && can.alien {
        add("queue", "alien thread", LegendSample::Alien, here.alien);
    }
    if layout.size < CardSize::Mini && can.remote {
        add("queue", "request from another node", LegendSample::Remote, here.remote);
    }
    for (i, kind) in can.links.iter().enumerate() {
        let name = if link::on_demand(kind) { format!("{kind} of the selected node") } else { kind.clone() };
        add(&format!("links:{kind}"), &name, LegendSample::Link(i.min(3)), here.links.contains(kind));
    }
    if !can.links.is_empty() && layout.size != CardSize::Dot {
        add("ghosts", "previous pointer", LegendSample::Ghost, true);
    }
    add("messages", "message", LegendSample::Message, !input.frame.flights.is_empty());
    if !layout.hulls.is_empty() {
        add("clusters", "cluster", LegendSample::Hull, true);
    }
    if layout.bar.is_some() {
        add("cells", "cells", LegendSample::Cells, true);
    }
    if layout.noted {
        add("notes", "clocks and replies", LegendSample::Note, true);
    }
    layers
}
