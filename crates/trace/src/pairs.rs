//! Pairs of critical sections, and requests that overtake each other.

use crate::clocks;
use crate::judge::{JudgedPair, Judgement, LuckRule, OvertakenRequest, PairOrder};
use crate::possible::PossibleOrder;
use crate::section::{Section, SectionEnd};
use hashbrown::HashMap;
use std::cmp::Ordering;

/// The most pairs that are kept with their sections; further ones are only counted.
pub const MOST_PAIRS: usize = 10_000;
/// The most pairs that are compared to find those that must be examined.
const MOST_COMPARED: usize = 100_000_000;
/// The most pairs that are examined one by one.
const MOST_EXAMINED: usize = 2_000_000;
/// The most steps of all searches in the possible order.
const MOST_SEARCHED: usize = 200_000_000;

/// What is left of the work that may be done.
struct Budget {
    compared: usize,
    examined: usize,
    searched: usize,
}

/// Judges every pair of sections that must not overlap.
pub(crate) fn examine(judgement: &mut Judgement) {
    let mut groups: HashMap<(Option<u32>, Option<u32>), Vec<usize>> = HashMap::new();
    for (at, section) in judgement.sections.list.iter().enumerate() {
        let server = section.client.map(|_| section.node);
        groups.entry((section.lock, server)).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_unstable();
    let mut budget = Budget { compared: MOST_COMPARED, examined: MOST_EXAMINED, searched: MOST_SEARCHED };
    let mut tally = PairTally::default();
    for group in &mut groups {
        let rank = |at: &usize| judgement.order.rank[judgement.sections.list[*at].enter as usize];
        group.sort_by_key(rank);
        examine_group(judgement, group, &mut budget, &mut tally);
    }
    let enter = |at: usize| judgement.sections.list[at].enter;
    tally.pairs.sort_by_key(|pair| (pair.order, enter(pair.first).max(enter(pair.second)), enter(pair.first)));
    judgement.counts = tally.counts;
    judgement.pairs = tally.pairs;
    judgement.not_examined = tally.not_examined;
    judgement.skew.apart_up_to = tally.apart.map(|gap| gap / 2.0);
    judgement.skew.overlap_up_to = tally.overlap.map(|overlap| overlap / 2.0);
}

#[derive(Default)]
struct PairTally {
    counts: [usize; 6],
    pairs: Vec<JudgedPair>,
    not_examined: usize,
    /// The smallest gap between sections that only clocks can keep apart.
    apart: Option<f64>,
    /// The largest overlap by the clocks.
    overlap: Option<f64>,
}

impl PairTally {
    fn add(&mut self, judgement: &Judgement, first: usize, second: usize, order: PairOrder) {
        self.counts[order as usize] += 1;
        if order == PairOrder::Ordered {
            return;
        }
        let list = &judgement.sections.list;
        let (first, second) = if list[first].enter <= list[second].enter { (first, second) } else { (second, first) };
        if self.pairs.len() < MOST_PAIRS {
            self.pairs.push(JudgedPair { first, second, order });
        } else if let Some(worse) = self.pairs.iter_mut().rev().take(1).find(|pair| pair.order > order) {
            *worse = JudgedPair { first, second, order };
        }
        let (a, b) = (&list[first], &list[second]);
        let gap = [clocks::gap(&judgement.log, a, b), clocks::gap(&judgement.log, b, a)].into_iter().flatten();
        let gap = gap.fold(f64::NEG_INFINITY, f64::max);
        let by_clock = order == PairOrder::ByClock || clocks_decide(judgement, order);
        if by_clock && gap > 0.0 {
            self.apart = Some(self.apart.map_or(gap, |least| least.min(gap)));
        }
        if order == PairOrder::Overlap || observed_inside(judgement, a, b) {
            return; // certain whatever the clocks say
        }
        if let Some(overlap) = clocks::overlap(&judgement.log, a, b).filter(|overlap| *overlap > 0.0) {
            self.overlap = Some(self.overlap.map_or(overlap, |most| most.max(overlap)));
        }
    }
}

/// Judges the sections of one lock, in the order of their ranks.
///
/// Where each section happens before the next one, every pair is ordered. The list falls into such
/// chains; in a chain a search finds the first section that comes after a given one.
fn examine_group(judgement: &Judgement, group: &[usize], budget: &mut Budget, tally: &mut PairTally) {
    let list = &judgement.sections.list;
    let after = |a: usize, b: usize| {
        let exit = match list[a].end {
            SectionEnd::Exit(exit) | SectionEnd::Crash(exit) => exit,
            _ => return false,
        };
        judgement.order.before(exit, list[b].enter)
    };
    let uniform = group.iter().all(|at| list[*at].range.is_none() && !list[*at].reads && !list[*at].nested);
    let mut chains: Vec<&[usize]> = Vec::new();
    if uniform {
        chains.extend(group.chunk_by(|a, b| after(*a, *b)));
        tally.counts[PairOrder::Ordered as usize] +=
            chains.iter().map(|chain| chain.len() * (chain.len() - 1) / 2).sum::<usize>();
    } else {
        chains.extend(group.chunks(1));
    }
    // sections of the chains that follow
    let mut beyond = group.len();
    for (number, chain) in chains.iter().enumerate() {
        beyond -= chain.len();
        for a in *chain {
            let mut reach: Option<Vec<u32>> = None;
            let mut left = beyond;
            for later in &chains[number + 1..] {
                if budget.compared == 0 || budget.examined == 0 {
                    // what is left could be ordered; it is only counted
                    tally.not_examined += left;
                    break;
                }
                left -= later.len();
                let first = later.partition_point(|b| !after(*a, *b));
                budget.compared = budget.compared.saturating_sub(if uniform { 1 } else { later.len() });
                if uniform {
                    tally.counts[PairOrder::Ordered as usize] += later.len() - first;
                }
                let some = if uniform { &later[..first] } else { later };
                for b in some {
                    examine_pair(judgement, *a, *b, &mut reach, budget, tally);
                }
            }
        }
    }
    if uniform {
        // sections of one thread are no pairs
        let mut users: HashMap<(u32, Option<u32>, Option<u32>), usize> = HashMap::new();
        for at in group {
            *users.entry((list[*at].node, list[*at].thread, list[*at].client)).or_default() += 1;
        }
        let same: usize = users.values().map(|count| count * (count - 1) / 2).sum();
        let ordered = &mut tally.counts[PairOrder::Ordered as usize];
        *ordered = ordered.saturating_sub(same - unordered_of_one_user(list, group, &chains));
    }
}

/// Pairs of one thread that were not counted as ordered: an exit line is missing between them.
fn unordered_of_one_user(list: &[Section], group: &[usize], chains: &[&[usize]]) -> usize {
    if chains.len() <= 1 {
        return 0;
    }
    let mut of_user: HashMap<(u32, Option<u32>, Option<u32>), Vec<usize>> = HashMap::new();
    for at in group {
        of_user.entry((list[*at].node, list[*at].thread, list[*at].client)).or_default().push(*at);
    }
    // a section without an end comes before nothing
    let endless = |a: &usize| !matches!(list[*a].end, SectionEnd::Exit(_) | SectionEnd::Crash(_));
    let later = |sections: &Vec<usize>| -> usize {
        let broken = sections.iter().enumerate().filter(|(_, a)| endless(a));
        broken.map(|(at, _)| sections.len() - at - 1).sum()
    };
    of_user.values().map(later).sum()
}

/// Takes a pair from the budget; else it is only counted.
fn take(examined: &mut usize, tally: &mut PairTally) -> bool {
    let some = *examined > 0;
    *examined = examined.saturating_sub(1);
    tally.not_examined += usize::from(!some);
    some
}

fn examine_pair(
    judgement: &Judgement,
    a: usize,
    b: usize,
    reach: &mut Option<Vec<u32>>,
    budget: &mut Budget,
    tally: &mut PairTally,
) {
    let (first, second) = (&judgement.sections.list[a], &judgement.sections.list[b]);
    if first.same_user(second) && !(first.nested && second.nested) {
        if first.end != SectionEnd::Unknown {
            return;
        }
        // it entered again before it left, and an exit line is missing
        if take(&mut budget.examined, tally) {
            tally.add(judgement, a, b, PairOrder::Unproven);
        }
        return;
    }
    if !first.conflicts(second) || !take(&mut budget.examined, tally) {
        return;
    }
    let (possible, steps) = (&judgement.possible, judgement.possible.steps());
    let mut search = |event: u32| {
        if budget.searched < steps {
            return None; // everything is possible: never luck
        }
        budget.searched -= steps;
        Some(possible.reach(&judgement.order, event))
    };
    let exit = first.end.event();
    let reaches = |rows: &Option<Vec<u32>>, enter| {
        rows.as_ref().is_none_or(|rows| PossibleOrder::reaches(rows, &judgement.order, enter))
    };
    let order = order_of(judgement, first, second, &mut |event, enter| {
        if Some(event) != exit {
            return reaches(&search(event), enter);
        }
        if reach.is_none() {
            *reach = search(event);
        }
        reaches(reach, enter)
    });
    tally.add(judgement, a, b, order);
}

/// What the log proves about two sections that must not overlap. `could` says whether an event
/// could come before an entry, though it does not certainly; it is not called where nothing is
/// possible beyond what is certain.
pub(crate) fn order_of(
    judgement: &Judgement,
    a: &Section,
    b: &Section,
    could: &mut dyn FnMut(u32, u32) -> bool,
) -> PairOrder {
    let (log, order) = (&judgement.log, &judgement.order);
    let before =
        |first: &Section, second: &Section| first.end.event().is_some_and(|exit| order.before(exit, second.enter));
    let expired = |section: &Section| matches!(section.end, SectionEnd::Expired(_));
    // an expired lease ends with the grant to the next client at the latest
    let over = |first: &Section, second: &Section| {
        expired(first) && first.end.event().is_some_and(|end| end == second.enter || order.before(end, second.enter))
    };
    if over(a, b) || over(b, a) {
        return PairOrder::ByClock;
    }
    if before(a, b) || before(b, a) {
        return PairOrder::Ordered;
    }
    if a.nested && b.nested && a.same_user(b) {
        return PairOrder::Overlap;
    }
    let unknown = |section: &Section| section.end == SectionEnd::Unknown;
    let some_unknown = unknown(a) || unknown(b);
    let open = |section: &Section| section.end == SectionEnd::Open;
    // a thread that is inside when the log ends leaves after everything
    let until =
        |enter: u32, other: &Section| open(other) || other.end.event().is_some_and(|exit| order.before(enter, exit));
    if !some_unknown && until(a.enter, b) && until(b.enter, a) {
        return PairOrder::Overlap;
    }
    if observed_inside(judgement, a, b) {
        return PairOrder::OverlapObserved;
    }
    if let Some(skew) = log.header.skew
        && clocks::overlap(log, a, b).is_some_and(|overlap| at_least(overlap, 2.0 * skew))
    {
        return PairOrder::OverlapObserved;
    }
    if judgement.lamport.count == 0 && clocks::lamport_refutes(log, a, b) {
        return PairOrder::Luck;
    }
    if judgement.luck == LuckRule::Allowed && !some_unknown {
        let mut leads = |first: &Section, second: &Section| {
            !judgement.possible.exact && first.end.event().is_some_and(|exit| could(exit, second.enter))
        };
        if !leads(a, b) && !leads(b, a) {
            return PairOrder::Luck;
        }
    }
    if let Some(skew) = log.header.skew.filter(|_| clocks_decide(judgement, PairOrder::Unproven)) {
        let apart = |first, second| clocks::gap(log, first, second).is_some_and(|gap| at_least(gap, 2.0 * skew));
        if apart(a, b) || apart(b, a) {
            return PairOrder::ByClock;
        }
    }
    PairOrder::Unproven
}

/// Whether clocks could keep sections apart about which nothing else is known.
fn clocks_decide(judgement: &Judgement, order: PairOrder) -> bool {
    order == PairOrder::Unproven && judgement.luck == LuckRule::NoMessages
}

/// Whether one observer saw both inside at once.
fn observed_inside(judgement: &Judgement, a: &Section, b: &Section) -> bool {
    let log = &judgement.log;
    let observed = log.header.observed && log.events[a.enter as usize].file == log.events[b.enter as usize].file;
    let line = |section: &Section| section.end.event().unwrap_or(u32::MAX);
    let unknown = a.end == SectionEnd::Unknown || b.end == SectionEnd::Unknown;
    observed && !unknown && a.enter < line(b) && b.enter < line(a)
}

/// `a ≥ b`, where times such as 2.1 − 2.0 are a little less than 0.1; a touch is no gap.
fn at_least(a: f64, b: f64) -> bool {
    a > 0.0 && a + 1e-9 >= b
}

/// Finds requests that were made later and served earlier.
pub(crate) fn overtaking(judgement: &mut Judgement) {
    // a request, its entry if it has one, its lock, its user
    let order = &judgement.order;
    let served =
        judgement.sections.list.iter().filter_map(|s| Some((s.request?, Some(s.enter), s.lock, s.client.is_some())));
    let waiting = judgement.sections.waiting.iter().map(|w| {
        let lock = judgement.log.events[w.event as usize].lock;
        (w.event, None, lock, w.client.is_some())
    });
    let mut requests: Vec<_> = served.chain(waiting).collect();
    requests.sort_by_key(|(request, ..)| order.rank[*request as usize]);
    let rank = |event: Option<u32>| event.map_or(u32::MAX, |event| order.rank[event as usize]);
    let mut budget = MOST_EXAMINED;
    let mut found = Vec::new();
    let (mut most, mut all) = (0, 0);
    for (at, (request, enter, lock, server)) in requests.iter().enumerate() {
        let mut times = 0;
        for (other, other_enter, other_lock, other_server) in &requests[at + 1..] {
            if rank(Some(*other)).cmp(&rank(*enter)) == Ordering::Greater || budget == 0 {
                break; // requested after this one was served
            }
            budget -= 1;
            let Some(entered) = other_enter else { continue };
            let first = enter.is_none_or(|enter| order.before(*entered, enter));
            if lock == other_lock && server == other_server && order.before(*request, *other) && first {
                times += 1;
                if found.len() < MOST_PAIRS {
                    found.push(OvertakenRequest { request: *request, by: *other });
                }
            }
        }
        most = most.max(times);
        all += times;
    }
    judgement.overtaken = found;
    judgement.overtaken_at_most = most;
    judgement.order_of_requests_broken = all;
}
