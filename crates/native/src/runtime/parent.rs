//! The end of a process whose parent is gone, however busy its JavaScript thread is.

use std::io::{Read, stdin};
use std::{process, thread};

use napi::bindgen_prelude::*;
use napi_derive::napi;

/// A thread that only waits needs no more.
const STACK_BYTES: usize = 64 * 1024;

/// Ends this process and its group as soon as standard input ends. It has to be a pipe of which the
/// parent holds the other end and writes nothing: the system closes it whatever the parent dies of.
#[napi(catch_unwind)]
pub fn end_with_parent() -> Result<()> {
    let thread = thread::Builder::new().name("parent".to_owned()).stack_size(STACK_BYTES);
    thread.spawn(|| {
        wait_for_end();
        end_group();
    })?;
    Ok(())
}

/// An error is an end too: nothing will be known of the parent any more.
fn wait_for_end() {
    let mut nothing = [0];
    while matches!(stdin().lock().read(&mut nothing), Ok(1..)) {}
}

/// Only the leader of a group may take it along: others would end who started them.
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
