//! Joins guessed segments to the true chain of chunks.

use super::Source;
use crate::chunks::{CHUNK_BYTES_MAX, Chunks};
use crate::kernels::cdc::{self, Params};
use crate::kernels::minhash::Minhash;
use crate::kernels::xxh32;
use crate::simd::Level;

/// The start of a segment, within which the true chain should reach a guessed boundary.
const HEAD_BYTES: u64 = 64 * 1024;

/// Boundaries of periodic data: at `origin` and every `period` bytes. Guesses that start at one are
/// correct; guesses out of phase would never reach a true boundary.
#[derive(Clone, Copy)]
pub(super) struct Phase {
    origin: u64,
    period: u64,
}

impl Phase {
    /// Bytes needed to detect the period.
    pub(super) const PROBE_BYTES: u64 = 8 * CHUNK_BYTES_MAX as u64;

    /// The phase of data that starts with `probe`. If it is not periodic, every offset is in phase.
    pub(super) fn of(probe: &[u8]) -> Self {
        let ends: Vec<_> = cdc::boundaries(probe, Params::DATA).collect();
        match ends[..] {
            [.., a, b, c, _] if b - a == c - b => Self { origin: c as u64, period: (c - b) as u64 },
            _ => Self { origin: 0, period: 1 },
        }
    }

    /// The last offset in phase up to `offset`, which is after the probe or 0.
    pub(super) fn align(self, offset: u64) -> u64 {
        offset.checked_sub(self.origin).map_or(0, |past| offset - past % self.period)
    }
}

/// The chunks of a segment, on the assumption that a chunk starts at its start.
pub(super) struct Guess {
    start: u64,
    /// Start of the next segment's guess.
    until: u64,
    /// Ends and hashes of the first chunks.
    head_ends: Vec<u64>,
    head_hashes: Vec<u32>,
    /// Features of the later chunks.
    features: Option<Minhash>,
    /// End of the last chunk.
    end: u64,
}

impl Guess {
    pub(super) fn new(start: u64, until: u64) -> Self {
        Self {
            start,
            until,
            head_ends: Vec::new(),
            head_hashes: Vec::new(),
            features: None,
            end: start,
        }
    }

    /// Continues until a chunk ends at `to` or later. `view` starts at the start of the guess.
    pub(super) fn walk(&mut self, chunks: &mut Chunks, view: &[u8], to: u64) {
        if self.head_ends.is_empty() {
            self.step(chunks, view, to.min(self.start + HEAD_BYTES));
            let (ends, hashes) = chunks.last();
            self.head_ends = ends.iter().map(|&end| self.start + u64::from(end)).collect();
            self.head_hashes = hashes.to_vec();
            chunks.clear_features();
        }
        self.step(chunks, view, to);
    }

    fn step(&mut self, chunks: &mut Chunks, view: &[u8], to: u64) {
        if self.end < to {
            let at = (self.end - self.start) as usize;
            self.end += chunks.take_until(&view[at..], (to - self.end) as usize) as u64;
        }
    }

    /// Stores the features of `chunks`.
    pub(super) fn finish(&mut self, chunks: Chunks) {
        self.features = Some(chunks.into_features());
    }

    /// Number of the first chunks that end at or before the boundary `at`; `None` if none ends at
    /// it.
    fn chunks_before(&self, at: u64) -> Option<usize> {
        if at == self.start {
            return Some(0);
        }
        self.head_ends.binary_search(&at).ok().map(|i| i + 1)
    }
}

/// The true chain up to `at`.
pub(super) struct Chain {
    chunks: Chunks,
    at: u64,
}

impl Chain {
    pub(super) fn new(level: Level) -> Self {
        Self { chunks: Chunks::new(level), at: 0 }
    }

    /// Continues through the next segment.
    pub(super) fn join<S: Source + ?Sized>(
        &mut self,
        guess: Guess,
        source: &S,
        buffer: &mut Vec<u8>,
    ) -> Result<(), S::Error> {
        let head_end = guess.head_ends.last().copied().unwrap_or(guess.start);
        while self.at < guess.until {
            if let Some(known) = guess.chunks_before(self.at) {
                let features = self.chunks.features();
                features.update(&guess.head_hashes[known..]);
                if let Some(rest) = &guess.features {
                    features.merge(rest);
                }
                self.at = guess.end;
                return Ok(());
            }
            if self.at > head_end {
                return self.process_again(guess.until, source, buffer);
            }
            self.take_one(source, buffer)?;
        }
        Ok(())
    }

    fn take_one<S: Source + ?Sized>(
        &mut self,
        source: &S,
        buffer: &mut Vec<u8>,
    ) -> Result<(), S::Error> {
        let end = (self.at + CHUNK_BYTES_MAX as u64).min(source.len());
        let view = source.read(self.at..end, buffer)?;
        let cut = cdc::first_cut(view, Params::DATA);
        self.chunks.features().update(&[xxh32::hash(&view[..cut])]);
        self.at += cut as u64;
        Ok(())
    }

    /// The guess cannot be used: processes the rest of the segment again.
    fn process_again<S: Source + ?Sized>(
        &mut self,
        until: u64,
        source: &S,
        buffer: &mut Vec<u8>,
    ) -> Result<(), S::Error> {
        let end = (until + CHUNK_BYTES_MAX as u64).min(source.len());
        let view = source.read(self.at..end, buffer)?;
        self.at += self.chunks.take_until(view, (until - self.at) as usize) as u64;
        Ok(())
    }

    /// The Data-Code digest.
    pub(super) fn digest(mut self) -> [u8; 32] {
        self.chunks.features().digest()
    }
}
