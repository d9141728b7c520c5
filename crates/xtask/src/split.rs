//! `cargo xtask split`: cuts the page's program into what is fetched at once and parts that are fetched when they are wanted (`web/src/parts.rs`).
//! Trunk calls it as a hook after its own build, in the folder where it prepares the page.

use std::{
    env, fs,
    hash::{DefaultHasher, Hasher},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow};
use wasm_split_cli_support::{Options, transform};

use crate::{args::Args, process, tools};

/// Names of the files of parts begin with one of these.
pub const PARTS: [&str; 2] = ["split_", "chunk_"];

pub fn command(args: Args) -> Result<()> {
    args.finish()?;
    let staging = env::var_os("TRUNK_STAGING_DIR").context("Trunk calls this while it builds: `cargo xtask build`")?;
    split(&program(), Path::new(&staging)).context("The page could not be split into its parts")
}

/// The page's program as it was linked, with the linker's account of what refers to what.
fn program() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    target.join(tools::WASM).join("page/app.wasm")
}

/// Puts the parts of a program, ready to be fetched, where Trunk had put the whole.
fn split(program: &Path, page: &Path) -> Result<()> {
    let whole = fs::read(program).with_context(|| format!("{} cannot be read", program.display()))?;
    let main = page.join("app.wasm");
    let mut options = Options::new(&whole);
    options.output_dir = page;
    options.main_out_path = &main;
    options.main_module = "./app.js";
    options.link_name = "./parts.js";
    let parts = transform(options).map_err(|why| anyhow!("{why:#}"))?;
    let loader = page.join("parts.js");
    let script = patient(&fs::read_to_string(&loader)?);
    let mut script = script.context("The loader of the parts is not what it used to be")?;
    for part in parts.split_modules {
        let name = part.file_stem().and_then(|name| name.to_str()).context("A part has no name")?;
        let (plain, named) = (format!("\"./{name}.wasm\""), format!("{name}-{}.wasm", digest(&whole)));
        fs::write(page.join(&named), bare(&fs::read(&part)?).context("A part is no wasm")?)?;
        fs::remove_file(&part)?;
        script = script.replace(&plain, &format!("\"./{named}\""));
    }
    fs::write(loader, script)?;
    let mut bindgen = tools::wasm_bindgen()?;
    bindgen.args(["--target", "web", "--no-typescript", "--remove-name-section", "--remove-producers-section"]);
    bindgen.arg("--keep-lld-exports"); // the parts share the table of functions
    process::run_aside(bindgen.arg("--out-dir").arg(page).arg(&main))?;
    Ok(fs::remove_file(main)?)
}

/// A name for a build. A part fits only the program that it was cut from: a page that is open while another one is published must not find the other's.
fn digest(program: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(program);
    format!("{:016x}", hasher.finish())
}

/// A loader that takes wasm from hosts that do not say that it is wasm, and says what a host answered instead.
fn patient(loader: &str) -> Option<String> {
    const STREAMING: &str = "WebAssembly.instantiateStreaming(src, imports)";
    const TAKE: &str = "\
async function take(src, imports) {
    const answer = await src;
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    return WebAssembly.instantiate(await answer.arrayBuffer(), imports);
}
";
    loader.contains(STREAMING).then(|| loader.replace(STREAMING, "take(src, imports)") + TAKE)
}

/// A module without its custom sections: names and notes of tools.
fn bare(module: &[u8]) -> Option<Vec<u8>> {
    let (head, mut rest) = module.split_at_checked(8)?;
    let mut kept = head.to_vec();
    while let Some(&id) = rest.first() {
        let (length, digits) = number(&rest[1..])?;
        let (section, after) = rest.split_at_checked(1 + digits + length)?;
        if id != 0 {
            kept.extend_from_slice(section);
        }
        rest = after;
    }
    Some(kept)
}

/// A number as wasm writes it, and the bytes that it takes.
fn number(bytes: &[u8]) -> Option<(usize, usize)> {
    let digits = bytes.iter().take(5).position(|byte| byte & 0x80 == 0)? + 1;
    let value = bytes[..digits].iter().rev().fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f));
    Some((value, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loader_streams_nothing() {
        let loader = "const part = (imports) => (WebAssembly.instantiateStreaming(src, imports));\n";
        let patient = patient(loader).unwrap();
        assert!(patient.contains("=> (take(src, imports));") && patient.contains("async function take"));
        assert_eq!(super::patient("const part = 1;"), None);
    }

    #[test]
    fn a_bare_module_has_no_custom_sections() {
        let head = b"\0asm\x01\0\0\0".to_vec();
        let with = |sections: &[&[u8]]| [head.clone(), sections.concat()].concat();
        let long = [&[10, 0x80 | 72, 1][..], &[7; 200]].concat();
        let module = with(&[&[1, 2, 9, 9], &[0, 3, 1, 65, 66], &long, &[0, 1, 0]]);
        assert_eq!(bare(&module), Some(with(&[&[1, 2, 9, 9], &long])));
        assert_eq!(bare(&module[..module.len() - 1]), None, "cut off");
        assert_eq!(bare(b"wasm"), None);
    }
}
