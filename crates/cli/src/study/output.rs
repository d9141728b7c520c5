//! What a study says: on the screen, as one JSON document, and as files.

use super::{Plan, RESULTS};
use crate::answer::{Answer, BadInput, json, table};
use lockstep_algorithms::find;
use lockstep_chart::{Chart, draw};
use lockstep_lab::study::{StudyClaim, StudyQuestion, StudyReport, prove};
use lockstep_lab::{GridPoint, Record, RecordStore, VERSION};
use serde_json::{Value, json};
use std::fs::File;
use std::path::Path;

/// The width of a chart in a file.
const WIDTH: f64 = 960.0;

/// Opens the file of results: what is known is written afresh, so that a line that was cut off does no harm.
pub fn log(file: &Path, stock: &RecordStore, points: &[GridPoint]) -> Result<File, BadInput> {
    let cannot = |why: std::io::Error| BadInput::one(format!("`{}` cannot be written: {why}.", file.display()));
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(cannot)?;
    }
    std::fs::write(file, stock.text(points)).map_err(cannot)?;
    File::options().append(true).open(file).map_err(cannot)
}

/// Reports on complete results.
pub fn answer(
    plan: &Plan,
    points: &[GridPoint],
    stock: &RecordStore,
    out: Option<&Path>,
    as_json: bool,
) -> anyhow::Result<Answer> {
    let report = report(plan, points, stock);
    let document = document(plan, points, stock, &report);
    if let Some(folder) = out {
        write(folder, points, stock, &report, &document)?;
    }
    let violated: u64 = points.iter().filter_map(|p| stock.records.get(&p.key)).map(|r| r.violations).sum();
    let complaints = if violated > 0 {
        vec![format!("{violated} times two threads were inside or an impossible message came.")]
    } else {
        Vec::new()
    };
    let text = if as_json { json(&document)? } else { human(plan, points, stock, &report.claims) };
    Ok(Answer { out: text, complaints })
}

fn report(plan: &Plan, points: &[GridPoint], stock: &RecordStore) -> StudyReport {
    match plan {
        Plan::Own(_) => StudyReport { charts: Vec::new(), claims: Vec::new() },
        Plan::Study(study, settings) => {
            let questions = (study.questions)(settings);
            let proof = |q: &StudyQuestion| prove(q, find(q.algorithm).ok()?);
            let proofs = questions.iter().filter_map(|q| Some((q.id.to_owned(), proof(q)?))).collect();
            study.report(&study.data(settings, points, &stock.records, proofs))
        }
    }
}

fn document(plan: &Plan, points: &[GridPoint], stock: &RecordStore, report: &StudyReport) -> Value {
    let (about, notes, source) = match plan {
        Plan::Study(study, _) => (study.about, study.notes, study.source),
        Plan::Own(own) => (own.title.as_str(), &[][..], ""),
    };
    let results: Vec<Value> = points
        .iter()
        .filter_map(|p| {
            let record = stock.records.get(&p.key)?;
            let at: serde_json::Map<String, Value> = p.at.iter().map(|(n, l)| (n.clone(), json!(l))).collect();
            Some(json!({ "experiment": p.experiment, "at": at, "job": p.job, "summary": record.summary }))
        })
        .collect();
    json!({
        "study": stock.header.study,
        "version": VERSION,
        "size": stock.header.size,
        "seed": stock.header.seed,
        "switches": stock.header.switches,
        "source": source,
        "about": about,
        "notes": notes,
        "claims": report.claims,
        "results": results,
    })
}

fn write(
    folder: &Path,
    points: &[GridPoint],
    stock: &RecordStore,
    report: &StudyReport,
    document: &Value,
) -> anyhow::Result<()> {
    let put = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|why| BadInput::one(format!("`{}` cannot be written: {why}.", path.display())))
    };
    put(RESULTS, &stock.text(points))?;
    put("study.json", &json(document)?)?;
    put("points.csv", &csv(&rows(points, stock)))?;
    if !report.claims.is_empty() {
        put("claims.csv", &csv(&claim_rows(&report.claims)))?;
    }
    for chart in &report.charts {
        put(&format!("{}.svg", chart.id), &svg(chart))?;
        put(&format!("{}.csv", chart.id), &chart.csv())?;
    }
    Ok(())
}

fn svg(chart: &Chart) -> String {
    draw(chart, WIDTH).svg(false)
}

fn rows(points: &[GridPoint], stock: &RecordStore) -> Vec<Vec<String>> {
    let mut axes: Vec<&str> = Vec::new();
    for (name, _) in points.iter().flat_map(|p| &p.at) {
        if !axes.contains(&name.as_str()) {
            axes.push(name);
        }
    }
    let measures = [
        "messages per entry",
        "half width",
        "waiting",
        "half width",
        "waiting sd",
        "local messages",
        "global messages",
        "refused",
        "entries",
        "replications",
        "events",
        "virtual time",
        "key",
    ];
    let head = std::iter::once("experiment").chain(axes.iter().copied()).chain(measures).map(str::to_owned).collect();
    let row = |(p, r): (&GridPoint, &Record)| -> Vec<String> {
        let s = &r.summary;
        let numbers = [
            s.messages_per_entry.mean,
            s.messages_per_entry.half_width,
            s.waiting.mean,
            s.waiting.half_width,
            s.waiting.sd,
            s.local_messages,
            s.global_messages,
            s.refused,
            s.entries,
            f64::from(s.replications),
            s.events,
            s.virtual_time,
        ];
        let places = axes.iter().map(|a| p.on(a).to_owned());
        std::iter::once(p.experiment.clone())
            .chain(places)
            .chain(numbers.map(|n| n.to_string()))
            .chain([p.key.clone()])
            .collect()
    };
    let known = points.iter().filter_map(|p| Some((p, stock.records.get(&p.key)?)));
    std::iter::once(head).chain(known.map(row)).collect()
}

fn claim_rows(claims: &[StudyClaim]) -> Vec<Vec<String>> {
    let head = ["id", "place", "statement", "how", "published", "ours", "verdict", "where", "switches"];
    let row = |c: &StudyClaim| {
        let verdict = c.verdict.words().to_owned();
        let fields = [&c.id, &c.place, &c.statement, &c.how, &c.published, &c.ours, &verdict, &c.region];
        fields.into_iter().cloned().chain([c.switches.join(" ")]).collect()
    };
    std::iter::once(head.map(str::to_owned).to_vec()).chain(claims.iter().map(row)).collect()
}

fn csv(rows: &[Vec<String>]) -> String {
    let cell = |text: &String| {
        if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.clone() }
    };
    rows.iter().map(|r| r.iter().map(cell).collect::<Vec<_>>().join(",") + "\r\n").collect()
}

fn human(plan: &Plan, points: &[GridPoint], stock: &RecordStore, claims: &[StudyClaim]) -> String {
    let mut text = match plan {
        Plan::Study(study, _) => format!("{}\n{}\n{}\n", study.title, study.source, study.about),
        Plan::Own(own) => format!("{}\n", if own.title.is_empty() { &own.name } else { &own.title }),
    };
    for experiment in experiments(points) {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let of = |p: &&GridPoint| p.experiment == experiment;
        for point in points.iter().filter(of) {
            let Some(r) = stock.records.get(&point.key) else { continue };
            if rows.is_empty() {
                let names = point.at.iter().map(|(n, _)| n.clone());
                rows.push(names.chain(["messages per entry".into(), "waiting".into()]).collect());
            }
            let (m, w) = (r.summary.messages_per_entry, r.summary.waiting);
            let numbers =
                [format!("{:.4} ± {:.4}", m.mean, m.half_width), format!("{:.4} ± {:.4}", w.mean, w.half_width)];
            rows.push(point.at.iter().map(|(_, l)| l.clone()).chain(numbers).collect());
        }
        text += &format!("\n{experiment}\n{}", table(&rows));
    }
    if let Plan::Study(study, settings) = plan {
        text += "\nAssumed\n";
        study.notes.iter().for_each(|note| text += &format!("- {note}\n"));
        for switch in study.switches {
            text += &format!("- {} = {}: {}\n", switch.name, settings.switch(switch.name), switch.about);
        }
        text += "\nClaims\n";
        claims.iter().for_each(|c| text += &block(c));
    }
    text + "Intervals are 95 %.\n"
}

fn experiments(points: &[GridPoint]) -> Vec<&str> {
    let mut names: Vec<&str> = points.iter().map(|p| p.experiment.as_str()).collect();
    names.dedup();
    names
}

fn block(claim: &StudyClaim) -> String {
    let mut rows = vec![
        vec![format!("{:>3}", claim.id), format!("{} ({})", claim.statement, claim.place)],
        vec!["".into(), format!("{}: {}", claim.verdict.words(), claim.region)],
        vec!["".into(), format!("how: {}", claim.how)],
    ];
    for (name, value) in [("published", &claim.published), ("ours", &claim.ours)] {
        if !value.is_empty() {
            rows.push(vec!["".into(), format!("{name}: {value}")]);
        }
    }
    if !claim.switches.is_empty() {
        rows.push(vec!["".into(), format!("may change with: {}", claim.switches.join(", "))]);
    }
    table(&rows)
}
