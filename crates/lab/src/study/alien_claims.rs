//! The claims of Meza, Pérez and Eterovic 2005 (§2.4, §3, §4.2, §6), each decided from runs.

use super::claim::{ClaimTest, StudyClaim, alike, all, less, scaled, shown};
use super::data::{AxisSample, Data, Metric, messages, plain, waiting};
use crate::{Mean, Record};

const LIGHT: f64 = 0.1;
const HIGH: f64 = 0.9;

/// The grid of the study, by line and place.
struct LoadGrid<'a> {
    data: &'a Data,
    threads: Vec<String>,
    rates: Vec<String>,
}

type LoadFilter = fn(f64) -> bool;

fn light(rate: f64) -> bool {
    rate <= LIGHT + 1e-9
}

fn high(rate: f64) -> bool {
    rate >= HIGH - 1e-9
}

fn any(_: f64) -> bool {
    true
}

impl LoadGrid<'_> {
    fn at(&self, algorithm: &str, threads: &str, rate: &str) -> Option<&Record> {
        self.data.one("load", &[("algorithm", algorithm), ("threads", threads), ("rate", rate)])
    }

    fn mean(&self, metric: Metric, algorithm: &str, threads: &str, rate: &str) -> Option<Mean> {
        self.at(algorithm, threads, rate).map(metric)
    }

    /// A test at every point of the grid; the claim is made for these loads and thread counts.
    fn tests(
        &self,
        load: LoadFilter,
        for_threads: &[&str],
        holds: impl Fn(&str, &str) -> Option<bool>,
    ) -> Vec<ClaimTest> {
        let mut tests = Vec::new();
        for t in self.threads.iter().filter(|t| for_threads.is_empty() || for_threads.contains(&t.as_str())) {
            for rate in &self.rates {
                let claimed =
                    load(rate.parse().unwrap_or(0.0)) && (for_threads.is_empty() || for_threads.contains(&t.as_str()));
                tests.push(ClaimTest { group: format!("T = {t}"), x: rate.clone(), claimed, holds: holds(t, rate) });
            }
        }
        tests
    }

    /// Whether one algorithm is below another.
    fn below(&self, metric: Metric, a: &str, b: &str, t: &str, rate: &str) -> Option<bool> {
        less(self.mean(metric, a, t, rate)?, self.mean(metric, b, t, rate)?)
    }

    /// A metric of some algorithms at the first or the last rate of a load, for every thread count.
    fn numbers(&self, metric: Metric, algorithms: &[&str], load: LoadFilter) -> String {
        let here = |r: &&String| load(r.parse().unwrap_or(0.0));
        let rate = if load(0.0) { self.rates.iter().find(here) } else { self.rates.iter().rev().find(here) };
        let Some(rate) = rate else { return String::new() };
        let at = |t: &String| {
            let of = |a: &&str| Some(format!("{a} {}", shown(self.mean(metric, a, t, rate)?)));
            format!("T = {t}: {}", algorithms.iter().filter_map(of).collect::<Vec<_>>().join(", "))
        };
        format!("at λ = {rate}, {}", self.threads.iter().map(at).collect::<Vec<_>>().join("; "))
    }
}

/// All claims, in the order of the list.
pub fn claims(data: &Data) -> Vec<StudyClaim> {
    let grid = LoadGrid { data, threads: data.labels("load", "threads"), rates: data.labels("load", "rate") };
    let mut claims = paths(&grid);
    claims.extend(figure_3(&grid));
    claims.extend(more_threads(&grid));
    claims.extend(conclusions(&grid));
    claims.push(safety(data));
    claims
}

fn paths(g: &LoadGrid) -> Vec<StudyClaim> {
    let seen = |name: &str| g.data.observed.get(name).copied();
    let off = |variant: &str, what: &str| {
        let sum = |suffix: &str| {
            Some(seen(&format!("{variant} light {what}{suffix}"))? + seen(&format!("{variant} high {what}{suffix}"))?)
        };
        sum(" off the tree").zip(sum(""))
    };
    let words = |o: Option<(f64, f64)>| {
        o.map_or(String::new(), |(off, all)| format!("{off} of {all} token messages leave the initial tree"))
    };
    let v1 = off("v1", "tokens");
    let v1_stays = v1.zip(off("v1", "requests")).map(|((t, n), (r, _))| n > 0.0 && t == 0.0 && r == 0.0);
    let v2 = off("v2", "tokens");
    let piggyback = g.data.settings.switch("piggyback") == "true";
    let spared = |r: &Record| {
        let of = |kind: &str| r.summary.messages_by_kind.iter().find(|(k, _)| k == kind).map_or(0.0, |(_, n)| *n);
        plain(1.0 - of("request") / of("token").max(1.0))
    };
    let pending = |t: &str, rate: &str| {
        let share = g.mean(spared, "v1", t, rate)?.mean;
        piggyback.then_some(share >= 0.99)
    };
    let raymond = g.data.along("raymond", &[("algorithm", "Raymond")], "rate");
    let same = |name: &'static str| {
        let of_v1 = |rate: &str| g.data.one("raymond", &[("algorithm", name), ("rate", rate)]);
        let test = move |s: &AxisSample| ClaimTest {
            group: format!("v1 {name}"),
            x: s.label.clone(),
            claimed: true,
            holds: of_v1(&s.label).map(|v1| {
                let (v1, raymond) = (&v1.summary, &s.record.summary);
                v1.messages_per_entry == raymond.messages_per_entry && v1.waiting == raymond.waiting
            }),
        };
        raymond.iter().map(test).collect::<Vec<_>>()
    };
    let like_raymond: Vec<ClaimTest> =
        same("with piggybacking").into_iter().chain(same("without piggybacking")).collect();
    let at_most = g.data.one("limits", &[("algorithm", "v1"), ("threads", "1"), ("rate", "100.0")]);
    let extreme = at_most.map_or(String::new(), |r| format!("; at λ = 100, T = 1: {}", shown(spared(r))));
    let pending_tests = if piggyback { g.tests(high, &[], pending) } else { Vec::new() };
    vec![
        StudyClaim::new("1", "§2.4", "v1: the token returns along the route of the requests.")
            .by("In one run each at λ = 0.05 and λ = 1, no request and no token may leave the edges of the initial tree.")
            .ours(words(v1))
            .settled(v1_stays, "31 nodes, T = 1, λ = 0.05 and 1"),
        StudyClaim::new("2", "§2.4", "High load: requests are always pending along the token's route, so requesting it costs no message.")
            .by("At least 99 % of v1's token moves are not caused by a request message.")
            .ours(format!("{}{extreme}", g.numbers(spared, &["v1"], high)))
            .depends_on(&["piggyback"])
            .tested("λ", &pending_tests),
        StudyClaim::new("3", "§2.4", "v2: the tree changes, and the token may return along another route.")
            .by("In one run each at λ = 0.05 and λ = 1, some tokens must leave the edges of the initial tree.")
            .ours(words(v2))
            .settled(v2.map(|(off, _)| off > 0.0), "λ = 0.05 and 1, T = 1"),
        StudyClaim::new("4", "§4.2", "With one thread per node v1 behaves like Raymond's algorithm.")
            .by("With the same seed, messages per entry and all waiting times are equal to the last digit.")
            .ours(g.numbers(messages, &["v1", "Raymond"], any))
            .tested("λ", &like_raymond),
    ]
}

fn figure_3(g: &LoadGrid) -> Vec<StudyClaim> {
    let (m, w): (Metric, Metric) = (messages, waiting);
    let hops = |r: &Record| plain(r.summary.path_length.total / r.summary.path_length.paths);
    let sizes = g.data.labels("size", "n");
    let of_size = |name: &str, n: &str| g.data.one("size", &[("algorithm", name), ("n", n)]).map(messages);
    let fewer = |n: &String| ClaimTest {
        group: String::new(),
        x: n.clone(),
        claimed: true,
        holds: of_size("v2", n).zip(of_size("v1", n)).and_then(|(v2, v1)| less(v2, v1)),
    };
    let reversal: Vec<ClaimTest> = sizes.iter().map(fewer).collect();
    vec![
        StudyClaim::new("5", "§4.2", "Light load: v2 needs fewer messages than v1.")
            .by("Messages per entry of v2 below those of v1 for λ ≤ 0.1, on the paper's 31 nodes; claim 5n has other sizes.")
            .ours(g.numbers(m, &["v1", "v2"], light))
            .tested("λ", &g.tests(light, &[], |t, r| g.below(m, "v2", "v1", t, r))),
        StudyClaim::new("5n", "§4.2", "Light load: v2 needs fewer messages than v1, whatever the number of nodes.")
            .by("Isolated requests (0.02 per time unit from all nodes together) in complete binary trees: v1's messages grow like log n, v2's like √n, so the order must reverse.")
            .ours(sizes.iter().filter_map(|n| Some(format!("{n} nodes: v1 {}, v2 {}", shown(of_size("v1", n)?), shown(of_size("v2", n)?)))).collect::<Vec<_>>().join("; "))
            .tested_everywhere("n", &reversal),
        StudyClaim::new("6", "§4.2", "Light load: Mueller's algorithm needs the fewest messages.")
            .by("Messages per entry of Mueller below both others for λ ≤ 0.1.")
            .ours(g.numbers(m, &["Mueller", "v1", "v2"], light))
            .depends_on(&["reading"])
            .tested(
                "λ",
                &g.tests(light, &[], |t, r| {
                    all(&[g.below(m, "Mueller", "v1", t, r), g.below(m, "Mueller", "v2", t, r)])
                }),
            ),
        StudyClaim::new("7", "§4.2", "Waiting: v2 is better than v1 under all loads.")
            .by("Waiting per entry of v2 below that of v1 for every λ.")
            .ours(format!("{}; {}", g.numbers(w, &["v1", "v2"], light), g.numbers(w, &["v1", "v2"], high)))
            .tested_everywhere("λ", &g.tests(any, &[], |t, r| g.below(w, "v2", "v1", t, r))),
        StudyClaim::new("8", "§4.2", "Waiting, one thread per node: Mueller is better than both.")
            .by("Waiting per entry of Mueller below both others for every λ, T = 1.")
            .ours(format!(
                "{}; {}",
                g.numbers(w, &["Mueller", "v1", "v2"], light),
                g.numbers(w, &["Mueller", "v1", "v2"], high)
            ))
            .depends_on(&["reading"])
            .tested_everywhere(
                "λ",
                &g.tests(any, &["1"], |t, r| {
                    all(&[g.below(w, "Mueller", "v1", t, r), g.below(w, "Mueller", "v2", t, r)])
                }),
            ),
        StudyClaim::new("9", "§4.2", "High load: v1 and v2 need almost the same number of messages.")
            .by("Messages per entry differ by at most 10 % for λ ≥ 0.9.")
            .ours(g.numbers(m, &["v1", "v2"], high))
            .tested("λ", &g.tests(high, &[], |t, r| alike(g.mean(m, "v1", t, r)?, g.mean(m, "v2", t, r)?, 0.1))),
        StudyClaim::new(
            "10",
            "§4.2",
            "The reason: the first host that a request reaches has already requested the token.",
        )
        .by("The mean path of a request of v2 is at most 1.05 hops for λ ≥ 0.9.")
        .ours(g.numbers(hops, &["v2"], high))
        .tested("λ", &g.tests(high, &[], |t, r| Some(g.mean(hops, "v2", t, r)?.mean <= 1.05))),
        StudyClaim::new("11", "§4.2", "High load: very few messages.")
            .by("Read as less than one message per entry, v1 and v2, for λ ≥ 0.9.")
            .ours(g.numbers(m, &["v1", "v2"], high))
            .depends_on(&["piggyback"])
            .tested("λ", &g.tests(high, &[], |t, r| all(&["v1", "v2"].map(|a| less(g.mean(m, a, t, r)?, plain(1.0)))))),
        StudyClaim::new("12", "§4.2", "High load: both need fewer messages than Mueller.")
            .by("Messages per entry of v1 and of v2 below Mueller's for λ ≥ 0.9.")
            .ours(g.numbers(m, &["v1", "v2", "Mueller"], high))
            .depends_on(&["piggyback", "reading"])
            .tested(
                "λ",
                &g.tests(high, &[], |t, r| {
                    all(&[g.below(m, "v1", "Mueller", t, r), g.below(m, "v2", "Mueller", t, r)])
                }),
            ),
    ]
}

fn more_threads(g: &LoadGrid) -> Vec<StudyClaim> {
    let (m, w): (Metric, Metric) = (messages, waiting);
    let quiet = |r: &Record| plain(r.summary.entries_without_message / r.summary.entries.max(1.0));
    let same_order = |t: &str, r: &str| {
        let kept = |metric: Metric| Some(g.below(metric, "v2", "v1", t, r)? == g.below(metric, "v2", "v1", "1", r)?);
        all(&[kept(m), kept(w)])
    };
    let alike_one = |metric: Metric, algorithm: &'static str| {
        move |t: &str, r: &str| alike(g.mean(metric, algorithm, t, r)?, g.mean(metric, algorithm, "1", r)?, 0.1)
    };
    let (v1_alike, v2_alike) = (alike_one(w, "v1"), alike_one(w, "v2"));
    let halved = |t: &str, r: &str| {
        let part = |a: &str| {
            let (many, one) = (g.mean(m, a, t, r)?, g.mean(m, a, "1", r)?);
            less(many, scaled(one, 0.5))
        };
        all(&[part("v1"), part("v2")])
    };
    let over =
        |t: &str| -> Vec<f64> { g.rates.iter().filter_map(|r| Some(g.mean(w, "Mueller", t, r)?.mean)).collect() };
    let per_threads = |claimed: &dyn Fn(&str) -> bool, holds: &dyn Fn(&str) -> Option<bool>| -> Vec<ClaimTest> {
        let test = |t: &String| ClaimTest { group: String::new(), x: t.clone(), claimed: claimed(t), holds: holds(t) };
        g.threads.iter().map(test).collect()
    };
    let rise = |t: &str| {
        let curve = over(t);
        let (first, last) = (*curve.first()?, *curve.last()?);
        Some(last / first)
    };
    // the steepest fifth of the axis
    let abrupt = |t: &str| {
        let curve = over(t);
        let fifth = (curve.len() / 5).max(1);
        let steepest = curve.windows(fifth + 1).map(|c| c[fifth] - c[0]).fold(0.0, f64::max);
        Some(rise(t)? >= 5.0 && steepest >= 0.5 * (curve.last()? - curve.first()?))
    };
    let slope = |t: &str| over(t).windows(2).map(|c| c[1] - c[0]).fold(0.0, f64::max);
    let before = |t: &str| g.threads.iter().position(|x| x == t).and_then(|i| g.threads.get(i.checked_sub(1)?));
    let rises: Vec<String> = g.threads.iter().filter_map(|t| Some(format!("T = {t}: {:.1} times", rise(t)?))).collect();
    let slopes: Vec<String> = g.threads.iter().map(|t| format!("T = {t}: {:.2}", slope(t))).collect();
    vec![
        StudyClaim::new("13", "§4.2", "More threads: v1 and v2 compare as they do with one.")
            .by("The version with fewer messages, and the one with less waiting, at T = 1 is the same at T = 5 and 10, at the same λ.")
            .ours(g.numbers(w, &["v1", "v2"], high))
            .tested_everywhere("λ", &g.tests(any, &["5", "10"], same_order)),
        StudyClaim::new("14", "§4.2", "Waiting is almost the same for every number of threads.")
            .by("Waiting of v1 and of v2 with T = 5 and 10 within 10 % of that with T = 1 at the same λ.")
            .ours(format!("{}; {}", g.numbers(w, &["v1", "v2"], light), g.numbers(w, &["v1", "v2"], high)))
            .tested_everywhere("λ", &g.tests(any, &["5", "10"], |t, r| all(&[v1_alike(t, r), v2_alike(t, r)]))),
        StudyClaim::new("15", "§4.2", "High load: messages fall strongly with the number of threads.")
            .by("Messages per entry of v1 and v2 with T = 5 and 10 less than half of those with T = 1, for λ ≥ 0.9.")
            .ours(g.numbers(m, &["v1", "v2"], high))
            .depends_on(&["piggyback"])
            .tested("λ", &g.tests(high, &["5", "10"], halved)),
        StudyClaim::new("16", "§4.2", "Most requests are served without any message.")
            .by("More than half of the requests of v1 and v2 send no message, T = 5 and 10, λ ≥ 0.9.")
            .ours(g.numbers(quiet, &["v1", "v2"], high))
            .tested("λ", &g.tests(high, &["5", "10"], |t, r| all(&["v1", "v2"].map(|a| Some(g.mean(quiet, a, t, r)?.mean > 0.5))))),
        StudyClaim::new("17", "§4.2", "Mueller: messages hardly depend on the number of threads.")
            .by("Messages per entry with T = 5 and 10 within 10 % of those with T = 1 at the same λ.")
            .ours(g.numbers(m, &["Mueller"], high))
            .depends_on(&["reading"])
            .tested("λ", &g.tests(any, &["5", "10"], alike_one(m, "Mueller"))),
        StudyClaim::new("18", "§4.2", "Mueller: waiting rises abruptly with load.")
            .by("It rises at least fivefold from the lightest to the heaviest load, and half of the rise lies within a fifth of the axis.")
            .ours(rises.join("; "))
            .depends_on(&["reading"])
            .tested("T", &per_threads(&|_| true, &abrupt)),
        StudyClaim::new("19", "§4.2", "Mueller: the more threads, the faster waiting rises.")
            .by("The largest step between neighbouring rates is larger than with the next smaller number of threads.")
            .ours(slopes.join("; "))
            .depends_on(&["reading"])
            .tested("T", &per_threads(&|t| t != "1", &|t| Some(slope(t) > slope(before(t)?)))),
    ]
}

fn conclusions(g: &LoadGrid) -> Vec<StudyClaim> {
    let (m, w): (Metric, Metric) = (messages, waiting);
    let both = |a: &str, b: &str, t: &str, r: &str| all(&[g.below(m, a, b, t, r), g.below(w, a, b, t, r)]);
    let split = |t: &str, r: &str| {
        let rate: f64 = r.parse().ok()?;
        if light(rate) {
            both("Mueller", "v2", t, r)
        } else if high(rate) {
            both("v2", "Mueller", t, r)
        } else {
            None
        }
    };
    let gap = |metric: Metric, t: &str, r: &str| {
        let (mueller, v2) = (g.mean(metric, "Mueller", t, r)?, g.mean(metric, "v2", t, r)?);
        let width = libm::sqrt(mueller.half_width * mueller.half_width + v2.half_width * v2.half_width);
        Some(Mean { mean: mueller.mean - v2.mean, half_width: width })
    };
    let before = |t: &str| if t == "10" { "5" } else { "1" };
    let grows = |t: &str, r: &str| {
        let one = |metric: Metric| less(gap(metric, before(t), r)?, gap(metric, t, r)?);
        all(&[one(m), one(w)])
    };
    let bearable = |t: &str, r: &str| {
        let one = |metric: Metric, a: &str| {
            let (ours, best) = (g.mean(metric, a, t, r)?, g.mean(metric, "Mueller", t, r)?);
            less(ours, scaled(best, 3.0))
        };
        all(&[one(m, "v1"), one(w, "v1"), one(m, "v2"), one(w, "v2")])
    };
    let split_tests: Vec<ClaimTest> = g
        .tests(any, &[], split)
        .into_iter()
        .filter(|t| t.x.parse().is_ok_and(|rate| light(rate) || high(rate)))
        .collect();
    vec![
        StudyClaim::new("20", "§4.2", "v2 is better than v1 in all aspects.")
            .by("Messages and waiting of v2 both below those of v1, for every λ and T.")
            .ours(format!(
                "messages {}; waiting {}",
                g.numbers(m, &["v1", "v2"], high),
                g.numbers(w, &["v1", "v2"], high)
            ))
            .tested_everywhere("λ", &g.tests(any, &[], |t, r| both("v2", "v1", t, r))),
        StudyClaim::new("21", "§4.2, §6", "Mueller is better under light load, the alien threads under high load.")
            .by("For λ ≤ 0.1 Mueller needs fewer messages and waits less than v2, for λ ≥ 0.9 v2 does both.")
            .ours(format!(
                "messages {}; waiting {}",
                g.numbers(m, &["v2", "Mueller"], high),
                g.numbers(w, &["v2", "Mueller"], high)
            ))
            .depends_on(&["reading"])
            .tested("λ", &split_tests),
        StudyClaim::new("22", "§6", "High load: the difference grows with the number of threads.")
            .by("The differences between Mueller and v2 in messages and in waiting are both larger than at the next smaller T, for λ ≥ 0.9.")
            .ours(format!(
                "messages {}; waiting {}",
                g.numbers(m, &["v2", "Mueller"], high),
                g.numbers(w, &["v2", "Mueller"], high)
            ))
            .depends_on(&["reading"])
            .tested("λ", &g.tests(high, &["5", "10"], grows)),
        StudyClaim::new("23", "§6", "Light load: the alien threads are still acceptable.")
            .by("Read as at most three times Mueller's messages and waiting, v1 and v2, for λ ≤ 0.1.")
            .ours(format!(
                "messages {}; waiting {}",
                g.numbers(m, &["v1", "v2", "Mueller"], light),
                g.numbers(w, &["v1", "v2", "Mueller"], light)
            ))
            .depends_on(&["reading"])
            .tested("λ", &g.tests(light, &[], bearable)),
    ]
}

fn safety(data: &Data) -> StudyClaim {
    // the claim is the paper's, of its own text; the repaired algorithm stands beside it
    StudyClaim::new("24", "§3", "Mutual exclusion, no deadlock, no starvation.")
        .by("Every order of events of two or three nodes in a chain, as printed (strict and lenient reading), which the claim is about, and repaired; with unlimited requests, also every fair cycle. One counterexample contradicts the claim.")
        .explored(data, &super::alien::questions(&data.settings), |id| id.starts_with("printed") || id.starts_with("lenient"))
}
