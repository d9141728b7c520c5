//! What the tests of the suite share: small systems to explore, also as models for stateright.

pub mod model;
pub mod systems;
