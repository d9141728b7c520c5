//! Every puzzle can be solved in par steps and not in fewer; wrong solutions are refused.

use crate::reports::wrap;
use lockstep_check::{Puzzle, find_puzzle, puzzles};
use lockstep_kernel::explore::Search;
use lockstep_kernel::history::Player;
use lockstep_scenario::library::GROUPS;
use lockstep_scenario::link::Link;
use lockstep_tests::documents::assert_current;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A shortest solution, by exhaustive search.
fn solve(puzzle: &Puzzle) -> Option<Vec<lockstep_kernel::Event>> {
    let (entry, setup, bounds) = puzzle.system().unwrap_or_else(|why| panic!("{}: {why:?}", puzzle.id));
    let ended = Search::new((entry.drive.system)(setup), &bounds, puzzle.goal.clone(), u32::MAX).finish();
    ended.found.map(|found| found.events)
}

fn begin(puzzle: &Puzzle) -> Box<dyn Player> {
    Link::decode(&puzzle.link().expect("a beginning")).unwrap().open().unwrap()
}

#[test]
fn every_par_is_the_fewest_steps() {
    let wrong: Vec<String> = puzzles()
        .iter()
        .filter_map(|puzzle| {
            let Some(solution) = solve(puzzle) else { return Some(format!("{} cannot be solved", puzzle.id)) };
            let mut player = begin(puzzle);
            for event in &solution {
                assert_eq!(puzzle.solved(&*player), None, "{}: solved too early", puzzle.id);
                assert!(puzzle.possible(&*player).contains(event), "{}", puzzle.id);
                player.pick(*event).expect("it is possible");
            }
            assert_eq!(puzzle.solved(&*player), Some(solution.len()), "{}", puzzle.id);
            (solution.len() != puzzle.par).then(|| format!("{}: par is {}", puzzle.id, solution.len()))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn there_are_enough_and_they_get_harder() {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let all = puzzles();
    for pair in all.windows(2) {
        assert!(pair[0].group != pair[1].group || pair[0].level <= pair[1].level, "{}", pair[1].id);
    }
    for puzzle in &all {
        *count.entry(puzzle.group.paper).or_default() += 1;
        assert_eq!(find_puzzle(puzzle.id).unwrap().title, puzzle.title);
        assert_eq!(all.iter().filter(|p| p.id == puzzle.id).count(), 1);
    }
    for group in GROUPS {
        assert!(count[group.paper] >= 3, "{} has {} puzzles", group.paper, count[group.paper]);
    }
}

#[test]
fn what_the_puzzle_does_not_allow_is_no_solution() {
    let puzzle = find_puzzle("given-away").unwrap();
    let other = find_puzzle("open-door").unwrap();
    let mut player = begin(&puzzle);
    for event in solve(&puzzle).expect("a solution") {
        player.pick(event);
    }
    assert_eq!((puzzle.solved(&*player), other.solved(&*player)), (Some(puzzle.par), None));
    // a detour costs steps, a fault is not allowed, and a solution that was gone back from is none
    let crash = player.enabled().iter().find(|p| p.title == "p1 crashes").unwrap().event;
    let mut faulty = begin(&puzzle);
    faulty.pick(crash);
    assert!(!puzzle.possible(&*begin(&puzzle)).contains(&crash) && puzzle.possible(&*faulty).is_empty());
    player.seek(0);
    assert_eq!(puzzle.solved(&*player), None);
    assert!(find_puzzle("nothing").unwrap_err().contains("given-away"));
}

#[test]
fn the_puzzles_are_documented() {
    let mut page = include_str!("puzzles.head.md").to_owned();
    for puzzle in puzzles() {
        let level = format!("{:?}", puzzle.level).to_lowercase();
        let group = puzzle.group;
        let paper = if group.source.is_empty() { group.title } else { group.source };
        writeln!(page, "\n## {}\n\n`{}`; {paper}; {level}; par {}\n", puzzle.title, puzzle.id, puzzle.par).unwrap();
        let system = puzzle.check.command().replace("lockstep check ", "");
        writeln!(page, "{}\n\n`{system}`\n", wrap(puzzle.task)).unwrap();
        writeln!(page, "<details><summary>Hint</summary>\n{}\n</details>", wrap(puzzle.hint)).unwrap();
    }
    assert_current("docs/puzzles.md", &page);
}
