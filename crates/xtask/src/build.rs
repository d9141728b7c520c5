//! `cargo xtask build`: the release page, as it is published, in dist/.

use std::{
    fs,
    hash::{DefaultHasher, Hasher},
    path::Path,
};

use anyhow::{Context, Result};

use crate::{args::Args, process, setup, split};

/// Where Trunk puts the page.
pub const DIST: &str = "dist";
/// Where the page in one file is built for its test.
pub const ONE_FILE: &str = "target/one-file";

pub fn command(mut args: Args) -> Result<()> {
    let no_split = args.flag("--no-split");
    args.finish()?;
    if no_split {
        one_file(DIST)?
    } else {
        page()?
    }
    println!("The page is in {DIST}/, ready for any static host.");
    Ok(())
}

/// Builds the release page, whose program is split into parts.
pub fn page() -> Result<()> {
    let mut trunk = setup::trunk()?;
    trunk.args(["build", "--release", "--dist", DIST]);
    process::run_aside(&mut trunk).context("The page could not be built")?;
    finish(Path::new(DIST))
}

/// Builds the release page with its whole program in one file. It needs no tool that reads the
/// linker's relocations (docs/download-size.md).
pub fn one_file(dist: &str) -> Result<()> {
    let mut trunk = setup::trunk()?;
    trunk.args(["build", "--release", "--dist", dist, "--features", "one-file"]);
    process::run_aside(trunk.env(split::SKIP, "1")).context("The page in one file could not be built")?;
    // stripped here: another profile would compile all dependencies again
    let program = Path::new(dist).join("app_bg.wasm");
    let bare = split::bare(&fs::read(&program)?).context("The page's program is not wasm")?;
    fs::write(program, bare)?;
    finish(Path::new(dist))
}

fn finish(dist: &Path) -> Result<()> {
    guard(dist).context("The page could not be given its content security policy")?;
    keep(dist).context("The page could not be made to work without a network")
}

/// What the published page may do: run its own scripts and its own wasm, and connect to no other
/// host. Inline styles are allowed because components compute them.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'";

/// Moves Trunk's inline script into a file, because the policy allows no inline scripts.
fn guard(dist: &Path) -> Result<()> {
    let index = dist.join("index.html");
    let page = fs::read_to_string(&index)?;
    let (guarded, script) = guarded(&page).context("Trunk wrote no inline script")?;
    fs::write(dist.join("start.js"), script)?;
    Ok(fs::write(index, guarded)?)
}

/// The page with its policy, and the inline script that it had.
fn guarded(page: &str) -> Option<(String, String)> {
    const OPEN: &str = "<script type=\"module\">";
    let (before, rest) = page.split_once(OPEN)?;
    let (script, after) = rest.split_once("</script>")?;
    let linked = format!("{before}<script type=\"module\" src=\"./start.js\"></script>{after}");
    let meta =
        format!("<meta charset=\"utf-8\">\n    <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">");
    Some((linked.replacen("<meta charset=\"utf-8\">", &meta, 1), script.to_owned()))
}

/// Starts `web/offline.js` once the page is fetched, unless the browser is set to save data.
/// A browser may refuse.
const START: &str = "\
if (!navigator.connection?.saveData) navigator.serviceWorker?.register('./offline.js').catch(() => {});
";

/// Writes the names of all files of the page, and of this build, into the service worker.
fn keep(dist: &Path) -> Result<()> {
    let start = dist.join("start.js");
    fs::write(&start, fs::read_to_string(&start)? + START)?;
    let mut files = Vec::new();
    for file in fs::read_dir(dist)? {
        let file = file?.file_name().into_string().ok().context("A file of the page has a name that is not Unicode")?;
        files.push(if file == "index.html" { "./".to_owned() } else { format!("./{file}") });
    }
    files.sort();
    let mut build = DefaultHasher::new();
    for file in &files {
        build.write(&fs::read(dist.join(if file == "./" { "index.html" } else { file }))?);
    }
    let script = fs::read_to_string("web/offline.js")?;
    let script =
        named(&script, &files, build.finish()).context("web/offline.js has no `BUILD` or no `FILES` to fill in")?;
    Ok(fs::write(dist.join("offline.js"), script)?)
}

/// The service worker with the names in it.
fn named(script: &str, files: &[String], build: u64) -> Option<String> {
    let (build, files) = (format!("const BUILD = '{build:016x}';"), format!("const FILES = {files:?};"));
    let (empty_build, empty_files) = ("const BUILD = '';", "const FILES = [];");
    let found = script.contains(empty_build) && script.contains(empty_files);
    found.then(|| script.replace(empty_build, &build).replace(empty_files, &files))
}

/// Builds the release page unless there is one.
pub fn page_if_absent() -> Result<()> {
    if Path::new(DIST).join("index.html").is_file() {
        return Ok(());
    }
    page()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inline_script_becomes_a_file_and_the_policy_is_added() {
        let page = "<head><meta charset=\"utf-8\"><script type=\"module\">start()</script></head>";
        let (guarded, script) = guarded(page).unwrap();
        assert_eq!(script, "start()");
        assert!(guarded.contains("Content-Security-Policy") && guarded.contains("src=\"./start.js\""));
        assert!(!guarded.contains("start()") && super::guarded("<head></head>").is_none());
    }

    #[test]
    fn the_service_worker_gets_the_names_of_the_files() {
        let files = ["./".to_owned(), "./app.js".to_owned()];
        let script = named("const BUILD = '';\nconst FILES = [];\n", &files, 10).unwrap();
        assert_eq!(script, "const BUILD = '000000000000000a';\nconst FILES = [\"./\", \"./app.js\"];\n");
        assert_eq!(named("const FILES = [];", &files, 10), None);
        let ours = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/offline.js")).unwrap();
        assert!(named(&ours, &files, 10).is_some());
    }
}
