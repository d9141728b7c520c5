//! Texts as printed, with their errors: what they do when one takes them at their word.

pub mod alien;
