//! Firefox and WebKit, for the smoke test in three browsers: FIREFOX, WEBKIT and MINIBROWSER name
//! their programs, otherwise they are looked for where Debian installs them. They are installed
//! only for the deep test.

use std::{env, ffi::OsString, fs, path::PathBuf};

use anyhow::{Context, Result};

use super::chromium::apt;
use crate::process;

/// Variables of the environment that name the programs of Firefox and WebKit, as far as they are
/// installed.
pub fn other_browsers() -> Vec<(&'static str, OsString)> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let firefox = set("FIREFOX").or_else(|| ["firefox-esr", "firefox"].into_iter().find_map(process::find));
    let driver = set("WEBKIT").or_else(|| process::find("WebKitWebDriver"));
    // a window needs a screen
    let screen = env::var_os("DISPLAY").is_some() || process::find("Xvfb").is_some();
    let browser = set("MINIBROWSER").or_else(mini_browser).filter(|_| screen);
    let webkit = driver.zip(browser).map(|(driver, browser)| [("WEBKIT", driver), ("MINIBROWSER", browser)]);
    let firefox = firefox.map(|firefox| ("FIREFOX", firefox));
    firefox.into_iter().chain(webkit.into_iter().flatten()).map(|(name, path)| (name, path.into())).collect()
}

/// GTK's small browser, which is not on PATH.
fn mini_browser() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten();
    let libraries = folders.filter_map(|machine| fs::read_dir(machine.path()).ok()).flatten().flatten();
    let webkit = libraries.filter(|library| library.file_name().to_string_lossy().starts_with("webkit"));
    webkit.map(|library| library.path().join("MiniBrowser")).find(|path| path.is_file())
}

/// Installs those that are missing.
pub fn all_browsers() -> Result<()> {
    if other_browsers().len() == 3 {
        return Ok(());
    }
    apt("Firefox and WebKit", &["--no-install-recommends", "firefox-esr", "webkit2gtk-driver", "xvfb"])
        .context("The deep test needs Firefox and WebKit; install them, or set FIREFOX, WEBKIT and MINIBROWSER")
}
