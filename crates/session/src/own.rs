//! A system of the reader's own: the form for any algorithm and size, and the link that it opens.

use crate::run::Origin;
use lockstep_spec::{FieldForm, FormField, Problem, Spec, Use, query};

/// The fields that the form shows first; the others are folded.
pub const FIRST_FIELDS: [&str; 9] =
    ["algorithm", "nodes", "threads", "topology", "network", "rate", "delay", "section", "seed"];

/// The form as it opens: the algorithm on the stage, with durations that are pleasant to watch.
pub fn form(origin: &Origin) -> FieldForm {
    let id = origin.entry.id;
    let threads = origin.setup.threads.iter().max().copied().unwrap_or(1).max(1);
    let spec = Spec::of(id)
        .nodes(origin.setup.hosts())
        .threads(threads)
        .topology(if id.starts_with("token-ring") { "ring" } else { "binary-tree" })
        .network(origin.setup.network.name())
        .rate(0.5)
        .delay("uniform:0.1:0.5")
        .section("const:0.3")
        .seed(1);
    let mut form = FieldForm::new(Use::Play, spec);
    show_ranges(&mut form);
    form
}

/// The form with another text in a field.
pub fn set(form: &FieldForm, name: &str, text: &str) -> FieldForm {
    let mut next = form.clone();
    let _ = next.set(name, text); // the rows of the form show the problem
    if name == "algorithm" {
        show_ranges(&mut next);
    }
    next
}

/// Algorithms that lock ranges begin with a divided resource; with one cell there is nothing to
/// see.
fn show_ranges(form: &mut FieldForm) {
    let algorithm = form.spec().algorithm.as_deref().unwrap_or_default();
    if lockstep_algorithms::find(algorithm).is_ok_and(|entry| entry.drive.ranges) {
        let _ = form.set("cells", "8");
        let _ = form.set("range", "0.4");
    }
}

/// The link of the system, or every problem.
pub fn link(form: &FieldForm) -> Result<String, Vec<Problem>> {
    form.model().map(|model| query::write(&model))
}

/// The problems that stand beside none of these rows, without the marks of code.
pub fn other_problems(problems: &[Problem], rows: &[FormField]) -> Vec<String> {
    let others = problems.iter().filter(|problem| rows.iter().all(|row| row.name != problem.field));
    others.map(|problem| problem.to_string().replace('`', "")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::StageRun;
    use lockstep_algorithms::ALL;

    #[test]
    fn every_algorithm_opens_with_the_first_values_of_the_form() {
        let origin = StageRun::of_library("alien-free-tree", 0).unwrap().origin;
        for entry in ALL {
            let mut chosen = set(&form(&origin), "algorithm", entry.id);
            if entry.needs.fifo {
                chosen = set(&chosen, "network", "fifo");
            }
            let link = link(&chosen).unwrap_or_else(|problems| panic!("{}: {problems:?}", entry.id));
            let mut run = StageRun::of_link(&link, 1).unwrap_or_else(|why| panic!("{}: {why}", entry.id));
            for _ in 0..20 {
                assert!(run.step(), "{}: something is due", entry.id);
            }
        }
    }

    #[test]
    fn a_wrong_value_stays_with_its_problem() {
        let origin = StageRun::of_library("alien-free-tree", 0).unwrap().origin;
        let wrong = set(&form(&origin), "nodes", "0");
        let rows = wrong.rows();
        let row = rows.iter().find(|row| row.name == "nodes").unwrap();
        assert_eq!(row.text, "0");
        assert!(row.problem.as_ref().is_some_and(|p| p.contains("expected 1 to")), "{:?}", row.problem);
        assert!(link(&wrong).is_err());
        assert!(FIRST_FIELDS.iter().all(|name| rows.iter().any(|row| row.name == *name)));
    }

    #[test]
    fn a_problem_stands_beside_its_row_or_below() {
        let problem = |field: &str| Problem { field: field.into(), message: "`x` is not allowed.".into() };
        let rows = form(&StageRun::of_library("alien-free-tree", 0).unwrap().origin).rows();
        let below = other_problems(&[problem("nodes"), problem("colour")], &rows);
        assert_eq!(below, ["colour: x is not allowed."]);
    }
}
