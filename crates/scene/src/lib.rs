//! From a [`Frame`](lockstep_kernel::Frame) to a picture: plain, keyed shapes that the page renders
//! and that [`to_svg`] writes as text.
//!
//! * [`shape`] defines what a picture is made of, [`geometry`] points and rectangles.
//! * [`layout`] places the nodes: as a tree, on a ring, in clusters, or as dots.
//! * [`card`] draws one node.
//! * [`route`] finds curves from card to card that never run under a third one.
//! * [`stage`] puts a whole state together: cards, pointers, messages, clusters, cells and the
//!   legend; a [`Painter`] draws it and caches what is expensive.
//! * [`diagram`] draws the space-time diagram and says how far a delivery can be moved in it.
//! * [`long`] draws the diagram of a run of any length, as far as it is in a window.
//! * [`explain`] says in words what a state shows, why a thread waits, and what led to a step.
//!
//! This crate deliberately knows no browser, no algorithm and no colour by value: shapes carry
//! class names, and `scene.css` (used by the page and embedded in exported files) says how a class
//! looks.

pub mod card;
pub mod diagram;
pub mod explain;
pub mod geometry;
pub mod layout;
pub mod long;
mod painter;
pub mod route;
pub mod shape;
pub mod stage;

pub use explain::CausalChain;
pub use geometry::{Point, Rect};
pub use layout::{Arrangement, CardSize, Layout, Room};
pub use painter::Painter;
pub use shape::svg::{STYLE, to_svg};
pub use shape::{Scene, Shape, ShapeKind};
pub use stage::legend::{LegendLayer, LegendSample, PictureFeatures};
pub use stage::message::Track;
pub use stage::{StageInput, StagePicture};
