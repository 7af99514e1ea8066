//! Ends this process with its parent, even while its JavaScript thread is busy.

use std::io::{Read, stdin};
use std::{process, thread};

use napi_derive::napi;

use crate::error::{NativeError, Result};

/// The thread only waits.
const STACK_BYTES: usize = 64 * 1024;

/// Ends this process and its process group when standard input ends. Standard input must be a pipe
/// whose other end the parent holds without writing to it: the system closes it when the parent
/// dies, for whatever reason.
#[napi(catch_unwind)]
pub fn end_with_parent() -> Result<()> {
    let thread = thread::Builder::new().name("parent".to_owned()).stack_size(STACK_BYTES);
    thread
        .spawn(|| {
            wait_for_end();
            end_group();
        })
        .map_err(NativeError::internal)?;
    Ok(())
}

/// An error counts as the end: nothing more can be learned about the parent.
fn wait_for_end() {
    let mut byte = [0];
    while matches!(stdin().lock().read(&mut byte), Ok(1..)) {}
}

/// Kills the group only if this process leads it; otherwise the group contains the parent.
#[cfg(unix)]
fn end_group() -> ! {
    use rustix::process::{Signal, getpgrp, getpid, kill_current_process_group};
    if getpgrp() == getpid() {
        let _ = kill_current_process_group(Signal::KILL);
    }
    process::abort()
}

#[cfg(not(unix))]
fn end_group() -> ! {
    process::abort()
}
