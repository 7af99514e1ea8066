//! Threads that read rows side by side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// A pool that helps those who have much to read.
///
/// Whoever asks works too: a processor that has to be woken begins some 100 microseconds later, and so does one that waits
/// for its result. While several ask at the same time, they keep all processors busy by themselves.
pub struct ScanPool {
    pool: ThreadPool,
    /// Threads that work, helpers left out.
    asking: AtomicUsize,
}

impl ScanPool {
    /// For `threads` processors, at least one.
    pub fn start(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .thread_name(|index| format!("scan-{index}"))
            .build()?;
        Ok(Self { pool, asking: AtomicUsize::new(0) })
    }

    /// The threads, for work that may wait.
    pub fn pool(&self) -> &ThreadPool {
        &self.pool
    }

    /// Does all tasks; the order of the results is not defined.
    pub fn run<T: Sync, R: Send>(&self, tasks: &[T], task: impl Fn(&T) -> R + Sync) -> Vec<R> {
        let (_asking, asking) = Asking::enter(&self.asking);
        let idle = self.pool.current_num_threads().saturating_sub(asking);
        let helpers = idle.min(tasks.len().saturating_sub(1));
        let next = AtomicUsize::new(0);
        let work = || {
            let mine = std::iter::from_fn(|| tasks.get(next.fetch_add(1, Ordering::Relaxed)));
            mine.map(&task).collect::<Vec<R>>()
        };
        let helped = Mutex::new(Vec::new());
        let mut done = self.pool.in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| {
                    let done = work();
                    helped.lock().unwrap_or_else(PoisonError::into_inner).extend(done);
                });
            }
            work()
        });
        done.extend(helped.into_inner().unwrap_or_else(PoisonError::into_inner));
        done
    }
}

/// Counts a thread while it works, also if it panics.
struct Asking<'a>(&'a AtomicUsize);

impl<'a> Asking<'a> {
    /// With the number of those who now work.
    fn enter(asking: &'a AtomicUsize) -> (Self, usize) {
        let before = asking.fetch_add(1, Ordering::Relaxed);
        (Self(asking), before + 1)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn every_task_is_done_once_whoever_asks() {
        let scan_pool = ScanPool::start(3).unwrap();
        for threads in [1, 2, 5] {
            thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        let tasks: Vec<u32> = (0..200).collect();
                        let mut done = scan_pool.run(&tasks, |task| task * 2);
                        done.sort_unstable();
                        assert_eq!(done, (0..200).map(|task| task * 2).collect::<Vec<_>>());
                    });
                }
            });
        }
        assert_eq!(scan_pool.run(&[0u8; 0], |_| 1), Vec::<i32>::new());
        assert_eq!(scan_pool.asking.into_inner(), 0);
    }

    #[test]
    fn a_lone_task_list_is_shared_with_idle_threads() {
        let scan_pool = ScanPool::start(2).unwrap();
        // Nobody gets past it alone.
        let barrier = Barrier::new(2);
        let threads = scan_pool.run(&[(), ()], |()| {
            barrier.wait();
            thread::current().id()
        });
        assert_ne!(threads[0], threads[1]);
        assert!(threads.contains(&thread::current().id()));
    }
}
