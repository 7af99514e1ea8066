//! The background thread: reads mapped files after a start, finishes path indexes, merges segments into files, checks files
//! and pages, and releases free memory when no changes arrive.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use iscc_index::store::StoreError;

use super::registry::Registry;
use crate::allocator;
use crate::background;
use crate::decision::Decisions;
use crate::index::{Index, Replaced};

/// Pause between build steps, so that building does not slow down searches.
const STEP_PAUSE: Duration = Duration::from_micros(200);
/// Time without changes after which free memory is released.
const IDLE_AFTER: Duration = Duration::from_millis(700);
/// Interval at which free memory is released while changes keep arriving.
const RELEASE_EVERY: Duration = Duration::from_secs(10);

/// Maintains all indexes, one after the other.
pub struct Maintenance {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Notifies the maintenance thread of changes.
#[derive(Clone)]
pub struct Notifier(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    stopping: AtomicBool,
    decisions: Decisions,
}

#[derive(Default)]
struct State {
    notified: bool,
    is_busy: bool,
    /// First change since free memory was last released.
    changed_at: Option<Instant>,
    /// When an index seals segments again after a failure.
    retry_at: Option<Instant>,
}

impl Maintenance {
    /// Starts the thread. It first looks at all indexes for work.
    pub fn start(registry: &Arc<Registry>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        shared.lock().notified = true;
        let thread = std::thread::Builder::new().name("maintenance".to_owned()).spawn({
            let (shared, registry) = (Arc::clone(&shared), Arc::downgrade(registry));
            move || run(&shared, &registry)
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// A handle that notifies the thread.
    pub fn notifier(&self) -> Notifier {
        Notifier(Arc::clone(&self.shared))
    }

    /// Decisions since the last call, as a JSON array.
    pub fn take_decisions(&self) -> Vec<u8> {
        self.shared.decisions.take()
    }

    /// Waits until no work is due.
    pub fn wait(&self) {
        let mut state = self.shared.lock();
        while state.notified || state.is_busy {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Notifier {
    /// Announces that an index changed.
    pub fn notify(&self) {
        let mut state = self.0.lock();
        state.notified = true;
        state.changed_at.get_or_insert_with(Instant::now);
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a notification. Releases free memory when idle or overdue.
    fn wait_for_work(&self) {
        let mut state = self.lock();
        state.is_busy = false;
        self.changed.notify_all();
        while !state.notified {
            let retry = state.retry_at.map(|at| at.saturating_duration_since(Instant::now()));
            if retry.is_some_and(|after| after.is_zero()) {
                state.retry_at = None;
                break;
            }
            let idle = state.changed_at.map(|_| IDLE_AFTER);
            let Some(timeout) = idle.into_iter().chain(retry).min() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let wait = self.changed.wait_timeout(state, timeout);
            let (next, wait) = wait.unwrap_or_else(PoisonError::into_inner);
            state = next;
            let is_idle = state.changed_at.is_some() && timeout == IDLE_AFTER;
            if wait.timed_out() && !state.notified && is_idle {
                state.changed_at = None;
                drop(state);
                allocator::release_free_memory();
                state = self.lock();
            }
        }
        let is_overdue = |at: Instant| at.elapsed() >= RELEASE_EVERY;
        let release = state.changed_at.is_some_and(is_overdue);
        if release {
            state.changed_at = None;
        }
        state.notified = false;
        state.is_busy = true;
        drop(state);
        if release {
            allocator::release_free_memory();
        }
    }
}

impl Drop for Maintenance {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.lock().notified = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(shared: &Shared, registry: &Weak<Registry>) {
    // Bytes of files that may still be read into memory.
    let mut warm_left = None;
    loop {
        shared.wait_for_work();
        if shared.stopping.load(Ordering::Acquire) {
            return;
        }
        let Some(registry) = registry.upgrade() else { return };
        let mut retries: Vec<Instant> = Vec::new();
        for index in registry.all() {
            let share = registry.options().sealing.warm_share;
            let left = warm_left.get_or_insert_with(|| {
                (background::available_memory().unwrap_or_default() as f64 * share) as u64
            });
            warm_all(shared, &index, left);
            build_paths(shared, &index);
            merge_all(shared, &index);
            check_all(shared, &index);
            if let Err(error) = check_pages(shared, &index) {
                registry.mark_damaged(&index, &error);
            }
            retries.extend(index.retry_at());
        }
        shared.lock().retry_at = retries.into_iter().min();
    }
}

/// Reads the files that were mapped at the start.
fn warm_all(shared: &Shared, index: &Index, left: &mut u64) {
    let should_continue = || is_wanted(shared, index);
    index.warm_files(left, &should_continue);
}

/// Finishes the rows of declared paths. After a failure, for example on a full disk, the next change starts it again.
fn build_paths(shared: &Shared, index: &Index) {
    let is_stopping = || !is_wanted(shared, index);
    while !is_stopping() && matches!(index.build_paths_next(), Ok(true)) {
        std::thread::sleep(STEP_PAUSE);
    }
}

/// Replaces segments. After a failure, for example on a full disk, they stay as they are, and the journal is trimmed later.
fn merge_all(shared: &Shared, index: &Index) {
    while is_wanted(shared, index) {
        match index.merge_next(&|| is_wanted(shared, index)) {
            Replaced::Nothing => break,
            Replaced::InMemory => {}
            Replaced::ToFile(decision) => shared.decisions.add(decision),
            Replaced::Failed(decision) => {
                shared.decisions.add(decision);
                break;
            }
        }
    }
    let _ = index.trim_journal();
}

/// Whether work on an index should go on.
fn is_wanted(shared: &Shared, index: &Index) -> bool {
    !shared.stopping.load(Ordering::Acquire) && !index.is_deleted()
}

/// Checks the pages of the store, if the start did not.
fn check_pages(shared: &Shared, index: &Index) -> Result<(), StoreError> {
    if let Some(decision) = index.check_pages(&|| is_wanted(shared, index))? {
        shared.decisions.add(decision);
    }
    Ok(())
}

/// Checks the files that were mapped at the start.
fn check_all(shared: &Shared, index: &Index) {
    let should_continue = || is_wanted(shared, index);
    if let Some(decision) = index.check_files(&should_continue) {
        shared.decisions.add(decision);
    }
}
