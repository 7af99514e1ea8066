//! Eight byte-wide counters in a word: one addition per digest byte.

/// Digests that byte-wide counters can take before they are emptied into wide ones.
const ROUND: usize = u8::MAX as usize;

/// Ones at each bit of the digests added.
#[derive(Clone, Debug)]
pub(super) struct Counters<const N: usize> {
    wide: [[usize; 8]; N],
    /// Byte k of word i counts bit k (from the lowest) of digest byte i.
    narrow: [u64; N],
    in_narrow: usize,
}

impl<const N: usize> Counters<N> {
    pub(super) fn new() -> Self {
        Self { wide: [[0; 8]; N], narrow: [0; N], in_narrow: 0 }
    }

    #[inline]
    pub(super) fn add(&mut self, digest: &[u8; N]) {
        if self.in_narrow == ROUND {
            self.wide = self.ones();
            self.narrow = [0; N];
            self.in_narrow = 0;
        }
        for (counters, &byte) in self.narrow.iter_mut().zip(digest) {
            *counters += spread(byte);
        }
        self.in_narrow += 1;
    }

    /// Counts per digest byte, its highest bit first.
    pub(super) fn ones(&self) -> [[usize; 8]; N] {
        let mut ones = self.wide;
        for (row, counters) in ones.iter_mut().zip(self.narrow) {
            for (n, narrow) in row.iter_mut().zip(counters.to_be_bytes()) {
                *n += usize::from(narrow);
            }
        }
        ones
    }
}

/// Bit k of `byte` to the lowest bit of byte k.
#[inline(always)]
fn spread(byte: u8) -> u64 {
    SPREAD[usize::from(byte)]
}

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
