//! One description of a system, and everything that is made from it.
//!
//! [`FIELDS`] has one row per field: its names, help, kind, defaults and how it reaches the kernel.
//! A [`Spec`] holds the values as they were written; [`resolve`](resolve()) judges them against the
//! [`Limits`] of a [`Use`] and gives a [`Model`], or every [`Problem`] at once.
//! The modules [`toml`], [`query`], `args`, [`schema`], [`docs`] and [`form`] walk the same table.
//!
//! ```
//! use lockstep_spec::{Limits, Spec, resolve};
//! let model = resolve(&Spec::of("alien").nodes(7).topology("star"), &Limits::PLAY).unwrap();
//! assert_eq!(model.setup.nodes(), 7);
//! let problems = resolve(&Spec::of("alien").nodes(0), &Limits::MEASURE).err().unwrap();
//! assert_eq!(problems[0].to_string(), "nodes: 0 is not allowed; expected 1 to 1,000,000.");
//! ```

#[cfg(feature = "args")]
pub mod args;
mod arrange;
pub mod docs;
pub mod exact;
mod fields;
pub mod form;
mod limits;
pub mod query;
mod resolve;
pub mod schema;
mod spec;
pub mod toml;

pub use fields::{FIELDS, Field, FieldKind, Spec, Use};
pub use form::{FieldForm, FormField};
pub use limits::{Bound, Limits, grouped};
pub use resolve::{Model, Problem, Resolver, check_size, node, resolve, sentences, thread};
pub use spec::{Absent, documented, quoted};

pub use lockstep_text::{MOST_SHOWN, Problems, problems};
