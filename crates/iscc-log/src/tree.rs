//! Merkle trees of RFC 6962: hashes, tree heads and proofs.

use std::cell::RefCell;
use std::collections::HashMap;

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
    /// The tree of `size` leaves from the roots of its largest perfect subtrees, left to right. `None` for another number
    /// of roots than such a tree has.
    pub fn from_peaks(size: u64, peaks: &[Hash]) -> Option<Self> {
        let sizes = peaks_of(size).into_iter().map(|(level, _)| 1 << level);
        let subtrees: Vec<_> = sizes.zip(peaks.iter().copied()).collect();
        (subtrees.len() == peaks.len() && size.count_ones() as usize == peaks.len())
            .then_some(Self { subtrees })
    }

    /// What [`Self::from_peaks`] takes.
    pub fn peaks(&self) -> Vec<Hash> {
        self.subtrees.iter().map(|(_, hash)| *hash).collect()
    }

    /// Appends one leaf hash. Returns the roots of the perfect subtrees that it completes, by level: at least itself.
    pub fn append(&mut self, hash: Hash) -> Vec<Hash> {
        let mut nodes = vec![hash];
        self.push(1, hash, |node| nodes.push(node));
        nodes
    }

    /// Appends one leaf hash.
    pub fn push_leaf(&mut self, hash: Hash) {
        self.push(1, hash, |_| ());
    }

    /// Appends the root of a full block of 256 leaves. The size so far must be a multiple of 256.
    pub fn push_block(&mut self, root: Hash) {
        self.push(TILE_WIDTH as u64, root, |_| ());
    }

    fn push(&mut self, mut size: u64, mut hash: Hash, mut on_node: impl FnMut(Hash)) {
        while let Some((_, left)) = self.subtrees.pop_if(|(last, _)| *last == size) {
            hash = node(&left, &hash);
            on_node(hash);
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

/// A node of a tree: the root of the `2^level` leaves from `index * 2^level`.
pub type Node = (u32, u64);

/// The largest perfect subtrees of the tree of `size` leaves, left to right.
pub fn peaks_of(size: u64) -> Vec<Node> {
    let levels = (0..u64::BITS).rev().filter(|level| (size >> level) & 1 == 1);
    levels.map(|level| (level, (size >> level) - 1)).collect()
}

/// The nodes that [`inclusion_proof`] reads, so that a caller can fetch all of them at once.
pub fn inclusion_nodes(index: u64, size: u64) -> Option<Vec<Node>> {
    let wanted = Wanted::default();
    inclusion_proof(&wanted, index, size)?;
    Some(wanted.0.into_inner())
}

/// Notes which nodes a proof needs.
#[derive(Default)]
struct Wanted(RefCell<Vec<Node>>);

impl Subtrees for Wanted {
    fn subtree(&self, level: u32, index: u64) -> Option<Hash> {
        self.0.borrow_mut().push((level, index));
        Some(Hash::default())
    }
}

impl Subtrees for HashMap<Node, Hash> {
    fn subtree(&self, level: u32, index: u64) -> Option<Hash> {
        self.get(&(level, index)).copied()
    }
}

/// The head that a leaf hash and its inclusion proof give (RFC 9162, section 2.1.3.2). `None` if the proof has another
/// number of hashes than it must have.
pub fn inclusion_root(leaf: Hash, index: u64, size: u64, proof: &[Hash]) -> Option<Hash> {
    if index >= size {
        return None;
    }
    let (mut at, mut last) = (index, size - 1);
    let mut root = leaf;
    for hash in proof {
        if last == 0 {
            return None;
        }
        if at & 1 == 1 || at == last {
            root = node(hash, &root);
            let skipped = at.trailing_zeros();
            if at & 1 == 0 {
                at >>= skipped;
                last >>= skipped;
            }
        } else {
            root = node(&root, hash);
        }
        at >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(root)
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
