//! Opening runs: scenarios, links, files, puzzles. All of it is fetched when another run than the first one is wanted ([`crate::parts`]), and with it
//! every algorithm: the rest of the page calls it through an [`Opener`] only.

use super::{Origin, Run};
use crate::state::{Left, State};
use lockstep_check::Puzzle;
use lockstep_scenario::link::Link;
use lockstep_scenario::{Given, LIBRARY, Scenario, parse};

/// What somebody wants to see on the stage.
#[derive(Clone, Copy)]
pub enum Wanted<'a> {
    /// A scenario of the library.
    Scenario(&'a str),
    /// The same four requests under an algorithm.
    Requests(&'a str),
    /// A shared run.
    Link(&'a str),
    /// A scenario that somebody wrote.
    Text(&'a str),
    /// The same run with another value of a parameter.
    Param(&'a Run, &'a str, &'a str),
}

/// A puzzle and its run, or why it cannot be opened.
pub type Riddle = Result<(Puzzle, Run), String>;

/// What opens runs.
#[derive(Clone, Copy)]
pub struct Opener {
    /// Opens a run under a serial number, or says why it cannot be opened.
    pub open: fn(Wanted<'_>, u32) -> Result<Run, String>,
    /// Opens a puzzle at its beginning, or where a link left it.
    pub puzzle: fn(&str, Option<&str>, u32) -> Riddle,
    /// What a text is that somebody handed over.
    pub given: fn(&str) -> Result<Given, String>,
    /// Brings back what was on the stage when the page went away; whether it is another run than its scenario as it opens.
    pub come_back: fn(&mut State, &Left) -> bool,
    /// The steps in which a puzzle is solved at the cursor.
    pub solved: fn(&Puzzle, &Run) -> Option<usize>,
}

/// What is fetched.
pub const OPENER: Opener = Opener {
    open: |wanted, serial| match wanted {
        Wanted::Scenario(id) => Run::of_library(id, serial),
        Wanted::Requests(algorithm) => Run::of_requests(algorithm, serial),
        Wanted::Link(link) => Run::of_link(link, serial),
        Wanted::Text(text) => Run::of_text(text, serial),
        Wanted::Param(run, name, value) => run.with_param(name, value, serial),
    },
    puzzle: |id, link, serial| {
        let puzzle = lockstep_check::find_puzzle(id)?;
        let link = link.map(str::to_owned).or_else(|| puzzle.link()).ok_or("This puzzle cannot be opened.")?;
        Ok((puzzle, Run::of_link(&link, serial)?))
    },
    given: Given::of,
    come_back: State::come_back,
    solved: |puzzle, run| puzzle.solved(&*run.player),
};

impl Run {
    /// A prepared scenario, at the stop where it opens.
    pub fn of_scenario(scenario: Scenario, serial: u32) -> Run {
        let played = scenario.play();
        Run::of_played(scenario, played, serial)
    }

    /// The scenario of that id in the library.
    pub fn of_library(id: &str, serial: u32) -> Result<Run, String> {
        let (id, text) = LIBRARY.iter().find(|(i, _)| *i == id).ok_or_else(|| {
            let shared = |i: &str| i.bytes().zip(id.bytes()).take_while(|(a, b)| a == b).count();
            let nearest = LIBRARY.iter().map(|(i, _)| *i).max_by_key(|i| shared(i)).unwrap_or_default();
            let count = LIBRARY.len();
            format!("There is no scenario of that name; the nearest is {nearest}, and Figures shows all {count}.")
        })?;
        let scenario =
            parse(id, text).map_err(|problems| problems.first().map_or(String::new(), |p| p.message.clone()))?;
        Ok(Run::of_scenario(scenario, serial))
    }

    /// The same four requests under an algorithm.
    pub fn of_requests(algorithm: &str, serial: u32) -> Result<Run, String> {
        let template = Run::of_library("four-requests", serial)?.origin;
        let scenario = template.scenario.as_ref().ok_or("The four requests are missing.")?;
        Ok(Run::of_scenario(scenario.under(lockstep_algorithms::find(algorithm)?)?, serial))
    }

    /// A scenario that somebody wrote, at the stop where it opens.
    pub fn of_text(text: &str, serial: u32) -> Result<Run, String> {
        let sentences = |problems: Vec<lockstep_scenario::Problem>| {
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        Ok(Run::of_scenario(parse("mine", text).map_err(sentences)?, serial))
    }

    /// The run as a scenario's text.
    pub fn save(&self) -> Result<String, String> {
        let title = format!("{}, a run of mine", self.origin.entry.title);
        lockstep_scenario::save(&title, self.origin.entry, &*self.player, &self.origin.timing)
    }

    /// A shared run. If it is a run of a prepared scenario, it keeps the stops of that one.
    pub fn of_link(text: &str, serial: u32) -> Result<Run, String> {
        let link = Link::decode(text).map_err(|problems| problems.join(" "))?;
        let player = link.open()?;
        let same_system = |s: &Scenario| s.setup == link.setup || s.boot().setup() == player.setup();
        let same = |s: &Scenario| s.algorithm.id == link.algorithm.id && s.timing == link.timing && same_system(s);
        let named = format!("algorithm = \"{}\"", link.algorithm.id);
        let likely = LIBRARY.iter().filter(|(_, text)| text.contains(&named));
        let known = likely.filter_map(|(id, text)| parse(id, text).ok()).find(same);
        let Some(scenario) = known else {
            let origin = Origin::new(link.algorithm, link.setup, &*player, link.timing, None);
            return Ok(Run::new(origin, player, serial));
        };
        let mut run = Run::of_scenario(scenario, serial);
        run.player.seek(0);
        let mut cursor = 0;
        for (step, past) in player.timeline().iter().enumerate().skip(1) {
            let moment = past.event.and_then(|e| run.player.pick(e)).ok_or("The link does not fit its scenario.")?;
            if step == link.at {
                cursor = moment;
            }
        }
        run.player.seek(cursor);
        Ok(run)
    }

    /// The same system from its beginning with one parameter changed.
    fn with_param(&self, name: &str, value: &str, serial: u32) -> Result<Run, String> {
        let mut scenario = self.origin.scenario.clone().ok_or("This run has no parameters to choose from.")?;
        scenario.setup = scenario.setup.with(name, value);
        Ok(Run::of_scenario(scenario, serial))
    }
}
