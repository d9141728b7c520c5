//! The panels around the stage: top bar, rail, inspector with its tabs, transport, and the form
//! that the stage shares with lab and checker. The large diagram is shared by stage and judge.

pub mod branches;
pub mod chooser;
pub mod events;
pub mod form;
pub mod icons;
pub mod inspector;
pub mod long;
pub mod problems;
pub mod puzzle;
pub mod question;
pub mod rail;
pub mod top;
pub mod trace;
pub mod transport;
