//! What opens over the page: menus, sheets and dialogs.

pub mod export;
pub mod help;
pub mod menu;
pub mod own;
pub mod sheet;
