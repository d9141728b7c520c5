//! The place Judge: what the page knows of the logs that a reader brings, and what its worker does
//! with them. No browser, no Yew; everything is tested natively.
//!
//! * [`submission`] makes logs of the files that were given, and judges one of them. The command
//!   line does the same with it.
//! * [`task`] is what the page asks its worker, and what the worker answers: plain data.
//! * [`desk`] is the worker's side: it keeps the files and the log that is open.
//! * [`view`] turns a judgement into what the page shows, [`sketch`] into a diagram.
//! * [`place`] is the page's side: actions in, commands out; `reading` and `teaching` are parts of
//!   it. [`lesson`] teaches a rule by choosing words of a line, [`settings`] options of rules.
//! * [`examples`] are logs to try.

pub mod desk;
pub mod examples;
pub mod lesson;
pub mod place;
mod reading;
pub mod settings;
pub mod sketch;
pub mod submission;
pub mod task;
mod teaching;
pub mod view;

pub use desk::JudgeDesk;
pub use place::{JudgeAction, JudgeCommand, JudgeState, JudgeTab};
pub use submission::{JudgedLog, LogSubmission};
pub use task::{JudgeAnswer, JudgeOptions, JudgeTask};
