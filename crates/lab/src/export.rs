//! What a campaign writes: the JSON document, CSV tables and charts, the same for page and command
//! line.

use crate::study::{StudyClaim, StudyReport, refused_locally, refused_remotely};
use crate::{Campaign, CampaignSource, GridPoint, Record, VERSION};
use lockstep_chart::draw;
use lockstep_text::csv;
use serde_json::{Value, json};

/// The width of a chart in a file.
const WIDTH: f64 = 960.0;
/// The file of records.
pub const RESULTS: &str = "results.jsonl";

impl Campaign {
    /// The document for scripts: `study.json`, and what `lockstep study --json` prints.
    pub fn document(&self, report: &StudyReport) -> Value {
        let (about, notes, source) = match self.source() {
            CampaignSource::Study(study, _) => (study.about, study.notes, study.source),
            CampaignSource::Own(own) => (own.title.as_str(), &[][..], ""),
        };
        let result = |(p, record): (&GridPoint, &Record)| {
            let at: serde_json::Map<String, Value> = p.at.iter().map(|(n, l)| (n.clone(), json!(l))).collect();
            json!({ "experiment": p.experiment, "at": at, "job": p.job, "summary": record.summary })
        };
        let header = self.header();
        json!({
            "study": header.study,
            "version": VERSION,
            "size": header.size,
            "seed": header.seed,
            "switches": header.switches,
            "source": source,
            "about": about,
            "notes": notes,
            "claims": report.claims,
            "tables": report.tables.iter().filter(|table| table.is_compared()).collect::<Vec<_>>(),
            "results": self.measured().map(result).collect::<Vec<_>>(),
        })
    }

    /// The files of an output folder: names and contents.
    pub fn files(&self, report: &StudyReport) -> Vec<(String, String)> {
        let mut files = vec![
            (RESULTS.to_owned(), self.records_text()),
            ("study.json".to_owned(), self.document(report).to_string() + "\n"),
            ("points.csv".to_owned(), csv(&self.rows(), "\r\n")),
        ];
        if !report.claims.is_empty() {
            files.push(("claims.csv".to_owned(), csv(&claim_rows(&report.claims), "\r\n")));
        }
        // the other tables hold what `points.csv` has
        for table in report.tables.iter().filter(|table| table.is_compared()) {
            files.push((format!("{}.csv", table.id), table.csv()));
        }
        for chart in &report.charts {
            files.push((format!("{}.svg", chart.id), draw(chart, WIDTH).svg(false)));
            files.push((format!("{}.csv", chart.id), chart.csv()));
        }
        files
    }

    /// The file of records, in the order of the points.
    pub fn records_text(&self) -> String {
        self.store().text(self.points())
    }

    /// Violations of mutual exclusion and impossible messages in all runs.
    pub fn violations(&self) -> u64 {
        self.measured().map(|(_, r)| r.violations).sum()
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let mut axes: Vec<&str> = Vec::new();
        for (name, _) in self.points().iter().flat_map(|p| &p.at) {
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
            "waiting p95",
            "waiting p99",
            "waiting max",
            "refused by a message",
            "refused without a message",
        ];
        let head =
            std::iter::once("experiment").chain(axes.iter().copied()).chain(measures).map(str::to_owned).collect();
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
            std::iter::once(p.experiment.clone())
                .chain(axes.iter().map(|a| p.on(a).to_owned()))
                .chain(numbers.map(|n| n.to_string()))
                .chain([p.key.clone()])
                // behind the others: scripts may count columns
                .chain([s.waiting.p95, s.waiting.p99, s.waiting.max].map(|n| n.to_string()))
                .chain([refused_remotely(r), refused_locally(r)].map(|m| (m.mean * s.entries).to_string()))
                .collect()
        };
        std::iter::once(head).chain(self.measured().map(row)).collect()
    }
}

/// Scripts read these columns, so `verdict` keeps its short words and `where` says the rest.
fn claim_rows(claims: &[StudyClaim]) -> Vec<Vec<String>> {
    let head = ["id", "place", "statement", "how", "published", "ours", "verdict", "where", "switches", "link"];
    let row = |c: &StudyClaim| {
        let verdict = c.verdict.script().to_owned();
        let fields = [&c.id, &c.place, &c.statement, &c.how, &c.published, &c.ours, &verdict, &c.region];
        fields.into_iter().cloned().chain([c.switches.join(" "), c.link.clone().unwrap_or_default()]).collect()
    };
    std::iter::once(head.map(str::to_owned).to_vec()).chain(claims.iter().map(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Experiment, record};

    #[test]
    fn an_experiment_of_ones_own_has_charts_among_its_files() {
        let own = Experiment::read(
            "name = \"mine\"\n[base]\nalgorithm = \"raymond\"\nnodes = 7\nentries = 100\n\
             [[vary]]\nname = \"rate\"\nvalues = [0.1, 1.0]\n",
        );
        let mut campaign = Campaign::new(CampaignSource::Own(Box::new(own.unwrap()))).unwrap();
        let records: Vec<Record> = campaign.missing().iter().map(|p| record(&p.job).unwrap()).collect();
        records.into_iter().for_each(|r| campaign.add(r));
        let files = campaign.files(&campaign.report());
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let charts = ["own-messages.svg", "own-messages.csv", "own-waiting.svg", "own-waiting.csv"];
        assert_eq!(names, [&[RESULTS, "study.json", "points.csv"][..], &charts].concat());
        assert!(files[3].1.starts_with("<svg") && files[3].1.contains("raymond"));
        assert_eq!(files[2].1.lines().count(), 3);
        assert_eq!(campaign.document(&campaign.report())["size"], "own");
    }
}
