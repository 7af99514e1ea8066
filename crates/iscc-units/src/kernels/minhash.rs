//! MinHash-256 over 32-bit features (ISO 24138): the minimum hash of all features under each of 64
//! permutations, and of these minima the lowest four bits.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod filter;
mod permutations;
mod portable;
mod recent;

pub use permutations::{MULTIPLIER, SUMMAND};

use crate::simd::{self, InstructionSet, Level};
use recent::Recent;

/// Number of features processed together.
const BLOCK: usize = 256;

/// MinHash of a set of features that arrives in pieces.
///
/// Order and repetitions do not matter. Uses about 2 KiB, and 16 KiB more while features repeat.
#[derive(Clone, Debug)]
pub struct Minhash {
    level: Level,
    lowest: Lowest,
    waiting: [u32; BLOCK],
    waiting_len: usize,
    recent: Option<Recent>,
}

/// The minimum hash of each permutation so far, and a feature that has it.
#[derive(Clone, Debug)]
struct Lowest {
    minima: [u32; 64],
    /// Undefined while the minimum is `u32::MAX`.
    features: [u32; 64],
}

impl Minhash {
    /// No features, at the SIMD level of this machine.
    pub fn new() -> Self {
        Self::new_at(simd::level())
    }

    /// No features, at a given SIMD level.
    pub fn new_at(level: Level) -> Self {
        Self {
            level,
            lowest: Lowest { minima: [u32::MAX; 64], features: [0; 64] },
            waiting: [0; BLOCK],
            waiting_len: 0,
            recent: None,
        }
    }

    /// Adds features. Pieces of any size take the same time: incomplete blocks are buffered.
    pub fn update(&mut self, mut features: &[u32]) {
        while !features.is_empty() {
            if self.recent.is_some() {
                features = self.buffer_new(features);
            } else if let (0, Some((block, rest))) =
                (self.waiting_len, features.split_first_chunk::<BLOCK>())
            {
                self.fold_block(block);
                features = rest;
                continue;
            } else {
                let (now, later) = features.split_at(features.len().min(BLOCK - self.waiting_len));
                self.waiting[self.waiting_len..][..now.len()].copy_from_slice(now);
                self.waiting_len += now.len();
                features = later;
            }
            if self.waiting_len == BLOCK {
                self.waiting_len = 0;
                let block = self.waiting;
                self.fold_block(&block);
            }
        }
    }

    /// Adds the features of another state.
    pub fn merge(&mut self, other: &Self) {
        self.update(&other.waiting[..other.waiting_len]);
        for i in 0..64 {
            if other.lowest.minima[i] < self.lowest.minima[i] {
                self.lowest.minima[i] = other.lowest.minima[i];
                self.lowest.features[i] = other.lowest.features[i];
            }
        }
    }

    /// The 64 minima; `u32::MAX` without features.
    pub fn minima(&self) -> [u32; 64] {
        let mut lowest = self.lowest.clone();
        fold(self.level, &self.waiting[..self.waiting_len], &mut lowest);
        lowest.minima
    }

    /// The 256-bit digest: bit planes starting at the lowest, each starting at permutation 0.
    pub fn digest(&self) -> [u8; 32] {
        let minima = self.minima();
        let mut digest = [0; 32];
        for (bit, plane) in digest.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let word =
                minima.iter().fold(0u64, |word, minimum| word << 1 | u64::from(minimum >> bit & 1));
            *plane = word.to_be_bytes();
        }
        digest
    }

    /// Buffers the features that are not recent, up to a full block. Returns the remaining ones.
    fn buffer_new<'a>(&mut self, features: &'a [u32]) -> &'a [u32] {
        let Some(recent) = &mut self.recent else { return features };
        let mut taken = 0;
        for &feature in features {
            if self.waiting_len == BLOCK {
                break;
            }
            self.waiting[self.waiting_len] = feature;
            self.waiting_len += usize::from(recent.is_new(feature));
            taken += 1;
        }
        if !recent.pays() {
            self.recent = None;
        }
        &features[taken..]
    }

    fn fold_block(&mut self, block: &[u32; BLOCK]) {
        let repeated = fold(self.level, block, &mut self.lowest);
        if repeated > 32 && self.recent.is_none() {
            self.recent = Some(Recent::new(block[0]));
        }
    }
}

impl Default for Minhash {
    fn default() -> Self {
        Self::new()
    }
}

/// The digest of `features`.
pub fn digest(features: &[u32]) -> [u8; 32] {
    let mut state = Minhash::new();
    state.update(features);
    state.digest()
}

/// Lowers the minima by at most a block of features. Returns the number of permutations for which
/// the feature with the minimum occurred again, as far as the form detects it.
fn fold(level: Level, features: &[u32], lowest: &mut Lowest) -> u32 {
    match level.set() {
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 if features.len() >= filter::GROUP => filter::fold(
            features,
            lowest,
            // SAFETY: a level proves that this machine has its instructions.
            |groups| unsafe { avx512::least(groups) },
            // SAFETY: as above.
            |groups, i, limit| unsafe { avx512::at_most(groups, i, limit) },
        ),
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 if features.len() >= filter::GROUP => filter::fold(
            features,
            lowest,
            // SAFETY: a level proves that this machine has its instructions.
            |groups| unsafe { avx2::least(groups) },
            // SAFETY: as above.
            |groups, i, limit| unsafe { avx2::at_most(groups, i, limit) },
        ),
        _ => {
            portable::fold(features, lowest);
            0
        }
    }
}
