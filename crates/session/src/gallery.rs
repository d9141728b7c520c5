//! The gallery of figures: what the lab measures of each paper, and the search.

use lockstep_scenario::Item;

/// Figures and tables of measurements, which the lab reproduces: paper, study, their names.
pub const MEASURED: [(&str, &str, &str); 6] = [
    ("alien-threads", "alien", "Figure 3, Figure 4, Figure 5"),
    ("lecture-notes", "notes", "messages and waiting of the four schemes"),
    ("clusters", "hierarchical", "Figure 9, Figure 10, Figure 11, Table 1"),
    ("range-locks", "ranged", "Table 1, Table 2"),
    ("wait-free", "wait-free", "messages between two entries"),
    ("beyond", "beyond", "all algorithms over load, and over the number of nodes"),
];

/// Whether a text contains all words of a search; a number must match a whole number.
pub fn has(text: &str, search: &str) -> bool {
    let text = text.to_lowercase();
    let whole = |number: &str| text.split(|c: char| !c.is_ascii_digit()).any(|t| t == number);
    let there = |word: &str| match word.chars().all(|c| c.is_ascii_digit()) {
        true => whole(word),
        false => text.contains(word),
    };
    search.to_lowercase().split_whitespace().all(there)
}

/// Whether a scenario of the library matches a search.
pub fn matches(item: &Item, search: &str) -> bool {
    let group = item.card.group.map_or(String::new(), |g| format!("{} {} {} {}", g.paper, g.text, g.title, g.source));
    let printed = if item.printed { "as printed" } else { "" };
    let figures = item.card.figures.join(" ");
    has(&format!("{} {} {} {figures} {printed} {group}", item.title, item.card.see, item.algorithm), search)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_scenario::library::GROUPS;

    #[test]
    fn every_measured_figure_leads_to_a_study() {
        for (paper, study, _) in MEASURED {
            assert!(lockstep_lab::study::find(study).is_ok(), "{study}");
            assert!(GROUPS.iter().any(|g| g.paper == paper), "{paper}");
        }
        assert!(has(&format!("{} {}", MEASURED[2].0, MEASURED[2].2), "clusters Figure 9"));
    }

    #[test]
    fn every_printed_figure_is_found_by_its_number() {
        let items = Item::all();
        let found = |search: &str| items.iter().filter(|i| matches(i, search)).count();
        assert!(found("Meza Figure 1") >= 1 && found("clusters figure 8") >= 1);
        for group in GROUPS {
            assert!(found(group.paper) >= 1, "{}", group.paper);
            assert_eq!(found(group.paper), found(group.text), "numbers of papers are still found");
        }
        assert_eq!((found("clusters Figure 7"), found("clusters Figure 70")), (2, 0));
        assert!(found("as printed") >= 5 && found("Quinson 2009") >= 5);
        assert_eq!(found("no such words anywhere"), 0);
    }
}
