//! What is made before the page is compiled (docs/download-size.md).
//!
//! * The first figure, read and played: the first load contains no reader of files.
//! * Relocations in the linked program, by which `cargo xtask split` splits it into parts.

use lockstep_scenario::{LIBRARY, Prepared, parse};
use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs"); // and whenever the crates that it uses change
    let one_file = env::var_os("CARGO_FEATURE_ONE_FILE").is_some();
    if !one_file && env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo::rustc-link-arg-bin=app=--emit-relocs");
    }
    let (id, text) = LIBRARY.first().ok_or("The library is empty.")?;
    let scenario = parse(id, text).map_err(|problems| format!("{problems:?}"))?;
    let prepared = serde_json::to_string(&Prepared::of(&scenario)?)?;
    Ok(fs::write(Path::new(&env::var("OUT_DIR")?).join("first.json"), prepared)?)
}
