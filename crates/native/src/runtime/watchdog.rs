//! Rejects promises whose work takes too long, while its thread is still busy.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use napi::Env;
use napi::bindgen_prelude::*;

use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::pool::is_inline;
use crate::runtime::{Pending, Pool, caught, rejected, settled};

/// A promise that either the work or the watchdog settles; the first one wins.
struct Contested<T: ToNapiValue + Send + 'static>(Mutex<Option<Pending<T>>>);

impl<T: ToNapiValue + Send + 'static> Contested<T> {
    fn new(pending: Pending<T>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(pending))))
    }

    /// Settles the promise, unless it is settled already.
    fn settle(&self, outcome: Result<T>) {
        let pending = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(pending) = pending {
            pending.settle(outcome);
        }
    }
}

/// A thread that sleeps until the next deadline. All work has the same limit, so deadlines come in
/// the order in which work starts.
pub struct Watchdog<T: ToNapiValue + Send + 'static> {
    limit: Duration,
    started: Sender<Watched<T>>,
}

type Watched<T> = (Instant, Weak<Contested<T>>);

impl<T: ToNapiValue + Send + 'static> Watchdog<T> {
    /// Rejects with `TIMEOUT` what takes longer than `limit`.
    pub fn new(limit: Duration) -> Result<Self> {
        let (started, queue) = channel();
        let thread = thread::Builder::new().name("watchdog".to_owned());
        thread.spawn(move || watch(&queue)).map_err(NativeError::internal)?;
        Ok(Self { limit, started })
    }

    /// Starts the time of a promise's work. Returns the deadline.
    fn start(&self, promise: &Arc<Contested<T>>) -> Instant {
        let deadline = Instant::now() + self.limit;
        // The thread ends only with the sender.
        let _ = self.started.send((deadline, Arc::downgrade(promise)));
        deadline
    }
}

impl Pool {
    /// Like [`Pool::run`], but rejects with `TIMEOUT` at the watchdog's deadline. `work` gets the
    /// deadline; it holds its thread until it returns. On the calling thread, there is no watchdog:
    /// the parent of such a process ends it if the work does not heed the deadline.
    pub fn run_watched<'env, T, F>(
        &self,
        env: &'env Env,
        watchdog: &Arc<Watchdog<T>>,
        work: F,
    ) -> Result<Object<'env>>
    where
        T: ToNapiValue + Send + 'static,
        F: FnOnce(Instant) -> Result<T> + Send + 'static,
    {
        if is_inline() {
            let deadline = Instant::now() + watchdog.limit;
            return settled(env, caught(|| work(deadline)));
        }
        let place = match self.enter() {
            Ok(place) => place,
            Err(error) => return rejected(env, error),
        };
        let (pending, promise) = Pending::new(env)?;
        let contested = Contested::new(pending);
        let watchdog = Arc::clone(watchdog);
        self.spawn(place, move || {
            let deadline = watchdog.start(&contested);
            contested.settle(caught(|| work(deadline)));
        });
        Ok(promise)
    }
}

fn watch<T: ToNapiValue + Send + 'static>(queue: &Receiver<Watched<T>>) {
    for (deadline, promise) in queue {
        if promise.strong_count() > 0 {
            thread::sleep(deadline.saturating_duration_since(Instant::now()));
        }
        if let Some(promise) = promise.upgrade() {
            let late = "the work took longer than its time limit";
            promise.settle(Err(NativeError::new(ErrorCode::Timeout, late)));
        }
    }
}
