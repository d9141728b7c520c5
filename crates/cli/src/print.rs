//! The one writer: everything that this program prints goes through here, with characters that a
//! terminal would obey made visible.

use lockstep_text::{printable, problems};
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Why standard output did not take everything.
#[derive(Debug)]
pub enum Unprinted {
    /// The reader has closed the pipe: it needs no message.
    Closed,
    /// The disk is full, or something else went wrong.
    Failed(io::Error),
}

/// Prints the output of a command.
pub fn print(text: &str) -> Result<(), Unprinted> {
    written(|| {
        let mut out = io::stdout().lock();
        out.write_all(printable(text).as_bytes())?;
        out.flush()
    })
}

/// Does what writes to standard output and tells a closed pipe from other failures.
pub fn written(write: impl FnOnce() -> io::Result<()>) -> Result<(), Unprinted> {
    write().map_err(|why| if why.kind() == ErrorKind::BrokenPipe { Unprinted::Closed } else { Unprinted::Failed(why) })
}

/// Prints sentences for the reader, one in a line: the first ones, unless all are wanted.
pub fn complain(sentences: &[String], all: bool) {
    let problems = problems(sentences, all);
    problems.shown.iter().for_each(|sentence| say(sentence));
    if let Some(rest) = problems.rest() {
        say(&format!("… {rest}; --all-problems shows them."));
    }
}

/// Prints one sentence for the reader. Where even that fails, there is nobody to tell.
pub fn say(sentence: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(sentence));
}

/// Whether somebody watches the progress.
pub fn watched() -> bool {
    io::stderr().is_terminal()
}

/// Writes the line of progress over the one before it; the last one ends the line.
pub fn progress(line: &str, last: bool) {
    let end = if last { "\n" } else { "" };
    let _ = write!(io::stderr().lock(), "\r{}{end}", printable(line));
}
