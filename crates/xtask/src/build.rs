//! `cargo xtask build`: the release page, as it would be published, in dist/.

use std::{
    fs,
    hash::{DefaultHasher, Hasher},
    path::Path,
};

use anyhow::{Context, Result};

use crate::{args::Args, process, tools};

/// Where Trunk puts the page.
pub const DIST: &str = "dist";

pub fn command(args: Args) -> Result<()> {
    args.finish()?;
    page()?;
    println!("The page is in {DIST}/, ready for any static host.");
    Ok(())
}

/// Builds the release page.
pub fn page() -> Result<()> {
    let mut trunk = tools::trunk()?;
    trunk.args(["build", "--release", "--dist", DIST]);
    process::run_aside(&mut trunk).context("The page could not be built")?;
    guard(Path::new(DIST)).context("The page could not be given its content security policy")?;
    keep(Path::new(DIST)).context("The page could not be made to work without a network")
}

/// What the published page may do: run its own scripts and its own wasm, and talk to nobody. Styles are computed by components.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' blob: data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'";

/// Puts Trunk's inline script into a file of its own, so that a policy without inline scripts can stand in the page.
fn guard(dist: &Path) -> Result<()> {
    let index = dist.join("index.html");
    let page = fs::read_to_string(&index)?;
    let (guarded, script) = guarded(&page).context("Trunk wrote no inline script where it used to")?;
    fs::write(dist.join("start.js"), script)?;
    Ok(fs::write(index, guarded)?)
}

/// The page with its policy, and the script that stood in it.
fn guarded(page: &str) -> Option<(String, String)> {
    const OPEN: &str = "<script type=\"module\">";
    let (before, rest) = page.split_once(OPEN)?;
    let (script, after) = rest.split_once("</script>")?;
    let linked = format!("{before}<script type=\"module\" src=\"./start.js\"></script>{after}");
    let meta =
        format!("<meta charset=\"utf-8\">\n    <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">");
    Some((linked.replacen("<meta charset=\"utf-8\">", &meta, 1), script.to_owned()))
}

/// Starts `web/offline.js` when the page has been fetched, unless the reader wants to save data.
const START: &str = "\
if (!navigator.connection?.saveData) navigator.serviceWorker?.register('./offline.js').catch(() => {}); // a browser may refuse
";

/// Names all files of the page, and this build of it, to what keeps them.
fn keep(dist: &Path) -> Result<()> {
    let start = dist.join("start.js");
    fs::write(&start, fs::read_to_string(&start)? + START)?;
    let mut files = Vec::new();
    for file in fs::read_dir(dist)? {
        let file = file?.file_name().into_string().ok().context("A file of the page has a name that is no text")?;
        files.push(if file == "index.html" { "./".to_owned() } else { format!("./{file}") });
    }
    files.sort();
    let mut build = DefaultHasher::new();
    for file in &files {
        build.write(&fs::read(dist.join(if file == "./" { "index.html" } else { file }))?);
    }
    let script = fs::read_to_string("web/offline.js")?;
    let script = named(&script, &files, build.finish()).context("web/offline.js is not what it used to be")?;
    Ok(fs::write(dist.join("offline.js"), script)?)
}

/// The script with the names in it.
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
    fn the_script_moves_out_and_the_policy_in() {
        let page = "<head><meta charset=\"utf-8\"><script type=\"module\">start()</script></head>";
        let (guarded, script) = guarded(page).unwrap();
        assert_eq!(script, "start()");
        assert!(guarded.contains("Content-Security-Policy") && guarded.contains("src=\"./start.js\""));
        assert!(!guarded.contains("start()") && super::guarded("<head></head>").is_none());
    }

    #[test]
    fn what_keeps_the_page_knows_its_files() {
        let files = ["./".to_owned(), "./app.js".to_owned()];
        let script = named("const BUILD = '';\nconst FILES = [];\n", &files, 10).unwrap();
        assert_eq!(script, "const BUILD = '000000000000000a';\nconst FILES = [\"./\", \"./app.js\"];\n");
        assert_eq!(named("const FILES = [];", &files, 10), None);
        let ours = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/offline.js")).unwrap();
        assert!(named(&ours, &files, 10).is_some());
    }
}
