//! Opening runs: scenarios, links, files, puzzles.
//!
//! This is the seam along which the page is split for the sake of its download (see
//! `docs/download-size.md`): everything behind [`OPENER`] (every algorithm, the scenarios, the
//! readers of files and links, the puzzles) is downloaded when another run than the first one is
//! opened. The rest of the session calls it through an [`Opener`] only.

use crate::action::Action;
use crate::address::{self, AddressTarget};
use crate::choices::PagePlace;
use crate::reload::ReloadSnapshot;
use crate::run::{Origin, StageRun};
use crate::session::{FIRST, Session, StagePuzzle};
use lockstep_check::Puzzle;
use lockstep_scenario::link::Link;
use lockstep_scenario::replay::{Allowance, Replay};
use lockstep_scenario::{Given, LIBRARY, Scenario, parse};
use std::rc::Rc;

/// What opens runs.
#[derive(Clone, Copy)]
pub struct Opener {
    /// Applies an action that opens another run.
    pub open: fn(&mut Session, Action),
    /// Brings the stage back after a reload. Returns whether the run differs from its scenario as
    /// it opens.
    pub restore: fn(&mut Session, &ReloadSnapshot) -> bool,
    /// The number of steps, if a puzzle is solved at the cursor.
    pub solved: fn(&Puzzle, &StageRun) -> Option<usize>,
}

/// The functions of the library.
pub const OPENER: Opener =
    Opener { open: Session::open, restore: Session::restore, solved: |puzzle, run| puzzle.solved(&*run.player) };

impl Session {
    /// Puts another run on the stage.
    fn open(&mut self, action: Action) {
        match action {
            Action::Open(id) => {
                self.replace(StageRun::of_library(&id, self.serial));
                if self.notice.is_none() {
                    self.named = Some(format!("s={id}{}", address::layout_field(self.arrange)));
                    self.unsaved |= self.preferences.opened.insert(id);
                }
            }
            Action::Under(algorithm) => self.replace(StageRun::of_requests(&algorithm, self.serial)),
            Action::Follow(link) => {
                let opened = StageRun::of_link(&link, self.serial);
                self.replace(opened.map_err(|why| format!("This link cannot be opened. {why}")));
            }
            Action::Own(link) => self.replace(StageRun::of_link(&link, self.serial)),
            Action::Param(name, value) => self.replace(self.run.with_param(&name, &value, self.serial)),
            Action::Counterexample(link, cycle) => {
                self.replace(StageRun::of_link(&link, self.serial));
                if self.notice.is_none() {
                    self.run.cycle = cycle;
                    if cycle == 0 {
                        self.run.seek_index(0);
                    }
                }
            }
            Action::Puzzle(id) => {
                self.play_puzzle(&id, None);
                if self.notice.is_none() {
                    self.named = Some(format!("puzzle={id}"));
                }
            }
            Action::Play(text) => self.replace(StageRun::of_text(&text, self.serial)),
            Action::Import(text) => self.import(text),
            Action::Navigate(hash) => match address::read(&hash) {
                Some(_) => self.open_address(&hash),
                None => self.open_address(&format!("s={FIRST}")),
            },
            _ => {}
        }
    }

    /// Opens what the reader handed over; what cannot be opened changes nothing.
    fn import(&mut self, text: Result<String, String>) {
        match text.and_then(|text| Given::of(&text)) {
            Ok(Given::Scenario(text)) => self.open(Action::Play(text)),
            Ok(Given::Address(hash)) => {
                self.open_address(&hash);
                if self.notice.is_none() {
                    self.named = Some(hash);
                }
            }
            Err(why) => self.notice = Some(why),
        }
    }

    /// Opens what stands after the `#` of an address; an empty one is the first figure.
    fn open_address(&mut self, hash: &str) {
        let target = address::read(hash);
        if matches!(target, Some(AddressTarget::Scenario(_) | AddressTarget::Link(_))) {
            self.arrange = address::layout(hash);
        }
        match target {
            Some(AddressTarget::Scenario(id)) => self.open(Action::Open(id)),
            Some(AddressTarget::Link(link)) => self.open(Action::Follow(link)),
            Some(AddressTarget::Puzzle(id, link)) => self.play_puzzle(&id, link.as_deref()),
            Some(AddressTarget::Place(place, what)) => self.show(Action::Visit(place, what)),
            None => {}
        }
    }

    /// Puts a run on the stage, or says why there is none.
    fn replace(&mut self, run: Result<StageRun, String>) {
        match run {
            Ok(run) => {
                self.undo.keep(std::mem::replace(&mut self.run, run));
                self.puzzle = None;
                self.place = PagePlace::Stage;
                self.playing = false;
                self.pinned = None;
                self.notice = None;
            }
            Err(why) => self.notice = Some(why),
        }
    }

    /// Opens a puzzle at its beginning, or where a link left it.
    pub(crate) fn play_puzzle(&mut self, id: &str, link: Option<&str>) {
        self.serial += 1;
        match puzzle_run(id, link, self.serial) {
            Ok((puzzle, run)) => {
                self.replace(Ok(run));
                self.puzzle = Some((StagePuzzle(Rc::new(puzzle)), None));
                self.judge_puzzle();
            }
            Err(why) => self.notice = Some(why),
        }
    }
}

/// A puzzle with its run, at its beginning or where a link left it.
fn puzzle_run(id: &str, link: Option<&str>, serial: u32) -> Result<(Puzzle, StageRun), String> {
    let puzzle = lockstep_check::find_puzzle(id)?;
    let link = link.map(str::to_owned).or_else(|| puzzle.link()).ok_or("This puzzle cannot be opened.")?;
    Ok((puzzle, StageRun::of_link(&link, serial)?))
}

impl StageRun {
    /// A prepared scenario, at the stop where it opens.
    pub fn of_scenario(scenario: Scenario, serial: u32) -> StageRun {
        let played = scenario.play_within(Allowance::FRAMES);
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
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let scenario = parse("mine", text).map_err(sentences)?;
        let played = scenario.play_within(Allowance::FRAMES);
        match played.refused {
            Some(why) => Err(why),
            None => Ok(StageRun::of_played(scenario, played, serial)),
        }
    }

    /// The run as a scenario's text.
    pub fn save(&self) -> Result<String, String> {
        let title = format!("{}, a run of mine", self.origin.entry.title);
        lockstep_scenario::save(&title, self.origin.entry, &*self.player, &self.origin.timing)
    }

    /// The run that a link describes. A run of a scenario of the library keeps its stops. A link
    /// names its scenario; one that was made before links did is compared with each of them.
    pub fn of_link(text: &str, serial: u32) -> Result<StageRun, String> {
        let link = Link::decode(text).map_err(|list| list.join("\n"))?;
        let mut player = link.boot();
        let same_system = |s: &Scenario| s.setup == link.setup || s.boot().setup() == player.setup();
        let same = |s: &Scenario| s.algorithm.id == link.algorithm.id && s.timing == link.timing && same_system(s);
        let algorithm = format!("algorithm = \"{}\"", link.algorithm.id);
        let likely = LIBRARY.iter().filter(|(id, text)| match &link.scenario {
            Some(named) => id == named,
            None => text.contains(&algorithm),
        });
        let known = likely.filter_map(|(id, text)| parse(id, text).ok()).find(same);
        let mut choices = link.replay(Allowance::FRAMES);
        let Some(scenario) = known else {
            choices.finish(&mut *player)?;
            let origin = Origin::new(link.algorithm, link.model.setup, &*player, link.model.timing, None);
            return Ok(StageRun::new(origin, player, serial));
        };
        let mut run = StageRun::of_scenario(scenario, serial);
        run.player.seek(0);
        choices.finish(&mut *run.player)?;
        Ok(run)
    }

    /// The same system from its beginning with one parameter changed.
    fn with_param(&self, name: &str, value: &str, serial: u32) -> Result<StageRun, String> {
        let mut scenario = self.origin.scenario.clone().ok_or("The parameters of this run cannot be changed.")?;
        scenario.model.setup = scenario.model.setup.with(name, value);
        Ok(StageRun::of_scenario(scenario, serial))
    }
}
