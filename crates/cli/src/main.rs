//! The command line: the same core as the page, natively and on all cores.
//!
//! Each command turns its options into a [`CommandOutput`]; only this file decides on exit codes (0
//! done, 1 a violation or a failed expectation, 2 bad input or output that cannot be written, 3 a
//! log that proves neither), and only `print` prints. The command line deliberately knows no
//! simulation logic.

mod answer;
mod check;
mod draw;
mod fields;
mod input;
mod judge;
mod lines;
mod list;
mod memory;
mod print;
mod puzzles;
mod replay;
mod run;
mod schema;
mod study;

use answer::{BadInput, CommandOutput};
use clap::{Parser, Subcommand};
use print::{Unprinted, complain, print, say, written};
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
    /// List every problem, not only the first twelve
    #[arg(long, global = true)]
    all_problems: bool,
}

#[derive(Subcommand)]
enum Command {
    /// List every algorithm with its parameters, needs and claims
    List(answer::Args),
    /// Run a timed simulation, or several replications, and measure it
    Run(Box<run::Args>),
    /// Explore every order of events of a small system
    Check(Box<check::Args>),
    /// List what goes wrong without each listing line of an algorithm
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
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // help and version; other errors repeat arguments, which may contain anything
        Err(error) if error.exit_code() == 0 => return ended(written(|| error.print()), 0),
        Err(error) => {
            say(error.to_string().trim_end());
            return ExitCode::from(2);
        }
    };
    let answer = match cli.command {
        Command::List(args) => list::answer(&args),
        Command::Run(args) => run::answer(&args),
        Command::Check(args) => check::answer(&args),
        Command::Lines(args) => lines::answer(&args),
        Command::Puzzles(args) => puzzles::answer(&args),
        Command::Replay(args) => replay::answer(&args),
        Command::Draw(args) => draw::answer(&args),
        Command::Fields(args) => fields::answer(&args),
        Command::Judge(args) => {
            let answer = judge::answer(&args, cli.all_problems);
            return finish(answer.map(|(out, code)| (CommandOutput::fine(out), code)), cli.all_problems);
        }
        Command::Schema => schema::answer(),
        Command::Study(args) => study::answer(&args),
    };
    let answer = answer.map(|output| {
        let code = u8::from(!output.complaints.is_empty());
        (output, code)
    });
    finish(answer, cli.all_problems)
}

/// Prints the output of a command and ends with its exit code.
fn finish(answer: anyhow::Result<(CommandOutput, u8)>, all_problems: bool) -> ExitCode {
    match answer {
        Ok((CommandOutput { out, complaints }, code)) => {
            let printed = print(&out);
            complain(&complaints, all_problems);
            ended(printed, code)
        }
        Err(error) => {
            match error.downcast_ref::<BadInput>() {
                Some(BadInput(problems)) => complain(problems, all_problems),
                None => say(&format!("{error:#}")),
            }
            ExitCode::from(2)
        }
    }
}

/// The exit code of a command whose output was printed, or not: then a script must not take what
/// arrived for the whole. A reader that closed the pipe knows; others are told.
fn ended(printed: Result<(), Unprinted>, code: u8) -> ExitCode {
    match printed {
        Ok(()) => ExitCode::from(code),
        Err(Unprinted::Closed) => ExitCode::from(2),
        Err(Unprinted::Failed(why)) => {
            say(&format!("The output cannot be written: {why}."));
            ExitCode::from(2)
        }
    }
}
