//! Command-line arguments: a command takes the options it knows, and what is left is an error.

use std::env;

use anyhow::{Result, bail};

/// The arguments that no command has taken yet.
pub struct Args(Vec<String>);

impl Args {
    pub fn from_env() -> Self {
        Self(env::args().skip(1).collect())
    }

    /// Takes the first word.
    pub fn command(&mut self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }

    /// Takes `--name`; false if it is not there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|arg| arg != name);
        self.0.len() < before
    }

    /// Takes `--name VALUE` or `--name=VALUE`.
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
            bail!("{name}: the value is missing; expected `{name} VALUE`");
        }
        Ok(Some(self.0.remove(at)))
    }

    /// Fails if an argument is left. Call it after taking every known option.
    pub fn finish(self) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some(arg) => bail!("`{arg}` is not an option of this command; `cargo xtask help` lists them"),
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
    fn known_options_are_taken_and_others_refused() {
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
