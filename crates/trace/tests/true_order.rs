//! Random executions with a known happens-before: whatever lines are missing, the judge never says
//! ordered, overlap or luck where it is not true.

use lockstep_trace::judge::OvertakenRequest;
use lockstep_trace::section::SectionEnd;
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
    Request,
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
    /// The true Lamport clock.
    lamport: u32,
    /// The true time.
    time: f64,
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
    // without any message, only clocks say something
    let silent = random.chance(10);
    let mut clocks = vec![vec![0u32; nodes]; nodes];
    let mut lamport = vec![0u32; nodes];
    let mut inside = vec![false; nodes];
    let (mut events, mut kinds) = (Vec::new(), Vec::new());
    // messages in flight: receiver, sender, number, clock
    let mut flights: Vec<(usize, usize, usize, Vec<u32>, u32)> = Vec::new();
    for step in 0..steps {
        let node = random.below(nodes);
        let mine: Vec<usize> = (0..flights.len()).filter(|at| flights[*at].0 == node).collect();
        let what = if !mine.is_empty() && random.chance(45) {
            let mut at = mine[random.below(mine.len())];
            if fifo {
                // the oldest of the same sender and kind
                let (_, from, number, ..) = flights[at];
                at = mine
                    .iter()
                    .copied()
                    .find(|other| flights[*other].1 == from && kinds[flights[*other].2] == kinds[number])
                    .unwrap_or(at);
            }
            let (_, from, message, clock, sent) = flights.remove(at);
            if random.chance(loss) {
                continue;
            }
            clocks[node].iter_mut().zip(&clock).for_each(|(mine, other)| *mine = (*mine).max(*other));
            lamport[node] = lamport[node].max(sent);
            Happens::Recv { from, message }
        } else if random.chance(10) {
            Happens::Request
        } else if silent || random.chance(45) {
            inside[node] = !inside[node];
            if inside[node] { Happens::Enter } else { Happens::Exit }
        } else {
            let to = (node + 1 + random.below(nodes - 1)) % nodes;
            kinds.push(random.below(2));
            Happens::Send { to, message: kinds.len() - 1 }
        };
        clocks[node][node] += 1;
        lamport[node] += 1;
        if let Happens::Send { to, message } = what {
            flights.push((to, node, message, clocks[node].clone(), lamport[node]));
        }
        let (clock, time) = (clocks[node].clone(), step as f64);
        events.push(TrueEvent { node, what, clock, lamport: lamport[node], time });
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
    let lost_sections = [0, 0, 20][random.below(3)];
    // a stamp is the sender's clock at the send; node clocks and wall clocks are at every line
    let (stamps, lamports) = (random.chance(30), random.chance(30));
    let skew = [None, None, Some(0.0), Some(0.4), Some(3.0)][random.below(5)];
    let sent: Vec<u32> = (0..run.kinds.len())
        .map(|message| {
            let sends = |e: &&TrueEvent| matches!(e.what, Happens::Send { message: of, .. } if of == message);
            run.events.iter().find(sends).map_or(0, |send| send.lamport)
        })
        .collect();
    let mut lines: Vec<(usize, String)> = Vec::new();
    // a message without any line is only allowed where the log says that it is not complete
    let mut has_line = vec![false; run.kinds.len()];
    for (at, event) in run.events.iter().enumerate() {
        let mut line = format!("{{\"node\":\"n{}\",", event.node);
        if !matches!(event.what, Happens::Send { .. } | Happens::Recv { .. }) && random.chance(lost_sections) {
            continue;
        }
        match &event.what {
            Happens::Request => line += "\"event\":\"request\"",
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
        if let Happens::Send { message, .. } | Happens::Recv { message, .. } = event.what
            && stamps
        {
            write!(line, ",\"stamp\":{}", sent[message]).unwrap();
        }
        if lamports {
            write!(line, ",\"lamport\":{}", event.lamport).unwrap();
        }
        if let Some(skew) = skew {
            let wrong = (random.below(2_001) as f64 / 1_000.0 - 1.0) * skew;
            write!(line, ",\"time\":{}", event.time + wrong).unwrap();
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
    let skew = skew.map_or_else(String::new, |skew| format!(",\"skew\":{skew}"));
    let mut text =
        format!("{{\"lockstep\":\"log\",\"nodes\":[{}],\"fifo\":{}{complete}{skew}}}\n", names.join(","), run.fifo);
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
        let missing =
            ["No line says when a section ends", "enters again before it leaves", "leaves without having entered"];
        let known = |message: &str| missing.iter().any(|known| message.contains(known));
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
                if list[a].same_user(&list[b]) {
                    continue; // lines about its own sections are missing
                }
                said[order as usize] += 1;
                let (first, second) = (&list[a], &list[b]);
                let leads = |exit: Option<u32>, enter: u32| exit.is_some_and(|exit| before(exit, enter));
                let ordered = leads(first.end.event(), second.enter) || leads(second.end.event(), first.enter);
                let until = |enter: u32, exit: Option<u32>| exit.is_none_or(|exit| before(enter, exit));
                let overlap = until(first.enter, second.end.event()) && until(second.enter, first.end.event());
                let time = |event_of: u32| event(event_of).time;
                let ends = [first.end.event().map(time), second.end.event().map(time)];
                let (enters, never) = ([time(first.enter), time(second.enter)], f64::INFINITY);
                let apart = ends[0].is_some_and(|end| end <= enters[1]) || ends[1].is_some_and(|end| end <= enters[0]);
                let met = ends[0].unwrap_or(never) >= enters[1] && ends[1].unwrap_or(never) >= enters[0];
                let right = match order {
                    PairOrder::OverlapObserved => met,
                    PairOrder::ByClock => apart,
                    PairOrder::Ordered => ordered,
                    PairOrder::Overlap => overlap,
                    PairOrder::Luck => !ordered,
                    PairOrder::Unproven => true,
                };
                let pair = judgement.pair_phrase(a, b);
                assert!(right, "case {case}: {} is not true of {pair}\n{text}", order.name());
            }
        }
        // the sum over chains is the sum over pairs
        let mut counted = [0; 6];
        for (a, b) in (0..list.len()).flat_map(|a| (a + 1..list.len()).map(move |b| (a, b))) {
            // a thread that enters again without an exit line: when its section ended is unknown
            let again = list[a].same_user(&list[b]) && list[a].end == SectionEnd::Unknown;
            match judgement.pair(a, b) {
                Some(order) => counted[order as usize] += 1,
                None if again => counted[PairOrder::Unproven as usize] += 1,
                None => {}
            }
        }
        assert_eq!(judgement.counts, counted, "case {case}\n{text}");
        for OvertakenRequest { request, by } in &judgement.overtaken {
            assert!(before(*request, *by), "case {case}: the request was not made earlier\n{text}");
        }
    }
    let rare = [PairOrder::OverlapObserved, PairOrder::ByClock];
    for order in PairOrder::ALL {
        let least = if rare.contains(&order) { 20 } else { 200 };
        assert!(said[order as usize] > least, "{} was said {} times", order.name(), said[order as usize]);
    }
    println!("{said:?}");
}
