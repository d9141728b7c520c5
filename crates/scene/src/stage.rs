//! The whole stage: hulls, cards, pointers, messages, and the bar of cells.

use crate::because::Because;
use crate::geometry::Point;
use crate::layout::{Arrange, Layout, Plan, Room, Size, layout};
use crate::legend::{self, Kinds, Layer};
use crate::message::{self, Track};
use crate::route::Route;
use crate::shape::{Scene, Shape};
use crate::{card, cells, crowd, hull, link, words};
use lockstep_kernel::{Frame, NodeId, Setup};
use std::collections::BTreeSet;

/// What is to be drawn.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// The state.
    pub frame: &'a Frame,
    /// The state one step before, for the ghosts of pointers.
    pub before: Option<&'a Frame>,
    /// Names, initial pointers, clusters: with the nodes that the algorithm added.
    pub setup: &'a Setup,
    /// The pointer along which requests travel.
    pub tree_link: &'a str,
    /// The space there is.
    pub room: Room,
    /// The node whose inside is being looked at.
    pub selected: Option<NodeId>,
    /// How the nodes are arranged.
    pub arrange: Arrange,
    /// The ids of layers that are switched off: see [`Layer::id`].
    pub hidden: &'a BTreeSet<String>,
    /// A chain of causes to emphasise.
    pub because: Option<&'a Because>,
    /// What pictures of this run can show; without it, what this one shows.
    pub can: Option<&'a Kinds>,
}

impl<'a> Input<'a> {
    /// A frame in a room, arranged by itself, with all of its layers.
    pub fn new(frame: &'a Frame, setup: &'a Setup, tree_link: &'a str, room: Room) -> Input<'a> {
        const NOTHING: &BTreeSet<String> = &BTreeSet::new();
        let arrange = Arrange::Auto;
        let (before, selected, because, can) = (None, None, None, None);
        Input { frame, before, setup, tree_link, room, selected, arrange, hidden: NOTHING, because, can }
    }
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
    /// The keys of the pointers' shapes and their ways; none where there are dots instead of cards.
    pub ways: Vec<(String, Route)>,
    /// The kinds of pointers.
    pub kinds: Vec<String>,
    /// What there is to see, for the legend.
    pub legend: Vec<Layer>,
}

/// Draws a frame.
pub fn draw(input: &Input<'_>) -> Stage {
    let Input { frame, setup, tree_link, room, selected, arrange, hidden, .. } = *input;
    let layout = layout(&Plan { frame, setup, tree_link, arrange, room });
    let here = Kinds::of(frame, tree_link);
    let can = input.can.map_or_else(|| here.clone(), |can| can.clone().and(here.clone()));
    let kinds = can.links.clone();
    let shows = |layer: &str| !hidden.contains(layer);
    let hulls = if shows("clusters") { hull::draw(&layout) } else { Vec::new() };
    let mut layers = vec![Shape::group("clusters", "clusters", hulls)];
    let tracks;
    let mut ways = Vec::new();
    if layout.size == Size::Dot {
        tracks = crowd::tracks(frame, &layout);
        layers.extend(crowd::draw(input, &layout, &tracks, &kinds));
    } else {
        tracks = message::tracks(frame, &layout);
        let (drawn, routes) = with_cards(input, &layout, &tracks, &kinds);
        layers.extend(drawn);
        ways = routes;
    }
    let bar = layout.bar.filter(|_| shows("cells"));
    let cells = bar.map_or(Vec::new(), |bar| cells::draw(frame, setup, bar, room, selected));
    layers.push(Shape::group("cells", "cells", cells));
    let title = format!("{} nodes at step {}", frame.nodes.len(), frame.step);
    let scene =
        Scene { width: layout.width, height: layout.height, title, about: words::describe(frame, setup), layers };
    let legend = legend::layers(input, &layout, &can);
    Stage { scene, layout, tracks, ways, kinds, legend }
}

/// The layers of a picture with cards, and the ways of its pointers by key.
fn with_cards(
    input: &Input<'_>,
    layout: &Layout,
    tracks: &[Track],
    kinds: &[String],
) -> (Vec<Shape>, Vec<(String, Route)>) {
    let frame = input.frame;
    let shows = |layer: &str| !input.hidden.contains(layer);
    let quorum = link::quorum(input);
    let look = card::Look {
        setup: input.setup,
        size: layout.size,
        noted: layout.noted,
        selected: input.selected,
        acting: frame.last.as_ref().map(|l| l.node),
        quorum: &quorum,
        because: input.because.map_or(&[], |b| &b.nodes),
        hidden: input.hidden,
    };
    let cards = frame.nodes.iter().zip(&layout.cards).map(|(n, place)| card::draw(n, &look, *place));
    let (links, routes) = link::draw(input, layout, kinds);
    let taken: Vec<Point> = routes.iter().flat_map(|r| r.points.iter().copied()).collect();
    let routes = links.iter().map(|l| l.key.clone()).zip(routes).collect();
    let mut messages = message::draw(input, layout, tracks, &taken);
    if !shows("messages") {
        messages = message::Drawn::default();
    }
    let before = input.before.filter(|_| shows("ghosts"));
    let ghosts = before.map_or(Vec::new(), |b| link::ghosts(input, b, layout, kinds));
    let layers = vec![
        Shape::group("ghosts", "ghosts", ghosts),
        Shape::group("links", "links", links),
        Shape::group("ways", "ways", messages.ways),
        Shape::group("cards", "cards", cards.collect()),
        Shape::group("labels", "labels", messages.labels),
        Shape::group("flights", "flights", messages.marks),
    ];
    (layers, routes)
}
