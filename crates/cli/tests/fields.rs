//! Walks the table of fields: every field is in files, links, options, documents, schema, docs and
//! forms under one name, with the defaults and limits that the table gives for each use.

use clap::{Args, Command, FromArgMatches};
use lockstep_algorithms::ALL;
use lockstep_check::Check;
use lockstep_kernel::timing::Timing;
use lockstep_kernel::{Entry, Setup};
use lockstep_lab::Job;
use lockstep_spec::{
    Absent, FIELDS, Field, FieldForm, FieldKind, Limits, Problem, Spec, Use, args, docs, grouped, query, resolve,
    schema,
};
use lockstep_tests::documents::assert_current;
use serde_json::Value;
use std::process;

fn lockstep(args: &[&str]) -> String {
    let output = process::Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// An algorithm to which every field makes a difference.
fn rich() -> &'static Entry {
    ALL.iter().find(|e| e.drive.ranges && e.drive.carries_cells && e.drive.cancels && !e.printed).unwrap()
}

/// A system of four cells, in which nothing is wrong; a field that needs another one has it.
fn plain(field: &Field, of: Use) -> Spec {
    let spec = Spec::of(rich().id).nodes(3).cells(4);
    let spec = if of == Use::Measure { spec.entries(10) } else { spec };
    match field.name {
        "params" => Spec::of("alien").nodes(3),
        "first" | "requests" if of != Use::Explore => spec.think("exp:2"),
        "delay_global" if of == Use::Measure => spec.topology("clusters:3x1"),
        _ => spec,
    }
}

/// The same with a value of the field that is no default.
fn sampled(field: &Field, of: Use) -> Spec {
    let mut spec = plain(field, of);
    let text = match field.name {
        "params" => {
            let variant = &ALL.iter().find(|e| e.id == "alien").unwrap().params[0];
            return spec.with(variant.name, variant.values[1]);
        }
        "algorithm" => "alien".into(),
        "topology" => "star".into(),
        "names" => "A,B,C".into(),
        "parents" => "p1=p3,p2=p3".into(),
        "clusters" => if of == Use::Play { "0.0.1" } else { "2+1" }.into(),
        "placement" => "p2,p3,p1,p1".into(),
        "network" => "unordered".into(),
        "load" => "by-hand".into(),
        "asks" => "p2 at 0.5".into(),
        "range" => "0.25".into(),
        "without" => rich().lines().next().unwrap().id.0.to_string(),
        "nodes" => "5".into(),
        "crashes" => "1".into(),
        _ => match field.kind {
            FieldKind::Flag => (field.default(of) == Some("false")).to_string(),
            FieldKind::Duration => "exp:0.25".into(),
            FieldKind::Whole | FieldKind::Number | FieldKind::PerNode => "8".into(),
            other => panic!("{}: no value to try for {other:?}", field.name),
        },
    };
    *(field.slot)(&mut spec) = Some(text);
    if field.name == "algorithm" { Spec { cells: None, ..spec } } else { spec }
}

/// The text of a field that a spec has.
fn text_of(field: &Field, spec: &Spec) -> Option<String> {
    match field.kind {
        FieldKind::Params => spec.given.iter().next().map(|(name, value)| format!("{name}={value}")),
        _ => (field.get)(spec).cloned(),
    }
}

fn model(spec: &Spec, of: Use) -> (&'static str, Setup, Timing) {
    let model = resolve(spec, Limits::of(of)).unwrap_or_else(|why| panic!("{spec:?}: {why:?}"));
    (model.algorithm.id, model.setup, model.timing)
}

/// A scenario file of a system.
fn file(spec: &Spec) -> String {
    let given = Field::of(Use::Play).filter(|field| text_of(field, spec).is_some());
    let line = |field: &Field| match field.kind {
        FieldKind::Params => spec.given.iter().map(|(name, value)| format!("params.{name} = '{value}'\n")).collect(),
        _ => format!("{} = {}\n", field.name, spec.value(field.name, Use::Play, Absent::Skip).unwrap()),
    };
    "title = 'x'\nabout = 'x'\n".to_owned() + &given.map(line).collect::<String>()
}

#[test]
fn names_are_unique_and_found() {
    for field in FIELDS {
        assert_eq!(Field::find(field.name).unwrap().name, field.name);
        assert!(field.aliases.iter().all(|alias| Field::find(alias).unwrap().name == field.name));
        assert!(field.help.ends_with('.') && !field.title.is_empty(), "{}", field.name);
        assert_eq!(FIELDS.iter().filter(|other| other.name == field.name).count(), 1);
    }
}

/// What the options of a use read.
fn read_options<const OF: usize>(options: &[&str]) -> Spec {
    let command = args::SystemArgs::<OF>::augment_args(Command::new("x"));
    let matches = command.try_get_matches_from(options).unwrap_or_else(|why| panic!("{options:?}: {why}"));
    args::SystemArgs::<OF>::from_arg_matches(&matches).unwrap().0
}

#[test]
fn every_option_is_read_and_has_the_help_of_the_table() {
    for (command, of) in [("run", Use::Measure), ("check", Use::Explore)] {
        let page: String = lockstep(&[command, "--help"]).split_whitespace().collect();
        for field in Field::of(of) {
            let option = format!("--{}", field.option());
            assert!(field.kind == FieldKind::Algorithm || page.contains(&option), "{command}: {option}");
            let help: String = args::help(field, of).split_whitespace().collect();
            assert!(page.contains(&help), "{command} --help lacks: {help}");
            let text = text_of(field, &sampled(field, of)).unwrap();
            let given = match field.kind {
                FieldKind::Algorithm => vec!["x".into(), text.clone()],
                _ => vec!["x".into(), "alien".into(), format!("{option}={text}")],
            };
            let given: Vec<&str> = given.iter().map(String::as_str).collect();
            let read = if of == Use::Measure { read_options::<1>(&given) } else { read_options::<2>(&given) };
            assert_eq!(text_of(field, &read), Some(text), "{command} {given:?}");
        }
    }
}

#[test]
fn every_field_is_read_from_files() {
    for field in Field::of(Use::Play) {
        let spec = sampled(field, Use::Play);
        let text = file(&spec);
        let read = lockstep_scenario::parse("x", &text).unwrap_or_else(|why| panic!("{text}{why:?}")).model;
        assert_eq!((read.algorithm.id, read.setup, read.timing), model(&spec, Use::Play), "{text}");
        // a wrong value is a problem of this field, at its line
        for name in std::iter::once(&field.name).chain(field.aliases).filter(|name| **name != "param") {
            let mut spec = plain(field, Use::Play);
            *(field.slot)(&mut spec) = None;
            spec.given.clear();
            let text = file(&spec) + name + " = '?,?'";
            let problems = lockstep_scenario::parse("x", &text).err().unwrap_or_default();
            let (line, begins) = (text.lines().count(), format!("{}: ", field.name));
            let found = problems.iter().any(|p| p.place.line == line && p.message.starts_with(&begins));
            assert!(found, "{name}: {problems:?}");
        }
    }
    let unknown = lockstep_scenario::parse("x", "title='x'\nabout='x'\nalgorithm='alien'\nnodes=3\ncolour='?'").err();
    assert!(unknown.unwrap().iter().any(|problem| problem.message.contains("`colour` is not a field")));
}

#[test]
fn every_field_is_written_in_files_and_links() {
    for field in Field::of(Use::Play) {
        let spec = sampled(field, Use::Play);
        let (usual, now) = (model(&plain(field, Use::Play), Use::Play), model(&spec, Use::Play));
        assert!(now != usual || field.name == "load", "{} makes no difference", field.name);
        let model_of = resolve(&spec, &Limits::PLAY).unwrap();
        let link = query::write(&model_of);
        let short = if field.kind == FieldKind::Params { "variant" } else { field.short };
        assert!(format!("&{link}").contains(&format!("&{short}=")), "{}: {link}", field.name);
        let (read, rest) = query::read(&link, &["v"]).unwrap();
        assert_eq!((model(&read, Use::Play), rest.len()), (now.clone(), 1), "{link}");
        let text = lockstep_spec::toml::write(&model_of);
        let read = lockstep_scenario::parse("x", &format!("title = 'x'\nabout = 'x'\n{text}"));
        let read = read.unwrap_or_else(|why| panic!("{text}{why:?}")).model;
        assert_eq!((read.algorithm.id, read.setup, read.timing), now, "{text}");
    }
}

#[test]
fn every_name_is_read_in_links() {
    for field in Field::of(Use::Play).filter(|f| f.kind != FieldKind::Params) {
        for name in [field.short, field.name] {
            let (spec, rest) = query::read(&format!("v=1&{name}=1"), &["v"]).unwrap();
            let set = FIELDS.iter().filter(|f| (f.get)(&spec).is_some()).count();
            assert!(set == 1 && rest.len() == 1 && spec.given.is_empty(), "{name} of {}", field.name);
        }
    }
}

#[test]
fn every_field_is_in_documents_of_jobs_and_checks() {
    for (of, field) in [Use::Measure, Use::Explore].into_iter().flat_map(|of| Field::of(of).map(move |f| (of, f))) {
        let spec = sampled(field, of);
        let (document, read) = if of == Use::Measure {
            let document = serde_json::to_value(Job::from(spec.clone())).unwrap();
            (document.clone(), serde_json::from_value::<Job>(document).unwrap().spec)
        } else {
            let document = serde_json::to_value(Check::from(spec.clone())).unwrap();
            (document.clone(), serde_json::from_value::<Check>(document).unwrap().spec)
        };
        assert_eq!(
            document.get(field.name),
            spec.value(field.name, of, Absent::Skip).as_ref(),
            "{of:?}: {}",
            field.name
        );
        assert_eq!(text_of(field, &read), text_of(field, &spec), "{of:?}: {}", field.name);
        let unknown = serde_json::json!({ "colour": "red" });
        let (job, check) =
            (serde_json::from_value::<Job>(unknown.clone()).err(), serde_json::from_value::<Check>(unknown).err());
        assert!(job.is_some() && check.is_some());
    }
}

#[test]
fn the_schema_has_the_help_the_defaults_and_the_limits_of_the_table() {
    let scenario = lockstep_scenario::schema::schema();
    for field in Field::of(Use::Play) {
        let property = &schema::properties(Use::Play)[field.name];
        assert_eq!(scenario["properties"][field.name], *property);
        assert!(property["description"].as_str().unwrap().starts_with(field.help), "{}", field.name);
        let default = property.get("default").map(|d| d.as_str().map_or_else(|| d.to_string(), str::to_owned));
        assert_eq!(default.as_deref().unwrap_or_default(), field.default(Use::Play).unwrap(), "{}", field.name);
        let Some(bound) = field.bound(Use::Play) else { continue };
        let limited = match field.kind {
            FieldKind::PerNode => vec![&property["anyOf"][0], &property["anyOf"][1]["items"]],
            FieldKind::List => {
                assert_eq!(property["maxItems"].as_f64(), Some(bound.most), "{}", field.name);
                continue;
            }
            FieldKind::Whole | FieldKind::Number => vec![property],
            _ => {
                assert!(property["description"].as_str().unwrap().contains(&bound.words()), "{}", field.name);
                continue;
            }
        };
        for limits in limited {
            assert_eq!(limits["minimum"].as_f64(), Some(bound.least), "{}", field.name);
            assert_eq!(limits["maximum"].as_f64(), Some(bound.most).filter(|m| m.is_finite()), "{}", field.name);
        }
    }
}

#[test]
fn the_form_has_the_names_and_the_defaults_of_the_table() {
    for (use_name, of) in Use::ALL {
        for field in Field::of(of) {
            let form = FieldForm::new(of, plain(field, of));
            assert_eq!(form.problems(), [], "{use_name}: {}", field.name);
            let row = form.rows().into_iter().find(|row| row.name == field.name);
            assert!(field.kind == FieldKind::Params || row.is_some(), "{} is not in the form", field.name);
            if let Some(row) = row {
                assert_eq!((row.title.as_str(), row.help), (field.title, field.help.replace('`', "")));
                assert_eq!(Some(row.default.as_str()), field.default(of), "{}", field.name);
                let limits = field.bound(of).map_or_else(String::new, |b| format!("{}: {}.", b.words(), b.reason));
                assert_eq!(row.limits, limits, "{}", field.name);
            }
            // written out, a default changes nothing
            if let Some(default) = field.default(of).filter(|d| !d.is_empty()) {
                let (mut without, mut with) = (plain(field, of), plain(field, of));
                *(field.slot)(&mut without) = None;
                *(field.slot)(&mut with) = Some(default.into());
                assert_eq!(model(&with, of), model(&without, of), "{use_name}: {}", field.name);
            }
        }
    }
    let written = Spec::default().value("section", Use::Measure, Absent::Default);
    assert_eq!(written, Some("const:0.01".into()));
}

/// Values of a field beyond its bounds, and the number that is then expected; and one at its end.
fn beyond(field: &Field, of: Use) -> (Vec<(String, f64)>, Option<String>) {
    let bound = field.bound(of).unwrap();
    let most = Some(bound.most).filter(|most| most.is_finite());
    match field.kind {
        FieldKind::Duration => (vec![(format!("uniform:0:{}", bound.most + 1.0), bound.most)], None),
        FieldKind::List => (vec![(vec!["p1 at 1"; bound.most as usize + 1].join(","), bound.most)], None),
        FieldKind::Number => {
            let more = most.map(|most| ((most * 2.0).to_string(), most));
            (
                more.into_iter().chain([((bound.least / 2.0).to_string(), bound.least)]).collect(),
                most.map(|m| m.to_string()),
            )
        }
        FieldKind::PerNode => {
            let less = if of == Use::Play { "-1" } else { "0" };
            (vec![((bound.most + 1.0).to_string(), bound.most), (less.into(), bound.most)], None)
        }
        _ => {
            let less = ((bound.least - 1.0).to_string(), bound.least);
            (vec![((bound.most + 1.0).to_string(), bound.most), less], Some(bound.least.to_string()))
        }
    }
}

#[test]
fn the_limits_of_every_field_hold_and_are_in_its_problems() {
    for (of, field) in Use::ALL.into_iter().flat_map(|(_, of)| Field::of(of).map(move |field| (of, field))) {
        if field.bound(of).is_none() {
            let free =
                !matches!(field.kind, FieldKind::Whole | FieldKind::Number | FieldKind::PerNode | FieldKind::Duration);
            assert!(free || field.name == "seed", "{of:?}: {} has no limits", field.name);
            continue;
        }
        let (wrong, allowed) = beyond(field, of);
        let set = |text: &str| -> Result<(), Problem> {
            let mut spec = plain(field, of);
            if field.name == "asks" {
                *(field.slot)(&mut spec) = Some(text.into());
                return FieldForm::new(of, spec).problems().into_iter().find(|p| p.field == "asks").map_or(Ok(()), Err);
            }
            FieldForm::new(of, spec).set(field.name, text)
        };
        for (text, expected) in wrong {
            let said = set(&text).err().unwrap_or_else(|| panic!("{of:?}: {} = {text:.20} is allowed", field.name));
            assert!(said.to_string().contains(&grouped(expected)), "{of:?}: {said}");
        }
        if let Some(text) = allowed {
            assert_eq!(set(&text), Ok(()), "{of:?}: {} = {text}", field.name);
        }
    }
}

#[test]
fn the_command_and_the_docs_print_the_table() {
    let document: Vec<Value> = serde_json::from_str(&lockstep(&["fields", "--json"])).unwrap();
    assert_eq!(document, docs::documents());
    let (text, markdown) = (lockstep(&["fields"]), docs::markdown());
    for (field, row) in FIELDS.iter().zip(&document) {
        assert!(text.contains(field.help) && row["name"] == field.name && row["short"] == field.short);
        let line = markdown.lines().find(|line| line.starts_with(&format!("| `{}` |", field.name))).unwrap();
        let cells: Vec<&str> = line.split(" | ").collect();
        for ((name, of), cell) in Use::ALL.into_iter().zip(&cells[3..]) {
            assert_eq!(row["default"][name].as_str(), field.default(of));
            assert_eq!(row["limits"][name]["least"].as_f64(), field.bound(of).map(|b| b.least), "{}", field.name);
            assert!(field.bound(of).is_none_or(|b| cell.contains(&b.words())), "{}: {cell}", field.name);
        }
    }
    assert_current("docs/fields.md", &markdown);
}
