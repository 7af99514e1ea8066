//! Reads the files of sealed segments into memory after a start, so that the first searches do not wait for the disk.
use std::sync::Arc;
use std::sync::atomic::Ordering;

use iscc_columns::sections::Purpose;
use iscc_index::segment::sealed::{Paced, SealedFile};

use super::Index;
use super::sealing::HURRY;
use crate::background;

impl Index {
    /// Reads the files that were opened at the start, at most `left` bytes of them, and subtracts these from it. First what
    /// searches need most often in all files.
    pub fn warm_files(&self, left: &mut u64, should_continue: &(dyn Fn() -> bool + Sync)) {
        let snapshot = self.snapshot();
        let cold = snapshot.files().filter(|file| !file.is_warm.swap(true, Ordering::AcqRel));
        let cold: Vec<Arc<SealedFile>> = cold.cloned().collect();
        if cold.is_empty() {
            return;
        }
        let bytes_per_second = self.options.sealing.bytes_per_second * HURRY;
        let pace = Paced { bytes_per_second, should_continue };
        background::run(|| {
            for purpose in Purpose::ALL {
                for file in &cold {
                    if file.warm(purpose, left, &pace).is_err() {
                        return;
                    }
                }
            }
        });
    }
}
