//! Work that leaves the event loop: named thread pools with promises.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::runtime::promise::{outcome, settled};

type Job = Box<dyn FnOnce() + Send + 'static>;

/// A fixed set of threads that take jobs in order.
///
/// Not libuv's pool: file system calls and name look-ups wait in that one, and a batch of hashing
/// must not hold them up. Bounding the queue is the caller's business (it knows what to answer).
pub struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    /// Starts `threads` threads named `name`.
    pub fn new(name: &str, threads: usize) -> Self {
        let (jobs, queue) = channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        for index in 0..threads.max(1) {
            let queue = Arc::clone(&queue);
            let spawned =
                thread::Builder::new().name(format!("{name}-{index}")).spawn(move || serve(&queue));
            // A pool without its first thread could never answer; the operating system refusing a
            // thread at load time is not something to go on from.
            assert!(spawned.is_ok() || index > 0, "cannot start thread pool {name}");
        }
        Self { jobs }
    }

    /// Runs `work` on the pool, or at once after [`work_at_once`]; the promise is settled with its value or its error.
    ///
    /// A panic inside `work` rejects the promise: across the boundary it would abort the process.
    pub fn run<'env, T, F>(&self, env: &'env Env, work: F) -> Result<Object<'env>>
    where
        T: ToNapiValue + Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        if AT_ONCE.load(Ordering::Relaxed) {
            return settled(env, outcome(work));
        }
        let (deferred, promise) = env.create_deferred()?;
        self.spawn(move || match outcome(work) {
            Ok(value) => deferred.resolve(Box::new(move |_| Ok(value))),
            Err(error) => deferred.reject(error),
        })?;
        Ok(promise)
    }

    /// Runs `work`, which settles its promise itself, on the pool.
    pub fn spawn(&self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let job: Job = Box::new(work);
        self.jobs.send(job).map_err(|_| Error::from_reason("thread pool has stopped"))
    }
}

fn serve(queue: &Mutex<Receiver<Job>>) {
    loop {
        let job = match queue.lock() {
            Ok(receiver) => receiver.recv(),
            Err(_) => return,
        };
        match job {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

/// Makes what pools are given happen on the JavaScript thread from now on, before the call returns; it still gives a
/// promise. For processes whose event loop has one job at a time: waking another thread and being woken by it costs more
/// than many a job.
#[napi]
pub fn work_at_once() {
    AT_ONCE.store(true, Ordering::Relaxed);
}

static AT_ONCE: AtomicBool = AtomicBool::new(false);
