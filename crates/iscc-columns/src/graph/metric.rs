//! Normalised prefix Hamming distance (NPHD) of two graph rows.
//!
//! A row has 40 bytes: its length in bytes, seven zero bytes, and four big-endian words of body. With the length in the
//! row, a long query can be compared with shorter rows, as fast as with a Hamming distance of fixed length.

use crate::column::{Body, word_mask};
use crate::scan::{Level, WORDS_MAX, level};

/// Bytes of a row.
pub const ROW_BYTES: usize = 8 + WORDS_MAX * 8;

/// Encodes a body as a row.
pub fn pack(body: &Body) -> [u8; ROW_BYTES] {
    let mut row = [0; ROW_BYTES];
    row[0] = (body.bits() / 8) as u8;
    for (bytes, word) in row[8..].chunks_exact_mut(8).zip(body.words()) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    row
}

/// Distance of two rows, 0 to 1.
pub type Metric = fn(&[u8; ROW_BYTES], &[u8; ROW_BYTES]) -> f32;

/// The metric for the selected instruction set.
pub fn metric() -> Metric {
    match level() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if avx512::detected() => avx512::nphd,
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx2 if popcnt::detected() => popcnt::nphd,
        _ => portable,
    }
}

/// The metric in plain Rust.
pub fn portable(a: &[u8; ROW_BYTES], b: &[u8; ROW_BYTES]) -> f32 {
    let bits = u16::from(a[0].min(b[0])) * 8;
    let mut differing = 0;
    for index in 0..WORDS_MAX {
        let masked = (word(a, index) ^ word(b, index)) & word_mask(bits, index);
        differing += masked.count_ones();
    }
    differing as f32 / f32::from(bits)
}

fn word(row: &[u8; ROW_BYTES], index: usize) -> u64 {
    let start = 8 + index * 8;
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&row[start..start + 8]);
    u64::from_be_bytes(bytes)
}

#[cfg(target_arch = "x86_64")]
mod popcnt {
    use super::ROW_BYTES;

    pub fn detected() -> bool {
        is_x86_feature_detected!("popcnt")
    }

    pub fn nphd(a: &[u8; ROW_BYTES], b: &[u8; ROW_BYTES]) -> f32 {
        // SAFETY: `metric` returns this function only after `detected`.
        unsafe { counted(a, b) }
    }

    /// The portable form, compiled with the population count instruction.
    #[target_feature(enable = "popcnt")]
    fn counted(a: &[u8; ROW_BYTES], b: &[u8; ROW_BYTES]) -> f32 {
        super::portable(a, b)
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::ROW_BYTES;

    pub fn detected() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vpopcntdq")
    }

    pub fn nphd(a: &[u8; ROW_BYTES], b: &[u8; ROW_BYTES]) -> f32 {
        // SAFETY: `metric` returns this function only after `detected`.
        unsafe { masked(a, b) }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vpopcntdq")]
    fn masked(a: &[u8; ROW_BYTES], b: &[u8; ROW_BYTES]) -> f32 {
        let bytes = a[0].min(b[0]);
        let live: __mmask32 = if bytes >= 32 { u32::MAX } else { (1 << bytes) - 1 };
        // SAFETY: both rows have 32 bytes after the first eight.
        let (x, y) = unsafe {
            (_mm256_loadu_si256(a[8..].as_ptr().cast()), _mm256_loadu_si256(b[8..].as_ptr().cast()))
        };
        let differing = _mm256_maskz_mov_epi8(live, _mm256_xor_si256(x, y));
        let counts = _mm256_popcnt_epi64(differing);
        let pair =
            _mm_add_epi64(_mm256_castsi256_si128(counts), _mm256_extracti128_si256::<1>(counts));
        let total = _mm_cvtsi128_si64(pair) + _mm_extract_epi64::<1>(pair);
        total as f32 / (f32::from(bytes) * 8.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reference::scan::prefix_distance;

    use super::*;

    proptest! {
        #[test]
        fn every_kernel_equals_the_reference(
            a in prop::collection::vec(any::<u8>(), 1..=32),
            b in prop::collection::vec(any::<u8>(), 1..=32),
        ) {
            let (differing, bits) = prefix_distance(&a, &b);
            let expected = differing as f32 / bits as f32;
            let rows = (pack(&Body::new(&a).unwrap()), pack(&Body::new(&b).unwrap()));
            prop_assert_eq!(portable(&rows.0, &rows.1), expected);
            prop_assert_eq!(metric()(&rows.0, &rows.1), expected);
            #[cfg(target_arch = "x86_64")]
            {
                if popcnt::detected() {
                    prop_assert_eq!(popcnt::nphd(&rows.0, &rows.1), expected);
                }
                if avx512::detected() {
                    prop_assert_eq!(avx512::nphd(&rows.0, &rows.1), expected);
                }
            }
        }
    }
}
