//! Whatever a file or a link holds, the answer is sentences, never a panic.

use lockstep_scenario::link::Link;
use lockstep_scenario::{Given, LIBRARY, parse, trace};
use proptest::prelude::*;

/// Ten mistakes, each in its own line.
const TEN: &str = r#"
title = 7
about = "x"
algorithm = "alien"
params = { variant = "v3" }
nodes = 3
topology = "triangle"
threads = 65
network = "pigeons"
rate = -1
section = "sometimes"
seed = -3
colour = "red"
opens_at = 1
"#;

#[test]
fn ten_mistakes_are_ten_problems() {
    let problems = parse("ten", TEN).err().unwrap();
    let lines: Vec<usize> = problems.iter().map(|p| p.line).collect();
    assert_eq!(lines, [2, 5, 7, 8, 9, 10, 11, 12, 13, 14], "{problems:#?}");
    for problem in &problems {
        assert!(problem.message.ends_with('.') && problem.column > 0, "{problem}");
    }
    assert_eq!(problems[1].to_string(), "line 5, column 22: variant: v3 is not allowed; expected v1, v2.");
}

/// Ten mistakes of ten kinds: a type, a field, a parameter, a name, a word, a duration, an event, a
/// node, a queue, a question.
const KINDS: &str = r#"title = 7
about = "Ten mistakes."
colour = "red"
algorithm = "alien"
params = { variant = "v3" }
nodes = 3
names = ["a", "b", "a"]
network = "pigeons"
section = "sometimes"

[[stop]]
name = "1"
title = "x"
say = "x"
script = ["a asks", "a dances", "deliver b→z"]
[stop.expect]
b = { queue = ["u1", "nobody"] }
[stop.question]
text = "Is that right?"
answers = [{ text = "Yes.", because = "It is not." }, { text = "No.", because = "It is not marked." }]
"#;

#[test]
fn ten_mistakes_of_ten_kinds_are_ten_sentences_in_one_go() {
    let problems = parse("kinds", KINDS).err().unwrap();
    let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let expected = [
        "line 1, column 9: `title` is a whole number; expected a string in quotation marks.",
        "line 3, column 1: The scenario has no field `colour`; it has title, about, see, minutes, paper, text, figures, \
         opens_at, stop, algorithm, params, nodes, threads, topology, names, parents, clusters, cells, placement, network, load, rate, think, \
         first, requests, asks, section, delay, delay_global, range, bandwidth, per_cell, aligned, blocking, seed, without.",
        "line 5, column 22: variant: v3 is not allowed; expected v1, v2.",
        "line 7, column 9: names: a names two nodes; expected different names.",
        "line 8, column 11: network: pigeons is not allowed; expected fifo, unordered, lossy or duplicating.",
        "line 9, column 11: section: sometimes is not allowed; expected const:0.01, uniform:0:0.1 or exp:0.5, with at most \
         10,000 time units.",
        "line 15, column 21: `a dances` is not an event; expected `p1.2 asks`, `p1 leaves`, `deliver p2→p1`, `lose …`, `double …`, \
         `hold …`, `let go …`, `p2 crashes`, `p2 restarts`, `p1.2 migrates to p3`, `p1 gives up`, `p1 asks for [0,2)`, `deliver all` or \
         `run until p3 enters`.",
        "line 15, column 33: z is not a node; expected a, b, a.",
        "line 17, column 22: `nobody` is not an entry of a queue; expected u2 (a thread of the node), p3.2 (a thread of p3), A2 or A(p2) \
         (the alien of p2) or p4 (another node).",
        "line 18, column 1: A question needs exactly one correct answer; 0 are marked `right = true`.",
    ];
    assert_eq!(found, expected);
}

/// Where the algorithm does not exist, what does not depend on it is judged all the same.
#[test]
fn an_unknown_algorithm_hides_nothing() {
    let text = KINDS.replace("\"alien\"", "\"martian\"");
    let lines: Vec<usize> = parse("kinds", &text).err().unwrap().iter().map(|p| p.line).collect();
    assert_eq!(lines, [1, 3, 4, 7, 8, 9, 18], "all but the parameter, the events and the queue");
}

#[test]
fn scripts_name_only_what_exists() {
    let head =
        "title='x'\nabout='x'\nalgorithm='swq'\nnodes=2\ncells=4\n[[stop]]\nname='a'\ntitle='x'\nsay='x'\nscript=['";
    let cases = [
        ("run until p9 enters", "p9 is not a node"),
        ("run until 0 entries", "expected 1 to 10000"),
        ("run away", "does not say how far"),
        ("p1 requests 3..5", "is not a range of cells; expected [0,1) to [0,4)."),
        ("p1 requests 1..", "is not a range of cells"),
        ("drop p1 p2", "does not say from where to where"),
        ("p1.7 cancels", "p1 has p1.1 to p1.1"),
    ];
    for (event, says) in cases {
        let problems = parse("x", &format!("{head}{event}']")).err().unwrap();
        assert!(problems.len() == 1 && problems[0].message.contains(says), "{event}: {problems:#?}");
        assert_eq!((problems[0].line, problems[0].column), (10, 9));
    }
    for event in [
        "p1 requests 1..3",
        "p1 asks for [1,3)",
        "p1 requests",
        "p1 cancels",
        "drop p1->p2",
        "deliver all",
        "run 1 step",
    ] {
        assert!(parse("x", &format!("{head}{event}']")).is_ok(), "{event}");
    }
}

#[test]
fn a_line_is_taken_away_by_its_words_or_its_number() {
    let with = |without: &str| {
        parse("x", &format!("title='x'\nabout='x'\nalgorithm='lamport'\nnodes=2\nwithout={without}"))
            .map(|s| s.setup.without)
    };
    assert_eq!(with("'waiting, j has not replied'").unwrap(), with("6").unwrap());
    let why = |without| with(without).err().unwrap()[0].message.clone();
    assert!(why("'no such line'").contains("(count the clock"), "{}", why("'no such line'"));
    assert!(why("'put T'").contains("2 listing lines"), "{}", why("'put T'"));
}

#[test]
fn clusters_and_timed_requests_are_judged() {
    let head = "title='x'\nabout='x'\nalgorithm='proxy'\nnodes=3\n";
    let cases = [
        ("clusters = [['p1', 'p2'], ['p2', 'p3']]", "p2 is in two clusters"),
        ("clusters = [['p1', 'p2'], []]", "p3 is in no cluster"),
        ("clusters = [['p1', 'p2', 'p3', 'p4']]", "p4 is not a node"),
        ("clusters = 2", "the cluster of each of 3 nodes"),
        ("asks = ['p2']", "expected \"p2 at 0.5\""),
        ("asks = ['p2 at never']", "expected \"p2 at 0.5\""),
        ("asks = ['p2 at -1']", "expected \"p2 at 0.5\""),
        ("asks = ['p4 at 1']", "p4"),
        ("asks = ['p2 at 1']\nrate = 1", "not allowed together"),
        ("minutes = 0", "from 1 to 120"),
        ("text = '005'", "expected one of alien-threads, lecture-notes, clusters, range-locks, wait-free, beyond"),
        ("paper = 'x'", "expected one of alien-threads"),
    ];
    for (rest, says) in cases {
        let problems = parse("x", &format!("{head}{rest}")).err().unwrap();
        assert_eq!(problems.len(), 1, "{rest}: {problems:#?}");
        assert!(problems[0].message.contains(says), "{}", problems[0]);
    }
    let scenario =
        parse("x", &format!("{head}clusters=[['p3'],['p1','p2']]\nasks=['p2 at 1', 'p3.1 at 0.5']")).ok().unwrap();
    assert_eq!(scenario.setup.clusters, [1, 1, 0]);
    let load = lockstep_kernel::timing::Load::Script(vec![
        (1.0, lockstep_kernel::ThreadId(1)),
        (0.5, lockstep_kernel::ThreadId(2)),
    ]);
    assert_eq!(scenario.timing.load, load);
}

/// Ten more mistakes, in stops.
const STOPS: &str = r#"
title = "x"
about = "x"
algorithm = "alien"
nodes = 2
opens_at = "z"
[[stop]]
name = "a"
title = "x"
script = ["p1 dances", "p1.2 asks", "deliver p1", "lose p1→p9"]
[stop.expect]
p1 = { queue = ["u2", "B"], inside = "A2", token = "yes" }
p3 = { }
in_flight = ["p1→p2"]
"#;

#[test]
fn mistakes_in_stops_are_all_found() {
    let problems = parse("stops", STOPS).err().unwrap();
    let lines: Vec<usize> = problems.iter().map(|p| p.line).collect();
    assert_eq!(lines, [6, 7, 10, 10, 10, 10, 12, 12, 12, 12, 13, 14], "{problems:#?}");
}

#[test]
fn structure_is_checked() {
    let head = "title='x'\nabout='x'\nalgorithm='alien'\n";
    let cases = [
        ("nodes = 0", "expected 1 to 1,023"),
        ("nodes = 3\nthreads = [1, 2]", "one for each of 3 nodes, not 2"),
        ("nodes = 3\nparents = { p2 = 'p3', p3 = 'p2' }", "is a cycle"),
        ("nodes = 3\nparents = { p2 = 'p1' }", "exactly one such node"),
        ("nodes = 2\nnames = ['a', 'a']", "different names"),
        ("nodes = 2\nnames = ['a b', 'c']", "expected 1 to 24 letters"),
        ("nodes = 2\nrate = nan", "rate: nan is not allowed"),
        ("nodes = 2\nrate = 1\nthink = 'exp:1'", "not allowed together"),
        ("nodes = 2\nrequests = 3", "only threads with a think time"),
        ("nodes = 1023\nthreads = 64", "65472 in all are not allowed; expected at most 1,955"),
        ("topology = 'clusters:3x3'\nnodes = 4", "expected 9 as the clusters have"),
        ("nodes = 2\nwithout = 99", "without: 99 is not allowed; expected a line of the listing"),
        ("nodes = 2\ncells = 0", "expected 1 to 65,535"),
        ("nodes = 2\ncells = 2\nplacement = ['p1', 'p2', 'p1']", "3 nodes are not allowed; expected 2"),
        ("nodes = 2\nrange = '3/2'", "range: 3/2 is not allowed"),
        ("nodes = 2\nper_cell = -1", "from 0 to 1"),
        ("nodes = 2\nblocking = 1", "true or false"),
        ("", "nodes: missing; expected 1 to 1,023"),
        ("nodes = ", "not TOML"),
    ];
    for (rest, says) in cases {
        let problems = parse("x", &format!("{head}{rest}")).err().unwrap();
        assert_eq!(problems.len(), 1, "{rest}: {problems:#?}");
        assert!(problems[0].message.contains(says), "{}", problems[0]);
    }
}

#[test]
fn explicit_parents_names_and_clusters_are_read() {
    let head = "title='x'\nabout='x'\nalgorithm='alien'\n";
    let text = format!("{head}nodes=3\nnames=['a','b','c']\nparents={{ a='c', b='c' }}\nthink='const:1'\nrequests=2");
    let scenario = parse("x", &text).unwrap();
    assert_eq!(scenario.setup.parents.iter().map(|p| p.0).collect::<Vec<_>>(), [2, 2, 2]);
    let scenario = parse("x", &format!("{head}topology='clusters:2x3'")).unwrap();
    assert_eq!(scenario.setup.clusters, [0, 0, 0, 1, 1, 1]);
}

#[test]
fn huge_files_are_refused_before_they_are_read() {
    let problems = parse("huge", &"a".repeat(10 << 20)).err().unwrap();
    assert_eq!(problems[0].message, "The file has 10240 KB; expected at most 256 KB.");
    let problems = Link::decode(&"v=1&".repeat(20_000)).err().unwrap();
    assert_eq!(problems, ["The link has 79 KB; expected at most 64 KB."]);
}

#[test]
fn deep_nesting_is_no_danger() {
    assert!(parse("deep", &"a = ".to_owned().chars().chain("[".repeat(100_000).chars()).collect::<String>()).is_err());
    assert!(parse("deep", &"[a.".repeat(50_000)).is_err());
    assert!(parse("deep", &format!("title = {}", "{ a = ".repeat(20_000))).is_err());
}

#[test]
fn every_truncation_of_the_library_is_survived() {
    for (id, text) in LIBRARY {
        for end in (0..text.len()).step_by(7).filter(|i| text.is_char_boundary(*i)) {
            if let Ok(scenario) = parse(id, &text[..end]) {
                scenario.play();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbage_never_panics(text in ".{0,300}") {
        if let Err(problems) = parse("garbage", &text) {
            prop_assert!(!problems.is_empty());
        }
        if let Err(problems) = Link::decode(&text) {
            prop_assert!(!problems.is_empty());
        }
    }

    #[test]
    fn bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Err(problems) = parse("bytes", &String::from_utf8_lossy(&bytes)) {
            prop_assert!(!problems.is_empty());
        }
    }

    #[test]
    fn a_damaged_figure_never_panics(which in 0usize..LIBRARY.len(), at in 0usize..9_000, cut in 0usize..40, put in "[\\[\\]{}\"=.,a-z0-9→ \\n]{0,6}") {
        let text = LIBRARY[which].1;
        let mut chars: Vec<char> = text.chars().collect();
        let at = at.min(chars.len());
        let end = (at + cut).min(chars.len());
        chars.splice(at..end, put.chars());
        if let Ok(scenario) = parse("damaged", &chars.into_iter().collect::<String>()) {
            scenario.play();
        }
    }

    #[test]
    fn a_damaged_saved_run_never_panics(at in 0usize..400, cut in 0usize..40, put in "[\\[\\]{}\"=:,&a-z0-9 ]{0,6}") {
        let scenario = parse("x", LIBRARY[0].1).unwrap();
        let player = scenario.play().player;
        let link = Link::of(scenario.algorithm, &*player, &scenario.timing).encode();
        let mut chars: Vec<char> = trace::json("alien", &link, &[player.frame()]).chars().collect();
        let at = at.min(chars.len());
        let end = (at + cut).min(chars.len());
        chars.splice(at..end, put.chars());
        match Given::of(&chars.into_iter().collect::<String>()) {
            Ok(Given::Address(address)) => drop(Link::decode(&address).map(|link| link.open())),
            Ok(Given::Scenario(text)) => prop_assert!(parse("damaged", &text).is_err()),
            Err(why) => prop_assert!(why.ends_with('.')),
        }
    }

    #[test]
    fn a_damaged_link_never_panics(at in 0usize..200, cut in 0usize..10, put in "[&=.:*%@a-z0-9]{0,6}") {
        let text = "v=1&a=alien&piggyback=true&variant=v1&n=3&t=4.2.2&top=chain&net=fifo&load=by-hand&section=const:0.5&delay=const:0.1&seed=1&c=0*3.2.3&at=4";
        let mut chars: Vec<char> = text.chars().collect();
        let at = at.min(chars.len());
        let end = (at + cut).min(chars.len());
        chars.splice(at..end, put.chars());
        match Link::decode(&chars.into_iter().collect::<String>()) {
            Ok(link) => drop(link.open()),
            Err(problems) => prop_assert!(!problems.is_empty()),
        }
    }
}
