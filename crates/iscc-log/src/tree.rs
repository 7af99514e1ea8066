//! Merkle trees of RFC 6962: hashes, tree heads and proofs.

use sha2::{Digest, Sha256};

use crate::TILE_WIDTH;

/// A node's hash.
pub type Hash = [u8; 32];

/// Hash of an entry: SHA-256(`00` ‖ record).
pub fn leaf(record: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(record).finalize().into()
}

/// Hash of an inner node: SHA-256(`01` ‖ left ‖ right).
pub fn node(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// Head of a tree without entries: SHA-256 of zero bytes.
pub fn empty() -> Hash {
    Sha256::digest([]).into()
}

/// Builds a tree head from left to right, from leaves and from roots of perfect subtrees.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// Perfect subtrees, sizes strictly decreasing.
    subtrees: Vec<(u64, Hash)>,
}

impl Head {
    /// Appends one leaf hash.
    pub fn push_leaf(&mut self, hash: Hash) {
        self.push(1, hash);
    }

    /// Appends the root of a full block of 256 leaves. The size so far must be a multiple of 256.
    pub fn push_block(&mut self, root: Hash) {
        self.push(TILE_WIDTH as u64, root);
    }

    fn push(&mut self, mut size: u64, mut hash: Hash) {
        while let Some((_, left)) = self.subtrees.pop_if(|(last, _)| *last == size) {
            hash = node(&left, &hash);
            size *= 2;
        }
        self.subtrees.push((size, hash));
    }

    /// Number of leaves.
    pub fn size(&self) -> u64 {
        self.subtrees.iter().map(|(size, _)| size).sum()
    }

    /// The tree head with one more subtree of fewer leaves than a block on the right. The size must be a multiple of 256.
    pub fn root_with_tail(&self, tail: Hash) -> Hash {
        self.subtrees.iter().rev().fold(tail, |right, (_, left)| node(left, &right))
    }

    /// The tree head.
    pub fn root(&self) -> Hash {
        let mut subtrees = self.subtrees.iter().rev().map(|(_, hash)| *hash);
        let Some(last) = subtrees.next() else { return empty() };
        subtrees.fold(last, |right, left| node(&left, &right))
    }
}

/// Tree head over leaf hashes.
pub fn root(leaves: &[Hash]) -> Hash {
    let mut head = Head::default();
    leaves.iter().for_each(|&hash| head.push_leaf(hash));
    head.root()
}

/// Roots of perfect, aligned subtrees: how proofs read a tree without knowing where it is stored.
pub trait Subtrees {
    /// Root of the `2^level` leaves from `index * 2^level`. `None` if the tree does not have them.
    fn subtree(&self, level: u32, index: u64) -> Option<Hash>;
}

impl Subtrees for [Hash] {
    fn subtree(&self, level: u32, index: u64) -> Option<Hash> {
        let width = 1_usize.checked_shl(level)?;
        let start = usize::try_from(index).ok()?.checked_mul(width)?;
        self.get(start..start.checked_add(width)?).map(root)
    }
}

/// Consistency proof between the trees of `old` and `new` leaves (RFC 6962, section 2.1.2).
///
/// `None` unless 0 < `old` <= `new` and `tree` has all leaves below `new`.
pub fn consistency_proof(tree: &(impl Subtrees + ?Sized), old: u64, new: u64) -> Option<Vec<Hash>> {
    if old == 0 || old > new {
        return None;
    }
    let mut proof = Vec::new();
    let (mut start, mut end, mut is_known) = (0, new, true);
    let mut reversed = Vec::new();
    while old != end {
        let split = start + split_of(end - start);
        if old <= split {
            reversed.push(range_root(tree, split, end)?);
            end = split;
        } else {
            reversed.push(range_root(tree, start, split)?);
            start = split;
            is_known = false;
        }
    }
    if !is_known {
        proof.push(range_root(tree, start, end)?);
    }
    proof.extend(reversed.into_iter().rev());
    Some(proof)
}

/// Inclusion proof of leaf `index` in the tree of `size` leaves (RFC 6962, section 2.1.1). `None` if it is not in it.
pub fn inclusion_proof(
    tree: &(impl Subtrees + ?Sized),
    index: u64,
    size: u64,
) -> Option<Vec<Hash>> {
    if index >= size {
        return None;
    }
    let mut proof = Vec::new();
    let (mut start, mut end) = (0, size);
    while end - start > 1 {
        let split = start + split_of(end - start);
        if index < split {
            proof.push(range_root(tree, split, end)?);
            end = split;
        } else {
            proof.push(range_root(tree, start, split)?);
            start = split;
        }
    }
    proof.reverse();
    Some(proof)
}

/// Largest power of two below `size`, which is at least 2.
fn split_of(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

/// Root of the leaves from `start` to `end`; `start` is aligned as RFC 6962 splits trees.
fn range_root(tree: &(impl Subtrees + ?Sized), start: u64, end: u64) -> Option<Hash> {
    let mut roots = Vec::new();
    let mut at = start;
    while at < end {
        let level = (end - at).ilog2();
        roots.push(tree.subtree(level, at >> level)?);
        at += 1 << level;
    }
    let mut from_right = roots.into_iter().rev();
    let last = from_right.next()?;
    Some(from_right.fold(last, |right, left| node(&left, &right)))
}
