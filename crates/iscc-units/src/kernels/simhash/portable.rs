//! Eight byte-wide counters per word: one addition per digest byte.

use super::{Ones, ROUND};

/// Adds the set bits of at most [`ROUND`] digests.
pub(super) fn count<const N: usize>(digests: &[[u8; N]], ones: &mut Ones<N>) {
    assert!(digests.len() <= ROUND);
    // Byte k of a word counts bit k of its digest byte, starting at the lowest bit.
    let mut counters = [0u64; N];
    for digest in digests {
        for (counter, &byte) in counters.iter_mut().zip(digest) {
            *counter += SPREAD[usize::from(byte)];
        }
    }
    for (row, counter) in ones.iter_mut().zip(counters) {
        for (ones, count) in row.iter_mut().zip(counter.to_be_bytes()) {
            *ones += u32::from(count);
        }
    }
}

/// Moves bit k of the index to the lowest bit of byte k.
static SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte >> bit & 1) as u64) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};
