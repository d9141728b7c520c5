//! What the tests of the suite share: small systems to explore, and the same systems for stateright.

pub mod model;
pub mod systems;
