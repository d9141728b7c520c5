//! The places of the page beside the stage, each with an address of its own.

pub mod check;
pub mod compare;
pub mod editor;
pub mod figures;
pub mod judge;
pub mod lab;
