//! The definition, with the remainder of 2^61 - 1 computed by folding instead of division.

use super::Lowest;
use super::permutations::{MULTIPLIER, SUMMAND};

const MERSENNE_61: u64 = (1 << 61) - 1;

/// Lowers each minimum to the minimum hash of `features`.
pub(super) fn fold(features: &[u32], lowest: &mut Lowest) {
    for i in 0..64 {
        for &feature in features {
            lowest.take(i, feature);
        }
    }
}

impl Lowest {
    /// Processes a feature for permutation `i`.
    #[inline(always)]
    pub(super) fn take(&mut self, i: usize, feature: u32) {
        let hash = permute(i, feature);
        if hash < self.minima[i] {
            self.minima[i] = hash;
            self.features[i] = feature;
        }
    }
}

/// The hash of a feature under permutation `i`.
#[inline(always)]
fn permute(i: usize, feature: u32) -> u32 {
    let x = MULTIPLIER[i].wrapping_mul(u64::from(feature)).wrapping_add(SUMMAND[i]);
    // 2^61 = 1 (mod 2^61 - 1), so the upper three bits are added to the rest.
    let folded = (x & MERSENNE_61) + (x >> 61);
    let residue = if folded >= MERSENNE_61 { folded - MERSENNE_61 } else { folded };
    residue as u32
}
