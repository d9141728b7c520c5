//! The whole stage: cards, pointers, messages.

use crate::layout::{Layout, Room, layout};
use crate::message::{self, Track};
use crate::shape::{Scene, Shape};
use crate::{card, link, words};
use lockstep_kernel::{Frame, NodeId, Setup};

/// What is to be drawn.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The state.
    pub frame: &'a Frame,
    /// The state one step before, for the ghosts of pointers.
    pub before: Option<&'a Frame>,
    /// Names and initial pointers.
    pub setup: &'a Setup,
    /// The pointer along which requests travel.
    pub tree_link: &'a str,
    /// The space there is.
    pub room: Room,
    /// The node whose inside is being looked at.
    pub selected: Option<NodeId>,
}

/// The picture, and how its messages move.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// The picture.
    pub scene: Scene,
    /// Where the cards stand.
    pub layout: Layout,
    /// How the messages move.
    pub tracks: Vec<Track>,
    /// The kinds of pointers, for the legend.
    pub kinds: Vec<String>,
}

/// Draws a frame.
pub fn draw(input: &Input<'_>) -> Stage {
    let Input { frame, before, setup, tree_link, room, selected } = *input;
    // a node without an initial pointer stands for itself
    let parents: Vec<NodeId> =
        frame.nodes.iter().map(|n| setup.parents.get(n.id.index()).copied().unwrap_or(n.id)).collect();
    let layout = layout(&parents, room);
    let acting = frame.last.as_ref().map(|l| l.node);
    let cards = frame.nodes.iter().map(|n| {
        let place = layout.cards[n.id.index()];
        card::draw(n, setup, layout.size, place, selected == Some(n.id), acting == Some(n.id))
    });
    let tracks = message::tracks(frame, &layout);
    let (links, taken) = link::draw(frame, setup, &layout, tree_link);
    let messages = message::draw(frame, setup, &layout, &tracks, &taken);
    let ghosts = before.map_or(Vec::new(), |b| link::ghosts(frame, b, &layout, tree_link));
    let layers = vec![
        Shape::group("ghosts", "ghosts", ghosts),
        Shape::group("links", "links", links),
        Shape::group("ways", "ways", messages.ways),
        Shape::group("cards", "cards", cards.collect()),
        Shape::group("labels", "labels", messages.labels),
        Shape::group("flights", "flights", messages.marks),
    ];
    let title = format!("{} nodes at step {}", frame.nodes.len(), frame.step);
    let scene =
        Scene { width: layout.width, height: layout.height, title, about: words::describe(frame, setup), layers };
    Stage { scene, layout, tracks, kinds: link::kinds(frame, tree_link) }
}
