//! From bytes to MinHash features: chunks and their hashes.

use crate::kernels::cdc::{Params, Walker};
use crate::kernels::minhash::Minhash;
use crate::kernels::xxh32;
use crate::simd::{InstructionSet, Level};

/// Bytes processed at a time: they stay in the second-level cache between the passes.
pub(crate) const BLOCK_BYTES: usize = 512 * 1024;

/// Maximum length of a chunk.
pub(crate) const CHUNK_BYTES_MAX: usize = Params::DATA.max();

/// The features of a sequence of chunks, block by block.
#[derive(Clone, Debug)]
pub(crate) struct Chunks {
    level: Level,
    walker: Walker,
    ends: Vec<u32>,
    hashes: Vec<u32>,
    features: Minhash,
}

impl Chunks {
    pub(crate) fn new(level: Level) -> Self {
        Self {
            level,
            walker: Walker::new(),
            ends: Vec::new(),
            hashes: Vec::new(),
            features: no_features(level),
        }
    }

    /// Takes chunks from the start of `data` up to the first that ends at `until` or later; returns
    /// its end. `data` must contain [`CHUNK_BYTES_MAX`] bytes after `until` or end with the data.
    pub(crate) fn take_until(&mut self, data: &[u8], until: usize) -> usize {
        let view = &data[..data.len().min(until + CHUNK_BYTES_MAX)];
        let end = self.walker.walk(view, until, &mut self.ends);
        self.take(view);
        end
    }

    /// Takes the chunks of `data` that end before it or have the maximum length; returns the start
    /// of the incomplete one.
    pub(crate) fn take_closed(&mut self, data: &[u8]) -> usize {
        self.walker.walk(data, data.len(), &mut self.ends);
        let start = match self.ends[..] {
            [.., before, _] => before as usize,
            _ => 0,
        };
        if data.len() - start < CHUNK_BYTES_MAX {
            self.ends.pop();
        }
        self.take(data);
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// Takes the single empty chunk of empty data.
    pub(crate) fn take_empty(&mut self) {
        self.features.update(&[xxh32::hash(b"")]);
    }

    /// Ends and hashes of the last chunks taken.
    pub(crate) fn last(&self) -> (&[u32], &[u32]) {
        (&self.ends, &self.hashes)
    }

    /// Discards the features so far.
    pub(crate) fn clear_features(&mut self) {
        self.features = no_features(self.level);
    }

    pub(crate) fn features(&mut self) -> &mut Minhash {
        &mut self.features
    }

    pub(crate) fn into_features(self) -> Minhash {
        self.features
    }

    fn take(&mut self, data: &[u8]) {
        self.hashes.clear();
        xxh32::hash_chunks_at(self.level, data, &self.ends, &mut self.hashes);
        self.features.update(&self.hashes);
    }
}

/// 512-bit multiplications lower the core's clock for a while. MinHash is only 1 % of the work
/// here, so it would gain less than the rest would lose.
fn no_features(level: Level) -> Minhash {
    Minhash::new_at(level.at_most(InstructionSet::Avx2))
}
