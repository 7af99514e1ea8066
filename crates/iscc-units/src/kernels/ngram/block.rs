//! Collects features to whole blocks.

/// Features per block, as in MinHash.
const BLOCK: usize = 256;

/// Maximum number of features that one store writes.
const WIDEST: usize = 16;

/// Collects features and passes them to a sink: full blocks, and the rest at the end.
pub(super) struct Block<S> {
    features: [u32; BLOCK + WIDEST],
    /// Below `BLOCK` between calls.
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

    /// Appends the first `count` features.
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
            self.flush();
        }
    }

    #[inline(never)]
    fn flush(&mut self) {
        (self.sink)(&self.features[..BLOCK]);
        self.features.copy_within(BLOCK.., 0);
        self.len -= BLOCK;
        self.given += BLOCK;
    }

    /// Passes the rest to the sink; returns the total number of features.
    pub(super) fn finish(mut self) -> usize {
        (self.sink)(&self.features[..self.len]);
        self.given + self.len
    }
}
