//! `cargo xtask split`: cuts the page's program into what is fetched at once and parts that are
//! fetched when they are wanted (`web/src/parts.rs`, `web/src/worker/mod.rs`). Trunk calls it as a
//! hook after its own build, in the folder where it prepares the page.
//!
//! What several parts need is a module of its own for each set of parts that needs it: a hundred
//! modules, most of them tiny. Those that are wanted at the same occasions are put together into
//! one file, and the loader takes from it what it needs.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    hash::{DefaultHasher, Hasher},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, bail};
use wasm_split_cli_support::{Options, transform};

use crate::{args::Args, process, setup};

/// The part that every worker fetches.
pub const WORKSHOP: &str = "workshop";
/// The parts that are not the algorithms of one paper.
const COMMON: [&str; 7] = ["library", "places", "lab", "judge", "studies", "judging", WORKSHOP];

/// The parts that a file is fetched for; none if it belongs to the first load.
pub fn fetched_with(file: &str) -> impl Iterator<Item = &str> {
    let name = file.strip_prefix("part_").or_else(|| file.strip_prefix("shared_"));
    let (parts, _digest) = name.and_then(|name| name.rsplit_once('-')).unwrap_or_default();
    parts.split('-').filter(|part| !part.is_empty())
}

/// Whether a part is the algorithms of one paper.
pub fn is_paper(part: &str) -> bool {
    !COMMON.contains(&part)
}

/// Set while the page is built in one file.
pub const SKIP: &str = "LOCKSTEP_NO_SPLIT";

pub fn command(args: Args) -> Result<()> {
    args.finish()?;
    if env::var_os(SKIP).is_some() {
        return Ok(());
    }
    let staging = env::var_os("TRUNK_STAGING_DIR").context("Trunk calls this command; run `cargo xtask build`")?;
    split(&program(), Path::new(&staging)).context("The page could not be split into its parts")
}

/// The page's program as linked, with the linker's relocations.
fn program() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    target.join(setup::WASM).join("page/app.wasm")
}

/// Writes the parts of a program into the folder where Trunk put the whole.
fn split(program: &Path, page: &Path) -> Result<()> {
    let whole = fs::read(program).with_context(|| format!("{} cannot be read", program.display()))?;
    let main = page.join("app.wasm");
    let mut options = Options::new(&whole);
    options.output_dir = page;
    options.main_out_path = &main;
    options.main_module = "./app.js";
    options.link_name = "./parts.js";
    let parts = transform(options).map_err(|why| anyhow!("{why:#}"))?;
    let mut needed_by: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (part, modules) in &parts.prefetch_map {
        for module in modules {
            needed_by.entry(module).or_default().insert(part);
        }
    }
    let mut files: BTreeMap<String, Vec<(&str, Vec<u8>)>> = BTreeMap::new();
    let mut library = BTreeSet::new();
    for module in &parts.split_modules {
        let name = module.file_stem().and_then(|name| name.to_str()).context("A part has no name")?;
        let wasm = bare(&fs::read(module)?).context("A part is not wasm")?;
        fs::remove_file(module)?;
        let file = match (name.strip_prefix("split_"), needed_by.get(name)) {
            (Some(part), _) => format!("part_{part}"),
            (None, Some(parts)) => format!("shared_{}", occasion(parts)),
            (None, None) => bail!("No part uses {name}"),
        };
        let file = format!("./{file}-{}.wasm", digest(&whole));
        if needed_by.get(name).is_some_and(|parts| parts.contains("library")) {
            library.insert(file.clone());
        }
        files.entry(file).or_default().push((name, wasm));
    }
    let loader = page.join("parts.js");
    let mut script = fs::read_to_string(&loader)?;
    for (file, modules) in &files {
        fs::write(page.join(file), pack(modules))?;
        for (name, _) in modules {
            script =
                unpacked(&script, name, file).context("The generated loader does not fetch modules as expected")?;
        }
    }
    fs::write(loader, script + UNPACK + &ahead(&library))?;
    let mut bindgen = setup::wasm_bindgen()?;
    bindgen.args(["--target", "web", "--no-typescript", "--remove-name-section", "--remove-producers-section"]);
    bindgen.arg("--keep-lld-exports"); // the parts share the function table
    process::run_aside(bindgen.arg("--out-dir").arg(page).arg(&main))?;
    Ok(fs::remove_file(main)?)
}

/// A name for a build. A part fits only the program that it was split from, and a page that is open
/// while another build is published must not fetch the other's parts.
fn digest(program: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(program);
    format!("{:016x}", hasher.finish())
}

/// When a module that several parts use is fetched, for the name of its file: first for what is
/// shown, then for workers. The library is fetched with every place; what several papers use is
/// fetched by every worker.
fn occasion(parts: &BTreeSet<&str>) -> String {
    let mut name: Vec<&str> = match parts.contains("library") {
        true => vec!["library"],
        false => ["places", "lab", "judge"].into_iter().filter(|place| parts.contains(place)).collect(),
    };
    let papers: Vec<_> = parts.iter().copied().filter(|part| is_paper(part)).collect();
    match papers[..] {
        _ if parts.contains(WORKSHOP) => name.push(WORKSHOP),
        [] if parts.contains("studies") => name.push("studies"),
        [] if parts.contains("judging") => name.push("judging"),
        [] => {}
        [paper] => name.push(paper),
        _ => name.push(WORKSHOP),
    }
    name.join("-")
}

/// Packs modules into one file, as custom sections of an empty module.
fn pack(modules: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut file = b"\0asm\x01\0\0\0".to_vec();
    for (name, wasm) in modules {
        let named = [&digits(name.len())[..], name.as_bytes()].concat();
        file.push(0);
        file.extend(digits(named.len() + wasm.len()));
        file.extend(named);
        file.extend(wasm);
    }
    file
}

/// The loader, changed to take a module from a packed file. It compiles from a buffer, so a host
/// may send any content type, and an answer that is no success becomes an error.
fn unpacked(loader: &str, name: &str, file: &str) -> Option<String> {
    let fetched = format!("fetch(new URL(\"./{name}.wasm\", import.meta.url))");
    let taken = format!("unpack(\"{file}\", \"{name}\")");
    let streaming = "WebAssembly.instantiateStreaming(src, imports)";
    let found = loader.contains(&fetched) && (loader.contains(streaming) || loader.contains(UNPACKED));
    found.then(|| loader.replace(&fetched, &taken).replace(streaming, UNPACKED))
}

const UNPACKED: &str = "WebAssembly.instantiate(await src, imports)";
const UNPACK: &str = "\
const files = new Map();
/** A module from a file. The file is fetched once, and again after a failure. */
async function unpack(file, name) {
    if (!files.has(file)) files.set(file, open(file));
    const pack = await files.get(file).catch((why) => { files.delete(file); throw why; });
    return WebAssembly.Module.customSections(pack, name)[0];
}
const SILENCE = 10000; // milliseconds without a byte after which a download has failed
async function open(file) {
    const stop = new AbortController();
    let late;
    const heard = () => { clearTimeout(late); late = setTimeout(() => stop.abort(), SILENCE); };
    try {
        heard();
        const answer = await fetch(new URL(file, import.meta.url), { signal: stop.signal });
        if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
        const [reader, bytes] = [answer.body.getReader(), []];
        for (let next; heard(), next = await reader.read(), !next.done;) bytes.push(next.value);
        return await WebAssembly.compile(await new Blob(bytes).arrayBuffer());
    } finally {
        clearTimeout(late);
    }
}
";

/// Starts fetching the library together with the program if the address names a run: most addresses
/// do, and opening that run needs the library.
fn ahead(library: &BTreeSet<String>) -> String {
    let library: Vec<_> = library.iter().collect();
    format!(
        "if (globalThis.document && location.hash.length > 1) {{\n    for (const file of {library:?}) files.set(file, open(file));\n    \
         for (const pack of files.values()) pack.catch(() => {{}}); // the caller that needs it reports it\n}}\n"
    )
}

/// A module without its custom sections, which hold names and the marks of tools.
pub fn bare(module: &[u8]) -> Option<Vec<u8>> {
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

/// A number in LEB128, as wasm writes it.
fn digits(mut number: usize) -> Vec<u8> {
    let mut digits = Vec::new();
    while number > 0x7f {
        digits.push(number as u8 | 0x80);
        number >>= 7;
    }
    digits.push(number as u8);
    digits
}

/// The LEB128 number at the beginning, and how many bytes it takes.
fn number(bytes: &[u8]) -> Option<(usize, usize)> {
    let digits = bytes.iter().take(5).position(|byte| byte & 0x80 == 0)? + 1;
    let value = bytes[..digits].iter().rev().fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f));
    Some((value, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_takes_modules_from_packed_files() {
        let loader = "const src = fetch(new URL(\"./chunk_7.wasm\", import.meta.url));\nreturn WebAssembly.instantiateStreaming(src, imports);\n";
        let script = unpacked(loader, "chunk_7", "./shared_lab-0.wasm").unwrap();
        assert_eq!(
            script,
            "const src = unpack(\"./shared_lab-0.wasm\", \"chunk_7\");\nreturn WebAssembly.instantiate(await src, imports);\n"
        );
        assert_eq!(unpacked(loader, "chunk_8", "./shared_lab-0.wasm"), None);
    }

    #[test]
    fn the_loader_fetches_the_library_early_for_an_address() {
        let script = ahead(&["./b.wasm".to_owned(), "./a.wasm".to_owned()].into());
        assert!(script.contains(r#"of ["./a.wasm", "./b.wasm"]) files.set(file, open(file));"#), "{script}");
    }

    #[test]
    fn modules_fetched_together_are_in_one_file() {
        let of = |parts: &[&'static str]| occasion(&parts.iter().copied().collect());
        assert_eq!(of(&["library", "places", "lab", "studies", "beyond"]), "library-beyond");
        assert_eq!(of(&["beyond", "wait_free"]), "workshop");
        assert_eq!(of(&["lab", "workshop", "studies"]), "lab-workshop");
        assert_eq!(of(&["library", "places"]), "library");
        assert_eq!(of(&["lab", "places"]), "places-lab");
        assert_eq!(of(&["lab", "studies"]), "lab-studies");
        assert_eq!(of(&["library", "judge", "judging", "beyond"]), "library-beyond");
        assert_eq!(of(&["judge", "judging"]), "judge-judging");
        assert!(!is_paper("judge") && !is_paper("judging") && is_paper("beyond"));
    }

    #[test]
    fn the_name_of_a_file_lists_its_parts() {
        let parts = |file| fetched_with(file).collect::<Vec<_>>();
        assert_eq!(parts("shared_places-lab-0123456789abcdef.wasm"), ["places", "lab"]);
        assert_eq!(parts("part_wait_free-0123456789abcdef.wasm"), ["wait_free"]);
        assert!(parts("app_bg.wasm").is_empty() && parts("parts.js").is_empty());
    }

    #[test]
    fn a_packed_file_contains_its_modules() {
        let long = vec![7; 300];
        let file = pack(&[("chunk_1", vec![1, 2]), ("chunk_2", long.clone())]);
        let (first, second) = file[8..].split_at(2 + 1 + 7 + 2);
        assert_eq!(first, b"\0\x0a\x07chunk_1\x01\x02");
        assert_eq!(number(&second[1..]), Some((1 + 7 + 300, 2)));
        assert_eq!(&second[3..11], b"\x07chunk_2");
        assert_eq!(second[11..], long);
        assert_eq!(bare(&file).unwrap(), file[..8], "without its custom sections it is an empty module");
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
