//! How smooth stage and large diagram are in Chromium, as `tests/e2e/bench.mjs` measures it.

use std::{
    fmt, io,
    path::Path,
    process::{Command, Output},
};

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::setup;

const SCRIPT: &str = "tests/e2e/bench.mjs";

/// The script's document, and the problem if it has none.
pub struct Smoothness {
    document: Value,
    problem: Option<String>,
}

pub fn measure(chromium: &Path) -> Smoothness {
    eprintln!("Measuring how smooth the page is.");
    let output = setup::node().and_then(|mut node| Ok(run(&mut node, chromium)?));
    match output {
        Ok(output) => read(&output.stdout),
        Err(error) => Smoothness { document: Value::Null, problem: Some(format!("{SCRIPT} did not run: {error:#}")) },
    }
}

fn run(node: &mut Command, chromium: &Path) -> io::Result<Output> {
    node.args([SCRIPT, "--json"]).env("CHROMIUM", chromium).stderr(io::stderr()).output()
}

fn read(stdout: &[u8]) -> Smoothness {
    let document: Value = serde_json::from_slice(stdout).unwrap_or_default();
    let problem = (!document["systems"].is_array())
        .then(|| format!("How smooth the stage is could not be measured: {SCRIPT} --json printed no list of systems"));
    Smoothness { document, problem }
}

impl Smoothness {
    /// What the script printed, with the problem added if there is one.
    pub fn document(&self) -> Value {
        let mut document = self.document.clone();
        if let Some(problem) = &self.problem {
            if !document.is_object() {
                document = json!({});
            }
            document["problem"] = json!(problem);
        }
        document
    }

    /// An error if nothing was measured. The values themselves are not judged: they depend on what
    /// else the machine does.
    pub fn verdict(&self) -> Result<()> {
        match &self.problem {
            Some(problem) => bail!("{problem}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Smoothness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "The work of the page's main thread in each frame while the stage plays:")?;
        writeln!(f, "{:45} {:>8} {:>11} {:>11}", "", "frames", "median ms", "longest ms")?;
        for system in self.document["systems"].as_array().into_iter().flatten() {
            let row = |key: &str| system[key].as_f64().unwrap_or(f64::NAN);
            let name = system["name"].as_str().unwrap_or_default();
            let (frames, median, longest) = (row("frames"), row("median_ms"), row("longest_ms"));
            writeln!(f, "{name:45} {frames:>8} {median:>11.1} {longest:>11.1}")?;
        }
        writeln!(f, "\nThe same while a diagram of 100,000 events is moved; at most 8 ms for 95 % of the frames:")?;
        writeln!(f, "{:45} {:>8} {:>11} {:>11} {:>11}", "", "frames", "median ms", "95 % ms", "longest ms")?;
        for way in self.document["diagram"].as_array().into_iter().flatten() {
            let row = |key: &str| way[key].as_f64().unwrap_or(f64::NAN);
            let name = way["name"].as_str().unwrap_or_default();
            let (frames, median, usual, longest) =
                (row("frames"), row("median_ms"), row("usual_ms"), row("longest_ms"));
            writeln!(f, "{name:45} {frames:>8} {median:>11.1} {usual:>11.1} {longest:>11.1}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_measurement_is_an_error() {
        let systems =
            br#"{"smooth":true,"systems":[{"name":"255 nodes","frames":300,"median_ms":2.5,"longest_ms":9}],"diagram":[{"name":"drag","frames":180,"median_ms":1.5,"usual_ms":4,"longest_ms":6}]}"#;
        let smooth = read(systems);
        assert!(smooth.verdict().is_ok() && smooth.document().get("problem").is_none());
        assert!(smooth.to_string().contains("255 nodes") && smooth.to_string().contains("4.0"));
        for invalid in [&b"255 nodes: smooth"[..], b"{}", b""] {
            let missing = read(invalid);
            assert!(missing.verdict().is_err() && missing.document()["problem"].is_string());
        }
    }
}
