//! The thread that loads all indexes when the engine opens.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use rayon::ThreadPoolBuilder;

use super::OpenError;
use super::maintenance::Notifier;
use super::registry::Registry;

/// Loads all indexes, and ends.
pub struct Loader {
    registry: Arc<Registry>,
    done: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Loader {
    /// Starts loading with a number of threads, which do not delay searches in indexes that are loaded.
    pub fn start(
        registry: &Arc<Registry>,
        threads: usize,
        notifier: Notifier,
    ) -> Result<Self, OpenError> {
        let done = Arc::new((Mutex::new(false), Condvar::new()));
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .thread_name(|index| format!("load-{index}"))
            .build()
            .map_err(|error| OpenError::Threads(std::io::Error::other(error)))?;
        let run = {
            let (registry, done) = (Arc::clone(registry), Arc::clone(&done));
            move || {
                pool.install(|| registry.load(&|| notifier.notify()));
                *done.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
                done.1.notify_all();
            }
        };
        let thread = std::thread::Builder::new().name("load".to_owned()).spawn(run);
        let thread = Some(thread.map_err(OpenError::Threads)?);
        Ok(Self { registry: Arc::clone(registry), done, thread })
    }

    /// Waits until all indexes are loaded.
    pub fn wait(&self) {
        let mut done = self.done.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !*done {
            done = self.done.1.wait(done).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.registry.cancel_loading();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
