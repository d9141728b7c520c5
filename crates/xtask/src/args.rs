//! The command line, taken apart by asking for what is known; whatever is left over is a mistake.

use std::env;

use anyhow::{Result, bail};

pub struct Args(Vec<String>);

impl Args {
    pub fn from_env() -> Self {
        Self(env::args().skip(1).collect())
    }

    /// The first word.
    pub fn command(&mut self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }

    /// Whether `--name` was given.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|arg| arg != name);
        self.0.len() < before
    }

    /// The word after `--name`, or what stands behind `--name=`.
    pub fn value(&mut self, name: &str) -> Result<Option<String>> {
        let prefix = format!("{name}=");
        let Some(at) = self.0.iter().position(|arg| arg == name || arg.starts_with(&prefix)) else {
            return Ok(None);
        };
        let arg = self.0.remove(at);
        if let Some(value) = arg.strip_prefix(&prefix) {
            return Ok(Some(value.to_owned()));
        }
        if at == self.0.len() {
            bail!("`{name}` wants a value behind it");
        }
        Ok(Some(self.0.remove(at)))
    }

    /// To be called when every known option has been asked for.
    pub fn finish(self) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some(arg) => bail!("`{arg}` is no option of this command: see `cargo xtask help`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Args {
        Args(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn takes_what_is_known_and_refuses_the_rest() {
        let mut known = args("serve --port 80 --open");
        assert_eq!(known.command().as_deref(), Some("serve"));
        assert_eq!(known.value("--port").unwrap().as_deref(), Some("80"));
        assert!(known.flag("--open"));
        assert!(!known.flag("--dev"));
        assert!(known.finish().is_ok());

        let mut joined = args("--port=81");
        assert_eq!(joined.value("--port").unwrap().as_deref(), Some("81"));
        assert!(args("--port").value("--port").is_err());
        assert!(args("--prot 80").finish().is_err());
    }
}
