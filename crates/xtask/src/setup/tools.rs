//! The tools that make the page: taken from PATH when the version is exactly right, otherwise from
//! a cache folder of ours, where a missing one is installed once. Nothing global is changed, except
//! that rustup gets the wasm target.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::process;

pub const WASM: &str = "wasm32-unknown-unknown";

struct Tool {
    /// The crate to install.
    package: &'static str,
    program: &'static str,
    version: String,
    /// Whether the author's own Cargo.lock is to be used.
    locked: bool,
}

/// Trunk, ready to be given its arguments.
pub fn trunk() -> Result<Command> {
    wasm_target()?;
    let trunk = Tool {
        package: "trunk",
        program: "trunk",
        version: "0.21.14".to_owned(), // 0.22 wants a newer Rust than ours
        locked: true,                  // without it an incompatible cssparser comes in
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

/// Panics name the file of their code by its path. With these flags of the compiler the names are the same on every machine, and so are the page's bytes.
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
    // a flag with a space in it would be two
    Ok(flags.filter(|flag| !flag.contains(char::is_whitespace)).collect::<Vec<_>>().join(" "))
}

/// The wasm-bindgen program, ready to be given its arguments.
pub fn wasm_bindgen() -> Result<Command> {
    wasm_target()?;
    Ok(Command::new(bindgen_tool()?.ensure()?))
}

/// Node itself; npm comes with it.
pub fn node() -> Result<Command> {
    for program in ["node", "npm"] {
        if process::find(program).is_none() {
            bail!("Node 20 or newer, with npm, has to be installed: there is no `{program}` on PATH");
        }
    }
    Ok(Command::new("node"))
}

/// The standard library for wasm.
pub fn wasm_target() -> Result<()> {
    let installed = process::read(Command::new("rustup").args(["target", "list", "--installed"]))
        .with_context(|| format!("The target {WASM} is needed and is looked for with rustup"))?;
    if installed.lines().any(|line| line.trim() == WASM) {
        return Ok(());
    }
    eprintln!("Adding the Rust target {WASM}.");
    process::run_aside(Command::new("rustup").args(["target", "add", WASM]))
}

/// The program has to be of the version of the library that the page is linked with.
fn bindgen_tool() -> Result<Tool> {
    let lock = fs::read_to_string("Cargo.lock").context("Cargo.lock cannot be read")?;
    let version = locked_version(&lock, "wasm-bindgen").context("Cargo.lock names no version of wasm-bindgen")?;
    Ok(Tool {
        package: "wasm-bindgen-cli",
        program: "wasm-bindgen",
        version: version.to_owned(),
        locked: false, // one of its pins can no longer be found
    })
}

fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

impl Tool {
    /// The path of the program, installed if need be.
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

    /// Whether the program there exists and has exactly our version.
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
        eprintln!("Installing {package} {version} into {}: this takes minutes, once.", folder.display());
        let mut install = process::cargo();
        install.args(["install", package, "--version", version]);
        if self.locked {
            install.arg("--locked");
        }
        install.arg("--root").arg(&folder).env("CARGO_TARGET_DIR", &build);
        // Not from within the repository: its Cargo settings are not meant for this tool.
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
        .context("Neither XDG_CACHE_HOME nor HOME says where tools can be kept")?;
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
