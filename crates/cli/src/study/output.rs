//! What a campaign says: on the screen, as one JSON document, and as files.

use crate::answer::{BadInput, CommandOutput, json, table};
use lockstep_lab::study::{StudyClaim, tally};
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
    let complaints = match campaign.violations() {
        0 => Vec::new(),
        1 => vec!["Once two threads were inside or an impossible message was received.".into()],
        many => vec![format!("{many} times two threads were inside or an impossible message was received.")],
    };
    let text = if as_json { json(&campaign.document(&report))? } else { human(campaign, &report.claims) };
    Ok(CommandOutput { out: text, complaints })
}

fn human(campaign: &Campaign, claims: &[StudyClaim]) -> String {
    let mut text = match campaign.source() {
        CampaignSource::Study(study, _) => format!("{}\n{}\n{}\n", study.title, study.source, study.about),
        own @ CampaignSource::Own(_) => format!("{}\n", own.title()),
    };
    for experiment in experiments(campaign.points()) {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for (point, record) in campaign.measured().filter(|(p, _)| p.experiment == experiment) {
            if rows.is_empty() {
                let names = point.at.iter().map(|(n, _)| n.clone());
                rows.push(names.chain(["messages per entry".into(), "waiting".into()]).collect());
            }
            let (m, w) = (record.summary.messages_per_entry, record.summary.waiting);
            let numbers =
                [format!("{:.4} ± {:.4}", m.mean, m.half_width), format!("{:.4} ± {:.4}", w.mean, w.half_width)];
            rows.push(point.at.iter().map(|(_, l)| l.clone()).chain(numbers).collect());
        }
        text += &format!("\n{experiment}\n{}", table(&rows));
    }
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
    if !claim.switches.is_empty() {
        rows.push(vec!["".into(), format!("may change with: {}", claim.switches.join(", "))]);
    }
    table(&rows)
}
