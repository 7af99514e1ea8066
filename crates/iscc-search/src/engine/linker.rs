//! The background thread that builds graphs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use super::registry::{AnyIndex, Registry};
use crate::index::Unfit;

/// Pause after a step, so that building takes no more than its share from searches.
const STEP_PAUSE: Duration = Duration::from_micros(200);

/// Builds graphs for whatever index needs one, one after the other.
pub struct Linker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// Tells the builder that there may be something to do.
#[derive(Clone)]
pub struct Nudge(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    stopping: AtomicBool,
}

#[derive(Default)]
struct State {
    nudged: bool,
    is_busy: bool,
}

impl Linker {
    /// Starts the thread, which looks at all indexes at once.
    pub fn start(registry: &Arc<Registry>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        shared.lock().nudged = true;
        let thread = std::thread::Builder::new().name("graphs".to_owned()).spawn({
            let (shared, registry) = (Arc::clone(&shared), Arc::downgrade(registry));
            move || run(&shared, &registry)
        })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Something to tell the builder with.
    pub fn nudge(&self) -> Nudge {
        Nudge(Arc::clone(&self.shared))
    }

    /// Waits until nothing is left to build.
    pub fn wait(&self) {
        let mut state = self.shared.lock();
        while state.nudged || state.is_busy {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Nudge {
    /// There may be something to do.
    pub fn give(&self) {
        self.0.lock().nudged = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.lock().nudged = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(shared: &Shared, registry: &Weak<Registry>) {
    let mut unfit: HashMap<String, Unfit> = HashMap::new();
    loop {
        {
            let mut state = shared.lock();
            state.is_busy = false;
            shared.changed.notify_all();
            while !state.nudged {
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.nudged = false;
            state.is_busy = true;
        }
        if shared.stopping.load(Ordering::Acquire) {
            return;
        }
        let Some(registry) = registry.upgrade() else { return };
        for index in registry.all() {
            if let AnyIndex::Stored(index) = &*index {
                let unfit = unfit.entry(index.name().to_owned()).or_default();
                build_all(shared, index, unfit);
            }
        }
    }
}

fn build_all(shared: &Shared, index: &crate::index::Index, unfit: &mut Unfit) {
    let go_on = || {
        std::thread::sleep(STEP_PAUSE);
        !shared.stopping.load(Ordering::Acquire) && !index.is_deleted()
    };
    // A graph that turned out unfit is no failure: its column is scanned on.
    while index.build_next_graph(unfit, &go_on).is_some() {
        if shared.stopping.load(Ordering::Acquire) || index.is_deleted() {
            return;
        }
    }
}
