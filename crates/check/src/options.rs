//! A check as options of the command line, and back: what the tables are written in, and what a reader can try.

use crate::{Check, Requests};

impl Check {
    /// The options that differ from the defaults: `--nodes 2 --requests 1`.
    pub fn options(&self) -> String {
        let plain = Check::default();
        let mut text: Vec<String> =
            self.params.0.iter().map(|(name, value)| format!("--param {name}={value}")).collect();
        let mut option = |name: &str, value: Option<String>| text.extend(value.map(|v| format!("--{name} {v}")));
        let requests = match self.requests {
            Requests::Limited(number) => number.to_string(),
            Requests::Unlimited => "unlimited".into(),
        };
        option("nodes", self.nodes.map(|n| n.to_string()));
        option("threads", (self.threads != plain.threads).then(|| self.threads.to_string()));
        option("requests", (self.requests != plain.requests).then_some(requests));
        option("topology", (self.topology != plain.topology).then(|| self.topology.clone()));
        option("clusters", self.clusters.clone());
        option("network", (self.network != plain.network).then(|| self.network.clone()));
        option("cells", (self.cells != plain.cells).then(|| self.cells.to_string()));
        option("placement", self.placement.clone());
        option("cancels", (self.cancels != plain.cancels).then(|| self.cancels.to_string()));
        option("crashes", (self.crashes != plain.crashes).then(|| self.crashes.to_string()));
        option("symmetry", self.symmetry.then(|| "true".into()));
        option("without", self.without.map(|line| line.to_string()));
        option("max-states", (self.max_states != plain.max_states).then(|| self.max_states.to_string()));
        text.join(" ")
    }

    /// The command that runs this check.
    pub fn command(&self) -> String {
        format!("lockstep check {} {}", self.algorithm, self.options()).trim_end().to_owned()
    }

    /// Reads what [`Check::options`] wrote.
    pub fn read(algorithm: &str, options: &str) -> Result<Check, String> {
        let mut check = Check { algorithm: algorithm.into(), ..Check::default() };
        let mut words = options.split_whitespace();
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("`{name}` has no value."))?;
            check.set(name, value).ok_or_else(|| format!("`{name} {value}` is no option of a check."))?;
        }
        Ok(check)
    }

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "--param" => {
                let (name, value) = value.split_once('=')?;
                self.params.0.insert(name.into(), value.into());
            }
            "--nodes" => self.nodes = Some(value.parse().ok()?),
            "--threads" => self.threads = value.parse().ok()?,
            "--requests" => self.requests = value.parse().ok()?,
            "--topology" => self.topology = value.into(),
            "--clusters" => self.clusters = Some(value.into()),
            "--network" => self.network = value.into(),
            "--cells" => self.cells = value.parse().ok()?,
            "--placement" => self.placement = Some(value.into()),
            "--cancels" => self.cancels = value.parse().ok()?,
            "--symmetry" => self.symmetry = value.parse().ok()?,
            "--crashes" => self.crashes = value.parse().ok()?,
            "--without" => self.without = Some(value.parse().ok()?),
            "--max-states" => self.max_states = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }
}
