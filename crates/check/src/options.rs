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

    /// The check as an address names it: `alien/nodes=3/param=variant=v2`.
    pub fn address(&self) -> String {
        let options = self.options();
        let words: Vec<&str> = options.split_whitespace().collect();
        let pairs = words.chunks(2).map(|pair| format!("/{}={}", pair[0].trim_start_matches('-'), pair[1..].join("")));
        self.algorithm.clone() + &pairs.collect::<String>()
    }

    /// Reads what [`Check::address`] wrote.
    pub fn of_address(text: &str) -> Result<Check, String> {
        let (algorithm, rest) = text.split_once('/').unwrap_or((text, ""));
        let mut check = Check { algorithm: algorithm.into(), ..Check::default() };
        for part in rest.split('/').filter(|part| !part.is_empty()) {
            let set = part.split_once('=').and_then(|(name, value)| check.set(&format!("--{name}"), value));
            let shown = || part.escape_default().take(60).collect::<String>();
            set.ok_or_else(|| format!("`{}` is no option of a check; right would be nodes=3.", shown()))?;
        }
        Ok(check)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_the_same_check_as_the_options() {
        let options = "--param variant=v2 --nodes 4 --requests unlimited --topology star --clusters 2+1+1 --network lossy \
                       --placement p1,p2 --symmetry true --without 3 --max-states 9";
        let check = Check::read("alien", options).unwrap();
        assert_eq!(Check::of_address(&check.address()), Ok(check.clone()));
        assert!(check.address().starts_with("alien/param=variant=v2/nodes=4/requests=unlimited/"));
        assert_eq!(Check::of_address("raymond").unwrap().address(), "raymond");
        for wrong in ["alien/nodes", "alien/nodes=many", "alien/colour=red"] {
            assert!(Check::of_address(wrong).unwrap_err().contains("is no option of a check"), "{wrong}");
        }
    }
}
