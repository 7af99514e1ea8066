//! The command line. Names and meaning of options are those of `isccd`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::thread;

use lexopt::prelude::{Long, Short, Value, ValueExt};
use lexopt::{Error, Parser};

use crate::job::{Given, Options};

/// The argument of child processes.
pub const WORKER: &str = "--read-files";

const JOBS_PER_CORE_MAX: usize = 4;

const HELP: &str = "\
Codes of files (ISCC, ISO 24138), without Node.js

Usage: isccd-code COMMAND [OPTIONS] [ARGUMENTS]

Commands:
  code FILE…     create the ISCC-CODEs of files, one line of JSON per file
  hash FILE…     create the codes of their bytes only: Data-Code, Instance-Code, datahash
  explain CODE…  decode codes: units, digests and other forms
  compare A B    compare two codes or files, unit by unit

FILE is a file, a folder, or - for standard input. The exit status is 1 if a file or code fails, 2 for wrong arguments.

Options of code:
  --name TEXT         title, instead of that of the file
  --description TEXT  description, instead of that of the file
  --meta JSON         extended metadata: a JSON object, a base64 Data-URL, or @FILE
  --no-metadata       ignore metadata embedded in files
  --no-granular       omit simprints of text
  --no-thumbnail      omit the thumbnail

Options of code and hash:
  --filename NAME     file name of standard input
  --csv               print a table in CSV instead of JSON
  --jobs N            files to process concurrently (default: number of CPU cores)

Options of explain and compare:
  --json              machine-readable output

  -h, --help          show this help
  -V, --version       show the version
";

/// Output of codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Json,
    Csv,
}

/// Files to code, and how.
#[derive(Debug, Clone)]
pub struct Arguments {
    pub files: Vec<PathBuf>,
    pub options: Options,
    pub given: Given,
    pub form: Form,
    pub jobs: usize,
    pub stdin_name: Option<String>,
}

/// What to do.
#[derive(Debug, Clone)]
pub enum Command {
    Help(String),
    Worker,
    Code(Arguments),
    Explain { codes: Vec<String>, json: bool },
    Compare { a: String, b: String, json: bool },
}

/// Reads the command line.
pub fn parse(mut parser: Parser) -> Result<Command, Error> {
    match parser.next()? {
        Some(Short('h') | Long("help")) => Ok(Command::Help(HELP.to_owned())),
        Some(Short('V') | Long("version")) => {
            Ok(Command::Help(concat!("isccd-code - v", env!("CARGO_PKG_VERSION"), "\n").to_owned()))
        }
        Some(Long(name)) if WORKER.strip_prefix("--") == Some(name) => Ok(Command::Worker),
        Some(Value(name)) => match name.to_string_lossy().as_ref() {
            "code" => coding(parser, true),
            "hash" => coding(parser, false),
            "explain" => explaining(parser),
            "compare" => comparing(parser),
            "help" => Ok(Command::Help(HELP.to_owned())),
            other => Err(format!("unknown command {other} (isccd-code --help)").into()),
        },
        Some(other) => Err(other.unexpected()),
        None => Err("name a command (isccd-code --help)".into()),
    }
}

fn coding(mut parser: Parser, content: bool) -> Result<Command, Error> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut arguments = Arguments {
        files: Vec::new(),
        options: Options { content, granular: true, thumbnail: true, metadata: true },
        given: Given::default(),
        form: Form::Json,
        jobs: cores,
        stdin_name: None,
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Value(file) => arguments.files.push(file.into()),
            Short('h') | Long("help") => return Ok(Command::Help(HELP.to_owned())),
            Long("filename") => arguments.stdin_name = Some(parser.value()?.string()?),
            Long("csv") => arguments.form = Form::Csv,
            Long("json") => {}
            Long("jobs") => arguments.jobs = jobs(&parser.value()?, cores)?,
            Long("name") if content => arguments.given.name = Some(parser.value()?.string()?),
            Long("description") if content => {
                arguments.given.description = Some(parser.value()?.string()?);
            }
            Long("meta") if content => arguments.given.meta = Some(parser.value()?.string()?),
            Long("metadata") if content => arguments.options.metadata = true,
            Long("no-metadata") if content => arguments.options.metadata = false,
            Long("granular") if content => arguments.options.granular = true,
            Long("no-granular") if content => arguments.options.granular = false,
            Long("no-thumbnail") if content => arguments.options.thumbnail = false,
            other => return Err(other.unexpected()),
        }
    }
    match arguments.files.is_empty() {
        true => Err("name files or folders (isccd-code --help)".into()),
        false => Ok(Command::Code(arguments)),
    }
}

fn jobs(text: &OsString, cores: usize) -> Result<usize, Error> {
    match text.to_str().and_then(|text| text.parse::<usize>().ok()) {
        Some(jobs) if jobs > 0 => Ok(jobs.min(cores * JOBS_PER_CORE_MAX)),
        _ => Err("--jobs must be an integer from 1".into()),
    }
}

fn explaining(parser: Parser) -> Result<Command, Error> {
    match texts(parser)? {
        (codes, json) if !codes.is_empty() => Ok(Command::Explain { codes, json }),
        _ => Err("name codes (isccd-code --help)".into()),
    }
}

fn comparing(parser: Parser) -> Result<Command, Error> {
    let (texts, json) = texts(parser)?;
    match <[String; 2]>::try_from(texts) {
        Ok([a, b]) => Ok(Command::Compare { a, b, json }),
        Err(_) => Err("name two codes or files (isccd-code --help)".into()),
    }
}

fn texts(mut parser: Parser) -> Result<(Vec<String>, bool), Error> {
    let (mut texts, mut json) = (Vec::new(), false);
    while let Some(argument) = parser.next()? {
        match argument {
            Value(text) => texts.push(text.string()?),
            Long("json") => json = true,
            other => return Err(other.unexpected()),
        }
    }
    Ok((texts, json))
}
