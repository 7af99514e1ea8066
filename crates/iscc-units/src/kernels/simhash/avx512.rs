//! 64 byte-wide counters per register: eight digest bytes are the mask of an addition.

use super::{Ones, ROUND, avx2};
use std::arch::x86_64::*;

/// Adds the set bits of at most [`ROUND`] digests.
#[target_feature(enable = "avx2,avx512f,avx512bw")]
pub(super) fn count<const N: usize>(digests: &[[u8; N]], ones: &mut Ones<N>) {
    assert!(digests.len() <= ROUND);
    let flat = digests.as_flattened();
    if N == 4 {
        // Two digests form a row.
        let (pairs, rest) = flat.as_chunks::<8>();
        let [low, high] = halves(count_eight(pairs.iter().copied()));
        add(&mut ones[..4], &low);
        add(&mut ones[..4], &high);
        if !rest.is_empty() {
            avx2::count(&digests[digests.len() - 1..], ones);
        }
    } else if N.is_multiple_of(8) {
        for (column, rows) in ones.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let words = digests.iter().map(|digest| digest.as_chunks::<8>().0[column]);
            let counts = count_eight(words);
            add(rows, &counts);
        }
    } else {
        avx2::count(digests, ones);
    }
}

/// Bit counts of eight bytes, each starting at the lowest bit.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn count_eight(words: impl Iterator<Item = [u8; 8]>) -> [[u8; 8]; 8] {
    let minus_one = _mm512_set1_epi8(-1);
    let mut counters = _mm512_setzero_si512();
    for word in words {
        counters = _mm512_mask_sub_epi8(counters, u64::from_le_bytes(word), counters, minus_one);
    }
    let mut counts = [[0; 8]; 8];
    // SAFETY: the destination is 64 bytes.
    unsafe { _mm512_storeu_epi8(counts.as_mut_ptr().cast(), counters) };
    counts
}

fn halves(counts: [[u8; 8]; 8]) -> [[[u8; 8]; 4]; 2] {
    let [a, b, c, d, e, f, g, h] = counts;
    [[a, b, c, d], [e, f, g, h]]
}

fn add(rows: &mut [[u32; 8]], counts: &[[u8; 8]]) {
    for (row, counts) in rows.iter_mut().zip(counts) {
        for (ones, count) in row.iter_mut().zip(counts.iter().rev()) {
            *ones += u32::from(*count);
        }
    }
}
