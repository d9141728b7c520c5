//! The place as a reader uses it: the page's side and the worker's side together.

use lockstep_judge::lesson::Addressee;
use lockstep_judge::place::{DeskLoss, JudgeFile};
use lockstep_judge::task::{JudgeAnswer, JudgeTask};
use lockstep_judge::{JudgeAction, JudgeCommand, JudgeDesk, JudgeState, JudgeTab};
use lockstep_scene::long::ArrowLook;
use lockstep_trace::LogInput;
use lockstep_trace::shape::TokenRole;

/// A page with its worker.
#[derive(Default)]
struct PageWithWorker {
    state: JudgeState,
    desk: JudgeDesk,
    files: Vec<LogInput>,
    commands: Vec<JudgeCommand>,
}

impl PageWithWorker {
    /// The page on the next visit.
    fn visit_again(&self, files: &[(&str, &[u8])]) -> PageWithWorker {
        let stored = self.commands.iter().rev().find_map(|command| match command {
            JudgeCommand::Store(rules) => Some(rules.clone()),
            _ => None,
        });
        let mut reader = PageWithWorker { state: JudgeState::new(stored), ..PageWithWorker::default() };
        reader.give_more(files);
        reader
    }

    fn give_more(&mut self, files: &[(&str, &[u8])]) {
        self.files = files.iter().map(|(name, bytes)| LogInput::new(*name, *bytes)).collect();
        self.act(JudgeAction::Files(
            files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.len() as f64)).collect(),
        ));
    }

    fn act(&mut self, action: JudgeAction) {
        let commands = self.state.apply(action);
        for command in commands {
            let (task, files) = match &command {
                JudgeCommand::Ask(task) => (task.clone(), Vec::new()),
                JudgeCommand::AskWithFiles(task) => (task.clone(), self.files.clone()),
                JudgeCommand::Restart => {
                    self.desk = JudgeDesk::default();
                    continue;
                }
                _ => {
                    self.commands.push(command);
                    continue;
                }
            };
            // as the messages of a worker travel
            let task = JudgeTask::read(&task.text()).unwrap();
            let text = self.desk.perform(task, files).text();
            self.act(JudgeAction::Heard(Box::new(JudgeAnswer::read(&text).unwrap())));
        }
    }

    fn give(files: &[(&str, &[u8])]) -> PageWithWorker {
        let mut reader = PageWithWorker::default();
        reader.give_more(files);
        reader
    }

    fn of_logs(names: &[&str]) -> PageWithWorker {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/logs/");
        let contents: Vec<Vec<u8>> =
            names.iter().map(|name| std::fs::read(format!("{folder}{name}")).unwrap()).collect();
        let files: Vec<(&str, &[u8])> =
            names.iter().zip(&contents).map(|(name, bytes)| (*name, bytes.as_slice())).collect();
        PageWithWorker::give(&files)
    }

    fn verdict(&self) -> &str {
        self.state.log.as_ref().map_or("none", |log| &log.verdict)
    }

    /// Opens the lesson about the first shape whose line contains this, without its guess.
    fn lesson(&mut self, part: &str) {
        let shape = self.state.shapes.rows.iter().position(|row| row.line.contains(part)).unwrap();
        self.act(JudgeAction::Lesson(shape));
        let lesson = self.state.lesson.clone().unwrap();
        lesson.events.iter().for_each(|event| self.act(JudgeAction::Meaning(event.verb.clone())));
        for (word, _) in lesson.roles {
            self.act(JudgeAction::Word(word));
            self.act(JudgeAction::Role(None));
        }
    }

    fn word(&mut self, text: &str, role: TokenRole) {
        let words = self.state.lesson.as_ref().unwrap().words();
        let at = words.iter().position(|word| word.text == text && word.choosable).unwrap();
        self.act(JudgeAction::Word(at));
        self.act(JudgeAction::Role(Some(role)));
    }

    fn means(&mut self, verb: &str) {
        self.act(JudgeAction::Meaning(verb.to_owned()));
    }
}

#[test]
fn a_log_is_judged_and_its_first_bad_pair_explained() {
    let reader = PageWithWorker::of_logs(&["27-ricart-agrawala-replies-too-early.jsonl"]);
    let log = reader.state.log.clone().unwrap();
    assert_eq!((log.verdict.as_str(), reader.state.tab), ("luck", JudgeTab::Verdict));
    assert!(log.sentence.starts_with("2 nodes, 2 entries, 4 messages; luck: no message orders "), "{}", log.sentence);
    let pair = reader.state.pair.clone().unwrap();
    assert_eq!((pair.order.as_str(), pair.chain.len()), ("luck", 0));
    assert_eq!((pair.past_of_first.len(), pair.past_of_second.len()), (2, 2));
    // the other order has both inside: both entries, and neither exit, are among its first events
    let rank = pair.other_rank.clone().unwrap();
    for (_, enter, exit) in &reader.state.sketch.sections {
        assert!((rank[*enter as usize] as usize) < pair.both_inside_after);
        assert!((rank[exit.unwrap() as usize] as usize) >= pair.both_inside_after);
    }
    let conformance = log.conformance.clone().unwrap();
    assert_eq!((conformance.ok, conformance.event.is_some()), (Some(false), true));
    assert!(conformance.link.unwrap().contains("ricart-agrawala"));
    assert!(matches!(reader.commands.last(), Some(JudgeCommand::Centre(_))));
}

#[test]
fn ordered_sections_show_their_chain_with_lines() {
    let mut reader = PageWithWorker::of_logs(&["01-ricart-agrawala.jsonl"]);
    assert_eq!((reader.verdict(), reader.state.pair.is_none()), ("excluded", true));
    reader.act(JudgeAction::Section(0));
    reader.act(JudgeAction::Section(1));
    let pair = reader.state.pair.clone().unwrap();
    assert_eq!(pair.order, "ordered");
    assert!(pair.chain.iter().any(|step| step.message));
    assert!(pair.chain.iter().all(|step| step.place.starts_with("01-ricart-agrawala.jsonl:")), "{:?}", pair.chain);
    reader.act(JudgeAction::OtherOrder(true));
    assert!(!reader.state.other, "there is no other order in which both are inside");
    reader.act(JudgeAction::Section(1));
    assert_eq!((reader.state.chosen.clone(), reader.state.pair.is_none()), (vec![0], true));
}

#[test]
fn lines_and_events_lead_to_each_other() {
    let mut reader = PageWithWorker::of_logs(&["34-node1.log", "34-node2.log"]);
    reader.act(JudgeAction::Lines(1, 0));
    let row = reader.state.lines.iter().position(|row| row.text.contains("inside")).unwrap();
    reader.act(JudgeAction::Line(1, row));
    let event = reader.state.event.unwrap();
    assert_eq!(reader.commands.last(), Some(&JudgeCommand::Centre(event)));
    reader.act(JudgeAction::Lines(0, 0));
    reader.act(JudgeAction::Event(event));
    assert_eq!((reader.state.file, reader.state.line), (1, Some(row)));
    assert_eq!(reader.state.lines[row - reader.state.from].event, Some(event));
    reader.act(JudgeAction::Search("INSIDE".to_owned()));
    assert_eq!((reader.state.hits.len(), reader.state.hit_count), (2, 2));
    reader.act(JudgeAction::Hit(true));
    assert_eq!((reader.state.hit, reader.state.file), (1, 1));
}

#[test]
fn free_text_is_taught_by_choosing_words() {
    let mut reader = PageWithWorker::of_logs(&["35-deferred.log"]);
    reader.act(JudgeAction::Tab(JudgeTab::Teach));
    reader.act(JudgeAction::Rules(String::new()));
    let ask = |reader: &mut PageWithWorker, part: &str, node: &str, verb: &str| {
        reader.lesson(part);
        reader.word(node, TokenRole::Node);
        reader.means(verb);
    };
    ask(&mut reader, "wants the printer", "n7000", "request");
    reader.act(JudgeAction::Keep);
    ask(&mut reader, "asks the others", "n7000", "send");
    reader.act(JudgeAction::Kind("REQUEST".into()));
    reader.act(JudgeAction::To(Addressee::Everybody));
    reader.act(JudgeAction::Keep);
    ask(&mut reader, "was asked by", "n7001", "recv");
    reader.act(JudgeAction::Kind("REQUEST".into()));
    reader.word("n7000", TokenRole::From);
    reader.act(JudgeAction::Keep);
    ask(&mut reader, "answers n7000", "n7001", "send");
    reader.act(JudgeAction::Kind("REPLY".into()));
    reader.word("n7000", TokenRole::To);
    reader.act(JudgeAction::Keep);
    ask(&mut reader, "has an answer", "n7000", "recv");
    reader.act(JudgeAction::Kind("REPLY".into()));
    reader.act(JudgeAction::Keep);
    ask(&mut reader, "keeps", "n7000", "defer");
    reader.word("n7001", TokenRole::To);
    reader.act(JudgeAction::Keep);
    ask(&mut reader, "printing: ", "n7000", "enter");
    reader.act(JudgeAction::Keep);
    ask(&mut reader, "has finished", "n7000", "exit");
    reader.means("send");
    reader.act(JudgeAction::Kind("REPLY".into()));
    reader.act(JudgeAction::To(Addressee::Deferred));
    reader.act(JudgeAction::Keep);
    assert_eq!(reader.state.lesson_problem, None);
    assert!(reader.state.shapes.rows.iter().all(|row| row.not_understood == 0), "{}", reader.state.rules);
    reader.act(JudgeAction::Option("order".into(), "observed".into()));
    reader.act(JudgeAction::Judge);
    let log = reader.state.log.clone().unwrap();
    assert_eq!((log.verdict.as_str(), log.format.as_str(), log.not_understood), ("excluded", "rules", 0));
    assert!(reader.commands.contains(&JudgeCommand::Store(reader.state.rules.clone())));
    // the rules survive a link
    reader.act(JudgeAction::Save(JudgeFile::Link));
    let Some(JudgeCommand::CopyLink(link)) = reader.commands.last().cloned() else { panic!("no link") };
    let mut other = PageWithWorker::default();
    other.act(JudgeAction::Visit(link));
    assert_eq!(other.state.own, reader.state.rules);
}

#[test]
fn a_class_is_a_table_and_a_file() {
    let good =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/logs/01-ricart-agrawala.jsonl")).unwrap();
    let bad = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/logs/02-luck.jsonl")).unwrap();
    let mut reader = PageWithWorker::give(&[
        ("class/ann/a.jsonl", &good),
        ("class/bob/a.jsonl", &bad),
        ("class/=eve/a.log", b"?\n"),
    ]);
    assert_eq!((reader.state.tab, reader.state.class.len()), (JudgeTab::Class, 3));
    let verdicts: Vec<&str> = reader.state.class.iter().map(|row| row.cells[1].as_str()).collect();
    assert_eq!(verdicts[..2], ["excluded", "luck"]);
    assert!(verdicts[2].starts_with("class/=eve: no line was understood"), "{}", verdicts[2]);
    reader.act(JudgeAction::Save(JudgeFile::Table));
    let Some(JudgeCommand::Download(name, _, text)) = reader.commands.last() else { panic!("no file") };
    assert_eq!((*name, text.lines().count()), ("logs.csv", 4));
    reader.act(JudgeAction::Open(1));
    assert_eq!((reader.verdict(), reader.state.tab), ("luck", JudgeTab::Verdict));
}

/// Lines whose words are not guessed: `zum` means nothing.
const OWN_WORDS: &str = "a zum hinein\na zum hinaus\nb zum hinein\nb zum hinaus\n";
const OWN_RULES: &str = "enter: {node} zum hinein\nexit: {node} zum hinaus\noption order=observed\n";

#[test]
fn rules_of_an_earlier_visit_are_used_and_not_replaced_by_guesses() {
    let mut reader = PageWithWorker::give(&[("own.log", OWN_WORDS.as_bytes())]);
    assert_eq!((reader.verdict(), reader.state.tab), ("none", JudgeTab::Teach));
    reader.act(JudgeAction::Rules(OWN_RULES.into()));
    reader.act(JudgeAction::Judge);
    let verdict = reader.verdict().to_owned();
    assert_ne!(verdict, "none");
    let mut again = reader.visit_again(&[("own.log", OWN_WORDS.as_bytes())]);
    assert_eq!((again.verdict(), again.state.log.clone().unwrap().format.as_str()), (verdict.as_str(), "rules"));
    // what is being written stays while the reader looks at the verdict
    again.act(JudgeAction::Tab(JudgeTab::Teach));
    assert_eq!(again.state.rules, OWN_RULES);
    again.act(JudgeAction::Option("fifo".into(), "false".into()));
    again.act(JudgeAction::Tab(JudgeTab::Verdict));
    again.act(JudgeAction::Tab(JudgeTab::Teach));
    assert!(again.state.rules.contains("fifo=false"), "{}", again.state.rules);
    // an example, and a log that the rules say nothing about, are read without them
    again.act(JudgeAction::Example("free-text".into()));
    assert_eq!(again.state.log.clone().unwrap().format, "guessed rules");
    again.give_more(&[("other.log", b"node 1 enters the lock\nnode 1 leaves the lock\n")]);
    assert_eq!(again.state.log.clone().unwrap().format, "guessed rules");
    again.act(JudgeAction::Tab(JudgeTab::Teach));
    assert!(again.state.rules.contains("enters the lock"), "{}", again.state.rules);
    // guesses that were only judged again are not stored; the reader's own rules are a click away
    again.act(JudgeAction::Judge);
    assert!(!again.commands.iter().any(|command| matches!(command, JudgeCommand::Store(_))));
    again.act(JudgeAction::Tab(JudgeTab::Teach));
    again.act(JudgeAction::OwnRules);
    assert_eq!(again.state.rules, OWN_RULES);
    again.act(JudgeAction::ForgetOwn);
    assert_eq!(again.commands.last(), Some(&JudgeCommand::Store(String::new())));
    let third = again.visit_again(&[("own.log", OWN_WORDS.as_bytes())]);
    assert_eq!(third.verdict(), "none");
}

#[test]
fn a_class_is_taught_once_and_its_table_follows() {
    let late = OWN_WORDS.replace("a zum hinaus\nb zum hinein", "b zum hinein\na zum hinaus");
    let mut reader = PageWithWorker::give(&[("ann/1.log", OWN_WORDS.as_bytes()), ("bob/1.log", late.as_bytes())]);
    let verdicts = |reader: &PageWithWorker| -> Vec<String> {
        reader.state.class.iter().map(|row| row.cells[1].chars().take(14).collect()).collect()
    };
    assert_eq!(verdicts(&reader), ["ann: no line w", "bob: no line w"]);
    reader.act(JudgeAction::Open(1));
    assert_eq!(reader.state.tab, JudgeTab::Teach);
    reader.act(JudgeAction::Rules(OWN_RULES.into()));
    reader.act(JudgeAction::Judge);
    assert_eq!((reader.verdict(), reader.state.tab), ("violated", JudgeTab::Verdict));
    reader.act(JudgeAction::Tab(JudgeTab::Class));
    assert_eq!(verdicts(&reader)[1], "violated");
    assert!(!verdicts(&reader)[0].contains("no line"), "{:?}", verdicts(&reader));
    // the algorithm is chosen above the table; the log follows when it is shown
    reader.act(JudgeAction::Algorithm("raymond".into()));
    assert_eq!(reader.state.tab, JudgeTab::Class);
    assert!(reader.state.class.iter().all(|row| !row.cells[4].is_empty()), "{:?}", reader.state.class);
    assert!(reader.state.log.clone().unwrap().conformance.is_none());
    reader.act(JudgeAction::Tab(JudgeTab::Verdict));
    assert_eq!(reader.state.log.clone().unwrap().conformance.clone().unwrap().algorithm, "raymond");
    // without an open log the rules are taught by the first log that needs them
    let mut reader = PageWithWorker::give(&[("ann/1.log", OWN_WORDS.as_bytes()), ("bob/1.log", late.as_bytes())]);
    reader.act(JudgeAction::Tab(JudgeTab::Teach));
    assert_eq!(reader.state.shapes.rows.len(), 4);
    reader.act(JudgeAction::Rules(OWN_RULES.into()));
    reader.act(JudgeAction::Judge);
    assert_eq!((reader.state.tab, verdicts(&reader)[1].as_str()), (JudgeTab::Class, "violated"));
}

#[test]
fn files_are_one_log_or_one_log_each() {
    let whole = "{\"node\":1,\"event\":\"enter\"}\n{\"node\":1,\"event\":\"exit\"}\n{\"node\":2,\"event\":\"enter\"}\n";
    let part = |node: u32| format!("{{\"node\":{node},\"event\":\"enter\"}}\n{{\"node\":{node},\"event\":\"exit\"}}\n");
    // whole logs beside each other are a class; the lines of one node each are one log
    let mut reader = PageWithWorker::give(&[("a.jsonl", whole.as_bytes()), ("b.jsonl", whole.as_bytes())]);
    let choice = reader.state.choice;
    assert_eq!((reader.state.class.len(), choice.together, choice.apart, choice.each), (2, 1, 2, true));
    assert_eq!(reader.state.class[1].cells[0], "b.jsonl");
    reader.act(JudgeAction::Each(false));
    assert_eq!((reader.state.tab, reader.state.class.len()), (JudgeTab::Verdict, 0));
    assert_eq!(reader.state.log.clone().unwrap().files.len(), 2);
    reader.act(JudgeAction::Each(true));
    assert_eq!((reader.state.tab, reader.state.class.len()), (JudgeTab::Class, 2));
    reader.act(JudgeAction::Open(1));
    assert_eq!(reader.state.log.clone().unwrap().name, "b.jsonl");
    let (one, two) = (part(1), part(2));
    let reader = PageWithWorker::give(&[("1.jsonl", one.as_bytes()), ("2.jsonl", two.as_bytes())]);
    assert_eq!((reader.state.choice.each, reader.state.log.clone().unwrap().files.len()), (false, 2));
}

#[test]
fn an_open_log_stays_until_the_next_one_can_be_read() {
    let mut reader = PageWithWorker::of_logs(&["01-ricart-agrawala.jsonl"]);
    reader.give_more(&[("broken.zip", b"PK\x03\x04 nothing")]);
    assert_eq!((reader.verdict(), reader.state.busy), ("excluded", false));
    assert!(reader.state.problem.clone().unwrap().starts_with("broken.zip: "));
    // and its worker still knows it
    reader.act(JudgeAction::Section(0));
    reader.act(JudgeAction::Section(1));
    assert!(reader.state.pair.is_some());
    reader.act(JudgeAction::Files(vec![("x".into(), 1.0); 10_001]));
    assert_eq!((reader.verdict(), reader.state.pair.is_some()), ("excluded", true));
    let problem = reader.state.problem.clone().unwrap();
    assert_eq!(problem, "There are 10001 files; expected at most 10000. Nothing was read.");
}

#[test]
fn a_lost_worker_is_replaced_a_few_times() {
    let asks = |commands: &[JudgeCommand]| {
        matches!(commands, [JudgeCommand::Restart, JudgeCommand::AskWithFiles(JudgeTask::Read { .. })])
    };
    let begun = || {
        let mut state = JudgeState::new(None);
        assert!(asks(&state.apply(JudgeAction::Files(vec![("a.log".into(), 5.0)]))));
        state
    };
    // a download is tried three times, and the reader may try again
    let mut state = begun();
    assert!(asks(&state.apply(JudgeAction::Lost(DeskLoss::Unavailable))) && state.busy);
    assert!(asks(&state.apply(JudgeAction::Lost(DeskLoss::Unavailable))) && state.busy);
    assert_eq!(state.apply(JudgeAction::Lost(DeskLoss::Unavailable)), [JudgeCommand::Drop]);
    assert!(!state.busy && state.retry);
    assert!(state.problem.clone().unwrap().contains("could not be downloaded in 3 attempts"));
    assert!(asks(&state.apply(JudgeAction::Retry)) && state.busy && state.problem.is_none());
    // a log over which two workers died needs more memory
    let mut state = begun();
    assert!(asks(&state.apply(JudgeAction::Lost(DeskLoss::Died))));
    assert_eq!(state.apply(JudgeAction::Lost(DeskLoss::Died)), [JudgeCommand::Drop]);
    assert!(state.problem.clone().unwrap().contains("needs more memory"));
    // a worker that says nothing is not lost: the reader decides
    let mut state = begun();
    assert!(state.apply(JudgeAction::Silent).is_empty() && state.silent && state.busy);
    assert!(asks(&state.apply(JudgeAction::Retry)) && !state.silent);
    assert_eq!(state.apply(JudgeAction::Stop), [JudgeCommand::Drop]);
    assert!(!state.busy && state.retry);
    // one that dies over a log of a table comes back with the table, and says why
    let mut reader = PageWithWorker::give(&[("ann/1.log", b"?"), ("bob/1.log", b"?")]);
    reader.act(JudgeAction::Lost(DeskLoss::Died));
    assert_eq!((reader.state.class.len(), reader.state.busy), (2, false));
    assert!(reader.state.problem.clone().unwrap().contains("needs more memory"));
}

#[test]
fn the_skew_and_the_algorithm_change_the_verdict() {
    let mut reader = PageWithWorker::of_logs(&["14-wall-clocks-apart.jsonl"]);
    assert_eq!(reader.verdict(), "by-clock");
    let skew = reader.state.log.clone().unwrap().skew.clone();
    assert!(skew.asked && skew.sentences[0].contains("0.25 s"), "{:?}", skew);
    reader.act(JudgeAction::Skew("0.3".into()));
    assert_eq!(reader.verdict(), "unproven");
    reader.act(JudgeAction::Skew("-1".into()));
    assert_eq!(reader.state.problem.as_deref(), Some("skew: -1 is not allowed; expected 0 or more seconds."));
    reader.act(JudgeAction::Skew(String::new()));
    assert_eq!(reader.verdict(), "by-clock");
    let mut reader = PageWithWorker::of_logs(&["01-ricart-agrawala.jsonl"]);
    reader.act(JudgeAction::Algorithm("lamport".into()));
    assert_eq!(reader.state.log.clone().unwrap().conformance.clone().unwrap().algorithm, "lamport");
}

#[test]
fn hostile_input_gives_a_sentence() {
    let line = vec![b'x'; 10 << 20];
    for (name, bytes) in [("binary", &[0u8; 5_000][..]), ("long", &line[..]), ("empty", b""), ("zip", b"PK\x03\x04")] {
        let reader = PageWithWorker::give(&[(name, bytes)]);
        assert!(!reader.state.busy && reader.state.log.is_none(), "{name}");
        assert!(reader.state.problem.as_ref().is_some_and(|why| why.len() > 10), "{name}");
        assert!(reader.state.shapes.rows.iter().all(|row| row.text.len() < 5_000 && row.line.len() < 5_000));
    }
    let mut reader = PageWithWorker::default();
    reader.act(JudgeAction::Files(vec![("huge".into(), 3e9)]));
    let problem = reader.state.problem.clone().unwrap();
    assert_eq!(problem, "The files have 2862 MB; expected at most 256 MB in all.");
    reader.act(JudgeAction::Visit("colour".into()));
    assert!(reader.state.problem.unwrap().starts_with("judge: colour is not known"));
}

#[test]
fn every_example_is_judged() {
    for example in &lockstep_judge::examples::EXAMPLE_LOGS {
        let mut reader = PageWithWorker::default();
        reader.act(JudgeAction::Visit(example.id.into()));
        assert!(reader.state.log.is_some() || reader.state.tab == JudgeTab::Teach, "{}", example.id);
        if let Some(log) = &reader.state.log {
            assert_eq!(log.sections.len(), reader.state.sketch.sections.len());
        }
    }
}

#[test]
fn candidates_are_dashed_and_contradictions_red() {
    let looks = |name: &str| {
        let reader = PageWithWorker::of_logs(&[name]);
        let looks = reader.state.sketch.arrows.iter().map(|(_, _, look)| ArrowLook::ALL[usize::from(*look)]);
        looks.collect::<Vec<_>>()
    };
    let count = |name: &str, wanted: ArrowLook| looks(name).into_iter().filter(|look| *look == wanted).count();
    assert_eq!(count("01-ricart-agrawala.jsonl", ArrowLook::Candidate), 0);
    assert!(count("08-senders-unknown-ambiguous.jsonl", ArrowLook::Candidate) > 1);
    assert!(count("23-send-logged-too-late.jsonl", ArrowLook::Contradictory) > 0);
    assert_eq!(count("01-ricart-agrawala.jsonl", ArrowLook::Contradictory), 0);
}
