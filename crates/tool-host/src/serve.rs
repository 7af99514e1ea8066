//! The host: receives requests, forks, and reports how the runs end.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use rustix::process::{
    self, Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, kill_process, pidfd_open,
};

use crate::request::{Request, receive};

/// What this process is after the fork.
pub enum Role {
    /// The host; no requests are expected any more.
    Host,
    /// A run.
    Run(Request),
}

/// A host without runs ends after this time, because it has tens of megabytes. The addon starts
/// another one on demand.
const IDLE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

/// First message of a run: the program is loaded, and the run has its process.
const STARTED: &[u8] = b"s";

struct Run {
    pid: Pid,
    /// Readable when the process has ended.
    process: OwnedFd,
    life: OwnedFd,
}

/// Serves requests from standard input until it ends, and then waits for the runs. Returns in the
/// host at the end, and in every fork at once.
pub fn serve() -> Role {
    // SAFETY: standard input is open for the whole life of the host, which only forks change.
    let control = unsafe { BorrowedFd::borrow_raw(0) };
    let mut open = true;
    let mut runs: Vec<Run> = Vec::new();
    while open || !runs.is_empty() {
        let Some((is_ended, requested)) = wait(open.then_some(control), &runs) else { break };
        for at in (0..runs.len()).rev().filter(|at| is_ended[*at]) {
            runs.swap_remove(at).end();
        }
        if !requested {
            continue;
        }
        let Some(request) = receive(control) else {
            open = false;
            continue;
        };
        // SAFETY: the host has one thread, so that the fork may call any function.
        match unsafe { libc::fork() } {
            0 => {
                drop(runs);
                // Limits come first. Without them, nothing may run.
                if prepare(&request).is_err() {
                    std::process::abort();
                }
                return Role::Run(request);
            }
            pid => runs.extend(Pid::from_raw(pid).and_then(|pid| Run::begin(pid, request.life))),
        }
    }
    Role::Host
}

/// Which runs have ended or are no longer wanted, and whether there is a request; `None` after the
/// longest idle time.
fn wait(control: Option<BorrowedFd>, runs: &[Run]) -> Option<(Vec<bool>, bool)> {
    let mut watched = Vec::with_capacity(1 + 2 * runs.len());
    for run in runs {
        watched.push(PollFd::new(&run.process, PollFlags::IN));
        // Nothing is ever sent here, so that only the end of the connection counts.
        watched.push(PollFd::new(&run.life, PollFlags::IN));
    }
    watched.extend(control.map(|control| PollFd::from_borrowed_fd(control, PollFlags::IN)));
    let idle = runs.is_empty().then_some(&IDLE);
    match poll(&mut watched, idle) {
        Ok(0) => None,
        Ok(_) => {
            let ready: Vec<bool> = watched.iter().map(|one| !one.revents().is_empty()).collect();
            let (of_runs, of_control) = ready.split_at(2 * runs.len());
            let is_ended = of_runs.chunks(2).map(|pair| pair[0] || pair[1]).collect();
            Some((is_ended, of_control.contains(&true)))
        }
        Err(Errno::INTR) => Some((vec![false; runs.len()], false)),
        Err(_) => None,
    }
}

impl Run {
    fn begin(pid: Pid, life: OwnedFd) -> Option<Self> {
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
            // The system is too old: without a report of its start, the run counts as failed.
            let _ = kill_process(pid, Signal::KILL);
            return None;
        };
        tell(&life, STARTED);
        Some(Self { pid, process, life })
    }

    /// Ends the process, unless it has ended, and reports its exit status or signal.
    fn end(self) {
        let _ = kill_process(self.pid, Signal::KILL);
        let Ok(Some((_, status))) = process::waitpid(Some(self.pid), WaitOptions::empty()) else {
            return;
        };
        let text = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => format!("{code}\n"),
            (None, signal) => format!("signal {}\n", signal.unwrap_or_default()),
        };
        tell(&self.life, text.as_bytes());
    }
}

/// The reader may have left.
fn tell(life: impl AsFd, text: &[u8]) {
    let _ = send(life, text, SendFlags::NOSIGNAL);
}

/// Limits, files and folder of a run. It ends with its host.
fn prepare(request: &Request) -> std::io::Result<()> {
    process::set_parent_process_death_signal(Some(Signal::KILL))?;
    let resources = [Resource::As, Resource::Cpu, Resource::Fsize];
    for (resource, limit) in resources.into_iter().zip(request.limits) {
        // A lower limit is already set if the system rejects this one.
        let _ = process::setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) });
    }
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(&request.stdout)?;
    rustix::stdio::dup2_stderr(&request.stderr)?;
    if !request.folder.is_empty() {
        process::chdir(request.folder.as_c_str())?;
    }
    Ok(())
}
