//! The thread pools that take work off the event loop.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::error::Result;
use crate::runtime::{Gate, Pending, Place, caught, rejected, settled};

/// Work that computes: hashing, decoding, text, signing, and queries of soft bindings. One thread
/// per core.
pub static CPU: Pool = Pool::new("cpu", cores);
/// Work that mostly waits for files: single rows, copies and checks of search indexes, and loading
/// them. Searches and batches of assets run on the threads of `iscc-search`.
pub static IO: Pool = Pool::new("io", || 4);
/// Validation of C2PA manifests. One thread per core, separate from [`CPU`]: a validation that
/// exceeds its time limit still holds its thread, and must not hold up hashing.
pub static C2PA: Pool = Pool::new("c2pa", cores);
/// Publication of files. The threads mostly wait for the disk; together they cost it fewer flushes
/// than one after another.
pub static PUBLISH: Pool = Pool::new("publish", || 8);
/// Writing files to the disk before their publication.
pub static SYNC: Pool = Pool::new("sync", || 8);

/// Jobs of one pool that may wait or run. A job holds its arguments, so the queue has to be bounded.
const JOBS_MAX: usize = 4096;

pub(super) type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed number of threads with one bounded queue. The threads start with the first job.
///
/// This is not libuv's pool: file system calls and name look-ups wait in that one, and a batch of
/// hashing must not delay them.
pub struct Pool {
    name: &'static str,
    threads: fn() -> usize,
    started: OnceLock<Started>,
}

struct Started {
    jobs: Arc<Jobs>,
    gate: Gate,
}

/// Waiting jobs. A new job wakes one thread.
#[derive(Default)]
struct Jobs {
    queue: Mutex<VecDeque<Job>>,
    changed: Condvar,
}

impl Jobs {
    fn push(&self, job: Job) {
        self.lock().push_back(job);
        self.changed.notify_one();
    }

    fn take(&self) -> Job {
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.pop_front() {
                return job;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    const fn new(name: &'static str, threads: fn() -> usize) -> Self {
        Self { name, threads, started: OnceLock::new() }
    }

    /// Runs `work` on the pool and returns a promise of its result: `BUSY` if the queue is full,
    /// `INTERNAL` if the work panics. After [`run_inline`], it runs on the calling thread.
    pub fn run<'env, T, F>(&self, env: &'env Env, work: F) -> Result<Object<'env>>
    where
        T: ToNapiValue + Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        if is_inline() {
            return settled(env, caught(work));
        }
        let place = match self.enter() {
            Ok(place) => place,
            Err(error) => return rejected(env, error),
        };
        let (pending, promise) = Pending::new(env)?;
        self.spawn(place, move || pending.settle(caught(work)));
        Ok(promise)
    }

    /// A place in the queue. Fails with `BUSY` if it is full.
    pub fn enter(&self) -> Result<Place> {
        self.started().gate.enter()
    }

    /// Runs `work`, which must not panic, on the pool.
    pub fn spawn(&self, place: Place, work: impl FnOnce() + Send + 'static) {
        self.started().jobs.push(Box::new(move || {
            work();
            drop(place);
        }));
    }

    fn started(&self) -> &Started {
        self.started.get_or_init(|| {
            let jobs = Arc::<Jobs>::default();
            for index in 0..(self.threads)().max(1) {
                let jobs = Arc::clone(&jobs);
                let thread = thread::Builder::new().name(format!("{}-{index}", self.name));
                let spawned = thread.spawn(move || serve(&jobs));
                // Fewer threads are enough. Without one, no promise would ever settle.
                assert!(spawned.is_ok() || index > 0, "cannot start thread pool {}", self.name);
            }
            Started { jobs, gate: Gate::new(JOBS_MAX) }
        })
    }
}

/// Number of cores that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Makes all pool work run on the calling thread from now on, before the call returns. Calls still
/// return promises. For processes that have one job at a time: switching threads would take longer
/// than many of their jobs.
#[napi(catch_unwind)]
pub fn run_inline() {
    INLINE.store(true, Ordering::Relaxed);
}

static INLINE: AtomicBool = AtomicBool::new(false);

pub(super) fn is_inline() -> bool {
    INLINE.load(Ordering::Relaxed)
}

fn serve(jobs: &Jobs) -> ! {
    loop {
        let job = jobs.take();
        // The job's promise has the error already; the thread goes on.
        let _ = caught(|| {
            job();
            Ok(())
        });
    }
}
