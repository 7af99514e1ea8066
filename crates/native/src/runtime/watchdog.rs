//! Answers for work that takes too long, while its thread is still busy with it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use napi::bindgen_prelude::*;

use crate::runtime::Pending;

/// A promise that the work or the watchdog settles, whoever is first.
pub struct Contested<T: ToNapiValue + Send + 'static>(Mutex<Option<Pending<T>>>);

impl<T: ToNapiValue + Send + 'static> Contested<T> {
    /// A promise that nobody has settled yet.
    pub fn new(pending: Pending<T>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Some(pending))))
    }

    /// Settles it, unless that has been done.
    pub fn resolve(&self, value: T) {
        let pending = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(pending) = pending {
            pending.resolve(value);
        }
    }
}

/// One thread that sleeps until the next deadline. All work has the same time, so deadlines come
/// in the order in which work starts.
pub struct Watchdog<T: ToNapiValue + Send + 'static> {
    limit: Duration,
    started: Sender<Watched<T>>,
}

type Watched<T> = (Instant, Weak<Contested<T>>);

impl<T: ToNapiValue + Send + 'static> Watchdog<T> {
    /// Settles with what `late` gives whatever takes longer than `limit`.
    pub fn new(limit: Duration, late: fn() -> T) -> Result<Self> {
        let (started, queue) = channel();
        let thread = thread::Builder::new().name("watchdog".to_owned());
        thread.spawn(move || watch(&queue, late))?;
        Ok(Self { limit, started })
    }

    /// Work on a promise starts now; gives its deadline.
    pub fn start(&self, promise: &Arc<Contested<T>>) -> Instant {
        let deadline = Instant::now() + self.limit;
        // The thread only ends with the sender.
        let _ = self.started.send((deadline, Arc::downgrade(promise)));
        deadline
    }
}

fn watch<T: ToNapiValue + Send + 'static>(queue: &Receiver<Watched<T>>, late: fn() -> T) {
    for (deadline, promise) in queue {
        if promise.strong_count() > 0 {
            thread::sleep(deadline.saturating_duration_since(Instant::now()));
        }
        if let Some(promise) = promise.upgrade() {
            promise.resolve(late());
        }
    }
}
