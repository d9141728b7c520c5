//! The place as a reader uses it: the page's side and the worker's side together.

use lockstep_judge::lesson::Addressee;
use lockstep_judge::place::JudgeFile;
use lockstep_judge::task::{JudgeAnswer, JudgeTask};
use lockstep_judge::{JudgeAction, JudgeCommand, JudgeDesk, JudgeState, JudgeTab};
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
        let mut reader = PageWithWorker {
            files: files.iter().map(|(name, bytes)| LogInput::new(*name, *bytes)).collect(),
            ..PageWithWorker::default()
        };
        let sizes = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.len() as f64)).collect();
        reader.act(JudgeAction::Files(sizes));
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
    reader.act(JudgeAction::Option("order=observed", true));
    reader.act(JudgeAction::Judge);
    let log = reader.state.log.clone().unwrap();
    assert_eq!((log.verdict.as_str(), log.format.as_str(), log.not_understood), ("excluded", "rules", 0));
    assert!(reader.commands.contains(&JudgeCommand::Store(reader.state.rules.clone())));
    // the rules survive a link
    reader.act(JudgeAction::Save(JudgeFile::Link));
    let Some(JudgeCommand::CopyLink(link)) = reader.commands.last().cloned() else { panic!("no link") };
    let mut other = PageWithWorker::default();
    other.act(JudgeAction::Visit(link));
    assert_eq!(other.state.rules, reader.state.rules);
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

#[test]
fn the_skew_and_the_algorithm_change_the_verdict() {
    let mut reader = PageWithWorker::of_logs(&["14-wall-clocks-apart.jsonl"]);
    assert_eq!(reader.verdict(), "by-clock");
    let skew = reader.state.log.clone().unwrap().skew.clone();
    assert!(skew.asked && skew.sentences[0].contains("0.250 s"), "{:?}", skew);
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
