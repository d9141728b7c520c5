//! What a picture shows, layer by layer: the legend of the page, and what can be switched off.

use crate::layout::{Layout, Size};
use crate::stage::Input;
use crate::{link, words};
use lockstep_kernel::{Frame, Waiter};

/// What the sample of a layer looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sample {
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
pub struct Layer {
    /// Its name for scripts; stable, and what [`Input::hidden`] holds.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What it looks like.
    pub sample: Sample,
}

fn waits(frame: &Frame, which: fn(&Waiter) -> bool) -> bool {
    frame.nodes.iter().any(|n| n.view.queue.iter().any(which))
}

/// The layers of a picture, in the order of the legend.
pub fn layers(input: &Input<'_>, layout: &Layout, kinds: &[String]) -> Vec<Layer> {
    let frame = input.frame;
    let mut layers = Vec::new();
    let mut add = |id: &str, name: &str, sample| layers.push(Layer { id: id.into(), name: name.into(), sample });
    if words::token(frame, |_| String::new()).is_some() {
        add("token", "token", Sample::Token);
    }
    add("inside", "inside", Sample::Inside);
    add("queue", "waiting", Sample::Waiting);
    // three faces of the queue; they have one switch
    if layout.size < Size::Mini && waits(frame, |w| matches!(w, Waiter::Alien(_))) {
        add("queue", "alien, for its home", Sample::Alien);
    }
    if layout.size < Size::Mini && waits(frame, |w| matches!(w, Waiter::Remote(_))) {
        add("queue", "request of another node", Sample::Remote);
    }
    for (i, kind) in kinds.iter().enumerate() {
        let name = if link::on_demand(kind) { format!("{kind} of the chosen node") } else { kind.clone() };
        add(&format!("links:{kind}"), &name, Sample::Link(i.min(3)));
    }
    if !kinds.is_empty() && layout.size != Size::Dot {
        add("ghosts", "where it pointed before", Sample::Ghost);
    }
    add("messages", "message", Sample::Message);
    if !layout.hulls.is_empty() {
        add("clusters", "cluster", Sample::Hull);
    }
    if layout.bar.is_some() {
        add("cells", "cells", Sample::Cells);
    }
    if layout.noted {
        add("notes", "clocks and replies", Sample::Note);
    }
    layers
}
