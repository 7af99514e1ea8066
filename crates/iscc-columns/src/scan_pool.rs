//! Threads that scan rows in parallel.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::methods::MethodTotals;

/// A pool whose idle threads help callers with large scans.
///
/// The calling thread works too: waking another thread, or waiting for its result, takes about 100 µs. While several
/// threads call at the same time, they keep all processors busy on their own.
pub struct ScanPool {
    /// `None`: callers get no help.
    pool: Option<ThreadPool>,
    /// Number of threads inside [`ScanPool::run`], without helpers.
    callers: AtomicUsize,
    /// Rows compared so far, once per probe.
    rows: AtomicU64,
    /// Methods by which probes were searched.
    pub methods: MethodTotals,
    early_ends: AtomicU64,
}

impl ScanPool {
    /// Starts `threads` threads, at least one.
    pub fn start(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .thread_name(|index| format!("scan-{index}"))
            .build()?;
        Ok(Self { pool: Some(pool), ..Self::without_threads() })
    }

    /// A pool in which callers do all work.
    pub fn without_threads() -> Self {
        Self {
            pool: None,
            callers: AtomicUsize::new(0),
            rows: AtomicU64::new(0),
            methods: MethodTotals::default(),
            early_ends: AtomicU64::new(0),
        }
    }

    /// Counts compared rows.
    pub fn count_rows(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Rows compared since the start, once per probe.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Counts a search that ended early.
    pub fn count_early_end(&self) {
        self.early_ends.fetch_add(1, Ordering::Relaxed);
    }

    /// Searches that ended early since the start.
    pub fn early_ends(&self) -> u64 {
        self.early_ends.load(Ordering::Relaxed)
    }

    /// Runs all tasks. The order of the results is undefined.
    pub fn run<T: Sync, R: Send>(&self, tasks: &[T], task: impl Fn(&T) -> R + Sync) -> Vec<R> {
        let Some(pool) = &self.pool else { return tasks.iter().map(task).collect() };
        let (_caller, callers) = Caller::enter(&self.callers);
        let idle = pool.current_num_threads().saturating_sub(callers);
        let helpers = idle.min(tasks.len().saturating_sub(1));
        let next = AtomicUsize::new(0);
        let work = || {
            let own = std::iter::from_fn(|| tasks.get(next.fetch_add(1, Ordering::Relaxed)));
            own.map(&task).collect::<Vec<R>>()
        };
        let helped = Mutex::new(Vec::new());
        let mut done = pool.in_place_scope(|scope| {
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

/// Counts a calling thread until it is dropped, also on a panic.
struct Caller<'a>(&'a AtomicUsize);

impl<'a> Caller<'a> {
    /// Returns the guard and the number of callers, including this one.
    fn enter(callers: &'a AtomicUsize) -> (Self, usize) {
        let before = callers.fetch_add(1, Ordering::Relaxed);
        (Self(callers), before + 1)
    }
}

impl Drop for Caller<'_> {
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
    fn runs_every_task_once_for_any_number_of_callers() {
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
        assert_eq!(scan_pool.callers.into_inner(), 0);
    }

    #[test]
    fn idle_threads_help_a_single_caller() {
        let scan_pool = ScanPool::start(2).unwrap();
        // One thread alone cannot pass it.
        let barrier = Barrier::new(2);
        let threads = scan_pool.run(&[(), ()], |()| {
            barrier.wait();
            thread::current().id()
        });
        assert_ne!(threads[0], threads[1]);
        assert!(threads.contains(&thread::current().id()));
    }
}
