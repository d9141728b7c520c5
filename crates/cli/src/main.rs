//! The command line: the same core as the page, natively and on all cores.
//!
//! Each command turns its options into a [`CommandOutput`]; only this file prints and decides on
//! exit codes: 0 done, 1 a violation or a failed expectation, 2 bad input. The command line
//! deliberately knows no simulation logic.

mod answer;
mod check;
mod draw;
mod fields;
mod input;
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
    after_help = "Exit codes: 0 done, 1 a violation or a failed expectation, 2 bad input."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List every algorithm with its parameters, needs and claims
    List(list::Args),
    /// Run a timed simulation, or several replications, and measure it
    Run(Box<run::Args>),
    /// Explore every order of events of a small system
    Check(Box<check::Args>),
    /// Say of every line of an algorithm what goes wrong without it
    Lines(lines::Args),
    /// List the puzzles; `replay LINK --puzzle ID` verifies a solution
    Puzzles(puzzles::Args),
    /// Play a scenario or a link and check the states it expects
    Replay(replay::Args),
    /// Draw a step of a scenario or a link: the stage or the space-time diagram
    Draw(draw::Args),
    /// List every field of a system: names, help, kind, defaults and limits
    Fields(fields::Args),
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
        Command::Schema => schema::answer(),
        Command::Study(args) => study::answer(&args),
    };
    match answer {
        Ok(CommandOutput { out, complaints }) => {
            // a reader that has seen enough and closed the pipe is no error
            let _ = std::io::stdout().write_all(out.as_bytes());
            complain(&complaints);
            if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) }
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
