//! The panels around the stage: the bar above, the scenario's text, the inspector with its tabs, the transport.

pub mod branches;
pub mod chooser;
pub mod events;
pub mod icons;
pub mod inspector;
pub mod question;
pub mod rail;
pub mod top;
pub mod transport;
