//! A blocked Bloom filter of the ISCC-ID bodies in a file.
//!
//! An update must find the slot of its asset. If assets are not added in the order of their ISCC-IDs, the ranges of the
//! files overlap, and a binary search in each would be needed. The filter answers with one read of 64 bytes; one of
//! a hundred other ISCC-IDs passes.
//!
//! Source: F. Putze, P. Sanders, J. Singler, "Cache-, Hash- and Space-Efficient Bloom Filters" (2007).

use crate::array::Array;

/// Bits per ISCC-ID.
const BITS_PER_ID: usize = 10;
/// Words of a block, which is a cache line.
const BLOCK_WORDS: usize = 8;
const BLOCK_BITS: usize = BLOCK_WORDS * 64;
/// Bits that an ISCC-ID sets.
const BITS_SET: u32 = 6;
/// Bits that select one of a block.
const POSITION_BITS: u32 = BLOCK_BITS.trailing_zeros();

/// A blocked Bloom filter of ISCC-ID bodies.
#[derive(Debug, Clone)]
pub struct IdFilter(Array<u64>);

impl IdFilter {
    /// The filter in a file. `words` must be [`IdFilter::words`] long.
    pub fn new(words: Array<u64>) -> Self {
        Self(words)
    }

    /// Number of words of the filter of `ids` ISCC-IDs.
    pub fn words(ids: usize) -> usize {
        (ids * BITS_PER_ID).div_ceil(BLOCK_BITS) * BLOCK_WORDS
    }

    /// The words of the filter of `count` ISCC-ID bodies.
    pub fn build(count: usize, ids: impl Iterator<Item = u64>) -> Vec<u64> {
        let mut words = vec![0; Self::words(count)];
        for id in ids {
            let (block, positions) = places(id, words.len());
            for position in positions {
                words[block + position / 64] |= 1 << (position % 64);
            }
        }
        words
    }

    /// Whether an ISCC-ID body may be in the file. `false` is certain.
    pub fn may_have(&self, id: u64) -> bool {
        let (block, mut positions) = places(id, self.0.len());
        let Some(words) = self.0.get(block..block + BLOCK_WORDS) else { return false };
        positions.all(|position| words[position / 64] >> (position % 64) & 1 == 1)
    }
}

/// The first word of an ISCC-ID's block, and the positions of its bits in the block.
fn places(id: u64, words: usize) -> (usize, impl Iterator<Item = usize>) {
    let hash = mixed(id);
    let block = ((u128::from(hash) * (words / BLOCK_WORDS) as u128) >> 64) as usize;
    // The high bits chose the block.
    let rest = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let position = move |bit: u32| (rest >> (bit * POSITION_BITS + 10)) as usize & (BLOCK_BITS - 1);
    (block * BLOCK_WORDS, (0..BITS_SET).map(position))
}

/// ISCC-IDs begin with a time, so their bits are not random.
fn mixed(id: u64) -> u64 {
    const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
    let once = (id ^ (id >> 32)).wrapping_mul(FACTOR);
    (once ^ (once >> 32)).wrapping_mul(FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_all_of_its_ids_and_few_others() {
        for count in [1, 50, 5000, 100_000] {
            // In steps as of a clock.
            let ids = |first: u64| (0..count as u64).map(move |number| (first + number * 7) << 12);
            let filter = IdFilter::new(IdFilter::build(count, ids(1 << 40)).into());
            assert!(ids(1 << 40).all(|id| filter.may_have(id)), "{count}");
            let others = ids((1 << 40) + 3).filter(|&id| filter.may_have(id)).count();
            assert!(others <= 2 + count / 50, "{others} of {count}");
            assert!(filter.0.len() * 64 <= count * BITS_PER_ID + BLOCK_BITS, "{count}");
        }
        let empty = IdFilter::new(IdFilter::build(0, std::iter::empty()).into());
        assert!(!empty.may_have(1));
    }
}
