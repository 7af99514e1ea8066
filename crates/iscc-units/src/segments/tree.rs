//! BLAKE3 of consecutive subtrees.

use super::SEGMENT_BYTES;
use blake3::hazmat::{self, ChainingValue, HasherExt, Mode};

/// One segment's subtree.
pub(super) struct Subtree {
    hasher: blake3::Hasher,
}

impl Subtree {
    /// At an offset of whole segments.
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

/// The roots of the subtrees so far, merged as far as they fill a larger one.
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
    /// Merging is one step late: the last merge makes the root, and which is the last shows only
    /// when no subtree follows. After n subtrees, n's binary digits say which larger ones are full.
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

    /// The hash of everything: of at least two subtrees.
    pub(super) fn root(mut self) -> [u8; 32] {
        assert!(self.roots.len() >= 2, "a single subtree is hashed as a whole");
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
