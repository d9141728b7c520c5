//! The Rust tools that build the page. A tool on PATH is used if it has exactly the expected
//! version; otherwise it is installed once into a cache folder of this project. Nothing global
//! changes, except that rustup gets the wasm target.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result};

use crate::process;

pub const WASM: &str = "wasm32-unknown-unknown";

/// A program that `cargo install` builds.
struct Tool {
    /// The crate that contains it.
    package: &'static str,
    program: &'static str,
    version: String,
    /// Whether to build it with the Cargo.lock that its author published.
    locked: bool,
}

/// Trunk, ready for its arguments.
pub fn trunk() -> Result<Command> {
    wasm_target()?;
    let trunk = Tool {
        package: "trunk",
        program: "trunk",
        version: "0.21.14".to_owned(), // 0.22 needs a newer Rust than ours
        locked: true,                  // otherwise Cargo picks an incompatible cssparser
    };
    let mut command = Command::new(trunk.ensure()?);
    let bindgen = bindgen_tool()?.ensure()?;
    if let Some(folder) = bindgen.parent() {
        process::prepend_path(&mut command, folder)?; // otherwise Trunk downloads one
    }
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", renamed_sources()?);
    // Trunk reads the customary NO_COLOR=1 as a faulty boolean and refuses to start.
    command.env_remove("NO_COLOR").arg("--skip-version-check");
    Ok(command)
}

/// Compiler flags that make the page's bytes the same on every machine: panic messages contain the
/// path of their source file, and these flags replace the part that differs.
fn renamed_sources() -> Result<String> {
    let rustc = |what: &[&str]| process::read(Command::new("rustc").args(what));
    let version = rustc(&["-vV"])?;
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: ")).unwrap_or_default();
    let library = Path::new(rustc(&["--print", "sysroot"])?.trim()).join("lib/rustlib/src/rust");
    let cargo = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let crates = cargo.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let crates = crates.into_iter().flatten().flatten().map(|registry| (registry.path(), "crates".to_owned()));
    let names = [(library, format!("/rustc/{commit}")), (env::current_dir()?, "lockstep".to_owned())];
    let flag = |(path, name): (PathBuf, String)| format!("--remap-path-prefix={}={name}", path.display());
    let flags = names.into_iter().chain(crates).map(flag);
    // the compiler would read a flag with a space in it as two
    Ok(flags.filter(|flag| !flag.contains(char::is_whitespace)).collect::<Vec<_>>().join(" "))
}

/// The program wasm-bindgen, ready for its arguments.
pub fn wasm_bindgen() -> Result<Command> {
    wasm_target()?;
    Ok(Command::new(bindgen_tool()?.ensure()?))
}

/// Adds the standard library for wasm to the toolchain.
pub fn wasm_target() -> Result<()> {
    let installed = process::read(Command::new("rustup").args(["target", "list", "--installed"]))
        .with_context(|| format!("rustup could not say whether the target {WASM} is installed"))?;
    if installed.lines().any(|line| line.trim() == WASM) {
        return Ok(());
    }
    eprintln!("Adding the Rust target {WASM}.");
    process::run_aside(Command::new("rustup").args(["target", "add", WASM]))
}

/// wasm-bindgen, in the version of the library that the page is linked with: they must be equal.
fn bindgen_tool() -> Result<Tool> {
    let lock = fs::read_to_string("Cargo.lock").context("Cargo.lock cannot be read")?;
    let version = locked_version(&lock, "wasm-bindgen").context("Cargo.lock contains no version of wasm-bindgen")?;
    Ok(Tool {
        package: "wasm-bindgen-cli",
        program: "wasm-bindgen",
        version: version.to_owned(),
        locked: false, // one of its locked dependencies is no longer published
    })
}

fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

impl Tool {
    /// The path of the program, which is installed if it is missing.
    fn ensure(&self) -> Result<PathBuf> {
        if let Some(path) = process::find(self.program)
            && self.is(&path)
        {
            return Ok(path);
        }
        let cached = self.folder()?.join("bin").join(self.program);
        if !self.is(&cached) {
            self.install()?;
        }
        Ok(cached)
    }

    /// Whether there is a program at this path with exactly our version.
    fn is(&self, path: &Path) -> bool {
        let output = Command::new(path).arg("--version").stdin(Stdio::null()).output();
        output.is_ok_and(|output| {
            let text = String::from_utf8_lossy(&output.stdout);
            text.split_whitespace().nth(1) == Some(&self.version)
        })
    }

    fn folder(&self) -> Result<PathBuf> {
        Ok(cache()?.join(format!("{}-{}", self.package, self.version)))
    }

    fn install(&self) -> Result<()> {
        let (package, version) = (self.package, &self.version);
        let folder = self.folder()?;
        let build = folder.with_file_name(format!("{package}-{version}.build"));
        eprintln!("Compiling {package} {version} into {}. This takes some minutes, once.", folder.display());
        let mut install = process::cargo();
        install.args(["install", package, "--version", version]);
        if self.locked {
            install.arg("--locked");
        }
        install.arg("--root").arg(&folder).env("CARGO_TARGET_DIR", &build);
        // outside of the repository, whose Cargo settings are not meant for this tool
        install.current_dir(env::temp_dir());
        let installed = process::run_aside(&mut install);
        if build.exists() {
            fs::remove_dir_all(&build).context("The build folder could not be removed")?;
        }
        installed.with_context(|| format!("{package} {version} could not be installed"))
    }
}

fn cache() -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME")
        .or_else(|| Some(set("HOME")?.join(".cache")))
        .context("Set XDG_CACHE_HOME or HOME: tools are cached below it")?;
    Ok(base.join("lockstep/tools"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_version_of_exactly_this_package() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"0.1.0\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(lock, "yew"), None);
    }
}
