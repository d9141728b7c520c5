//! Every call into the browser. Each function works with a browser that refuses: private windows,
//! old browsers, frames without permissions.

pub mod address;
pub mod api;
pub mod canvas;
pub mod field;
pub mod files;
pub mod json;
pub mod keys;
pub mod motion;
pub mod page;
pub mod scope;
pub mod size;
pub mod storage;
pub mod store;
pub mod style;
pub mod timers;
pub mod worker;
