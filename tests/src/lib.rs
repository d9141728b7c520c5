//! What tests share, and nothing of the core: documents that tests generate, and the rules of the
//! house. The tests are in `suite/`, `e2e/` and `node/`.

pub mod documents;
pub mod house;
