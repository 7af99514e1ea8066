//! Similarity hash (Charikar 2002): each output bit is the majority of that bit over all digests.

mod portable;

use portable::Counters;

/// Counts the ones at each bit of digests of `N` bytes.
#[derive(Clone, Debug)]
pub struct Simhash<const N: usize> {
    counters: Counters<N>,
    digests: usize,
}

impl<const N: usize> Simhash<N> {
    /// No digests yet.
    pub fn new() -> Self {
        Self { counters: Counters::new(), digests: 0 }
    }

    /// Adds one digest.
    #[inline]
    pub fn update(&mut self, digest: &[u8; N]) {
        self.counters.add(digest);
        self.digests += 1;
    }

    /// The majority; a bit that is set in exactly half of the digests is set.
    pub fn digest(&self) -> [u8; N] {
        let ones = self.counters.ones();
        std::array::from_fn(|byte| {
            ones[byte].iter().fold(0, |bits, &n| bits << 1 | u8::from(2 * n >= self.digests))
        })
    }
}

impl<const N: usize> Default for Simhash<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// The simhash of `digests`; of none, all bits set (0 is half of 0).
pub fn simhash<'a, const N: usize>(digests: impl IntoIterator<Item = &'a [u8; N]>) -> [u8; N] {
    let mut state = Simhash::new();
    for digest in digests {
        state.update(digest);
    }
    state.digest()
}
