//! `isccd-code`: codes of files, without Node.js: `code`, `explain`, `compare` and `hash`.
//!
//! Output, options and messages are those of the command `isccd`, as far as both have them. Files are read in child
//! processes of this program, in the sandbox of the server's workers. Design: docs/design/program.md.

mod arguments;
mod content;
mod cost;
mod decoded;
mod failure;
mod files;
mod film;
mod given;
mod heif;
mod job;
mod number;
mod output;
mod pool;
mod probe;
mod result;
mod run;
mod scratch;
mod sound;
mod tags;
mod texts;
mod tool;
mod worker;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use failure::{EXIT_ARGUMENTS, Failed};

fn main() -> ExitCode {
    let command = match arguments::parse(lexopt::Parser::from_env()) {
        Ok(command) => command,
        Err(error) => return fail(&Failed::new(EXIT_ARGUMENTS, error.to_string())),
    };
    match run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => fail(&failed),
    }
}

fn run(command: Command) -> Result<(), Failed> {
    match command {
        Command::Help(text) => output::text(&text),
        Command::Worker => {
            worker::serve();
            Ok(())
        }
        Command::Explain { codes, json } => texts::explain(&codes, json),
        Command::Compare { a, b, json } => run::compare(&a, &b, json),
        Command::Code(Arguments { files, options, given, form, jobs, stdin_name }) => {
            let given = given::checked(given)?;
            run::code(&files, &run::Coding { options, given, form, jobs, stdin_name })
        }
    }
}

fn fail(failed: &Failed) -> ExitCode {
    // A closed pipe (`| head`) is not an error.
    if !failed.message.is_empty() {
        eprintln!("isccd-code: {}", failed.message);
    }
    ExitCode::from(failed.status)
}
