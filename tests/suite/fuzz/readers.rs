//! Reads a document as the page and the command line do, and uses what was read.

use lockstep_judge::{JudgeAction, JudgeCommand, JudgeDesk, JudgeState, JudgeTab};
use lockstep_kernel::history::Player;
use lockstep_lab::{CampaignSource, Experiment, Job, RecordStore, prepare, run_json};
use lockstep_scenario::link::{Address, Link};
use lockstep_scenario::script::{Goal, Step};
use lockstep_scenario::{Given, Scenario, parse};
use lockstep_trace::shape::{TokenRole, shapes, teach, tokens};
use lockstep_trace::{LogInput, ReadOptions, RuleSet, guessed_set, judge, read, zip};

/// A run is replayed here if it has so many choices and such a system at most. How long a longer
/// one may take is bounded where it is opened, and tested there.
const CHOICES: usize = 300;
const NODES: usize = 64;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Every problem is a sentence.
fn sentences<T: ToString>(problems: &[T]) {
    assert!(!problems.is_empty(), "it is refused without a reason");
    for problem in problems.iter().map(T::to_string) {
        assert!(problem.ends_with('.') && problem.len() > 5, "{problem:?} is no sentence");
    }
}

pub fn link(bytes: &[u8]) {
    let text = text(bytes);
    let address = Address::of(&text);
    open(&address.run);
    if let Ok(Given::Address(address)) = Given::of(&text) {
        open(&Address::of(&address).run);
    }
}

fn open(text: &str) {
    match Link::decode(text) {
        Err(problems) => sentences(&problems),
        Ok(link) if link.choices.len() <= CHOICES && link.setup.nodes() <= NODES => match link.open() {
            Ok(player) => {
                let again = Link::of(link.algorithm, &*player, &link.timing).encode();
                let read = Link::decode(&again).unwrap_or_else(|why| panic!("{again}: {why:?}"));
                assert_eq!(read.choices, link.choices, "{again}");
            }
            Err(why) => sentences(&[why]),
        },
        Ok(_) => {}
    }
}

pub fn scenario(bytes: &[u8]) {
    match Given::of(&text(bytes)) {
        Ok(Given::Scenario(text)) => match parse("damaged", &text) {
            Ok(scenario) if is_short(&scenario) => {
                let played = scenario.play();
                assert_eq!(played.stops.len(), scenario.stops.len());
                played.player.frame();
            }
            Ok(_) => {}
            Err(problems) => sentences(&problems),
        },
        Ok(Given::Address(_)) => {}
        Err(why) => sentences(&[why]),
    }
}

/// Whether the script comes to its end within a few steps, or to an event that is not possible.
fn is_short(scenario: &Scenario) -> bool {
    if scenario.setup.nodes() > NODES {
        return false;
    }
    let mut player = scenario.boot();
    let mut left = CHOICES;
    for line in scenario.stops.iter().flat_map(|stop| &stop.script) {
        let followed = match Step::read(line, player.setup()) {
            Ok(Step::Run(goal)) => run(&goal, &mut *player, &mut left),
            Ok(step) => {
                left = left.saturating_sub(if matches!(step, Step::One(_)) { 1 } else { 50 });
                step.follow(&mut *player).is_ok()
            }
            Err(_) => false,
        };
        if left == 0 || !followed {
            return left > 0;
        }
    }
    true
}

/// Runs towards a goal one step at a time, as long as steps are left.
fn run(goal: &Goal, player: &mut dyn Player, left: &mut usize) -> bool {
    let one = Step::Run(Goal::Steps(1));
    let wanted = if let Goal::Steps(n) = goal { *n } else { usize::MAX };
    for _ in 0..wanted {
        if matches!(goal, Goal::Entries(n) if player.frame().counters.entries >= *n) {
            return true;
        }
        *left = left.saturating_sub(1);
        if *left == 0 || one.follow(player).is_err() {
            return matches!(goal, Goal::End);
        }
        // the goal itself, not only any entry, is looked at when the scenario is played
        if matches!(goal, Goal::Enters(_)) && player.frame().last.is_some_and(|last| !last.granted.is_empty()) {
            *left = left.saturating_sub(20);
        }
    }
    true
}

pub fn saved_run(bytes: &[u8]) {
    match Given::of(&text(bytes)) {
        Ok(Given::Address(address)) => open(&Address::of(&address).run),
        Ok(Given::Scenario(_)) => {}
        Err(why) => sentences(&[why]),
    }
}

pub fn experiment(bytes: &[u8]) {
    let text = text(bytes);
    match Experiment::read(&text) {
        Ok(own) => {
            let source = CampaignSource::Own(Box::new(own));
            let address = source.address();
            let again = CampaignSource::own_of_address(&address).map(|read| read.is_ok());
            assert_eq!(again, Some(true), "{address}");
        }
        Err(problems) => sentences(&problems),
    }
    let _ = CampaignSource::own_of_address(&format!("own:{text}"));
}

pub fn job(bytes: &[u8]) {
    let text = text(bytes);
    let Ok(job) = serde_json::from_str::<Job>(&text) else {
        assert!(run_json(&text).starts_with("{\"problems\":[\""), "{text}");
        return;
    };
    match prepare(&job) {
        Ok(ready) => {
            let work = ready.job.setup.nodes() as f64 + (ready.job.warmup + ready.job.entries) as f64;
            let longest = ready.job.timing.delays.local.mean() + ready.job.timing.section.mean();
            let runs = f64::from(ready.replications.max(ready.until.map_or(0, |until| until.most)));
            let small = ready.job.setup.nodes() <= NODES && work * runs <= 2_000.0;
            if small && (0.001..10.0).contains(&longest) && !ready.algorithm.printed {
                let summary = ready.run();
                assert!(serde_json::to_string(&summary).is_ok_and(|text| text.contains("messages_per_entry")));
            }
        }
        Err(problems) => sentences(&problems),
    }
}

pub fn results(bytes: &[u8]) {
    if let Err(why) = RecordStore::read(&text(bytes)) {
        assert!(why.starts_with("line "), "{why}");
        sentences(&[why]);
    }
}

pub fn log(bytes: &[u8]) {
    judged(bytes, ReadOptions::default());
}

pub fn rules(bytes: &[u8]) {
    match RuleSet::parse(&text(bytes)) {
        Ok(rules) => judged(FREE.as_bytes(), ReadOptions { rules: Some(rules), ..ReadOptions::default() }),
        Err(problems) => sentences(&problems),
    }
    judged(bytes, ReadOptions::default());
}

/// A log for damaged rules.
const FREE: &str = "12:00:00 node 1 wants the lock\n12:00:01 node 1 enters the lock\n12:00:02 node 1 sends REQ to \
                    node 2\n12:00:03 node 2 got REQ from node 1\n12:00:04 node 1 leaves the lock\n\u{1b}[31mé\n";

pub fn archive(bytes: &[u8]) {
    match zip::unzip(bytes) {
        Ok((files, _)) => {
            let options = ReadOptions::default();
            let _ = judge(read(files, &options));
        }
        Err(why) => sentences(&[why]),
    }
}

fn judged(bytes: &[u8], options: ReadOptions) {
    let log = read(vec![LogInput::new("log", bytes)], &options);
    let _ = guessed_set(&log.files).to_string();
    let _ = shapes(&log.files, Some(&log));
    let line = log.files.first().map(|file| file.line(0).to_owned()).unwrap_or_default();
    if let Some(word) = tokens(&line).iter().position(|token| token.is_word) {
        let _ = teach(&line, &[(word, TokenRole::Node)], "enter");
    }
    match judge(log) {
        Ok(judgement) => {
            let _ = lockstep_follow::follow(&judgement, None);
            let _ = judgement.document(None);
            for pair in judgement.pairs.iter().take(3) {
                let _ = lockstep_trace::explain::explain(&judgement, pair.first, pair.second);
            }
        }
        Err(refused) => sentences(&[refused.1]),
    }
}

/// The place Judge: the page and its worker get a damaged file beside another, and everything is
/// clicked.
pub fn judge_desk(bytes: &[u8]) {
    let (mut page, mut desk) = (JudgeState::new(None), JudgeDesk::default());
    let files = vec![LogInput::new("class/ann/a.log", bytes), LogInput::new("class/bob/b.log", FREE)];
    let sizes = files.iter().map(|file| (file.name.clone(), file.bytes.len() as f64)).collect();
    let mut act = |action: JudgeAction| {
        let mut left = page.apply(action);
        while let Some(command) = left.pop() {
            let (task, given) = match command {
                JudgeCommand::Ask(task) => (task, Vec::new()),
                JudgeCommand::AskWithFiles(task) => (task, files.clone()),
                _ => continue,
            };
            left.extend(page.apply(JudgeAction::Heard(Box::new(desk.perform(task, given)))));
        }
        assert!(!page.busy, "the worker has answered");
        page.problem.iter().for_each(|why| sentences(&[why]));
        (page.shapes.rows.len(), page.sketch.sections.len(), page.tab)
    };
    act(JudgeAction::Files(sizes));
    act(JudgeAction::Each(true));
    for log in 0..2 {
        act(JudgeAction::Open(log));
        act(JudgeAction::Section(0));
        act(JudgeAction::Section(1));
        act(JudgeAction::OtherOrder(true));
        act(JudgeAction::Search("n".into()));
        act(JudgeAction::Line(0, 1));
        let (shapes, ..) = act(JudgeAction::Tab(JudgeTab::Teach));
        for shape in 0..shapes.min(3) {
            act(JudgeAction::Lesson(shape));
            act(JudgeAction::Word(0));
            act(JudgeAction::Role(Some(TokenRole::Node)));
            act(JudgeAction::Meaning("enter".into()));
            act(JudgeAction::Keep);
        }
        act(JudgeAction::Judge);
        act(JudgeAction::Algorithm("ricart-agrawala".into()));
        act(JudgeAction::Tab(JudgeTab::Class));
    }
}
