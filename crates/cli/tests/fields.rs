//! Walks the table of fields: every field is in files, links, options, schema, docs and forms under
//! one name, with the defaults and limits that the table gives for each use.

use lockstep_lab::Job;
use lockstep_spec::{
    Absent, FIELDS, Field, FieldForm, FieldKind, Limits, Spec, Use, args, docs, query, resolve, schema,
};
use lockstep_tests::documents::assert_current;
use std::process::Command;

fn lockstep(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A spec with a system of the use, in which nothing is wrong.
fn plain(of: Use) -> Spec {
    let spec = Spec::of("alien").nodes(3);
    if of == Use::Measure { spec.entries(10) } else { spec }
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

#[test]
fn every_option_has_the_help_of_the_table() {
    for (command, of) in [("run", Use::Measure), ("check", Use::Explore)] {
        let page: String = lockstep(&[command, "--help"]).split_whitespace().collect();
        for field in Field::of(of) {
            let option = format!("--{}", field.option());
            assert!(field.kind == FieldKind::Algorithm || page.contains(&option), "{command}: {option}");
            let help: String = args::help(field, of).split_whitespace().collect();
            assert!(page.contains(&help), "{command} --help lacks: {help}");
        }
    }
}

#[test]
fn every_field_is_in_files_and_schema() {
    let scenario = lockstep_scenario::schema::schema();
    for field in Field::of(Use::Play) {
        let property = &schema::properties(Use::Play)[field.name];
        assert_eq!(scenario["properties"][field.name], *property);
        assert_eq!(property["description"], field.help);
        if let (Some(bound), FieldKind::Whole) = (Limits::PLAY.bound(field.name), field.kind) {
            assert_eq!(property["maximum"].as_f64(), Some(bound.most), "{}", field.name);
        }
        // a file reads the field and its aliases: a wrong value is a problem of this field
        for name in std::iter::once(&field.name).chain(field.aliases).filter(|name| **name != "param") {
            let text = format!("title='x'\nabout='x'\nalgorithm='alien'\nnodes=3\n{name}='?,?'\n");
            let text = if ["algorithm", "nodes"].contains(name) {
                text.replacen(&format!("\n{name}={}\n", if *name == "nodes" { "3" } else { "'alien'" }), "\n", 1)
            } else {
                text
            };
            let problems = lockstep_scenario::parse("x", &text).err().unwrap_or_default();
            assert!(problems.iter().all(|p| !p.message.contains("has no field")), "{name}: {problems:?}");
        }
    }
    for field in Field::of(Use::Measure).filter(|f| f.kind != FieldKind::Params) {
        let document = serde_json::json!({ field.name: "1" }).to_string();
        let job: Job = serde_json::from_str(&document).unwrap_or_else(|why| panic!("{}: {why}", field.name));
        assert_eq!((field.get)(&job.spec).map(String::as_str), Some("1"));
    }
}

#[test]
fn every_field_is_in_links() {
    for field in Field::of(Use::Play).filter(|f| f.kind != FieldKind::Params) {
        for name in [field.short, field.name] {
            let (spec, rest) = query::read(&format!("v=1&{name}=1"), &["v"]).unwrap();
            let set = FIELDS.iter().filter(|f| (f.get)(&spec).is_some()).count();
            assert!(set == 1 && rest.len() == 1 && spec.given.is_empty(), "{name} of {}", field.name);
        }
    }
}

#[test]
fn defaults_and_limits_are_those_of_the_table() {
    for (use_name, of) in Use::ALL {
        let limits = Limits::of(of);
        assert!(FieldForm::new(of, plain(of)).problems().is_empty(), "{use_name}");
        for field in Field::of(of) {
            let row = FieldForm::new(of, plain(of)).rows().into_iter().find(|row| row.name == field.name);
            assert!(field.kind == FieldKind::Params || row.is_some(), "{} is not in the form", field.name);
            if let Some(row) = row {
                assert_eq!((row.title.as_str(), row.help), (field.title, field.help.replace('`', "")));
                assert_eq!(Some(row.default.as_str()), field.default(of), "{}", field.name);
            }
            // written out, a default changes nothing
            if let Some(default) = field.default(of).filter(|d| !d.is_empty() && field.name != "requests") {
                let mut spec = plain(of);
                if !["nodes", "entries", "load", "rate"].contains(&field.name) {
                    *(field.slot)(&mut spec) = Some(default.into());
                    let model = |spec: &Spec| resolve(spec, limits).map(|m| (m.setup, m.timing)).unwrap();
                    assert_eq!(model(&spec), model(&plain(of)), "{use_name}: {}", field.name);
                }
            }
            let Some(bound) = limits.bound(field.name).filter(|_| field.kind == FieldKind::Whole) else { continue };
            for (number, allowed) in [(bound.least, true), (bound.least - 1.0, false), (bound.most + 1.0, false)] {
                let mut form = FieldForm::new(
                    of,
                    if field.name == "requests" && of != Use::Explore { plain(of).think("exp:1") } else { plain(of) },
                );
                let said = form.set(field.name, &number.to_string());
                assert_eq!(said.is_ok(), allowed, "{use_name}: {} = {number}: {said:?}", field.name);
                assert!(said.map_or_else(|p| p.to_string().contains(&bound.words()), |()| true), "{}", field.name);
            }
        }
    }
    let written = Spec::default().value("section", Use::Measure, Absent::Default);
    assert_eq!(written, Some("const:0.01".into()));
}

#[test]
fn the_command_and_the_docs_print_the_table() {
    let document: Vec<serde_json::Value> = serde_json::from_str(&lockstep(&["fields", "--json"])).unwrap();
    assert_eq!(document, docs::documents());
    let text = lockstep(&["fields"]);
    for (field, row) in FIELDS.iter().zip(&document) {
        assert!(text.contains(field.help) && row["name"] == field.name && row["short"] == field.short);
        for (name, of) in Use::ALL {
            assert_eq!(row["default"][name].as_str(), field.default(of));
        }
    }
    assert_current("docs/fields.md", &docs::markdown());
}
