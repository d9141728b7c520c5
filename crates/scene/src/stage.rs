//! The stage: a state as a picture of hulls, cards, pointers, messages and the bar of cells.

pub mod cells;
mod crowd;
mod hull;
pub mod legend;
pub mod link;
pub mod message;

use crate::card;
use crate::explain::CausalChain;
use crate::explain::{trouble, words};
use crate::geometry::Point;
use crate::layout::{Arrangement, CardSize, Layout, LayoutInput, Room};
use crate::route::{Route, Router};
use crate::shape::{Scene, Shape};
use legend::{LegendLayer, PictureFeatures};
use lockstep_kernel::{Frame, NodeId, Setup};
use message::Track;
use std::collections::BTreeSet;

/// The input of a picture.
#[derive(Clone, Copy)]
pub struct StageInput<'a> {
    /// The state.
    pub frame: &'a Frame,
    /// The state one step before, for the ghosts of changed pointers.
    pub before: Option<&'a Frame>,
    /// Names, initial tree and clusters, including the nodes that the algorithm has added.
    pub setup: &'a Setup,
    /// The pointer along which requests travel.
    pub tree_link: &'a str,
    /// The available space.
    pub room: Room,
    /// The selected node.
    pub selected: Option<NodeId>,
    /// How the nodes are arranged.
    pub arrange: Arrangement,
    /// The ids of hidden layers: see [`LegendLayer::id`].
    pub hidden: &'a BTreeSet<String>,
    /// A causal chain to highlight.
    pub causes: Option<&'a CausalChain>,
    /// What pictures of this run can show. Without it the legend lists what this picture shows.
    pub can: Option<&'a PictureFeatures>,
}

impl<'a> StageInput<'a> {
    pub(crate) fn layout_input(&self) -> LayoutInput<'a> {
        let StageInput { frame, setup, tree_link, arrange, room, .. } = *self;
        LayoutInput { frame, setup, tree_link, arrange, room }
    }

    /// A frame in a room, arranged automatically, with all layers.
    pub fn new(frame: &'a Frame, setup: &'a Setup, tree_link: &'a str, room: Room) -> StageInput<'a> {
        const NOTHING: &BTreeSet<String> = &BTreeSet::new();
        let arrange = Arrangement::Auto;
        let (before, selected, causes, can) = (None, None, None, None);
        StageInput { frame, before, setup, tree_link, room, selected, arrange, hidden: NOTHING, causes, can }
    }
}

/// The picture, and how its messages move.
#[derive(Clone, PartialEq, Debug)]
pub struct StagePicture {
    /// The picture.
    pub scene: Scene,
    /// Where the cards stand.
    pub layout: Layout,
    /// How the messages move.
    pub tracks: Vec<Track>,
    /// The keys of the pointers' shapes and their routes; empty if there are dots instead of cards.
    pub routes: Vec<(String, Route)>,
    /// The kinds of pointers.
    pub kinds: Vec<String>,
    /// The entries of the legend.
    pub legend: Vec<LegendLayer>,
}

/// Draws a frame in the router's layout.
pub(crate) fn draw(input: &StageInput<'_>, router: &mut Router) -> StagePicture {
    let StageInput { frame, setup, tree_link, room, selected, hidden, .. } = *input;
    let layout = router.layout().clone();
    let here = PictureFeatures::of_frame(frame, tree_link);
    let can = input.can.map_or_else(|| here.clone(), |can| can.clone().union(here.clone()));
    let kinds = can.links.clone();
    let shows = |layer: &str| !hidden.contains(layer);
    let hulls = if shows("clusters") { hull::draw(&layout) } else { Vec::new() };
    let mut layers = vec![Shape::group("clusters", "clusters", hulls)];
    let tracks;
    let mut routes = Vec::new();
    if layout.size == CardSize::Dot {
        tracks = crowd::tracks(frame, &layout);
        layers.extend(crowd::draw(input, &layout, &tracks, &kinds));
    } else {
        tracks = message::tracks(frame, &layout, router);
        let (drawn, found) = with_cards(input, &layout, router, &tracks, &kinds);
        layers.extend(drawn);
        routes = found;
    }
    let bar = layout.bar.filter(|_| shows("cells"));
    let cells = bar.map_or(Vec::new(), |bar| cells::draw(frame, setup, bar, room, selected));
    layers.push(Shape::group("cells", "cells", cells));
    let title = format!("{} at step {}", words::count(frame.nodes.len(), "node"), frame.step);
    let scene =
        Scene { width: layout.width, height: layout.height, title, about: words::describe(frame, setup), layers };
    let legend = legend::layers(input, &layout, &can);
    StagePicture { scene, layout, tracks, routes, kinds, legend }
}

/// The layers of a picture with cards, and the routes of its pointers by key.
fn with_cards(
    input: &StageInput<'_>,
    layout: &Layout,
    router: &mut Router,
    tracks: &[Track],
    kinds: &[String],
) -> (Vec<Shape>, Vec<(String, Route)>) {
    let frame = input.frame;
    let shows = |layer: &str| !input.hidden.contains(layer);
    let quorum = link::quorum(input);
    let together = trouble::inside_together(frame);
    let context = card::CardContext {
        setup: input.setup,
        size: layout.size,
        noted: layout.noted,
        selected: input.selected,
        acting: frame.last.as_ref().map(|l| l.node),
        quorum: &quorum,
        causes: input.causes.map_or(&[], |b| &b.nodes),
        hidden: input.hidden,
        together: &together,
        stuck: &frame.stuck,
        token: trouble::has_token(frame),
    };
    let cards = frame.nodes.iter().zip(&layout.cards).map(|(n, place)| card::draw(n, &context, *place));
    let (links, routes) = link::draw(input, router, kinds);
    let taken: Vec<Point> = routes.iter().flat_map(|r| r.points.iter().copied()).collect();
    let routes = links.iter().map(|l| l.key.clone()).zip(routes).collect();
    let mut messages = message::draw(input, layout, tracks, &taken);
    if !shows("messages") {
        messages = message::MessageShapes::default();
    }
    let before = input.before.filter(|_| shows("ghosts"));
    let ghosts = before.map_or(Vec::new(), |b| link::ghosts(input, b, router, kinds));
    let layers = vec![
        Shape::group("ghosts", "ghosts", ghosts),
        Shape::group("links", "links", links),
        Shape::group("routes", "routes", messages.routes),
        Shape::group("cards", "cards", cards.collect()),
        Shape::group("labels", "labels", messages.labels),
        Shape::group("flights", "flights", messages.marks),
    ];
    (layers, routes)
}
