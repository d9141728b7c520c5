//! The browser of the tests: Chromium on PATH or in CHROMIUM, otherwise installed with apt-get.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::process;

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The path of Chromium.
pub fn chromium() -> Result<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM").map(PathBuf::from) {
        if path.is_file() {
            return Ok(path);
        }
        bail!("CHROMIUM: {} is not a file; expected the path of a Chromium program", path.display());
    }
    if let Some(path) = on_path() {
        return Ok(path);
    }
    install().context("The browser tests need Chromium; install it, or set CHROMIUM to its path")?;
    on_path().context("Chromium was installed but is not on PATH")
}

fn on_path() -> Option<PathBuf> {
    NAMES.into_iter().find_map(process::find)
}

fn install() -> Result<()> {
    apt("Chromium", &["chromium"])
}

/// Installs packages of the system.
pub fn apt(name: &str, packages: &[&str]) -> Result<()> {
    if process::find("apt-get").is_none() {
        bail!("{name} is not installed, and this system has no apt-get to install it with");
    }
    let sudo = if is_root() {
        false
    } else if has_sudo() {
        true
    } else {
        bail!("{name} is not installed, and installing it needs root or sudo without a password");
    };
    eprintln!("Installing {name} with apt-get. This takes about a minute, once.");
    let install = [&["install", "-y"][..], packages].concat();
    for arguments in [&["update"][..], &install] {
        let mut apt = Command::new(if sudo { "sudo" } else { "apt-get" });
        if sudo {
            apt.args(["-n", "apt-get"]);
        }
        apt.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        process::run_aside(&mut apt)?;
    }
    Ok(())
}

fn is_root() -> bool {
    process::read(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn has_sudo() -> bool {
    let mut sudo = Command::new("sudo");
    sudo.args(["-n", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    sudo.status().is_ok_and(|status| status.success())
}
