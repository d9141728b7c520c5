//! Colour and marker of each algorithm, the same in every chart.

/// Style numbers of the chart crate, by algorithm, or by algorithm and what sets it apart.
const STYLES: &[(&str, usize)] = &[
    ("alien v1", 0),
    ("alien v2", 1),
    ("alien", 0),
    ("mueller", 2),
    ("raymond", 3),
    ("central-server", 4),
    ("ricart-agrawala", 5),
    ("lamport", 6),
    ("token-ring", 7),
    ("suzuki-kasami", 8),
    ("maekawa", 9),
    ("naimi-trehel", 10),
    ("carvalho-roucairol", 11),
    ("neilsen-mizuno", 12),
    ("preempt", 13),
    ("proxy", 14),
    ("preempt-aggregation", 15),
    ("naimi-trehel-async", 16),
    ("swq", 17),
    ("swq-pr", 18),
    ("swq strict", 24),
    ("central-range", 19),
    ("central-range greedy", 23),
    ("wdme", 20),
    ("wdme-printed", 12),
    ("polling", 21),
];

/// The style of an algorithm, given its id and, where a chart has several of its variants, which:
/// `alien v2`.
pub fn style(algorithm: &str) -> usize {
    let of = |name: &str| STYLES.iter().find(|(n, _)| *n == name).map(|(_, s)| *s);
    of(algorithm).or_else(|| of(algorithm.split_whitespace().next().unwrap_or_default())).unwrap_or(22)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_algorithm_has_its_own_style() {
        let mut seen = std::collections::BTreeSet::new();
        for entry in lockstep_algorithms::ALL.iter().filter(|e| !e.printed) {
            assert!(super::style(entry.id) < 22 && seen.insert(super::style(entry.id)), "{} has no style", entry.id);
        }
    }
}
