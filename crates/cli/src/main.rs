//! The command line: the same core as the page, natively and on all cores.
//!
//! Each command turns its options into a [`CommandOutput`]; only this file prints and decides on
//! exit codes: 0 done, 1 a violation or a failed expectation, 2 bad input, 3 a log that proves
//! neither. The command line deliberately knows no simulation logic.

mod answer;
mod check;
mod draw;
mod fields;
mod input;
mod judge;
mod lines;
mod list;
mod puzzles;
mod replay;
mod run;
mod schema;
mod study;

use answer::{BadInput, CommandOutput};
use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// Distributed mutual exclusion: run it, check it, replay it.
#[derive(Parser)]
#[command(
    name = "lockstep",
    version,
    after_help = "Exit codes: 0 done, 1 a violation or a failed expectation, 2 bad input, 3 not decided (judge)."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List every algorithm with its parameters, needs and claims
    List(answer::Args),
    /// Run a timed simulation, or several replications, and measure it
    Run(Box<run::Args>),
    /// Explore every order of events of a small system
    Check(Box<check::Args>),
    /// Say of every line of an algorithm what goes wrong without it
    Lines(lines::Args),
    /// List the puzzles; `replay LINK --puzzle ID` verifies a solution
    Puzzles(answer::Args),
    /// Play a scenario or a link and check the states it expects
    Replay(replay::Args),
    /// Draw a step of a scenario or a link: the stage or the space-time diagram
    Draw(draw::Args),
    /// List every field of a system: names, help, kind, defaults and limits
    Fields(answer::Args),
    /// Judge logs of any implementation of a lock
    Judge(judge::Args),
    /// Print the JSON schema of scenario files, for editors
    Schema,
    /// Run the study of a paper, or an experiment of your own, and test its claims
    Study(Box<study::Args>),
}

fn main() -> ExitCode {
    let answer = match Cli::parse().command {
        Command::List(args) => list::answer(&args),
        Command::Run(args) => run::answer(&args),
        Command::Check(args) => check::answer(&args),
        Command::Lines(args) => lines::answer(&args),
        Command::Puzzles(args) => puzzles::answer(&args),
        Command::Replay(args) => replay::answer(&args),
        Command::Draw(args) => draw::answer(&args),
        Command::Fields(args) => fields::answer(&args),
        Command::Judge(args) => {
            return finish(judge::answer(&args).map(|(out, code)| (CommandOutput::fine(out), code)));
        }
        Command::Schema => schema::answer(),
        Command::Study(args) => study::answer(&args),
    };
    finish(answer.map(|output| {
        let code = u8::from(!output.complaints.is_empty());
        (output, code)
    }))
}

/// Prints the output of a command and ends with its exit code.
fn finish(answer: anyhow::Result<(CommandOutput, u8)>) -> ExitCode {
    match answer {
        Ok((CommandOutput { out, complaints }, code)) => {
            // a reader that has seen enough and closed the pipe is no error
            let _ = std::io::stdout().write_all(out.as_bytes());
            complain(&complaints);
            ExitCode::from(code)
        }
        Err(error) => {
            match error.downcast_ref::<BadInput>() {
                Some(BadInput(problems)) => complain(problems),
                None => complain(&[format!("{error:#}")]),
            }
            ExitCode::from(2)
        }
    }
}

fn complain(sentences: &[String]) {
    let mut err = std::io::stderr().lock();
    for sentence in sentences {
        let _ = writeln!(err, "{sentence}");
    }
}
