//! Similarity hash (Charikar 2002): each output bit is the majority of that bit over all digests.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use crate::simd::{self, InstructionSet, Level};

/// How many digests have each bit set: one row per byte, highest bit first.
pub type Ones<const N: usize> = [[u32; 8]; N];

/// Maximum number of digests before byte-wide counters must be added to wide ones.
const ROUND: usize = u8::MAX as usize;

/// Number of digests of an iterator that are collected and counted together.
const GATHERED: usize = 64;

/// The similarity hash of digests of `N` bytes, a multiple of 4, that arrive in pieces.
#[derive(Clone, Debug)]
pub struct Simhash<const N: usize> {
    level: Level,
    ones: Ones<N>,
    digests: u32,
}

impl<const N: usize> Simhash<N> {
    /// No digests, at the SIMD level of this machine.
    pub fn new() -> Self {
        Self::new_at(simd::level())
    }

    /// No digests, at a given SIMD level.
    pub fn new_at(level: Level) -> Self {
        const { assert!(N.is_multiple_of(4), "the kernels take four bytes at a time") };
        Self { level, ones: [[0; 8]; N], digests: 0 }
    }

    /// Adds digests, fewer than 2^32 in total.
    #[inline]
    pub fn update(&mut self, digests: &[[u8; N]]) {
        count(self.level, digests, &mut self.ones);
        self.digests += digests.len() as u32;
    }

    /// Adds the digests of another state.
    pub fn merge(&mut self, other: &Self) {
        for (row, other) in self.ones.iter_mut().zip(&other.ones) {
            for (ones, other) in row.iter_mut().zip(other) {
                *ones += other;
            }
        }
        self.digests += other.digests;
    }

    /// The majority of each bit. A bit is set if exactly half of the digests have it, so without
    /// digests all bits are set.
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

/// The similarity hash of `digests`; without digests, all bits are set.
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
            // SAFETY: a level proves that this machine has its instructions.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { avx512::count(round, ones) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { avx2::count(round, ones) },
            _ => portable::count(round, ones),
        }
    }
}
