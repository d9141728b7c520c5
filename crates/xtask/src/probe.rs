//! Builds the probe: the core as wasm for Node. The stage `node` compares it with the native core,
//! and `bench` times it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{process, setup};

/// Where the scripts in tests/node expect it.
const FOLDER: &str = "target/probe-node";

/// Builds the probe into target/probe-node.
pub fn build() -> Result<()> {
    let mut bindgen = setup::wasm_bindgen()?;
    let mut cargo = process::cargo();
    cargo.args(["build", "--release", "--package", "lockstep-probe", "--lib"]);
    process::run_aside(cargo.args(["--target", setup::WASM])).context("The probe could not be compiled to wasm")?;
    let wasm = target_folder()?.join(setup::WASM).join("release/lockstep_probe.wasm");
    bindgen.args(["--target", "nodejs", "--out-dir", FOLDER]).arg(wasm);
    process::run_aside(&mut bindgen).context("The probe could not be wrapped for Node")
}

/// Cargo's target folder, which settings can move.
pub fn target_folder() -> Result<PathBuf> {
    let mut cargo = process::cargo();
    cargo.args(["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&process::read(&mut cargo)?)?;
    let folder = metadata["target_directory"].as_str();
    Ok(Path::new(folder.context("Cargo names no target folder")?).to_owned())
}
