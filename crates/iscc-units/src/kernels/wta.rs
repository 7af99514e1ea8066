//! Winner-takes-all hash of frame signatures (ISO 24138, Video-Code; after Yagnik et al. 2011).
//! Sums the distinct signatures column by column and compares pairs of sums.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod pairs;
mod portable;

use crate::simd::{InstructionSet, Level};
use std::collections::HashSet;
use std::hash::Hash;

pub use pairs::PAIRS;

/// Values per frame signature (MPEG-7 video signature, ISO/IEC 15938-3).
pub const COLUMNS: usize = 380;

/// The signature of one frame.
pub type Row<T> = [T; COLUMNS];

/// A value of a frame signature, in the type of the signature file or of JavaScript.
pub trait Value: Copy + Eq + Hash + Into<i64> + sealed::Sealed {
    /// The value, wrapped to 32 bits.
    #[doc(hidden)]
    fn word(self) -> u32;
}

impl Value for u8 {
    #[inline(always)]
    fn word(self) -> u32 {
        u32::from(self)
    }
}

impl Value for i32 {
    #[inline(always)]
    fn word(self) -> u32 {
        self as u32
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for i32 {}
}

/// The 256-bit hash of a set of frames.
pub fn hash_at<T: Value>(level: Level, frames: &[Row<T>]) -> [u8; 32] {
    let sums = sum_distinct(level, frames);
    let mut hash = [0; 32];
    for (byte, pairs) in hash.iter_mut().zip(PAIRS.as_chunks::<8>().0) {
        *byte = pairs.iter().fold(0, |bits, &(first, second)| {
            let second_wins = sums[usize::from(second)] > sums[usize::from(first)];
            bits << 1 | u8::from(second_wins)
        });
    }
    hash
}

/// Sums of each column over the distinct frames.
fn sum_distinct<T: Value>(level: Level, frames: &[Row<T>]) -> Row<i64> {
    let sums = match level.set() {
        // SAFETY: a level proves that this machine has its instructions.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => unsafe { avx512::sum_distinct_bytes(frames) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => unsafe { avx2::sum_distinct_bytes(frames) },
        _ => portable::sum_distinct_bytes(frames),
    };
    sums.unwrap_or_else(|| sum_distinct_wide(frames))
}

/// The same for values that no signature has but that the definition allows.
fn sum_distinct_wide<T: Value>(frames: &[Row<T>]) -> Row<i64> {
    let distinct: HashSet<&Row<T>> = frames.iter().collect();
    let mut sums = [0i64; COLUMNS];
    for frame in distinct {
        for (sum, &value) in sums.iter_mut().zip(frame) {
            *sum += value.into();
        }
    }
    sums
}
