//! A bound on the work that waits and runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Limits how much work waits and runs at once.
pub struct Gate {
    inside: Arc<AtomicUsize>,
    max: usize,
}

/// A place inside a [`Gate`]; it is free again when this is dropped.
pub struct Place(Arc<AtomicUsize>);

impl Gate {
    /// A gate that lets `max` in.
    pub fn new(max: usize) -> Self {
        Self { inside: Arc::default(), max }
    }

    /// A place, if one is free.
    pub fn enter(&self) -> Option<Place> {
        let place = Place(Arc::clone(&self.inside));
        let inside = self.inside.fetch_add(1, Ordering::Relaxed);
        (inside < self.max).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
