//! Two chunks per 256-bit register: shared by the x86 forms.

use super::portable::{START, STRIPE};
use super::side_by_side::CHUNKS;
use std::arch::x86_64::*;

/// Number of registers for chunks: enough to hide the multiplier's latency.
pub(super) const PAIRS: usize = CHUNKS / 2;

/// The accumulators of all pairs, and the number of stripes processed.
pub(super) struct State {
    pub(super) sums: [__m256i; PAIRS],
    pub(super) stripes: usize,
}

impl State {
    #[target_feature(enable = "avx2")]
    pub(super) fn new() -> Self {
        let [a, b, c, d] = START.map(|lane| lane as i32);
        Self { sums: [_mm256_setr_epi32(a, b, c, d, a, b, c, d); PAIRS], stripes: 0 }
    }

    /// The four accumulators of each chunk.
    #[target_feature(enable = "avx2")]
    pub(super) fn unpack(&self) -> [[u32; 4]; CHUNKS] {
        let mut lanes = [[0; 4]; CHUNKS];
        for (pair, &sum) in lanes.as_chunks_mut::<2>().0.iter_mut().zip(&self.sums) {
            // SAFETY: the pair is 32 bytes of plain integers.
            unsafe { _mm256_storeu_si256(pair.as_mut_ptr().cast(), sum) };
        }
        lanes
    }
}

/// One stripe of each chunk of a pair.
///
/// # Safety
///
/// Both chunks are longer than `stripe` stripes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load(low: &[u8], high: &[u8], stripe: usize) -> __m256i {
    let at = STRIPE * stripe;
    // SAFETY: as required of the caller.
    unsafe { _mm256_loadu2_m128i(high.as_ptr().add(at).cast(), low.as_ptr().add(at).cast()) }
}

/// Defines the kernel for an instruction set, given its rotation to the left by 13.
macro_rules! kernel {
    ($features:literal, $rotate:expr) => {
        use super::lanes::{PAIRS, State, load};
        use super::portable::{PRIME_1, PRIME_2, STRIPE};
        use super::side_by_side::CHUNKS;

        /// The four accumulators of each chunk, after as many stripes as the shorter chunk of its
        /// pair has. The chunks are sorted by ascending number of stripes.
        #[target_feature(enable = $features)]
        pub(super) fn lanes(chunks: &[&[u8]; CHUNKS]) -> [[u32; 4]; CHUNKS] {
            let mut state = State::new();
            // When the shortest pair is complete, the others continue in fewer registers.
            run::<6>(chunks, &mut state);
            run::<5>(chunks, &mut state);
            run::<4>(chunks, &mut state);
            run::<3>(chunks, &mut state);
            run::<2>(chunks, &mut state);
            run::<1>(chunks, &mut state);
            state.unpack()
        }

        /// Processes the `N` longest pairs until the shortest of them is complete.
        #[inline]
        #[target_feature(enable = $features)]
        fn run<const N: usize>(chunks: &[&[u8]; CHUNKS], state: &mut State) {
            let chunks = &chunks[CHUNKS - 2 * N..];
            let stripes = chunks[0].len() / STRIPE;
            assert!(chunks.iter().all(|chunk| chunk.len() >= STRIPE * stripes));
            let prime_1 = _mm256_set1_epi32(PRIME_1 as i32);
            let prime_2 = _mm256_set1_epi32(PRIME_2 as i32);
            let mut sums: [__m256i; N] = std::array::from_fn(|pair| state.sums[PAIRS - N + pair]);
            for stripe in state.stripes..stripes {
                for (sum, pair) in sums.iter_mut().zip(chunks.as_chunks::<2>().0) {
                    // SAFETY: both chunks have at least `stripes` stripes, as asserted above.
                    let words = unsafe { load(pair[0], pair[1], stripe) };
                    let mixed = _mm256_add_epi32(*sum, _mm256_mullo_epi32(words, prime_2));
                    *sum = _mm256_mullo_epi32($rotate(mixed), prime_1);
                }
            }
            state.sums[PAIRS - N..].copy_from_slice(&sums);
            state.stripes = stripes;
        }
    };
}
pub(super) use kernel;
