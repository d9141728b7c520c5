//! The figures of the paper, played in another way than the paper does.

use lockstep_scenario::script::Step;
use lockstep_scenario::{LIBRARY, parse};

#[test]
fn without_piggyback_the_figures_take_more_messages() {
    // the same requests as in the figure, then what time brings
    let script = ["p1.1 asks", "p1.2 asks", "p1.3 asks", "p3.1 asks", "p3.2 asks", "deliver all"];
    let script = script.into_iter().chain(["p1.4 asks", "p2.1 asks", "p2.2 asks", "deliver all", "run to the end"]);
    for (id, messages) in [("alien-figure-1", 8), ("alien-figure-2", 7)] {
        let text = LIBRARY.iter().find(|(i, _)| *i == id).unwrap().1.replace("piggyback = true", "piggyback = false");
        let mut player = parse(id, &text).unwrap().boot();
        for step in script.clone() {
            Step::read(step, player.setup()).and_then(|step| step.follow(&mut *player)).unwrap();
        }
        let counters = player.frame().counters;
        assert_eq!((counters.entries, counters.messages), (8, messages), "{id}");
    }
}
