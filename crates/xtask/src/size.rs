//! `cargo xtask size`: what a visitor downloads, file by file, against a budget.

use std::{
    fs,
    io::{Read, Write},
    path::Path,
};

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::{args::Args, build, split::PARTS};

/// What is fetched before anything is seen, compressed with brotli, in bytes: what it is, with a little room. The aim is 350,000 with the workers' program,
/// which is fetched later; it is not reached.
const FIRST_LOAD: usize = 310_000;
/// The same with the other places and what workers compute with. Files that are fetched apart are compressed apart: the sum is larger than that of one.
const EVERYTHING: usize = 1_300_000;

/// Names of the files that only workers need begin with one of these.
const WORKERS: [&str; 2] = ["engine", "worker"];

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
    let first = first_load(&files);
    println!("{}", json!({"first_load_brotli": first, "total_brotli": total(&files).brotli, "files": rows}));
    within_budget(&files)
}

/// Prints the table and fails if the page is too big.
pub fn report() -> Result<()> {
    let files = measure()?;
    let total = total(&files);
    let width = files.iter().map(|f| f.name.len()).max().unwrap_or(0);
    println!("{:width$}  {:>10}  {:>10}  {:>10}", "bytes", "raw", "gzip", "brotli");
    for f in files.iter().chain([&total]) {
        println!("{:width$}  {:>10}  {:>10}  {:>10}", f.name, f.raw, f.gzip, f.brotli);
    }
    let first = first_load(&files);
    println!("first load: {first} bytes (brotli), {} % of the budget of {FIRST_LOAD}", first * 100 / FIRST_LOAD);
    println!("page, app and workers' program: {} bytes (brotli); the aim is 350000", first + workers(&files));
    println!("everything: {} bytes (brotli), {} % of {EVERYTHING}", total.brotli, total.brotli * 100 / EVERYTHING);
    within_budget(&files)
}

fn within_budget(files: &[File]) -> Result<()> {
    for (what, size, budget) in
        [("The first load", first_load(files), FIRST_LOAD), ("Everything", total(files).brotli, EVERYTHING)]
    {
        if size > budget {
            bail!("{what} is {size} bytes (brotli), {} over its budget of {budget}", size - budget);
        }
    }
    Ok(())
}

/// What is fetched before anything is seen: all but the parts and what workers compute with.
fn first_load(files: &[File]) -> usize {
    let later = |name: &str| WORKERS.iter().chain(&PARTS).any(|part| name.starts_with(part));
    files.iter().filter(|f| !later(&f.name)).map(|f| f.brotli).sum()
}

/// What workers compute with, and what starts them.
fn workers(files: &[File]) -> usize {
    let theirs = |name: &str| WORKERS.iter().any(|part| name.starts_with(part));
    files.iter().filter(|f| theirs(&f.name)).map(|f| f.brotli).sum()
}

fn total(files: &[File]) -> File {
    let sum = |size: fn(&File) -> usize| files.iter().map(size).sum();
    File { name: "total".to_owned(), raw: sum(|f| f.raw), gzip: sum(|f| f.gzip), brotli: sum(|f| f.brotli) }
}

/// Every file of the page, the biggest first.
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

/// At the strongest setting, as a static host compresses ahead of time.
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
        let (app, engine) = (file("app_bg.wasm", FIRST_LOAD), file("engine_bg.wasm", EVERYTHING - FIRST_LOAD));
        let both = [app, engine];
        assert_eq!((total(&both).raw, first_load(&both)), (2, FIRST_LOAD));
        assert_eq!(first_load(&both) + workers(&both), EVERYTHING);
        assert!(within_budget(&both).is_ok());
        assert!(within_budget(&[file("app_bg.wasm", FIRST_LOAD + 1)]).is_err());
        assert!(within_budget(&[file("engine_bg.wasm", EVERYTHING + 1)]).is_err());
    }
}
