//! The background thread: it builds graphs, and gives memory back once it is quiet.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::registry::{AnyIndex, Registry};
use crate::allocator;
use crate::index::Index;

/// Pause after a step, so that building takes no more than its share from searches.
const STEP_PAUSE: Duration = Duration::from_micros(200);
/// Without changes for so long, it is quiet.
const QUIET: Duration = Duration::from_millis(700);
/// Where changes never cease, memory is given back as often.
const GIVE_BACK_EVERY: Duration = Duration::from_secs(10);

/// Builds graphs for whatever index needs one, one after the other.
pub struct Maintenance {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Tells the builder that there may be something to do.
#[derive(Clone)]
pub struct Notifier(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    stopping: AtomicBool,
}

#[derive(Default)]
struct State {
    notified: bool,
    is_busy: bool,
    /// Since when the allocator may hold what nobody uses.
    changed_at: Option<Instant>,
}

impl Maintenance {
    /// Starts the thread, which looks at all indexes at once.
    pub fn start(registry: &Arc<Registry>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        shared.lock().notified = true;
        let thread = std::thread::Builder::new().name("graphs".to_owned()).spawn({
            let (shared, registry) = (Arc::clone(&shared), Arc::downgrade(registry));
            move || run(&shared, &registry)
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Something to tell the builder with.
    pub fn notifier(&self) -> Notifier {
        Notifier(Arc::clone(&self.shared))
    }

    /// Waits until nothing is left to build.
    pub fn wait(&self) {
        let mut state = self.shared.lock();
        while state.notified || state.is_busy {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Notifier {
    /// There may be something to do.
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

    /// Waits for something to do, and gives memory back while there is nothing.
    fn wait_for_work(&self) {
        let mut state = self.lock();
        state.is_busy = false;
        self.changed.notify_all();
        while !state.notified {
            if state.changed_at.is_none() {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let wait = self.changed.wait_timeout(state, QUIET);
            let (next, wait) = wait.unwrap_or_else(PoisonError::into_inner);
            state = next;
            if wait.timed_out() && !state.notified {
                state.changed_at = None;
                drop(state);
                allocator::give_back();
                state = self.lock();
            }
        }
        let is_overdue = |at: Instant| at.elapsed() >= GIVE_BACK_EVERY;
        let gives_back = state.changed_at.is_some_and(is_overdue);
        if gives_back {
            state.changed_at = None;
        }
        state.notified = false;
        state.is_busy = true;
        drop(state);
        if gives_back {
            allocator::give_back();
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
    loop {
        shared.wait_for_work();
        if shared.stopping.load(Ordering::Acquire) {
            return;
        }
        let Some(registry) = registry.upgrade() else { return };
        for index in registry.all() {
            if let AnyIndex::Stored(index) = &*index {
                build_all(shared, index);
            }
        }
    }
}

fn build_all(shared: &Shared, index: &Index) {
    let go_on = || {
        std::thread::sleep(STEP_PAUSE);
        !shared.stopping.load(Ordering::Acquire) && !index.is_deleted()
    };
    // A graph that turned out unfit is no failure: its column is scanned on.
    while index.build_next_graph(&go_on).is_some() {
        if shared.stopping.load(Ordering::Acquire) || index.is_deleted() {
            return;
        }
    }
}
