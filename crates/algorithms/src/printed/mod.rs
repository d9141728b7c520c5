//! Algorithms as printed, with their errors: literal readings of the papers.

pub mod alien;
pub mod async_naimi_trehel;
pub mod central_server;
pub mod hierarchical;
pub mod naimi_trehel;
pub mod ranged_locks;
pub mod token_ring;
pub mod wdme;
