//! One sync of a folder for all threads that ask for it at the same time.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// A thread that syncs folders. What is asked for during a sync is done by the next one, once per folder.
pub struct SharedSyncs(Sender<Request>);

struct Request {
    folder: PathBuf,
    asker: Sender<io::Result<()>>,
}

/// A sync that was asked for.
pub struct PendingSync(Receiver<io::Result<()>>);

impl SharedSyncs {
    /// Syncs folders with `sync`, which must not panic.
    pub fn new(sync: impl Fn(&Path) -> io::Result<()> + Send + 'static) -> Self {
        let (requests, asked) = channel();
        let run = move || {
            while let Ok(first) = asked.recv() {
                run_round(first, &asked, &sync);
            }
        };
        // If it does not start, `wait` fails.
        let _ = thread::Builder::new().name("shared-sync".to_owned()).spawn(run);
        Self(requests)
    }

    /// Asks for a sync of a folder that begins after this call: what the caller did before will be on the disk.
    pub fn begin(&self, folder: &Path) -> PendingSync {
        let (asker, result) = channel();
        // If the thread has ended, this drops `asker`.
        let _ = self.0.send(Request { folder: folder.to_owned(), asker });
        PendingSync(result)
    }
}

impl PendingSync {
    /// Waits for the end of the sync.
    pub fn wait(self) -> io::Result<()> {
        self.0.recv().unwrap_or_else(|_| Err(io::Error::other("the thread for syncs has ended")))
    }
}

/// Syncs the folders of all requests that have arrived.
fn run_round(first: Request, others: &Receiver<Request>, sync: &impl Fn(&Path) -> io::Result<()>) {
    let mut folders: HashMap<PathBuf, Vec<Sender<io::Result<()>>>> = HashMap::new();
    for Request { folder, asker } in std::iter::once(first).chain(others.try_iter()) {
        folders.entry(folder).or_default().push(asker);
    }
    for (folder, askers) in folders {
        let result = sync(&folder);
        for asker in askers {
            // A caller that failed meanwhile does not wait.
            let _ = asker.send(copied(&result));
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
    use std::sync::mpsc::{SyncSender, sync_channel};

    use super::*;

    const TIMES: usize = 6;
    const NO_SPACE: i32 = 28;

    /// Syncs that the test ends, each with a result.
    struct Controlled {
        syncs: SharedSyncs,
        began: Receiver<PathBuf>,
        results: SyncSender<io::Result<()>>,
    }

    impl Controlled {
        fn new() -> Self {
            let (begin, began) = channel();
            let (results, next_result) = sync_channel(0);
            let sync = move |folder: &Path| {
                begin.send(folder.to_owned()).expect("a test that waits");
                next_result.recv().expect("a result")
            };
            Self { syncs: SharedSyncs::new(sync), began, results }
        }

        fn ask(&self, folders: &[&str]) -> Vec<PendingSync> {
            folders.iter().map(|folder| self.syncs.begin(Path::new(folder))).collect()
        }

        /// Waits for the begin of a sync of one of the folders.
        fn began(&self) -> PathBuf {
            self.began.recv().expect("a sync")
        }

        fn end(&self, result: io::Result<()>) {
            self.results.send(result).expect("a sync that waits");
        }

        /// Lets the next sync succeed. Returns its folder.
        fn sync(&self) -> PathBuf {
            let folder = self.began();
            self.end(Ok(()));
            folder
        }
    }

    fn assert_synced(all: impl IntoIterator<Item = PendingSync>) {
        for pending in all {
            pending.wait().expect("a synced folder");
        }
    }

    #[test]
    fn requests_during_a_sync_share_the_next_one() {
        let controlled = Controlled::new();
        let first = controlled.ask(&["a"]);
        controlled.began();
        let others = controlled.ask(&["a"; TIMES]);
        controlled.end(Ok(()));
        assert_synced(first);
        controlled.sync();
        assert_synced(others);
        assert!(controlled.began.try_recv().is_err(), "two syncs are enough");
    }

    #[test]
    fn an_error_reaches_all_requests_of_its_sync_and_no_others() {
        let controlled = Controlled::new();
        let first = controlled.ask(&["a"]);
        controlled.began();
        let failing = controlled.ask(&["a"; TIMES]);
        controlled.end(Ok(()));
        controlled.began();
        let last = controlled.ask(&["a"]);
        controlled.end(Err(io::Error::from_raw_os_error(NO_SPACE)));
        controlled.began();
        controlled.end(Err(io::Error::other("torn")));
        let results = |all: Vec<PendingSync>| all.into_iter().map(PendingSync::wait);
        assert_synced(first);
        for result in results(failing) {
            assert_eq!(result.expect_err("an error").raw_os_error(), Some(NO_SPACE));
        }
        for result in results(last) {
            assert_eq!(result.expect_err("an error").to_string(), "torn");
        }
    }

    #[test]
    fn each_folder_has_a_sync_of_its_own() {
        let controlled = Controlled::new();
        let first = controlled.ask(&["a"]);
        assert_eq!(controlled.began(), Path::new("a"));
        let others = controlled.ask(&["b", "c", "b"]);
        controlled.end(Ok(()));
        let mut synced = [controlled.sync(), controlled.sync()];
        synced.sort();
        assert_eq!(synced, [Path::new("b"), Path::new("c")]);
        assert_synced(first.into_iter().chain(others));
    }

    #[test]
    fn a_caller_that_does_not_wait_does_no_harm() {
        let controlled = Controlled::new();
        drop(controlled.ask(&["a"]));
        controlled.sync();
        let next = controlled.ask(&["a"]);
        controlled.sync();
        assert_synced(next);
    }
}
