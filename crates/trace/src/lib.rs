//! Logs of any implementation of a lock: reading them, and judging them by causality.
//!
//! Nothing here does any input or output, and everything runs natively and in the page's worker.
//!
//! # From files to a verdict
//!
//! 1. [`zip::unzip`] turns an archive into files. A file is a [`LogInput`]: a name and bytes.
//! 2. [`read`] finds out how they are written (native JSON lines, ShiViz or GoVec, free text) and
//!    gives a [`Log`]: events, a header, problems with their lines, and for each line of each file
//!    whether it was understood ([`Log::lines`]). It never fails; [`Log::format`] says how it was
//!    read, [`LogFormat::Guessed`] that rules were guessed from words, [`LogFormat::Unknown`] that
//!    nothing was understood.
//! 3. [`judge()`] gives a [`Judgement`], or a sentence if the log is too large.
//! 4. `lockstep-follow` compares the log with an algorithm and gives a [`Conformance`].
//! 5. [`Judgement::document`] is the document of `lockstep judge --json`; [`Judgement::sentence`]
//!    is the verdict with its reason; [`report::row`] and [`report::csv`] make the table of a
//!    class.
//!
//! # Teaching free text
//!
//! [`shape::shapes`] lists the shapes of lines with their counts and an example of each;
//! [`guess::guess_rules`] proposes a rule for a shape. [`shape::tokens`] splits a line into words
//! to click on, and [`shape::teach`] makes a rule of the words that were chosen
//! ([`shape::TokenRole`]). A [`RuleSet`] is read by [`RuleSet::parse`] and written by `to_string`:
//! the same text goes into a file, a link and the command line's `--rules`.
//!
//! # The diagram
//!
//! [`order::CausalOrder::ranked`] are all events in an order that agrees with happens-before (then
//! wall time, then lines). [`messages::Messages::arrows`] are the certain messages;
//! [`messages::Messages::ambiguous`] are receives with the sends that are candidates (dashed);
//! [`messages::Messages::strays`] and [`messages::Messages::unreceived`] are ends without the other
//! end (stubs); [`order::CausalOrder::contradictory`] are messages against the order of lines
//! (red); [`Log::vector_arrows`] are the arrows of vector clocks. An event knows its file and line,
//! and [`Log::text`] gives the line itself: it is data, never markup.
//!
//! # A pair of sections
//!
//! [`Judgement::pairs`] lists the pairs that are not ordered, the worst first.
//! [`explain::explain`] gives for any two sections the chain of messages that orders them, or both
//! pasts (how many events of each node) and another order of all events in which both are inside.
//!
//! # What is missing
//!
//! [`Judgement::missing`] names the lines to add, as they would be printed, with print statements
//! in six languages, and the pairs that each could decide. [`judge::SkewAnswer`] says at which
//! skew of the clocks the verdict changes; reading again with [`ReadOptions::skew`] gives the
//! verdict for an answer.

pub mod clocks;
pub mod detect;
pub mod event;
pub mod explain;
mod free;
pub mod guess;
pub mod judge;
mod knowledge;
pub mod log;
pub mod messages;
pub mod missing;
mod native;
pub mod order;
pub mod pairs;
pub mod pattern;
pub mod possible;
pub mod print;
pub mod report;
pub mod rules;
pub mod section;
pub mod server;
pub mod shape;
mod shiviz;
pub mod text;
pub mod time;
pub mod zip;

pub use detect::{PRESETS, ReadOptions, guessed_set, read};
pub use event::{Destinations, EventKind, LogEvent};
pub use judge::{Judgement, LogVerdict, PairOrder, judge};
pub use log::{Log, LogFormat};
pub use report::Conformance;
pub use rules::RuleSet;
pub use text::{LogInput, LogText};
