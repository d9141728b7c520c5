//! Explanations of a run in words: what a state shows, why something cannot happen yet, and which
//! steps led to another.

mod cause;
pub mod trouble;
pub mod why;
pub mod words;

pub use cause::CausalChain;
