//! Opening runs: scenarios, links, files, puzzles.
//!
//! This is the seam along which the page is split for the sake of its download (see
//! `docs/download-size.md`): everything behind [`OPENER`] (every algorithm, the scenarios, the
//! readers of files and links, the puzzles) is downloaded when another run than the first one is
//! opened. The rest of the session calls it through an [`Opener`] only.

use crate::reload::ReloadSnapshot;
use crate::run::{Origin, StageRun};
use crate::session::Session;
use lockstep_check::Puzzle;
use lockstep_scenario::link::Link;
use lockstep_scenario::{Given, LIBRARY, Scenario, parse};

/// A request to open a run.
#[derive(Clone, Copy)]
pub enum RunRequest<'a> {
    /// A scenario of the library.
    Scenario(&'a str),
    /// The four requests under an algorithm.
    Requests(&'a str),
    /// The run that a link describes.
    Link(&'a str),
    /// A scenario that the reader wrote.
    Text(&'a str),
    /// The same run with another value of a parameter.
    Param(&'a StageRun, &'a str, &'a str),
}

/// A puzzle with its run, or why it cannot be opened.
pub type PuzzleRun = Result<(Puzzle, StageRun), String>;

/// What opens runs.
#[derive(Clone, Copy)]
pub struct Opener {
    /// Opens a run under a serial number, or says why it cannot be opened.
    pub open: fn(RunRequest<'_>, u32) -> Result<StageRun, String>,
    /// Opens a puzzle at its beginning, or where a link left it.
    pub puzzle: fn(&str, Option<&str>, u32) -> PuzzleRun,
    /// Tells what kind of text the reader handed over.
    pub given: fn(&str) -> Result<Given, String>,
    /// Brings the stage back after a reload. Returns whether the run differs from its scenario as
    /// it opens.
    pub restore: fn(&mut Session, &ReloadSnapshot) -> bool,
    /// The number of steps, if a puzzle is solved at the cursor.
    pub solved: fn(&Puzzle, &StageRun) -> Option<usize>,
}

/// The functions of the library.
pub const OPENER: Opener = Opener {
    open: |wanted, serial| match wanted {
        RunRequest::Scenario(id) => StageRun::of_library(id, serial),
        RunRequest::Requests(algorithm) => StageRun::of_requests(algorithm, serial),
        RunRequest::Link(link) => StageRun::of_link(link, serial),
        RunRequest::Text(text) => StageRun::of_text(text, serial),
        RunRequest::Param(run, name, value) => run.with_param(name, value, serial),
    },
    puzzle: |id, link, serial| {
        let puzzle = lockstep_check::find_puzzle(id)?;
        let link = link.map(str::to_owned).or_else(|| puzzle.link()).ok_or("This puzzle cannot be opened.")?;
        Ok((puzzle, StageRun::of_link(&link, serial)?))
    },
    given: Given::of,
    restore: Session::restore,
    solved: |puzzle, run| puzzle.solved(&*run.player),
};

impl StageRun {
    /// A prepared scenario, at the stop where it opens.
    pub fn of_scenario(scenario: Scenario, serial: u32) -> StageRun {
        let played = scenario.play();
        StageRun::of_played(scenario, played, serial)
    }

    /// The scenario of that id in the library.
    pub fn of_library(id: &str, serial: u32) -> Result<StageRun, String> {
        let (id, text) = LIBRARY.iter().find(|(i, _)| *i == id).ok_or_else(|| {
            let shared = |i: &str| i.bytes().zip(id.bytes()).take_while(|(a, b)| a == b).count();
            let nearest = LIBRARY.iter().map(|(i, _)| *i).max_by_key(|i| shared(i)).unwrap_or_default();
            let count = LIBRARY.len();
            format!("There is no scenario “{id}”. The closest name is {nearest}; Figures shows all {count}.")
        })?;
        let scenario =
            parse(id, text).map_err(|problems| problems.first().map_or(String::new(), |p| p.message.clone()))?;
        Ok(StageRun::of_scenario(scenario, serial))
    }

    /// The four requests under an algorithm.
    pub fn of_requests(algorithm: &str, serial: u32) -> Result<StageRun, String> {
        let template = StageRun::of_library("four-requests", serial)?.origin;
        let scenario = template.scenario.as_ref().ok_or("The scenario “four-requests” is missing.")?;
        Ok(StageRun::of_scenario(scenario.under(lockstep_algorithms::find(algorithm)?)?, serial))
    }

    /// A scenario that the reader wrote, at the stop where it opens.
    pub fn of_text(text: &str, serial: u32) -> Result<StageRun, String> {
        let sentences = |problems: Vec<lockstep_scenario::LocatedProblem>| {
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        Ok(StageRun::of_scenario(parse("mine", text).map_err(sentences)?, serial))
    }

    /// The run as a scenario's text.
    pub fn save(&self) -> Result<String, String> {
        let title = format!("{}, a run of mine", self.origin.entry.title);
        lockstep_scenario::save(&title, self.origin.entry, &*self.player, &self.origin.timing)
    }

    /// The run that a link describes. A run of a scenario of the library keeps its stops. A link
    /// names its scenario; one that was made before links did is compared with each of them.
    pub fn of_link(text: &str, serial: u32) -> Result<StageRun, String> {
        let link = Link::decode(text).map_err(|problems| problems.join(" "))?;
        let player = link.open()?;
        let same_system = |s: &Scenario| s.setup == link.setup || s.boot().setup() == player.setup();
        let same = |s: &Scenario| s.algorithm.id == link.algorithm.id && s.timing == link.timing && same_system(s);
        let algorithm = format!("algorithm = \"{}\"", link.algorithm.id);
        let likely = LIBRARY.iter().filter(|(id, text)| match &link.scenario {
            Some(named) => id == named,
            None => text.contains(&algorithm),
        });
        let known = likely.filter_map(|(id, text)| parse(id, text).ok()).find(same);
        let Some(scenario) = known else {
            let origin = Origin::new(link.algorithm, link.model.setup, &*player, link.model.timing, None);
            return Ok(StageRun::new(origin, player, serial));
        };
        let mut run = StageRun::of_scenario(scenario, serial);
        run.player.seek(0);
        let mut cursor = 0;
        for (step, past) in player.timeline().iter().enumerate().skip(1) {
            let moment = past.event.and_then(|e| run.player.pick(e)).ok_or("The link does not match its scenario.")?;
            if step == link.at {
                cursor = moment;
            }
        }
        run.player.seek(cursor);
        Ok(run)
    }

    /// The same system from its beginning with one parameter changed.
    fn with_param(&self, name: &str, value: &str, serial: u32) -> Result<StageRun, String> {
        let mut scenario = self.origin.scenario.clone().ok_or("The parameters of this run cannot be changed.")?;
        scenario.model.setup = scenario.model.setup.with(name, value);
        Ok(StageRun::of_scenario(scenario, serial))
    }
}
