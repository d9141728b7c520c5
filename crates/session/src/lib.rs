//! The session: everything that the page knows and does, without HTML and without a browser.
//!
//! [`Session::apply`] takes an [`Action`] and returns [`Command`]s. The page carries the commands
//! out (history of the browser, storage, animation, downloads) and draws the session. It decides
//! nothing itself, so all behaviour is tested here, natively.
//!
//! * [`session`] and `apply` hold the state and what each action does to it;
//!   [`address`] reads and writes what stands after the `#`.
//! * [`run`] is the run on the stage with its [`branches`]; [`undo`] takes changes back;
//!   [`reload`] keeps the stage over a reload.
//! * [`open`] opens other runs. It is the seam along which the library is downloaded later.
//! * [`own`] is the form for a system of the reader's own.
//! * [`pair`] is the pair of runs that are compared, [`compared`] its tables; [`replay`] makes a
//!   link of a chart's point; [`export`] lists the files that a run can be saved as.
//! * [`menu`], [`labels`], [`keys`], [`inspect`], [`timeline`], [`gallery`], [`editor`], [`room`]
//!   compute what menus, panels, the keyboard, the inspector, the transport, the gallery, the
//!   editor and the stage show.

pub mod action;
pub mod address;
mod apply;
pub mod branches;
pub mod choices;
pub mod compared;
pub mod editor;
pub mod export;
pub mod gallery;
pub mod inspect;
pub mod keys;
pub mod labels;
pub mod long_run;
pub mod menu;
pub mod open;
pub mod own;
pub mod pair;
pub mod reload;
pub mod replay;
pub mod room;
pub mod run;
pub mod session;
pub mod timeline;
pub mod undo;

pub use action::{Action, Command, Journey, Part};
pub use address::AddressTarget;
pub use choices::{InspectorTab, PagePlace, Preferences, SPEEDS, StopCondition, Theme};
pub use open::{OPENER, Opener};
pub use reload::ReloadSnapshot;
pub use run::{FigurePosition, MOST_STEPS, Origin, StageRun, StepView};
pub use session::{FIRST, Session, StagePuzzle};

#[cfg(test)]
mod tests;
