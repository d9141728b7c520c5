//! Who may name whom: algorithms stand by themselves, and only `web/src/browser` knows the browser.

use super::Breach;
use super::files::SourceFile;
use super::rust::{self, Block};

const ALGORITHMS: &str = "crates/algorithms/src/";

/// Places in files of algorithms that name another algorithm, or the crate of all of them, whether
/// in a `use` or in the middle of a function.
pub fn algorithms_that_use_others(files: &[SourceFile]) -> Vec<Breach> {
    let mut found = Vec::new();
    for file in files.iter().filter(|file| file.is("rs")) {
        let Some(path) = file.path.strip_prefix(ALGORITHMS) else { continue };
        if path != "lib.rs" && path != "printed/mod.rs" {
            found.extend(leaving(file, path));
        }
    }
    found
}

/// Names in a file that lead out of its algorithm.
fn leaving(file: &SourceFile, path: &str) -> Vec<Breach> {
    let own: Vec<&str> = path.trim_end_matches(".rs").trim_end_matches("/mod").split('/').collect();
    // `printed/alien.rs` is an algorithm, `preempt_aggregation/listing.rs` is a part of one
    let root = if own[0] == "printed" { 2 } else { 1 };
    let code = rust::code(&file.text);
    let tokens = rust::tokens(&code);
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let mut found = Vec::new();
    rust::walk(&tokens, |at, blocks| {
        let follows_super = at >= 3 && text(at - 1) == ":" && text(at - 2) == ":" && text(at - 3) == "super";
        let out = match text(at) {
            "lockstep_algorithms" | "include" | "extern" => true,
            "path" => text(at - 1) == "[" && text(at - 2) == "#",
            "crate" if text(at - 1) == "(" && text(at.saturating_sub(2)) == "pub" => false,
            "crate" => (0..root).any(|n| text(at + 3 * (n + 1)) != own[n]),
            "super" if follows_super => false, // counted with the first of them
            "super" => {
                let up = (0..).take_while(|n| text(at + 3 * n) == "super").count();
                let modules = blocks.iter().filter(|block| **block == Block::Module).count();
                up > modules + own.len() - root
            }
            _ => false,
        };
        if out {
            let end = (at + 7).min(tokens.len());
            let path: String = tokens[at..end].iter().map(|token| token.text).collect();
            let problem = format!("`{path}…` leads to another algorithm: what two share belongs in the kernel");
            found.push(file.breach(tokens[at].line, problem));
        }
    });
    found
}

/// What the browser's own interfaces are called in Rust.
const BROWSER: &[&str] = &["web_sys", "js_sys", "wasm_bindgen", "wasm_bindgen_futures", "gloo_render", "gloo_timers"];
const ITS_FOLDER: &str = "web/src/browser/";

/// Places of the page that name the browser's interfaces outside `web/src/browser`.
pub fn calls_into_the_browser(files: &[SourceFile]) -> Vec<Breach> {
    let mut found = Vec::new();
    let page = |file: &&SourceFile| file.is("rs") && file.path.starts_with("web/src/");
    for file in files.iter().filter(page).filter(|file| !file.path.starts_with(ITS_FOLDER)) {
        let code = rust::code(&file.text);
        for token in rust::tokens(&code).iter().filter(|token| BROWSER.contains(&token.text)) {
            found.push(file.breach(token.line, format!("`{}` belongs in {ITS_FOLDER}", token.text)));
        }
    }
    found
}

/// Words of commands that install something.
const INSTALLS: &[&str] = &["\"install\"", "\"ci\"", "\"apt-get\"", "\"add\""];

/// Places of xtask that install something outside `crates/xtask/src/setup`.
pub fn installations(files: &[SourceFile]) -> Vec<Breach> {
    let mut found = Vec::new();
    let xtask = |file: &&SourceFile| file.path.starts_with("crates/xtask/src/");
    for file in files.iter().filter(xtask).filter(|file| !file.path.starts_with("crates/xtask/src/setup/")) {
        for (number, line) in file.text.lines().enumerate() {
            if INSTALLS.iter().any(|word| line.contains(word)) {
                found.push(file.breach(number + 1, "only crates/xtask/src/setup installs anything"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        let file = SourceFile { path: format!("{ALGORITHMS}{path}"), text: text.to_owned() };
        algorithms_that_use_others(&[file]).len()
    }

    #[test]
    fn another_algorithm_is_found_wherever_it_is_named() {
        for text in [
            "use crate::raymond::Token;",
            "fn a() { crate::raymond::ask() }",
            "fn a() { let b: super::raymond::Token; }",
            "mod lines { fn a() { super::super::raymond::ask() } }",
            "fn a() { self::super::raymond::ask() }",
            "fn a() { lockstep_algorithms::raymond::ask() }",
            "use crate as other;",
            "use {crate::raymond};",
            "include!(\"raymond.rs\");",
            "#[path = \"raymond.rs\"] mod raymond;",
        ] {
            assert_eq!(found("alien.rs", text), 1, "{text}");
        }
        assert_eq!(found("printed/alien.rs", "fn a() { super::wdme::b() }"), 1);
        assert_eq!(found("printed/alien.rs", "fn a() { crate::printed::wdme::b() }"), 1);
        assert_eq!(found("swq/listing.rs", "fn a() { super::super::wdme::b() }"), 1);
    }

    #[test]
    fn an_algorithm_may_name_itself() {
        for text in [
            "pub(crate) fn a() { crate::alien::b() } // crate::raymond",
            "mod tests { use super::*; fn a() { super::b(\"crate::raymond\") } }",
        ] {
            assert_eq!(found("alien.rs", text), 0, "{text}");
        }
        assert_eq!(found("printed/alien.rs", "fn a() { crate::printed::alien::b() }"), 0);
        assert_eq!(found("swq/listing.rs", "use super::*; mod tests { use super::super::A; }"), 0);
        assert_eq!(found("lib.rs", "pub use crate::raymond::ENTRY;"), 0);
    }

    #[test]
    fn an_installation_is_found_outside_of_setup() {
        let text = "npm.args([\"ci\", \"--no-audit\"]);".to_owned();
        let file = |name: &str| SourceFile { path: format!("crates/xtask/src/{name}"), text: text.clone() };
        assert_eq!(installations(&[file("bench.rs"), file("setup/node.rs")]).len(), 1);
    }

    #[test]
    fn the_browser_is_found_outside_its_folder() {
        let file = |path: &str| SourceFile { path: path.to_owned(), text: "fn a(b: web_sys::Node) {}".to_owned() };
        assert_eq!(calls_into_the_browser(&[file("web/src/app.rs"), file("web/src/browser/page.rs")]).len(), 1);
    }
}
