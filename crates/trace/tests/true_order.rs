//! Random executions with a known happens-before: whatever lines are missing, the judge never says
//! ordered, overlap or luck where it is not true.

use lockstep_trace::{LogInput, PairOrder, ReadOptions, judge, read};
use std::fmt::Write;

/// A small generator of random numbers (SplitMix64): tests need no more.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Debug)]
enum Happens {
    Enter,
    Exit,
    Send { to: usize, message: usize },
    Recv { from: usize, message: usize },
}

/// An event of the true execution, with its vector clock.
#[derive(Clone, Debug)]
struct TrueEvent {
    node: usize,
    what: Happens,
    clock: Vec<u32>,
}

struct Execution {
    nodes: usize,
    fifo: bool,
    events: Vec<TrueEvent>,
    /// The kind of each message.
    kinds: Vec<usize>,
}

fn execute(random: &mut Random) -> Execution {
    let nodes = 2 + random.below(3);
    let fifo = random.chance(60);
    let loss = [0, 0, 20][random.below(3)];
    let steps = 8 + random.below(28);
    let mut clocks = vec![vec![0u32; nodes]; nodes];
    let mut inside = vec![false; nodes];
    let (mut events, mut kinds) = (Vec::new(), Vec::new());
    // messages in flight: receiver, sender, number, clock
    let mut flights: Vec<(usize, usize, usize, Vec<u32>)> = Vec::new();
    for _ in 0..steps {
        let node = random.below(nodes);
        let mine: Vec<usize> = (0..flights.len()).filter(|at| flights[*at].0 == node).collect();
        let what = if !mine.is_empty() && random.chance(45) {
            let mut at = mine[random.below(mine.len())];
            if fifo {
                // the oldest of the same sender and kind
                let (_, from, number, _) = flights[at];
                at = mine
                    .iter()
                    .copied()
                    .find(|other| flights[*other].1 == from && kinds[flights[*other].2] == kinds[number])
                    .unwrap_or(at);
            }
            let (_, from, message, clock) = flights.remove(at);
            if random.chance(loss) {
                continue;
            }
            clocks[node].iter_mut().zip(&clock).for_each(|(mine, other)| *mine = (*mine).max(*other));
            Happens::Recv { from, message }
        } else if random.chance(45) {
            inside[node] = !inside[node];
            if inside[node] { Happens::Enter } else { Happens::Exit }
        } else {
            let to = (node + 1 + random.below(nodes - 1)) % nodes;
            kinds.push(random.below(2));
            Happens::Send { to, message: kinds.len() - 1 }
        };
        clocks[node][node] += 1;
        if let Happens::Send { to, message } = what {
            flights.push((to, node, message, clocks[node].clone()));
        }
        events.push(TrueEvent { node, what, clock: clocks[node].clone() });
    }
    Execution { nodes, fifo, events, kinds }
}

/// The log of an execution with lines and details removed. Returns the lines and, for each line,
/// the true event.
fn write_log(random: &mut Random, run: &Execution) -> (String, Vec<usize>) {
    let ids = random.chance(30);
    let senders = [100, 100, 0, 50][random.below(4)];
    let lost_receives = [0, 0, 15, 40][random.below(4)];
    // without ids, the sends of a kind have all their lines or none
    let silent_kind = [None, None, Some(0), Some(1)][random.below(4)];
    let lost_sends = if ids { [0, 0, 25][random.below(3)] } else { 0 };
    let shuffled = random.chance(50);
    let mut lines: Vec<(usize, String)> = Vec::new();
    // a message without any line is only allowed where the log says that it is not complete
    let mut has_line = vec![false; run.kinds.len()];
    for (at, event) in run.events.iter().enumerate() {
        let mut line = format!("{{\"node\":\"n{}\",", event.node);
        match &event.what {
            Happens::Enter => line += "\"event\":\"enter\"",
            Happens::Exit => line += "\"event\":\"exit\"",
            Happens::Send { to, message } => {
                if random.chance(lost_sends) || silent_kind == Some(run.kinds[*message]) {
                    continue;
                }
                has_line[*message] = true;
                write!(line, "\"event\":\"send\",\"to\":\"n{to}\",\"kind\":\"k{}\"", run.kinds[*message]).unwrap();
                if ids {
                    write!(line, ",\"id\":{message}").unwrap();
                }
            }
            Happens::Recv { from, message } => {
                if random.chance(lost_receives) {
                    continue;
                }
                has_line[*message] = true;
                write!(line, "\"event\":\"recv\",\"kind\":\"k{}\"", run.kinds[*message]).unwrap();
                if random.chance(senders) {
                    write!(line, ",\"from\":\"n{from}\"").unwrap();
                }
                if ids {
                    write!(line, ",\"id\":{message}").unwrap();
                }
            }
        }
        lines.push((at, line + "}"));
    }
    if shuffled {
        // lines of different nodes in any order, those of one node in theirs
        let mut queues: Vec<Vec<(usize, String)>> = vec![Vec::new(); run.nodes];
        for line in lines.drain(..).rev() {
            queues[run.events[line.0].node].push(line);
        }
        while queues.iter().any(|queue| !queue.is_empty()) {
            let node = random.below(run.nodes);
            lines.extend(queues[node].pop());
        }
    }
    let received = |message: &usize| {
        run.events.iter().any(|event| matches!(event.what, Happens::Recv { message: of, .. } if of == *message))
    };
    let hidden = (0..has_line.len()).any(|message| !has_line[message] && received(&message));
    let names: Vec<String> = (0..run.nodes).map(|node| format!("\"n{node}\"")).collect();
    let complete = match () {
        () if hidden => ",\"complete\":false",
        () if lost_receives == 0 && lost_sends == 0 && silent_kind.is_none() && random.chance(50) => {
            ",\"complete\":true"
        }
        () => "",
    };
    let mut text =
        format!("{{\"lockstep\":\"log\",\"nodes\":[{}],\"fifo\":{}{complete}}}\n", names.join(","), run.fifo);
    for (_, line) in &lines {
        text += line;
        text.push('\n');
    }
    (text, lines.into_iter().map(|(at, _)| at).collect())
}

fn cases() -> u64 {
    if std::env::var_os("LOCKSTEP_DEEP").is_some() { 20_000 } else { 2_000 }
}

#[test]
fn nothing_is_said_that_is_not_true() {
    let mut said = [0usize; 6];
    for case in 0..cases() {
        let mut random = Random(case);
        let run = execute(&mut random);
        let (text, origin) = write_log(&mut random, &run);
        let judgement = judge(read(vec![LogInput::new("log", text.as_str())], &ReadOptions::default())).unwrap();
        let known = |message: &str| message.starts_with("No line says when a section ends");
        let strange = judgement.log.problems.iter().find(|problem| !known(&problem.message));
        assert!(strange.is_none(), "case {case}: {strange:?}\n{text}");
        // line 1 is the header
        let event = |at: u32| &run.events[origin[judgement.log.events[at as usize].line as usize - 2]];
        let before = |a: u32, b: u32| {
            let (a, b) = (event(a), event(b));
            a.clock[a.node] <= b.clock[a.node]
        };
        let list = &judgement.sections.list;
        for a in 0..list.len() {
            for b in a + 1..list.len() {
                let Some(order) = judgement.pair(a, b) else { continue };
                said[order as usize] += 1;
                let (first, second) = (&list[a], &list[b]);
                let leads = |exit: Option<u32>, enter: u32| exit.is_some_and(|exit| before(exit, enter));
                let ordered = leads(first.end.event(), second.enter) || leads(second.end.event(), first.enter);
                let until = |enter: u32, exit: Option<u32>| exit.is_none_or(|exit| before(enter, exit));
                let overlap = until(first.enter, second.end.event()) && until(second.enter, first.end.event());
                let right = match order {
                    PairOrder::Ordered => ordered,
                    PairOrder::Overlap => overlap,
                    PairOrder::Luck => !ordered,
                    _ => true,
                };
                let pair = judgement.pair_phrase(a, b);
                assert!(right, "case {case}: {} is not true of {pair}\n{text}", order.name());
            }
        }
        // the sum over chains is the sum over pairs
        let pairs = (0..list.len()).flat_map(|a| (a + 1..list.len()).map(move |b| (a, b)));
        let counted = pairs.filter(|(a, b)| judgement.pair(*a, *b) == Some(PairOrder::Ordered)).count();
        assert_eq!(judgement.counts[PairOrder::Ordered as usize], counted, "case {case}\n{text}");
    }
    for order in [PairOrder::Overlap, PairOrder::Luck, PairOrder::Unproven, PairOrder::Ordered] {
        assert!(said[order as usize] > 200, "{} was said {} times", order.name(), said[order as usize]);
    }
    println!("{said:?}");
}
