//! What a campaign says: on the screen, as one JSON document, and as files.

use crate::answer::{BadInput, CommandOutput, json, table, violations};
use lockstep_lab::study::{StudyCell, StudyClaim, StudyReport, StudyRow, StudyTable, short, tally, with_interval};
use lockstep_lab::{Campaign, CampaignSource, GridPoint};
use std::fs::File;
use std::path::Path;

/// Opens the file of records. Known records are written afresh, so that a line that was cut off
/// does no harm.
pub fn log(file: &Path, campaign: &Campaign) -> Result<File, BadInput> {
    let cannot = |why: std::io::Error| BadInput::one(format!("`{}` cannot be written: {why}.", file.display()));
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(cannot)?;
    }
    std::fs::write(file, campaign.records_text()).map_err(cannot)?;
    File::options().append(true).open(file).map_err(cannot)
}

/// Reports on complete results.
pub fn answer(campaign: &mut Campaign, out: Option<&Path>, as_json: bool) -> anyhow::Result<CommandOutput> {
    campaign.settle(lockstep_algorithms::find);
    let report = campaign.report();
    if let Some(folder) = out {
        for (name, text) in campaign.files(&report) {
            let path = folder.join(name);
            std::fs::create_dir_all(folder)
                .and_then(|()| std::fs::write(&path, text))
                .map_err(|why| BadInput::one(format!("`{}` cannot be written: {why}.", path.display())))?;
        }
    }
    let complaints = violations(campaign.violations()).into_iter().collect();
    let text = if as_json { json(&campaign.document(&report))? } else { human(campaign, &report) };
    Ok(CommandOutput { out: text, complaints })
}

fn human(campaign: &Campaign, report: &StudyReport) -> String {
    let mut text = match campaign.source() {
        CampaignSource::Study(study, _) => format!("{}\n{}\n{}\n", study.title, study.source, study.about),
        own @ CampaignSource::Own(_) => format!("{}\n", own.title()),
    };
    for experiment in experiments(campaign.points()) {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for (point, record) in campaign.measured().filter(|(p, _)| p.experiment == experiment) {
            if rows.is_empty() {
                let names = point.at.iter().map(|(n, _)| n.clone());
                let measures = ["messages per entry", "waiting", "95th percentile", "99th percentile", "longest"];
                rows.push(names.chain(measures.map(str::to_owned)).collect());
            }
            let (m, w) = (record.summary.messages_per_entry, record.summary.waiting);
            let means =
                [format!("{:.4} ± {:.4}", m.mean, m.half_width), format!("{:.4} ± {:.4}", w.mean, w.half_width)];
            let tail = [w.p95, w.p99, w.max].map(|n| format!("{n:.4}"));
            rows.push(point.at.iter().map(|(_, l)| l.clone()).chain(means).chain(tail).collect());
        }
        text += &format!("\n{experiment}\n{}", table(&rows));
    }
    // the measures of every point stand above
    for compared in report.tables.iter().filter(|table| table.is_compared()) {
        text += &format!(
            "\n{} (published · ours ± half-width of the interval · ratio)\n{}",
            compared.title,
            table(&rows(compared))
        );
        text += &format!("{}\n", compared.note);
    }
    let claims = &report.claims;
    if let CampaignSource::Study(study, settings) = campaign.source() {
        text += "\nAssumptions\n";
        study.notes.iter().for_each(|note| text += &format!("- {note}\n"));
        for switch in study.switches {
            text += &format!("- {} = {}: {}\n", switch.name, settings.switch(switch.name), switch.about);
        }
        text += "\nClaims\n";
        claims.iter().for_each(|c| text += &block(c));
        text += &format!("{}\n", tally(claims));
    }
    text + "Intervals are 95 % confidence intervals.\n"
}

/// A table for a terminal: one column for each measure.
fn rows(of: &StudyTable) -> Vec<Vec<String>> {
    let cell = |cell: &StudyCell| {
        let parts = [cell.published.map(short), cell.ours.map(with_interval), cell.ratio().map(|r| format!("{r:.2}"))];
        parts.map(|part| part.unwrap_or_else(|| "–".into())).join(" · ")
    };
    let head = of.keys.iter().chain(&of.measures).cloned().collect();
    let row = |row: &StudyRow| row.keys.iter().cloned().chain(row.cells.iter().map(cell)).collect();
    std::iter::once(head).chain(of.rows.iter().map(row)).collect()
}

fn experiments(points: &[GridPoint]) -> Vec<&str> {
    let mut names: Vec<&str> = points.iter().map(|p| p.experiment.as_str()).collect();
    names.dedup();
    names
}

fn block(claim: &StudyClaim) -> String {
    let mut rows = vec![
        vec![format!("{:>3}", claim.id), format!("{} ({})", claim.statement, claim.place)],
        vec!["".into(), claim.region.clone()],
        vec!["".into(), format!("test: {}", claim.how)],
    ];
    for (name, value) in [("published", &claim.published), ("measured", &claim.ours)] {
        if !value.is_empty() {
            rows.push(vec!["".into(), format!("{name}: {value}")]);
        }
    }
    if let Some(link) = &claim.link {
        rows.push(vec!["".into(), format!("counterexample: lockstep replay '{link}'")]);
    }
    if !claim.switches.is_empty() {
        rows.push(vec!["".into(), format!("may change with: {}", claim.switches.join(", "))]);
    }
    table(&rows)
}
