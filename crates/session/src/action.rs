//! What can happen to the page ([`Action`]), and what the page does about it ([`Command`]).

use crate::choices::{InspectorTab, PagePlace, Preferences, StopCondition, Theme};
use crate::menu::OpenMenu;
use crate::reload::ReloadSnapshot;
use lockstep_kernel::history::StepId;
use lockstep_kernel::{Event, NodeId, ThreadId};
use lockstep_scene::Arrangement;

/// Everything that can happen to the page.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// One step forward.
    Step,
    /// One step back.
    Back,
    /// To the start of the timeline.
    Start,
    /// To the end of the timeline.
    End,
    /// To a position on the timeline.
    Seek(usize),
    /// To a stop of the figure.
    Stop(usize),
    /// Make an event happen.
    Pick(Event),
    /// Deliver a message at another position of the timeline and repeat the other events.
    Move(u32, usize),
    /// Deliver the message of this step one step earlier (`true`) or later.
    Nudge(bool),
    /// To a moment on any branch.
    Goto(StepId),
    /// Take the last change back.
    Undo,
    /// Repeat the last change that was taken back.
    Redo,
    /// Turn the presentation view on or off.
    Present,
    /// Darken the screen, or show it again.
    Blank,
    /// From a branch back to the figure, at the moment where the branch left it.
    Return(StepId),
    /// Play or pause.
    Toggle,
    /// Pause.
    Pause,
    /// One step of playing.
    Tick,
    /// The animation of this number has ended.
    Landed(u32),
    /// One of [`crate::SPEEDS`].
    Speed(usize),
    /// Inspect a node; `None` follows the steps.
    Select(Option<NodeId>),
    /// Open a tab of the inspector.
    Tab(InspectorTab),
    /// Answer the question of a stop.
    Answer(usize, usize),
    /// Go to a place of the page and show something there.
    Visit(PagePlace, String),
    /// Open a scenario of the library.
    Open(String),
    /// Open the four requests under an algorithm.
    Under(String),
    /// Open the run that a link describes.
    Follow(String),
    /// Open the system that the form describes, as a link.
    Own(String),
    /// Start again with another value of a parameter.
    Param(String, String),
    /// Light or dark.
    Theme(Theme),
    /// Show or hide the help sheet.
    Help(bool),
    /// Show or fade a layer of the stage.
    Layer(String),
    /// Open a menu, or close it.
    Menu(Option<OpenMenu>),
    /// Deliver a message, or say why it cannot be delivered.
    Deliver(u32),
    /// Let a thread request or release, whichever is possible.
    Prod(ThreadId),
    /// Step until a condition holds.
    Until(StopCondition),
    /// Show or hide the sheet of files.
    Export(bool),
    /// Open a counterexample: a link, and how many of its last steps repeat without end.
    Counterexample(String, usize),
    /// Play a puzzle.
    Puzzle(String),
    /// Play a scenario that the reader wrote.
    Play(String),
    /// Open what the reader dropped, pasted or chose: its text, or why there is none.
    Import(Result<String, String>),
    /// The browser's history has moved to this address.
    Navigate(String),
    /// Show or hide the causes of this step.
    Why,
    /// Choose a layout of the nodes.
    Arrange(Arrangement),
    /// Show or fold the space-time diagram.
    Diagram,
    /// The browser has not stored the preferences.
    Unstored,
    /// Show a notice, or hide it.
    Notice(Option<String>),
    /// Fetch the library: the reader is about to choose from it.
    Library,
    /// Copy the link of what is on the screen.
    Copy,
    /// The link was copied, or the browser refused to copy this one.
    Copied(Result<(), String>),
    /// The confirmation of the copy has been on the screen long enough.
    CopySeen,
    /// The page is about to disappear and may be loaded again.
    Leave,
}

impl Action {
    /// Whether it needs the library.
    pub fn needs_library(&self) -> bool {
        use Action::*;
        match self {
            Navigate(hash) => crate::address::read(hash).is_none_or(|target| target.needs_library()),
            Import(text) => text.is_ok(),
            Open(_) | Under(_) | Follow(_) | Own(_) | Param(..) | Counterexample(..) | Puzzle(_) | Play(_)
            | Export(true) | Library => true,
            _ => false,
        }
    }

    /// Whether playing goes on: the action changes what is seen, not the run.
    pub(crate) fn keeps_playing(&self) -> bool {
        use Action::*;
        matches!(
            self,
            Tick | Landed(_)
                | Toggle
                | Speed(_)
                | Select(_)
                | Tab(_)
                | Theme(_)
                | Layer(_)
                | Arrange(_)
                | Menu(_)
                | Present
                | Blank
                | Why
                | Diagram
                | Notice(_)
                | Answer(..)
                | Copy
                | Copied(_)
                | CopySeen
                | Leave
        )
    }

    /// Whether the step it makes is animated.
    pub(crate) fn is_animated(&self) -> bool {
        use Action::*;
        matches!(self, Step | Tick | Pick(_) | Deliver(_) | Prod(_))
    }
}

/// A part of the page that is downloaded when it is first needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// What opens other runs: algorithms, scenarios, readers of files and links, puzzles.
    Library,
    /// A place of the page.
    Place(PagePlace),
}

/// The animation from the step that is shown to the next one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Journey {
    /// Its number: an older one that ends late is ignored.
    pub serial: u32,
    /// Virtual time at its end.
    pub until: u64,
    /// Its length on the screen in milliseconds.
    pub ms: f64,
}

/// What the page has to do after an action, in this order.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// Add this address to the browser's history.
    Push(String),
    /// Replace the address in the browser's history.
    Replace(String),
    /// Store the preferences and show the theme.
    Persist(Box<Preferences>),
    /// Keep the stage for a reload of this tab.
    Keep(Box<ReloadSnapshot>),
    /// Animate, then apply [`Action::Landed`].
    Animate(Journey),
    /// Apply [`Action::Tick`] after so many milliseconds; `None` cancels it.
    Play(Option<u32>),
    /// Download a part, then call [`crate::Session::receive`] or [`crate::Session::miss`].
    Fetch(Part),
    /// Copy the address with this text after the `#`, then apply [`Action::Copied`].
    Copy(String),
    /// Apply [`Action::CopySeen`] after so many milliseconds.
    Confirm(u32),
}
