//! A bound on calls that wait or run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{NativeError, Result};

/// Limits how many calls wait or run.
pub struct Gate {
    inside: Arc<AtomicUsize>,
    max: usize,
}

/// A place inside a [`Gate`]. Dropping it frees the place.
pub struct Place(Arc<AtomicUsize>);

impl Gate {
    /// A gate with `max` places.
    pub fn new(max: usize) -> Self {
        Self { inside: Arc::default(), max }
    }

    /// Takes a place. Fails with `BUSY` if none is free.
    pub fn enter(&self) -> Result<Place> {
        let place = Place(Arc::clone(&self.inside));
        let inside = self.inside.fetch_add(1, Ordering::Relaxed);
        if inside < self.max { Ok(place) } else { Err(NativeError::busy()) }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
