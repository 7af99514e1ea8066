//! How far the start of an index is.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::StoreError;

/// Rows between two updates of the progress.
pub const PROGRESS_ROWS: u64 = 4096;

/// How far the start of an index is: the check of its pages, then loading. It stops early if it is cancelled.
#[derive(Debug, Default)]
pub struct Progress {
    /// Number of pages checked.
    pub checked: AtomicU64,
    /// Number of pages in the file; 0 until it is known, and for a new file.
    pub pages: AtomicU64,
    /// Number of assets loaded.
    pub done: AtomicU64,
    /// Number of assets to load; 0 until it is known.
    pub total: AtomicU64,
    /// Set to stop loading.
    pub cancelled: AtomicBool,
}

impl Progress {
    /// Adds loaded assets.
    pub fn add(&self, rows: u64) -> Result<(), StoreError> {
        self.done.fetch_add(rows, Ordering::Relaxed);
        if self.cancelled.load(Ordering::Relaxed) { Err(StoreError::Cancelled) } else { Ok(()) }
    }

    /// Notes how many pages are checked. Returns whether to go on.
    pub fn note_pages(&self, checked: u64, pages: u64) -> bool {
        self.checked.store(checked, Ordering::Relaxed);
        self.pages.store(pages, Ordering::Relaxed);
        !self.cancelled.load(Ordering::Relaxed)
    }

    /// Share of the work that is done, 0 to 1. The check and loading count as half each.
    pub fn share(&self) -> f64 {
        let of = |done: &AtomicU64, total: &AtomicU64| {
            let total = total.load(Ordering::Relaxed).max(1) as f64;
            (done.load(Ordering::Relaxed) as f64 / total).min(1.0)
        };
        (of(&self.checked, &self.pages) + of(&self.done, &self.total)) / 2.0
    }
}
