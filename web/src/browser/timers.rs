//! Timers and animation frames. Dropping one cancels it.

pub use gloo_render::{AnimationFrame, request_animation_frame};
pub use gloo_timers::callback::{Interval, Timeout};
