//! `cargo xtask size`: the download size of the page, file by file, against a budget.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
};

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::{args::Args, build, split};

/// What is fetched before the page is visible, compressed with brotli, in bytes: the page and its
/// program, which its workers run too. The present size with a little room; never above 350,000.
const FIRST_LOAD: usize = 336_000;
/// What a worker fetches in addition to compute with the algorithms of one paper, for the largest.
const ONE_PAPER: usize = 217_000;
/// The whole page: every place, every paper. Each file is compressed by itself, so the sum is
/// larger than one compressed file would be.
const EVERYTHING: usize = 1_560_000;

struct File {
    name: String,
    raw: usize,
    gzip: usize,
    brotli: usize,
}

pub fn command(mut args: Args) -> Result<()> {
    let json = args.flag("--json");
    args.finish()?;
    build::page_if_absent()?;
    if !json {
        return report();
    }
    let files = measure()?;
    let rows: Vec<_> =
        files.iter().map(|f| json!({"name": f.name, "raw": f.raw, "gzip": f.gzip, "brotli": f.brotli})).collect();
    let [first_load, one_paper, everything] = sums(&files).map(|sum| sum.size);
    println!(
        "{}",
        json!({"first_load_brotli": first_load, "one_text_brotli": one_paper, "total_brotli": everything, "files": rows})
    );
    within_budget(&files)
}

/// Prints the table and fails if the page is too large.
pub fn report() -> Result<()> {
    let files = measure()?;
    let total = total(&files);
    let width = files.iter().map(|f| f.name.len()).max().unwrap_or(0);
    println!("{:width$}  {:>10}  {:>10}  {:>10}", "bytes", "raw", "gzip", "brotli");
    for f in files.iter().chain([&total]) {
        println!("{:width$}  {:>10}  {:>10}  {:>10}", f.name, f.raw, f.gzip, f.brotli);
    }
    for Sum { about, size, budget } in sums(&files) {
        println!("{about}: {size} bytes (brotli), {} % of the budget of {budget}", size * 100 / budget);
    }
    within_budget(&files)
}

/// A sum of files, and how large it may be.
struct Sum {
    about: &'static str,
    size: usize,
    budget: usize,
}

fn sums(files: &[File]) -> [Sum; 3] {
    [
        Sum { about: "First load: page, app and worker", size: first_load(files), budget: FIRST_LOAD },
        Sum { about: "What a worker fetches for one paper", size: one_paper(files), budget: ONE_PAPER },
        Sum { about: "Everything", size: total(files).brotli, budget: EVERYTHING },
    ]
}

fn within_budget(files: &[File]) -> Result<()> {
    for Sum { about, size, budget } in sums(files) {
        if size > budget {
            bail!("{about}: {size} bytes (brotli) are {} over the budget of {budget}", size - budget);
        }
    }
    Ok(())
}

/// Styles that are fetched with what they are for: `style::fetch` in web/.
const STYLES_OF_PLACES: [&str; 2] = ["judge.css", "long.css"];

/// All but the parts and their styles. A worker runs the page's own program, so it needs nothing
/// else to start.
fn first_load(files: &[File]) -> usize {
    let later = |f: &File| split::fetched_with(&f.name).next().is_some() || STYLES_OF_PLACES.contains(&f.name.as_str());
    files.iter().filter(|f| !later(f)).map(|f| f.brotli).sum()
}

/// The most that a worker fetches to compute with the algorithms of one paper.
fn one_paper(files: &[File]) -> usize {
    let parts = files.iter().flat_map(|f| split::fetched_with(&f.name));
    let with = |paper: &str| -> usize {
        let wanted = |f: &&File| split::fetched_with(&f.name).any(|part| part == paper || part == split::WORKSHOP);
        files.iter().filter(wanted).map(|f| f.brotli).sum()
    };
    parts.filter(|part| split::is_paper(part)).map(with).max().unwrap_or(0)
}

fn total(files: &[File]) -> File {
    let sum = |size: fn(&File) -> usize| files.iter().map(size).sum();
    File { name: "total".to_owned(), raw: sum(|f| f.raw), gzip: sum(|f| f.gzip), brotli: sum(|f| f.brotli) }
}

/// Every file of the page, the largest first.
fn measure() -> Result<Vec<File>> {
    let mut files = Vec::new();
    visit(Path::new(build::DIST), &mut files).with_context(|| format!("{}/ cannot be measured", build::DIST))?;
    files.sort_by(|a, b| b.brotli.cmp(&a.brotli).then_with(|| a.name.cmp(&b.name)));
    Ok(files)
}

fn visit(folder: &Path, files: &mut Vec<File>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            visit(&path, files)?;
            continue;
        }
        let content = fs::read(&path)?;
        files.push(File {
            name: path.strip_prefix(build::DIST)?.display().to_string(),
            raw: content.len(),
            gzip: gzip(&content)?,
            brotli: brotli(&content)?,
        });
    }
    Ok(())
}

fn gzip(content: &[u8]) -> Result<usize> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?.len())
}

/// At the strongest setting: a static host compresses ahead of time.
fn brotli(content: &[u8]) -> Result<usize> {
    let mut compressed = Vec::new();
    brotli::CompressorReader::new(content, 4096, 11, 22).read_to_end(&mut compressed)?;
    Ok(compressed.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetition_compresses_and_sums_add_up() {
        let content = [b'a'; 10_000];
        assert!(gzip(&content).unwrap() < 100);
        assert!(brotli(&content).unwrap() < 100);
        let file = |name: &str, brotli| File { name: name.to_owned(), raw: 1, gzip: 2, brotli };
        let half = |name: &str| file(&format!("{name}-0123456789abcdef.wasm"), ONE_PAPER / 2);
        let page = [
            file("app_bg.wasm", FIRST_LOAD),
            half("part_workshop"),
            half("shared_beyond"),
            file("part_wait_free-0.wasm", 1),
            file("part_lab-0.wasm", EVERYTHING - FIRST_LOAD - ONE_PAPER - 1),
        ];
        assert_eq!(sums(&page).map(|sum| sum.size), [FIRST_LOAD, ONE_PAPER, EVERYTHING]);
        assert_eq!(total(&page).raw, 5);
        assert!(within_budget(&page).is_ok());
        assert!(within_budget(&[file("worker.js", FIRST_LOAD + 1)]).is_err());
        assert!(within_budget(&[file("part_beyond-0.wasm", ONE_PAPER + 1)]).is_err());
        assert!(within_budget(&[file("part_lab-0.wasm", EVERYTHING + 1)]).is_err());
    }
}
