//! MinHash-256 over 32-bit features (ISO 24138): for each of 64 permutations the least hash of any
//! feature, and of these minima the four lowest bits.

mod permutations;
mod portable;

pub use permutations::{MULTIPLIER, SUMMAND};

use crate::simd::{self, Level};

/// Features looked at together.
const BLOCK: usize = 256;

/// MinHash of a set of features that arrives in pieces.
///
/// Features are a set: order and repeats change nothing. State: about 2 KiB.
#[derive(Clone, Debug)]
pub struct Minhash {
    #[expect(dead_code, reason = "one form so far")]
    level: Level,
    minima: [u32; 64],
    waiting: [u32; BLOCK],
    waiting_len: usize,
}

impl Minhash {
    /// No features yet, with the machine's best kernels.
    pub fn new() -> Self {
        Self::new_at(simd::level())
    }

    /// No features yet, with the kernels of a level.
    pub fn new_at(level: Level) -> Self {
        Self { level, minima: [u32::MAX; 64], waiting: [0; BLOCK], waiting_len: 0 }
    }

    /// Adds features. Pieces of any size cost the same: what does not fill a block waits.
    pub fn update(&mut self, mut features: &[u32]) {
        if self.waiting_len > 0 {
            let (now, later) = features.split_at(features.len().min(BLOCK - self.waiting_len));
            self.wait(now);
            features = later;
            if self.waiting_len < BLOCK {
                return;
            }
            let block = self.waiting;
            self.fold(&block);
            self.waiting_len = 0;
        }
        let (blocks, rest) = features.as_chunks::<BLOCK>();
        for block in blocks {
            self.fold(block);
        }
        self.wait(rest);
    }

    /// The 64 minima, `u32::MAX` each without features.
    pub fn minima(&self) -> [u32; 64] {
        let mut whole = self.clone();
        whole.fold(&self.waiting[..self.waiting_len]);
        whole.minima
    }

    /// The 256-bit digest: bit plane after bit plane from the lowest, permutation 0 first.
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

    fn wait(&mut self, features: &[u32]) {
        self.waiting[self.waiting_len..][..features.len()].copy_from_slice(features);
        self.waiting_len += features.len();
    }

    fn fold(&mut self, features: &[u32]) {
        portable::fold(features, &mut self.minima);
    }
}

impl Default for Minhash {
    fn default() -> Self {
        Self::new()
    }
}

/// The digest of `features` in one call.
pub fn digest(features: &[u32]) -> [u8; 32] {
    let mut state = Minhash::new();
    state.update(features);
    state.digest()
}
