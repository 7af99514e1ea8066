//! Codes of many files: child processes read them concurrently, lines come in the order of the files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use serde_json::Value;
use tempfile::NamedTempFile;

use crate::arguments::Form;
use crate::failure::{EXIT_FAILED, Failed, Refusal};
use crate::files::{self, Found, Source};
use crate::job::{Given, Job, Options};
use crate::output::{self, printable};
use crate::pool::Slot;
use crate::texts;

/// Failures shown at the end; all of them are in the output.
const SHOWN_FAILURES_MAX: usize = 20;
/// Results that may wait for an earlier one, per job.
const WAITING_PER_JOB_MAX: usize = 64;
/// What can be read only once is copied up to the size of an upload.
const STDIN_BYTES_MAX: u64 = 1 << 30;

const CSV_COLUMNS: [&str; 7] =
    ["path", "iscc", "mode", "mediatype", "filesize", "name", "datahash"];

/// How to code files.
pub struct Coding {
    pub options: Options,
    pub given: Given,
    pub form: Form,
    pub jobs: usize,
    pub stdin_name: Option<String>,
}

/// A result without its path, or a failure.
type Outcome = Result<String, Refusal>;

/// Writes a line per file. A failed file is a line with its error and does not stop the others; the exit status is then 1.
pub fn code(arguments: &[PathBuf], coding: &Coding) -> Result<(), Failed> {
    let found = files::all(arguments, coding.stdin_name.as_deref());
    if coding.form == Form::Csv {
        output::text(&format!("{},units,error,detail\r\n", CSV_COLUMNS.join(",")))?;
    }
    let mut failures = Vec::new();
    outcomes(&found, coding, |at, outcome| {
        let path = path_of(&found[at]);
        if let Err(refusal) = &outcome {
            failures.push(format!("{path}: {}", refusal.detail));
        }
        output::text(&line(path, &outcome, coding.form))
    })?;
    if found.is_empty() {
        eprintln!("isccd-code: no file found");
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(Failed::new(EXIT_FAILED, shortened(&failures))),
    }
}

/// Similarity of two codes or files, unit by unit.
pub fn compare(a: &str, b: &str, json: bool) -> Result<(), Failed> {
    let codes = [texts::units_of(a), texts::units_of(b)];
    for (code, name) in codes.iter().zip([a, b]) {
        // A mistyped code is no file either, and its error says more.
        if let (Err(error), false) = (code, PathBuf::from(name).is_file()) {
            let message = format!("there is no file {name}, and it is not an ISCC-CODE: {error}");
            return Err(Failed::new(EXIT_FAILED, printable(&message)));
        }
    }
    let [left, right] = codes;
    let left = left.or_else(|_| units_of_file(a))?;
    let right = right.or_else(|_| units_of_file(b))?;
    texts::compare(&left, &right, json)
}

fn units_of_file(name: &str) -> Result<Vec<String>, Failed> {
    let options = Options { content: true, granular: false, thumbnail: false, metadata: true };
    let given = Given::default();
    let coding = Coding { options, given, form: Form::Json, jobs: 1, stdin_name: None };
    let found = files::all(&[name.into()], None);
    let mut units = Vec::new();
    outcomes(&found, &coding, |_, outcome| {
        let result = outcome.map_err(|refusal| {
            let message = printable(&format!("{name}: {}", refusal.detail));
            Failed::new(EXIT_FAILED, message)
        })?;
        units = text_list(&parsed(&result)["units"]);
        Ok(())
    })?;
    Ok(units)
}

/// Calls `take` with each outcome, in the order of the files.
fn outcomes(
    found: &[Found],
    coding: &Coding,
    mut take: impl FnMut(usize, Outcome) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let jobs = coding.jobs.min(found.len()).max(1);
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (send, receive) = sync_channel(jobs * WAITING_PER_JOB_MAX);
        for _ in 0..jobs {
            let send = send.clone();
            scope.spawn(|| work(found, coding, &next, send));
        }
        drop(send);
        let mut waiting = BTreeMap::new();
        let mut first = 0;
        for (at, outcome) in receive {
            waiting.insert(at, outcome);
            while let Some(outcome) = waiting.remove(&first) {
                take(first, outcome)?;
                first += 1;
            }
        }
        Ok(())
    })
}

/// Codes files until there are no more, or until the receiver has ended.
fn work(found: &[Found], coding: &Coding, next: &AtomicUsize, send: SyncSender<(usize, Outcome)>) {
    let mut slot = Slot::default();
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(one) = found.get(at) else { return };
        let outcome = match one {
            Ok(source) => coded(source, coding, &mut slot),
            Err((_, refusal)) => Err(refusal.clone()),
        };
        if send.send((at, outcome)).is_err() {
            return;
        }
    }
}

fn coded(source: &Source, coding: &Coding, slot: &mut Slot) -> Outcome {
    // Removed at the end of this function.
    let copy = source.is_stdin.then(copied).transpose()?;
    let path = copy.as_ref().map_or(source.path.as_path(), NamedTempFile::path);
    let path = std::path::absolute(path)?;
    let bytes = File::open(&path)?.metadata()?.len();
    let job =
        Job::new((&path, bytes), source.filename.clone(), coding.options, coding.given.clone());
    let reply = slot.run(&job)?;
    match reply.starts_with("{\"error\":") {
        true => Err(serde_json::from_value(parsed(&reply)["error"].take())
            .map_err(crate::failure::internal)?),
        false => Ok(reply),
    }
}

/// Standard input as a file.
fn copied() -> Result<NamedTempFile, Refusal> {
    let mut copy = NamedTempFile::new()?;
    let length = io::copy(&mut io::Read::take(io::stdin().lock(), STDIN_BYTES_MAX + 1), &mut copy)?;
    copy.flush()?;
    match length > STDIN_BYTES_MAX {
        true => Err(Refusal::new("TOO_LARGE", format!("more than {STDIN_BYTES_MAX} bytes"))),
        false => Ok(copy),
    }
}

fn path_of(found: &Found) -> &str {
    match found {
        Ok(source) => &source.shown,
        Err((path, _)) => path,
    }
}

fn line(path: &str, outcome: &Outcome, form: Form) -> String {
    match (form, outcome) {
        // The fields of a result keep their order.
        (Form::Json, Ok(result)) => {
            format!("{{\"path\":{},{}\n", Value::from(path), &result[1..])
        }
        (Form::Json, Err(Refusal { code, detail })) => {
            let (path, code, detail) =
                (Value::from(path), Value::from(code.as_str()), Value::from(detail.as_str()));
            format!("{{\"path\":{path},\"error\":{{\"code\":{code},\"detail\":{detail}}}}}\n")
        }
        (Form::Csv, outcome) => csv_line(path, outcome),
    }
}

fn csv_line(path: &str, outcome: &Outcome) -> String {
    let result = outcome.as_ref().map_or(Value::Null, |result| parsed(result));
    let text = |name: &str| match &result[name] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut values = vec![path.to_owned()];
    values.extend(CSV_COLUMNS[1..].iter().map(|column| text(column)));
    values.push(text_list(&result["units"]).join(" "));
    let refusal = outcome.as_ref().err();
    values.push(refusal.map(|refusal| refusal.code.clone()).unwrap_or_default());
    values.push(refusal.map(|refusal| refusal.detail.clone()).unwrap_or_default());
    let fields: Vec<String> = values.iter().map(|value| csv_field(value)).collect();
    format!("{}\r\n", fields.join(","))
}

/// RFC 4180. A field that a spreadsheet would take for a formula begins with an apostrophe.
fn csv_field(value: &str) -> String {
    let value = match value.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') => format!("'{value}"),
        _ => value.to_owned(),
    };
    match value.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value,
    }
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or(Value::Null)
}

fn text_list(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

fn shortened(failures: &[String]) -> String {
    let mut shown: Vec<String> =
        failures.iter().take(SHOWN_FAILURES_MAX).map(|failure| printable(failure)).collect();
    if failures.len() > SHOWN_FAILURES_MAX {
        let more = failures.len() - SHOWN_FAILURES_MAX;
        shown.push(format!("{more} more files failed; their lines have the reasons"));
    }
    shown.join("\nisccd-code: ")
}
