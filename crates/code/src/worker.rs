//! A child process that reads files: jobs on standard input, results on standard output, a line of JSON each.
//!
//! In the sandbox it reads any file, as the user may, but writes none and connects to nothing. It has a limit of memory.

use std::io::{self, BufRead, Write};

use crate::content;
use crate::failure::Refusal;
use crate::job::Job;

/// Address space: as that of the server's workers, which keep 2 GiB, and 1 GiB that is reserved but not used.
#[cfg(target_os = "linux")]
const MEMORY_MAX_BYTES: u64 = 3 << 30;

/// Answers jobs until standard input ends.
pub fn serve() {
    confine();
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let reply = match serde_json::from_str(&line) {
            Ok(job) => reply(&job),
            Err(error) => failed(&crate::failure::internal(error)),
        };
        if writeln!(output, "{reply}").and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

fn reply(job: &Job) -> String {
    let result = content::result(job);
    match result {
        Ok(result) => serde_json::to_string(&result)
            .unwrap_or_else(|error| failed(&crate::failure::internal(error))),
        Err(refusal) => failed(&refusal),
    }
}

fn failed(refusal: &Refusal) -> String {
    serde_json::json!({ "error": { "code": refusal.code, "detail": refusal.detail } }).to_string()
}

/// What the kernel lacks is not restricted, as in the server.
#[cfg(target_os = "linux")]
fn confine() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = Rlimit { current: Some(MEMORY_MAX_BYTES), maximum: Some(MEMORY_MAX_BYTES) };
    let _ = setrlimit(Resource::As, limit);
    let rules = sandbox::FileRules {
        read: vec!["/".into()],
        open: Vec::new(),
        write: vec!["/dev/null".into()],
    };
    if std::env::var_os("ISCCD_SANDBOX").is_none_or(|value| value != "off") {
        sandbox::confine(&rules);
    }
}

#[cfg(not(target_os = "linux"))]
fn confine() {}
