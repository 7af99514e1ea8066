//! One sync of a folder for all threads that ask for it at the same time.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// Folders whose syncs are shared. Every caller gets the result of a sync that began after its call: what the caller did
/// before is on the disk.
#[derive(Default)]
pub struct SharedSyncs(Mutex<HashMap<PathBuf, Folder>>);

/// A folder that a thread syncs, or is about to.
#[derive(Default)]
struct Folder {
    is_syncing: bool,
    /// The sync after that.
    next: Option<Arc<Round>>,
}

/// One sync. The thread that created it runs it; the others wait for its result.
#[derive(Default)]
struct Round {
    result: OnceLock<io::Result<()>>,
    /// The sync before is over.
    may_start: Condvar,
    has_result: Condvar,
}

impl SharedSyncs {
    /// Syncs a folder with `sync`, or waits for another thread to do so. `sync` must not panic.
    pub fn run(&self, path: &Path, sync: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let mut folders = self.lock();
        let folder = folders.entry(path.to_owned()).or_default();
        if let Some(round) = folder.next.clone() {
            return round.wait(folders);
        }
        let round = Arc::clone(folder.next.insert(Arc::default()));
        while folders.get(path).is_some_and(|folder| folder.is_syncing) {
            folders = round.may_start.wait(folders).unwrap_or_else(PoisonError::into_inner);
        }
        // Who comes later gets another sync.
        folders.insert(path.to_owned(), Folder { is_syncing: true, next: None });
        drop(folders);
        let result = sync(path);
        self.finish(path, &round, result)
    }

    fn finish(&self, path: &Path, round: &Round, result: io::Result<()>) -> io::Result<()> {
        let mut folders = self.lock();
        match folders.get_mut(path) {
            Some(Folder { is_syncing, next: Some(next) }) => {
                *is_syncing = false;
                next.may_start.notify_one();
            }
            _ => drop(folders.remove(path)),
        }
        let result = round.result.get_or_init(|| result);
        round.has_result.notify_all();
        copied(result)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Folder>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Round {
    fn wait<T>(&self, mut guard: MutexGuard<'_, T>) -> io::Result<()> {
        loop {
            if let Some(result) = self.result.get() {
                return copied(result);
            }
            guard = self.has_result.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A copy for one of several threads. Keeps the number of an error of the system.
fn copied(result: &io::Result<()>) -> io::Result<()> {
    let Err(error) = result else { return Ok(()) };
    Err(match error.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(error.kind(), error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    const THREADS: usize = 6;
    const FOLDER: &str = "folder";

    /// Counts the syncs that ended.
    #[derive(Default)]
    struct Counted {
        syncs: SharedSyncs,
        count: AtomicUsize,
    }

    impl Counted {
        fn run(&self, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
            self.syncs.run(Path::new(FOLDER), |_| {
                let result = sync();
                self.count.fetch_add(1, Ordering::SeqCst);
                result
            })
        }

        /// Runs `meanwhile` while another thread syncs the folder. That sync ends when `meanwhile` drops its argument.
        fn during_a_sync<T>(&self, meanwhile: impl FnOnce(Sender<()>) -> T) -> T {
            let ((began, has_begun), (end, has_end)) = (channel(), channel::<()>());
            std::thread::scope(|scope| {
                let first = scope.spawn(move || {
                    self.run(|| {
                        began.send(()).expect("a test that waits");
                        assert!(has_end.recv().is_err(), "only the drop ends the sync");
                        Ok(())
                    })
                });
                has_begun.recv().expect("a first sync");
                let result = meanwhile(end);
                first.join().expect("no panic").expect("a synced folder");
                result
            })
        }

        /// Results of threads that ask for a sync with the result of `sync` during another one.
        fn asked_during_a_sync(
            &self,
            sync: impl Fn() -> io::Result<()> + Sync,
        ) -> Vec<io::Result<()>> {
            self.during_a_sync(|end| {
                std::thread::scope(|scope| {
                    let ask = || self.run(&sync);
                    let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(ask)).collect();
                    while !self.next_is_shared_by(THREADS) {
                        std::thread::yield_now();
                    }
                    assert_eq!(self.count.load(Ordering::SeqCst), 0, "none ends before the first");
                    drop(end);
                    threads.into_iter().map(|one| one.join().expect("no panic")).collect()
                })
            })
        }

        /// Whether this many threads share the next sync, which the map has, too.
        fn next_is_shared_by(&self, threads: usize) -> bool {
            let folders = self.syncs.lock();
            let next = folders.get(Path::new(FOLDER)).and_then(|folder| folder.next.as_ref());
            next.is_some_and(|round| Arc::strong_count(round) == threads + 1)
        }
    }

    #[test]
    fn threads_that_ask_during_a_sync_share_the_next_one() {
        let counted = Counted::default();
        for result in counted.asked_during_a_sync(|| Ok(())) {
            result.expect("a synced folder");
        }
        assert_eq!(counted.count.load(Ordering::SeqCst), 2);
        assert!(counted.syncs.lock().is_empty(), "no folder is left");
    }

    #[test]
    fn an_error_reaches_all_threads_of_its_sync_and_no_others() {
        const NO_SPACE: i32 = 28;
        let counted = Counted::default();
        let failing = || Err(io::Error::from_raw_os_error(NO_SPACE));
        for result in counted.asked_during_a_sync(failing) {
            assert_eq!(result.expect_err("an error").raw_os_error(), Some(NO_SPACE));
        }
        counted.run(|| Ok(())).expect("a synced folder");
        let other = counted.run(|| Err(io::Error::other("torn"))).expect_err("an error");
        assert_eq!(other.to_string(), "torn");
    }

    #[test]
    fn folders_do_not_wait_for_each_other() {
        let counted = Counted::default();
        counted.during_a_sync(|end| {
            counted.syncs.run(Path::new("other"), |_| Ok(())).expect("a synced folder");
            drop(end);
        });
    }
}
