//! One cursor, one addition per byte.
//!
//! The definition halves the pattern and adds a gear value at each byte. Nested floors of halves
//! collapse, so after k bytes `pattern = (pattern0 + sum of gear_j * 2^j) >> k`. The code keeps the
//! unshifted sum over eight bytes and tests a shifted mask, so the dependency chain has one
//! addition per byte instead of a shift and an addition.

use super::{GEAR, Params};

/// `SHIFTED[k][byte] = GEAR[byte] << (k + 1)`.
pub(super) static SHIFTED: [[u64; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut k = 0;
    while k < 8 {
        let mut byte = 0;
        while byte < 256 {
            table[k][byte] = (GEAR[byte] as u64) << (k + 1);
            byte += 1;
        }
        k += 1;
    }
    table
};

/// Length of the first chunk before rounding to units.
#[inline]
pub(super) fn first_cut(data: &[u8], params: Params) -> usize {
    let mut at = params.min().min(data.len());
    let mut pattern = 0;
    for (end, mask) in
        [(params.center(), params.mask_before_center()), (params.max(), params.mask_after_center())]
    {
        let end = end.min(data.len());
        if let Some(length) = scan(&data[at..end.max(at)], &mut pattern, u64::from(mask)) {
            return at + length;
        }
        at = end.max(at);
    }
    at
}

/// Number of bytes up to and including the first one at which the pattern matches the mask.
#[inline(always)]
fn scan(data: &[u8], pattern: &mut u64, mask: u64) -> Option<usize> {
    let (blocks, rest) = data.as_chunks::<8>();
    let mut sum = *pattern;
    for (i, block) in blocks.iter().enumerate() {
        for k in 0..8 {
            sum += SHIFTED[k][usize::from(block[k])];
            if sum & (mask << (k + 1)) == 0 {
                return Some(8 * i + k + 1);
            }
        }
        sum >>= 8;
    }
    for (i, &byte) in rest.iter().enumerate() {
        sum = (sum >> 1) + u64::from(GEAR[usize::from(byte)]);
        if sum & mask == 0 {
            return Some(8 * blocks.len() + i + 1);
        }
    }
    *pattern = sum;
    None
}
