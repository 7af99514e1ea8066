//! Work that must not slow down searches and changes.

/// Lowest priority of a thread.
#[cfg(target_os = "linux")]
const NICE: i32 = 19;

/// Memory in bytes that programs can use without swapping. `None` if the system does not tell.
pub fn available_memory() -> Option<u64> {
    let all = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = all.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// Runs work on a thread of the lowest priority and waits for it. The calling thread keeps its priority, so that it does
/// not hold locks for long.
pub fn run<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let on_thread = || {
        // On Linux, this applies to the calling thread only. Without it, the work is not less correct.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, NICE);
        work()
    };
    std::thread::scope(|scope| match scope.spawn(on_thread).join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
