//! Work that leaves the event loop: named thread pools with promises.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use napi::bindgen_prelude::*;
use napi::{Env, JsDeferred};
use napi_derive::napi;

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

/// A promise that some thread settles when it gets there.
pub struct Pending<T: ToNapiValue + Send + 'static>(JsDeferred<T, Resolver<T>>);

impl<T: ToNapiValue + Send + 'static> Pending<T> {
    /// The promise, and the object that JavaScript gets.
    pub fn new(env: &Env) -> Result<(Self, Object<'_>)> {
        let (deferred, object) = env.create_deferred()?;
        Ok((Self(deferred), object))
    }

    /// Settles it with a value.
    pub fn resolve(self, value: T) {
        self.0.resolve(Box::new(move |_| Ok(value)));
    }
}

/// Limits how much work waits and runs at once.
pub struct Gate {
    inside: Arc<AtomicUsize>,
    max: usize,
}

/// A place inside a [`Gate`]; it is free again when this is dropped.
pub struct Place(Arc<AtomicUsize>);

impl Gate {
    /// A gate that lets `max` in.
    pub fn new(max: usize) -> Self {
        Self { inside: Arc::default(), max }
    }

    /// A place, if one is free.
    pub fn enter(&self) -> Option<Place> {
        let place = Place(Arc::clone(&self.inside));
        let inside = self.inside.fetch_add(1, Ordering::Relaxed);
        (inside < self.max).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
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

type Resolver<T> = Box<dyn FnOnce(Env) -> Result<T>>;

/// Makes what pools are given happen on the JavaScript thread from now on, before the call returns; it still gives a
/// promise. For processes whose event loop has one job at a time: waking another thread and being woken by it costs more
/// than many a job.
#[napi]
pub fn work_at_once() {
    AT_ONCE.store(true, Ordering::Relaxed);
}

static AT_ONCE: AtomicBool = AtomicBool::new(false);

fn outcome<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Error::from_reason(format!("panic: {}", message(&panic)))))
}

/// A promise that is settled already.
pub fn settled<T: ToNapiValue>(env: &Env, outcome: Result<T>) -> Result<Object<'_>> {
    let promise = match outcome {
        Ok(value) => PromiseRaw::resolve(env, value)?,
        Err(error) => PromiseRaw::reject(env, error)?,
    };
    Ok(Object::from_raw(env.raw(), promise.raw()))
}

fn message(panic: &Box<dyn std::any::Any + Send>) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown")
}
