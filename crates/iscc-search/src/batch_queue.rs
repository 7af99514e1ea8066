//! A bounded job queue whose threads take several waiting jobs as one batch.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A fixed number of threads with one bounded queue.
pub struct BatchQueue<J> {
    shared: Arc<Shared<J>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared<J> {
    queue: Mutex<Queue<J>>,
    changed: Condvar,
    waiting_max: usize,
    /// Number of threads that are running a batch.
    busy: AtomicUsize,
    /// Jobs since the start, and those among them that found the queue full.
    pushed: AtomicU64,
    refused: AtomicU64,
}

/// State and counts of a queue.
#[derive(Debug, Clone, Copy)]
pub struct QueueMetrics {
    /// Waiting jobs.
    pub waiting: usize,
    /// Jobs since the start.
    pub pushed: u64,
    /// Jobs that found the queue full.
    pub refused: u64,
}

struct Queue<J> {
    jobs: VecDeque<J>,
    stopping: bool,
}

impl<J: Send + 'static> BatchQueue<J> {
    /// Starts `threads` threads that call `run` with up to `batch_max` waiting jobs at a time.
    ///
    /// A thread takes only its share of the queue, so that it does not take all jobs while others are idle. If `run`
    /// panics, the jobs of its batch are dropped.
    pub fn start(
        name: &str,
        threads: usize,
        batch_max: usize,
        waiting_max: usize,
        run: impl Fn(Vec<J>) + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue { jobs: VecDeque::new(), stopping: false }),
            changed: Condvar::new(),
            waiting_max,
            busy: AtomicUsize::new(0),
            pushed: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        });
        let run = Arc::new(run);
        let threads = threads.max(1);
        let spawn = |index: usize| {
            let (shared, run) = (Arc::clone(&shared), Arc::clone(&run));
            std::thread::Builder::new().name(format!("{name}-{index}")).spawn(move || {
                while let Some(batch) = shared.take(threads, batch_max) {
                    // The panic hook has reported it. The thread continues with the next jobs.
                    let _ = catch_unwind(AssertUnwindSafe(|| run(batch)));
                    shared.busy.fetch_sub(1, Ordering::Relaxed);
                }
            })
        };
        let threads = (0..threads).map(spawn).collect::<std::io::Result<Vec<_>>>()?;
        Ok(Self { shared, threads })
    }

    /// Whether no job is waiting or running.
    pub fn is_idle(&self) -> bool {
        let queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.jobs.is_empty() && self.shared.busy.load(Ordering::Relaxed) == 0
    }

    /// State and counts for metrics.
    pub fn metrics(&self) -> QueueMetrics {
        let queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        QueueMetrics {
            waiting: queue.jobs.len(),
            pushed: count(&self.shared.pushed),
            refused: count(&self.shared.refused),
        }
    }

    /// Adds a job. Returns it as the error if the queue is full.
    pub fn push(&self, job: J) -> Result<(), J> {
        self.shared.pushed.fetch_add(1, Ordering::Relaxed);
        let mut queue = self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.jobs.len() >= self.shared.waiting_max || queue.stopping {
            self.shared.refused.fetch_add(1, Ordering::Relaxed);
            return Err(job);
        }
        queue.jobs.push_back(job);
        drop(queue);
        self.shared.changed.notify_one();
        Ok(())
    }
}

impl<J> Shared<J> {
    fn take(&self, threads: usize, batch_max: usize) -> Option<Vec<J>> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if !queue.jobs.is_empty() {
                let count = queue.jobs.len().div_ceil(threads).min(batch_max);
                self.busy.fetch_add(1, Ordering::Relaxed);
                return Some(queue.jobs.drain(..count).collect());
            }
            if queue.stopping {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<J> Drop for BatchQueue<J> {
    /// Finishes the waiting jobs, then stops the threads.
    fn drop(&mut self) {
        self.shared.queue.lock().unwrap_or_else(PoisonError::into_inner).stopping = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that drops the last reference to its own queue must not join itself.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    #[test]
    fn runs_all_jobs_even_if_some_panic() {
        let (sender, receiver) = channel();
        let queue = BatchQueue::start("test", 2, 4, 1000, move |batch: Vec<u32>| {
            assert!(batch.len() <= 4);
            for job in batch {
                sender.send(job).unwrap();
                assert!(job != 5, "an expected panic");
            }
        });
        let queue = queue.unwrap();
        for job in 0..100 {
            assert!(queue.push(job).is_ok());
        }
        drop(queue);
        let done: Vec<u32> = receiver.iter().collect();
        // The jobs after 5 in its batch may be lost.
        assert!(done.contains(&5) && done.contains(&99) && done.len() >= 97, "{done:?}");
    }

    /// A queue of two jobs with one thread that blocks on each job until the sender releases it.
    fn blocked_queue() -> (Sender<()>, BatchQueue<u32>) {
        let (release, gate) = channel::<()>();
        let gate = Mutex::new(gate);
        let queue = BatchQueue::start("test", 1, 1, 2, move |_: Vec<u32>| {
            let _ = gate.lock().unwrap().recv();
        });
        (release, queue.unwrap())
    }

    #[test]
    fn is_idle_only_without_waiting_or_running_jobs() {
        let (release, queue) = blocked_queue();
        assert!(queue.is_idle());
        queue.push(1).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!queue.is_idle());
        release.send(()).unwrap();
        while !queue.is_idle() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_full_queue_returns_the_job() {
        let (release, queue) = blocked_queue();
        let rejected = (0..20).filter_map(|job| queue.push(job).err()).count();
        assert!((17..=18).contains(&rejected), "{rejected}");
        drop(release);
    }
}
