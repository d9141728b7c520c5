//! From a [`Frame`](lockstep_kernel::Frame) to a picture: plain, keyed shapes that the page renders and that [`svg`] writes as text.
//!
//! * [`layout`] places the cards of the nodes from the *initial* pointers, so that nothing jumps between two steps.
//! * [`card`] draws one node, [`link`] its pointers, [`message`] what is in flight; [`route`] finds ways around the cards.
//! * [`stage`] puts them together; [`lanes`] is the space-time diagram.
//!
//! This crate deliberately knows no browser, no algorithm and no colour by value: shapes carry class names, and `scene.css` (used by the page
//! and embedded in exported files) says how a class looks.

pub mod card;
pub mod geometry;
mod grid;
pub mod lanes;
pub mod layout;
pub mod link;
pub mod message;
pub mod route;
pub mod shape;
pub mod stage;
pub mod svg;
pub mod words;

pub use geometry::{Point, Rect};
pub use layout::{Layout, Room, Size};
pub use message::Track;
pub use shape::{Kind, Scene, Shape};
pub use stage::{Input, Stage, draw};
pub use svg::{STYLE, to_svg};
