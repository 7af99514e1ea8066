//! BLAKE3 of consecutive subtrees.

use super::SEGMENT_BYTES;
use blake3::hazmat::{self, ChainingValue, HasherExt, Mode};

/// The subtree of one segment.
pub(super) struct Subtree {
    hasher: blake3::Hasher,
}

impl Subtree {
    /// A subtree at an offset of whole segments.
    pub(super) fn at(offset: u64) -> Self {
        debug_assert!(offset.is_multiple_of(SEGMENT_BYTES));
        let mut hasher = blake3::Hasher::new();
        hasher.set_input_offset(offset);
        Self { hasher }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }
}

/// Roots of the subtrees so far. Pairs that fill a larger subtree are merged.
pub(super) struct Tree {
    roots: Vec<ChainingValue>,
    subtrees: u64,
}

impl Tree {
    pub(super) fn new() -> Self {
        Self { roots: Vec::new(), subtrees: 0 }
    }

    /// Adds the next subtree.
    ///
    /// Merges one step late, because the last merge must create the root, and whether it is the
    /// last is only known at the end. The binary digits of the number of subtrees state which
    /// larger ones are full.
    pub(super) fn push(&mut self, subtree: Subtree) {
        while self.roots.len() > self.subtrees.count_ones() as usize {
            let right = self.roots.pop();
            let left = self.roots.pop();
            if let (Some(left), Some(right)) = (left, right) {
                self.roots.push(hazmat::merge_subtrees_non_root(&left, &right, Mode::Hash));
            }
        }
        self.roots.push(subtree.hasher.finalize_non_root());
        self.subtrees += 1;
    }

    /// The hash of the data. Requires at least two subtrees.
    pub(super) fn root(mut self) -> [u8; 32] {
        assert!(self.roots.len() >= 2, "a single subtree has no parent");
        let mut right = self.roots.remove(self.roots.len() - 1);
        while let Some(left) = self.roots.pop() {
            if self.roots.is_empty() {
                return *hazmat::merge_subtrees_root(&left, &right, Mode::Hash).as_bytes();
            }
            right = hazmat::merge_subtrees_non_root(&left, &right, Mode::Hash);
        }
        right
    }
}
