//! Starts programs. A failure names the command; standard output stays free for results.

#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::{
    env,
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use anyhow::{Context, Result, bail};

/// The Cargo that started this program.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a program whose output is the result.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status();
    check(command, status)
}

/// Runs a program whose output is only progress: all of it goes to standard error.
pub fn run_aside(command: &mut Command) -> Result<()> {
    run(command.stdout(io::stderr()))
}

/// Replaces this process by the program, so that stopping one stops the other.
#[cfg(unix)]
pub fn become_aside(mut command: Command) -> Result<()> {
    let error = command.stdout(io::stderr()).exec();
    check(&command, Err(error))
}

/// Other systems cannot replace a process: this one waits for the program.
#[cfg(not(unix))]
pub fn become_aside(mut command: Command) -> Result<()> {
    run_aside(&mut command)
}

/// What a program prints on standard output; its standard error is passed on.
pub fn read(command: &mut Command) -> Result<String> {
    let output = command.stderr(io::stderr()).output();
    let (status, stdout) = match output {
        Ok(output) => (Ok(output.status), output.stdout),
        Err(error) => (Err(error), Vec::new()),
    };
    check(command, status)?;
    String::from_utf8(stdout).with_context(|| format!("{} printed something that is not Unicode", spell(command)))
}

/// The program of this name on PATH.
pub fn find(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Puts a folder first on the PATH of a program.
pub fn prepend_path(command: &mut Command, folder: &Path) -> Result<()> {
    let asked = command.get_envs().find(|(name, _)| *name == "PATH");
    let old = asked.and_then(|(_, value)| value.map(OsStr::to_owned));
    let old = old.or_else(|| env::var_os("PATH")).unwrap_or_default();
    let folders = [folder.to_owned()].into_iter().chain(env::split_paths(&old));
    command.env("PATH", env::join_paths(folders)?);
    Ok(())
}

fn check(command: &Command, status: io::Result<ExitStatus>) -> Result<()> {
    let status = status.with_context(|| format!("{} could not be started", spell(command)))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => bail!("{} ended with exit code {code}", spell(command)),
        None => bail!("{} was stopped by a signal", spell(command)),
    }
}

/// The command as it would be typed.
fn spell(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words: Vec<_> = [name].into_iter().chain(command.get_args()).map(OsStr::to_string_lossy).collect();
    format!("`{}`", words.join(" "))
}
