//! Features on their way to their taker, in whole blocks.

/// Features handed on together: what MinHash looks at together.
const BLOCK: usize = 256;

/// Features that one store may write.
const WIDEST: usize = 16;

/// Collects features and gives them to a sink, a block at a time and the rest at the end.
pub(super) struct Block<S> {
    features: [u32; BLOCK + WIDEST],
    /// Less than `BLOCK` between calls.
    len: usize,
    given: usize,
    sink: S,
}

impl<S: FnMut(&[u32])> Block<S> {
    pub(super) fn new(sink: S) -> Self {
        Self { features: [0; BLOCK + WIDEST], len: 0, given: 0, sink }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, feature: u32) {
        self.features[self.len] = feature;
        self.count(1);
    }

    /// Appends the first `count` (at most all) of some features.
    #[inline(always)]
    pub(super) fn push_lanes<const N: usize>(&mut self, features: [u32; N], count: usize) {
        const { assert!(N <= WIDEST) };
        self.features[self.len..][..N].copy_from_slice(&features);
        self.count(count.min(N));
    }

    #[inline(always)]
    fn count(&mut self, more: usize) {
        self.len += more;
        if self.len >= BLOCK {
            self.give();
        }
    }

    #[inline(never)]
    fn give(&mut self) {
        (self.sink)(&self.features[..BLOCK]);
        self.features.copy_within(BLOCK.., 0);
        self.len -= BLOCK;
        self.given += BLOCK;
    }

    /// Gives the rest; returns how many there were in all.
    pub(super) fn finish(mut self) -> usize {
        (self.sink)(&self.features[..self.len]);
        self.given + self.len
    }
}
