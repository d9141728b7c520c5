//! The forms of the stage, the lab and the checker: the same row for the same field.

use lockstep_algorithms::ALL;
use lockstep_check::InteractiveCheck;
use lockstep_lab::{ExperimentForm, comparable_algorithms};
use lockstep_session::StageRun;
use lockstep_session::own;
use lockstep_spec::{FIELDS, Field, FieldKind, FormField, Use};

/// The rows of each form for an algorithm.
fn forms(algorithm: &str) -> [(Use, Vec<FormField>); 3] {
    let origin = StageRun::of_library("alien-free-tree", 0).unwrap().origin;
    let stage = own::set(&own::form(&origin), "algorithm", algorithm).rows();
    let mut check = InteractiveCheck::default();
    check.set("algorithm", algorithm);
    let label = comparable_algorithms().into_iter().map(|(label, _)| label).find(|l| l.starts_with(algorithm));
    let lab = ExperimentForm { algorithms: label.into_iter().collect(), ..ExperimentForm::first() }.rows();
    let relevant = stage.into_iter().filter(|row| row.relevant).collect();
    [(Use::Play, relevant), (Use::Measure, lab), (Use::Explore, check.rows())]
}

/// What the table says of a field for a use: title, help, unit, default, limits.
fn of_table(field: &Field, of: Use) -> [String; 5] {
    let bound = field.bound(of);
    let limits = bound.map_or_else(String::new, |b| format!("{}: {}.", b.words(), b.reason));
    let default = field.default(of).unwrap_or_else(|| panic!("{} has no {of:?}", field.name));
    [field.title.into(), field.help.replace('`', ""), field.unit.into(), default.into(), limits]
}

fn of_row(row: &FormField) -> [String; 5] {
    [row.title.clone(), row.help.clone(), row.unit.into(), row.default.clone(), row.limits.clone()]
}

#[test]
fn the_three_forms_show_the_rows_of_the_table() {
    // one algorithm that locks ranges, carries data and lets threads give up, and one that does not
    let rich = ALL.iter().find(|e| e.drive.ranges && e.drive.carries_cells && e.drive.cancels && !e.printed).unwrap();
    for algorithm in [rich.id, "alien"] {
        for (of, rows) in forms(algorithm) {
            for row in rows.iter().filter(|row| !row.name.starts_with("params.")) {
                let field = Field::find(&row.name).unwrap();
                assert_eq!(of_row(row), of_table(field, of), "{of:?}: {}", row.name);
            }
        }
    }
    for (of, rows) in forms(rich.id) {
        for field in FIELDS.iter().filter(|f| f.default(of).is_some()) {
            // the lab compares algorithms with their parameters instead
            let compared = matches!(field.kind, FieldKind::Algorithm) && of == Use::Measure;
            let shown = rows.iter().any(|row| row.name == field.name);
            assert!(shown || compared || field.kind == FieldKind::Params, "{of:?} lacks {}", field.name);
        }
    }
}

#[test]
fn a_parameter_is_the_same_row_on_the_stage_and_in_the_checker() {
    let [(_, stage), _, (_, check)] = forms("alien");
    let params = |rows: &[FormField]| -> Vec<FormField> {
        let params = rows.iter().filter(|row| row.name.starts_with("params."));
        params.map(|row| FormField { text: String::new(), ..row.clone() }).collect()
    };
    assert!(!params(&stage).is_empty());
    assert_eq!(params(&stage), params(&check));
}

#[test]
fn choices_show_the_present_text_and_the_default() {
    for entry in ALL {
        for (of, rows) in forms(entry.id) {
            for row in rows.iter().filter(|row| !row.choices.is_empty()) {
                let now = if row.text.is_empty() { &row.default } else { &row.text };
                assert!(row.choices.iter().any(|(value, _)| value == now), "{of:?} {}: {} = {now}", entry.id, row.name);
            }
        }
    }
}
