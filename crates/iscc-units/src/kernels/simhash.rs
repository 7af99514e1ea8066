//! Similarity hash (Charikar 2002): each output bit is the majority of that bit over all digests.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use crate::simd::{self, InstructionSet, Level};

/// How many digests have each bit: a row for each byte, its highest bit first.
pub type Ones<const N: usize> = [[u32; 8]; N];

/// Digests that byte-wide counters can take before they are emptied into wide ones.
const ROUND: usize = u8::MAX as usize;

/// Digests of an iterator that are gathered before they are counted.
const GATHERED: usize = 64;

/// The similarity hash of digests of `N` bytes (a multiple of 4) that arrive in pieces.
#[derive(Clone, Debug)]
pub struct Simhash<const N: usize> {
    level: Level,
    ones: Ones<N>,
    digests: u32,
}

impl<const N: usize> Simhash<N> {
    /// No digests yet, with the machine's best kernels.
    pub fn new() -> Self {
        Self::new_at(simd::level())
    }

    /// No digests yet, with the kernels of a level.
    pub fn new_at(level: Level) -> Self {
        const { assert!(N.is_multiple_of(4), "the kernels take four bytes at a time") };
        Self { level, ones: [[0; 8]; N], digests: 0 }
    }

    /// Adds digests, fewer than 2^32 altogether.
    #[inline]
    pub fn update(&mut self, digests: &[[u8; N]]) {
        count(self.level, digests, &mut self.ones);
        self.digests += digests.len() as u32;
    }

    /// Adds what another state has seen.
    pub fn merge(&mut self, other: &Self) {
        for (row, other) in self.ones.iter_mut().zip(&other.ones) {
            for (ones, other) in row.iter_mut().zip(other) {
                *ones += other;
            }
        }
        self.digests += other.digests;
    }

    /// The majority; a bit that is set in exactly half of the digests is set, so all are without
    /// digests.
    pub fn digest(&self) -> [u8; N] {
        self.ones.map(|row| {
            let is_set = |&ones: &u32| u8::from(2 * u64::from(ones) >= u64::from(self.digests));
            row.iter().fold(0, |bits, ones| bits << 1 | is_set(ones))
        })
    }
}

impl<const N: usize> Default for Simhash<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// The similarity hash of `digests` in one call; of none, all bits are set.
pub fn simhash<'a, const N: usize>(digests: impl IntoIterator<Item = &'a [u8; N]>) -> [u8; N] {
    let mut state = Simhash::new();
    let mut gathered = [[0; N]; GATHERED];
    let mut waiting = 0;
    for digest in digests {
        gathered[waiting] = *digest;
        waiting += 1;
        if waiting == GATHERED {
            state.update(&gathered);
            waiting = 0;
        }
    }
    state.update(&gathered[..waiting]);
    state.digest()
}

fn count<const N: usize>(level: Level, digests: &[[u8; N]], ones: &mut Ones<N>) {
    for round in digests.chunks(ROUND) {
        match level.set() {
            // SAFETY: the level proves that the machine has the instructions.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { avx512::count(round, ones) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { avx2::count(round, ones) },
            _ => portable::count(round, ones),
        }
    }
}
