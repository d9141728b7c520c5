//! What tests share, and nothing of the core: documents that tests generate, damage for
//! documents, and the rules of the house. The tests are in `suite/`, `e2e/` and `node/`.

pub mod damage;
pub mod documents;
pub mod house;
