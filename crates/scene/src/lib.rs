//! From a [`Frame`](lockstep_kernel::Frame) to a picture: plain, keyed shapes that the page renders and that [`svg`] writes as text.
//!
//! * [`layout`] decides how the nodes are arranged: as a [`tree`], on a [`ring`], in [`clusters`], or as a [`crowd`] of dots.
//! * [`card`] draws one node ([`mini`] where there are many), [`note`] its clocks, [`link`] its pointers, [`message`] what is in flight; [`route`]
//!   finds ways around the cards; [`hull`] outlines clusters, [`cells`] draws a divided resource.
//! * [`stage`] puts them together and [`legend`] names what there is; [`lanes`] is the space-time diagram, [`walls`] says how far a delivery can
//!   be moved in it, [`because`] what led to a step, [`why`] what has to happen first.
//!
//! This crate deliberately knows no browser, no algorithm and no colour by value: shapes carry class names, and `scene.css` (used by the page
//! and embedded in exported files) says how a class looks.

pub mod because;
pub mod card;
pub mod cells;
pub mod clusters;
pub mod crowd;
pub mod geometry;
pub mod glyph;
mod grid;
pub mod hull;
pub mod lanes;
pub mod layout;
pub mod legend;
pub mod link;
pub mod message;
pub mod mini;
pub mod note;
mod queue;
pub mod ring;
pub mod route;
pub mod shape;
pub mod stage;
pub mod svg;
pub mod tree;
pub mod walls;
pub mod why;
pub mod words;

pub use because::Because;
pub use geometry::{Point, Rect};
pub use layout::{Arrange, Layout, Room, Size};
pub use legend::{Kinds, Layer, Sample};
pub use message::Track;
pub use shape::{Kind, Scene, Shape};
pub use stage::{Input, Stage, draw};
pub use svg::{STYLE, to_svg};
