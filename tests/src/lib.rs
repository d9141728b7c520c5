//! What tests share: it reads the repository's own files. The tests are in `suite/`, `e2e/` and
//! `node/`.

pub mod house;
