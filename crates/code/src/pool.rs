//! The child processes of a run, one per thread: each reads one file at a time, and is replaced after a crash.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::arguments::WORKER;
use crate::failure::Refusal;
use crate::job::Job;

/// A worker ends its programs at the limit of the job, before it is ended itself.
const GRACE: Duration = Duration::from_secs(5);
/// A worker is replaced after this many jobs, because libraries leak memory.
const JOBS_MAX: usize = 1000;
/// Last words of a worker that are kept.
const STDERR_BYTES_MAX: u64 = 4096;
/// How Rust, C and C++ say that memory is missing.
const NO_MEMORY: [&str; 3] = ["memory allocation of", "bad_alloc", "Cannot allocate memory"];

/// A place for one child process at a time.
#[derive(Default)]
pub struct Slot {
    worker: Option<Worker>,
}

struct Worker {
    child: Child,
    jobs: ChildStdin,
    replies: Receiver<String>,
    stderr: Option<ChildStderr>,
    done: usize,
}

impl Slot {
    /// The reply to a job: JSON of a result or of an error.
    pub fn run(&mut self, job: &Job) -> Result<String, Refusal> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start().map_err(unstartable)?,
        };
        let reply = worker.run(job)?;
        worker.done += 1;
        if worker.done < JOBS_MAX {
            self.worker = Some(worker);
        }
        Ok(reply)
    }
}

fn unstartable(error: std::io::Error) -> Refusal {
    Refusal::new("INTERNAL", format!("the process that reads files does not start: {error}"))
}

impl Worker {
    fn start() -> std::io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(WORKER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let missing = || std::io::Error::other("a pipe is missing");
        let jobs = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let (send, replies) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        let stderr = child.stderr.take();
        Ok(Self { child, jobs, replies, stderr, done: 0 })
    }

    fn run(&mut self, job: &Job) -> Result<String, Refusal> {
        let line = serde_json::to_string(job).map_err(crate::failure::internal)?;
        // A worker that has ended gives no reply either.
        let _ = writeln!(self.jobs, "{line}").and_then(|()| self.jobs.flush());
        match self.replies.recv_timeout(job.time_limit() + GRACE) {
            Ok(reply) => Ok(reply),
            Err(RecvTimeoutError::Timeout) => Err(Refusal::of_file("FILE_TOO_SLOW")),
            Err(RecvTimeoutError::Disconnected) => Err(self.loss()),
        }
    }

    /// Why the worker has ended.
    fn loss(&mut self) -> Refusal {
        let mut words = Vec::new();
        if let Some(stderr) = self.stderr.take() {
            let _ = stderr.take(STDERR_BYTES_MAX).read_to_end(&mut words);
        }
        let words = String::from_utf8_lossy(&words);
        match NO_MEMORY.iter().any(|text| words.contains(text)) {
            true => Refusal::of_file("FILE_TOO_COMPLEX"),
            false => Refusal::of_file("FILE_CRASHES_DECODER"),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
