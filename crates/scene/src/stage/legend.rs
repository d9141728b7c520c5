//! What a picture shows, layer by layer: the legend of the page, and what can be switched off.

use crate::explain::words;
use crate::layout::{CardSize, Layout};
use crate::stage::StageInput;
use crate::stage::link;
use lockstep_kernel::timing::{Delays, Duration, RangeTiming, Timing};
use lockstep_kernel::view::ThreadState;
use lockstep_kernel::{Entry, Frame, NodeId, Setup, Waiter};

/// What the sample of a layer looks like.
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
    /// The faint arrow of a pointer that has just turned.
    Ghost,
    /// A mark on its way.
    Message,
    /// The outline of a cluster.
    Hull,
    /// Part of the bar of cells.
    Cells,
    /// Clocks and replies.
    Note,
}

/// A layer of the picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LegendLayer {
    /// Its name for scripts; stable, and what [`StageInput::hidden`] holds.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What it looks like.
    pub sample: LegendSample,
    /// Whether there is any of it in this picture.
    pub present: bool,
}

/// What pictures of a run can show beside what all pictures show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PictureFeatures {
    /// A token.
    pub token: bool,
    /// Aliens in queues.
    pub alien: bool,
    /// Requests of other nodes in queues.
    pub remote: bool,
    /// The kinds of pointers, the one along which requests travel first.
    pub links: Vec<String>,
}

/// Steps after which an algorithm under load has shown everything that it has.
const TRIAL: usize = 160;
/// Trying a larger system would take a while: one like it shows the same.
const MOST_TRIED: usize = 64;

impl PictureFeatures {
    /// What one frame shows.
    pub fn of_frame(frame: &Frame, tree_link: &str) -> PictureFeatures {
        let waits = |which: fn(&Waiter) -> bool| frame.nodes.iter().any(|n| n.view.queue.iter().any(which));
        PictureFeatures {
            token: words::token(frame, |_| String::new()).is_some(),
            alien: waits(|w| matches!(w, Waiter::Alien(_))),
            remote: waits(|w| matches!(w, Waiter::Remote(_))),
            links: link::kinds(frame, tree_link),
        }
    }

    /// Both.
    pub fn union(mut self, other: PictureFeatures) -> PictureFeatures {
        self.links.extend(other.links.into_iter().filter(|k| !self.links.contains(k)).collect::<Vec<_>>());
        let (token, alien, remote) = (self.token | other.token, self.alien | other.alien, self.remote | other.remote);
        PictureFeatures { token, alien, remote, links: self.links }
    }

    /// What an algorithm can show in a system, found by trying: a run under heavy load. With it a legend stays the same while a run is played.
    pub fn of_trial_run(entry: &Entry, setup: &Setup) -> PictureFeatures {
        let timing = Timing {
            section: Duration::Const(0.15),
            delays: Delays::everywhere(Duration::Uniform(0.05, 0.2)),
            ranged: RangeTiming { share: 0.3, ..RangeTiming::default() }, // some overlap, some do not
            ..Timing::paper(3.0, 1)
        };
        let mut player = (entry.drive.boot)(smaller(setup, MOST_TRIED), &timing);
        let mut kinds = PictureFeatures::of_frame(&player.frame(), entry.tree_link);
        for _ in 0..TRIAL {
            let Some(event) = player.next() else { break };
            player.pick(event);
            kinds = kinds.union(PictureFeatures::of_frame(&player.frame(), entry.tree_link));
        }
        link::first(&mut kinds.links, entry.tree_link);
        kinds
    }
}

/// A system of at most so many nodes: some of the nodes, spread evenly over all clusters. A pointer leads to the first of them on its way.
fn smaller(setup: &Setup, most: usize) -> Setup {
    let (nodes, mut small) = (setup.nodes(), setup.clone());
    if nodes <= most {
        return small;
    }
    let kept: Vec<usize> = (0..most).map(|i| i * nodes / most).collect();
    let place = |node: NodeId| kept.binary_search(&node.index()).ok();
    let parent = |node: usize| {
        let mut way =
            std::iter::successors(Some(setup.parents[node]), |n| setup.parents.get(n.index()).copied()).take(nodes);
        way.find_map(place).unwrap_or(0) // the token was at a node that is left out: now the first one has it
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
    // three faces of the queue; they have one switch
    if layout.size < CardSize::Mini && can.alien {
        add("queue", "alien, for its home", LegendSample::Alien, here.alien);
    }
    if layout.size < CardSize::Mini && can.remote {
        add("queue", "request of another node", LegendSample::Remote, here.remote);
    }
    for (i, kind) in can.links.iter().enumerate() {
        let name = if link::on_demand(kind) { format!("{kind} of the chosen node") } else { kind.clone() };
        add(&format!("links:{kind}"), &name, LegendSample::Link(i.min(3)), here.links.contains(kind));
    }
    if !can.links.is_empty() && layout.size != CardSize::Dot {
        add("ghosts", "where it pointed before", LegendSample::Ghost, true);
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
