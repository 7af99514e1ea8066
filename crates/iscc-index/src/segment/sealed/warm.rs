//! Reads the pages of a mapped file before searches need them.
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use iscc_columns::map::FileMap;
use iscc_columns::sections::{Purpose, SealError};

use super::{Paced, SealedFile};

/// Bytes that are read at a time.
const STEP_BYTES: usize = 4 << 20;

/// The pages of a mapped file.
#[derive(Debug)]
pub struct Pages {
    /// The mapping.
    pub map: Arc<FileMap>,
    /// What each section is for, and its place in the mapping.
    pub purposes: Vec<(Purpose, Range<usize>)>,
}

impl SealedFile {
    /// Reads the sections with a purpose into memory, at most `left` bytes, and subtracts these from it.
    pub fn warm(
        &self,
        purpose: Purpose,
        left: &mut u64,
        pace: &Paced<'_>,
    ) -> Result<(), SealError> {
        let (since, mut total) = (Instant::now(), 0);
        let Some(pages) = &self.pages else { return Ok(()) };
        for step in pages.steps(purpose) {
            let Some(rest) = left.checked_sub(step.len() as u64) else { return Ok(()) };
            *left = rest;
            pages.map.populate(&step);
            total += step.len() as u64;
            pace.wait(since, total)?;
        }
        Ok(())
    }
}

impl Pages {
    fn steps(&self, purpose: Purpose) -> impl Iterator<Item = Range<usize>> {
        let sections = self.purposes.iter().filter(move |(other, _)| *other == purpose);
        sections.flat_map(|(_, range)| {
            let starts = range.clone().step_by(STEP_BYTES);
            starts.map(|start| start..(start + STEP_BYTES).min(range.end))
        })
    }
}
