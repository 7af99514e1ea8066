//! Jobs of one object that run one after another, in the order of the calls.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use napi::Env;
use napi::bindgen_prelude::*;

use crate::error::Result;
use crate::runtime::pool::{Job, Pool, is_inline};
use crate::runtime::{Gate, Pending, caught, rejected, settled};

/// Jobs that may wait.
const JOBS_MAX: usize = 4096;

/// A queue of jobs, one of which runs on a pool at a time.
pub struct Serial {
    pool: &'static Pool,
    queue: Arc<Mutex<Queue>>,
    gate: Gate,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    is_running: bool,
}

impl Serial {
    /// An empty queue whose jobs run on `pool`.
    pub fn new(pool: &'static Pool) -> Self {
        Self { pool, queue: Arc::default(), gate: Gate::new(JOBS_MAX) }
    }

    /// Like [`Pool::run`], after all work that was passed in before.
    pub fn run<'env, T, F>(&self, env: &'env Env, work: F) -> Result<Object<'env>>
    where
        T: ToNapiValue + Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        if is_inline() {
            return settled(env, caught(work));
        }
        let (place, pool_place) = match (self.gate.enter(), self.pool.enter()) {
            (Ok(place), Ok(pool_place)) => (place, pool_place),
            (Err(error), _) | (_, Err(error)) => return rejected(env, error),
        };
        let (pending, promise) = Pending::new(env)?;
        let job: Job = Box::new(move || {
            pending.settle(caught(work));
            drop(place);
        });
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.jobs.push_back(job);
        if !std::mem::replace(&mut queue.is_running, true) {
            let queue = Arc::clone(&self.queue);
            self.pool.spawn(pool_place, move || drain(&queue));
        }
        Ok(promise)
    }
}

fn drain(queue: &Mutex<Queue>) {
    loop {
        let mut locked = queue.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(job) = locked.jobs.pop_front() else {
            locked.is_running = false;
            return;
        };
        drop(locked);
        job();
    }
}
