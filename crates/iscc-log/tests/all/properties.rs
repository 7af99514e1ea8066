//! Any bytes give a value or a named error, and trees equal the recursive definitions of RFC 6962.

use std::path::PathBuf;

use ed25519_dalek::{Signer, SigningKey};
use iscc_log::entry::{self, Log, Reason};
use iscc_log::judge::{Judge, Nothing};
use iscc_log::key::PublicKey;
use iscc_log::tree::{self, Hash, Head, Subtrees};
use iscc_log::{TILE_WIDTH, bundle, checkpoint};
use proptest::prelude::*;
use reference::merkle;

const LOG: Log = Log { realm: 0, hub: 7 };
const ORIGIN: &str = "hub7.example/log";
const KEY: &str = "z6MkhmvbVXSah8F8GPVy6UA6Rh3J4y7cdYv8y2PGqJVNfupb";

fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/network"));
    std::fs::read(folder.join(name)).expect("a fixture")
}

fn leaf(number: usize) -> Hash {
    tree::leaf(&number.to_be_bytes())
}

/// Bytes with some of them replaced, and cut at the end.
fn damaged(bytes: &[u8], changes: &[(usize, u8)], cut: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.truncate(bytes.len() - cut.min(bytes.len()));
    let length = bytes.len().max(1);
    for (at, value) in changes {
        if let Some(byte) = bytes.get_mut(at % length) {
            *byte = *value;
        }
    }
    bytes
}

fn changes() -> impl Strategy<Value = Vec<(usize, u8)>> {
    prop::collection::vec((any::<usize>(), any::<u8>()), 1..6)
}

proptest! {
    #[test]
    fn a_changed_checkpoint_is_never_accepted(changes in changes(), cut in 0_usize..3) {
        let note = fixture("log-a/checkpoint-270");
        let key = PublicKey::from_multibase(KEY).expect("the key of the fixture");
        prop_assert!(checkpoint::judge(&note, ORIGIN, &[key]).is_ok());
        let damaged = damaged(&note, &changes, cut);
        let is_changed = damaged != note;
        prop_assert_eq!(checkpoint::judge(&damaged, ORIGIN, &[key]).is_err(), is_changed);
    }

    #[test]
    fn any_bundle_splits_into_its_bytes_or_is_refused(changes in changes(), cut in 0_usize..600) {
        let bytes = damaged(&fixture("log-a/tile/entries/000"), &changes, cut);
        if let Some(records) = bundle::records(&bytes, TILE_WIDTH) {
            let lengths: usize = records.iter().map(|record| record.len() + 2).sum();
            prop_assert_eq!((records.len(), lengths), (TILE_WIDTH, bytes.len()));
        }
    }

    #[test]
    fn any_entry_is_judged_and_counted_once(
        index in 0..TILE_WIDTH,
        changes in changes(),
        cut in 0_usize..40,
    ) {
        let bundle = fixture("log-a/tile/entries/000");
        let records = bundle::records(&bundle, TILE_WIDTH).expect("a full bundle");
        let mut judge = Judge::new(Nothing);
        let Ok(_) = judge.take(0, entry::parse(&damaged(records[index], &changes, cut), LOG));
        prop_assert_eq!(judge.counts.iter().sum::<u64>(), 1);
    }

    #[test]
    fn kept_assets_of_any_part_of_a_log_are_those_declared_in_it(count in 0..TILE_WIDTH) {
        let bundle = fixture("log-a/tile/entries/000");
        let records = bundle::records(&bundle, TILE_WIDTH).expect("a full bundle");
        let mut deleting = Judge::new(Nothing);
        let mut keeping = Judge::new(Nothing).keeping_deleted();
        let mut declared = std::collections::BTreeSet::new();
        for (leaf, record) in (0..).zip(&records[..count]) {
            let entry = entry::parse(record, LOG);
            let id = entry.as_ref().ok().map(|signed| signed.id.body);
            let Ok(reason) = deleting.take(leaf, entry.clone());
            if reason == Reason::Ok {
                declared.extend(id);
            }
            let Ok(same) = keeping.take(leaf, entry);
            prop_assert_eq!(reason, same);
        }
        prop_assert_eq!(&deleting.claims, &keeping.claims);
        prop_assert!(keeping.assets.values().all(Option::is_some));
        prop_assert_eq!(keeping.assets.keys().copied().collect::<std::collections::BTreeSet<_>>(), declared);
    }

    #[test]
    fn entries_together_have_the_verdicts_of_each_alone(
        changed in prop::collection::vec((0..TILE_WIDTH, changes()), 0..20),
        count in 0..TILE_WIDTH,
    ) {
        let bundle = fixture("log-a/tile/entries/000");
        let mut records: Vec<_> = bundle::records(&bundle, TILE_WIDTH)
            .expect("a full bundle")
            .into_iter()
            .map(<[u8]>::to_vec)
            .collect();
        for (index, changes) in &changed {
            records[*index] = damaged(&records[*index], changes, 0);
        }
        let records: Vec<_> = records[..count].iter().map(Vec::as_slice).collect();
        let alone: Vec<_> = records.iter().map(|record| entry::parse(record, LOG)).collect();
        prop_assert_eq!(entry::parse_all(&records, LOG), alone);
    }

    #[test]
    fn any_bytes_are_judged(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(entry::parse(&bytes, LOG).is_err());
        prop_assert!(checkpoint::judge(&bytes, ORIGIN, &[]).is_err());
    }

    #[test]
    fn heads_and_proofs_equal_the_recursive_definition(size in 1_usize..700, pick in any::<usize>()) {
        let leaves: Vec<Hash> = (0..size).map(leaf).collect();
        let index = pick % size;
        prop_assert_eq!(tree::root(&leaves), merkle::root(&leaves, &tree::node));
        let inclusion = tree::inclusion_proof(&leaves[..], index as u64, size as u64);
        prop_assert_eq!(inclusion, Some(merkle::inclusion(index, &leaves, &tree::node)));
        let consistency = tree::consistency_proof(&leaves[..], index as u64 + 1, size as u64);
        prop_assert_eq!(consistency, Some(merkle::consistency(index + 1, &leaves, &tree::node)));
    }

    #[test]
    fn a_tree_of_blocks_equals_the_tree_of_leaves(blocks in 0_usize..4, tail in 0_usize..256) {
        let leaves: Vec<Hash> = (0..blocks * TILE_WIDTH + tail).map(leaf).collect();
        let (full, rest) = leaves.split_at(blocks * TILE_WIDTH);
        let mut head = Head::default();
        full.chunks(TILE_WIDTH).for_each(|block| head.push_block(tree::root(block)));
        let root = if rest.is_empty() { head.root() } else { head.root_with_tail(tree::root(rest)) };
        prop_assert_eq!(root, tree::root(&leaves));
    }

    #[test]
    fn a_proof_holds_for_its_trees_only(size in 1_usize..700, pick in any::<usize>(), change in any::<usize>()) {
        let leaves: Vec<Hash> = (0..size).map(leaf).collect();
        let (index, root) = (pick % size, tree::root(&leaves));
        let (at, whole) = (index as u64, size as u64);
        let proof = tree::inclusion_proof(&leaves[..], at, whole).expect("a proof");
        prop_assert_eq!(tree::inclusion_root(leaves[index], at, whole, &proof), Some(root));
        prop_assert_ne!(tree::inclusion_root(leaf(size), at, whole, &proof), Some(root));
        prop_assert_eq!(tree::inclusion_root(leaves[index], whole, whole, &proof), None);
        for proof in changed(&proof, change) {
            prop_assert_ne!(tree::inclusion_root(leaves[index], at, whole, &proof), Some(root));
        }
    }

    #[test]
    fn any_proof_is_judged(
        numbers in any::<(u64, u64)>(),
        proof in prop::collection::vec(any::<Hash>(), 0..70),
    ) {
        let (index, size) = numbers;
        prop_assert!(tree::inclusion_root(leaf(0), index, size, &proof) != Some(leaf(1)));
    }

    #[test]
    fn a_tree_that_grows_by_leaves_keeps_its_nodes(size in 0_usize..700, more in 1_usize..20) {
        let leaves: Vec<Hash> = (0..size + more).map(leaf).collect();
        let nodes_of = |nodes: Vec<tree::Node>| {
            let nodes = nodes.into_iter();
            nodes.map(|(level, index)| leaves[..].subtree(level, index)).collect::<Option<Vec<_>>>()
        };
        let peaks = nodes_of(tree::peaks_of(size as u64)).expect("the nodes");
        let mut head = Head::from_peaks(size as u64, &peaks).expect("a tree");
        prop_assert_eq!(head.root(), tree::root(&leaves[..size]));
        prop_assert_eq!(&head.peaks(), &peaks);
        prop_assert!(Head::from_peaks(size as u64 + 1, &peaks).is_none() || (size + 1).count_ones() == size.count_ones());
        for at in size..size + more {
            let made = head.append(leaves[at]);
            let end = at as u64 + 1;
            let own = (0..made.len() as u32).map(|level| (level, (end >> level) - 1)).collect();
            prop_assert_eq!(nodes_of(own), Some(made.clone()));
            prop_assert_eq!(made.len() as u32, end.trailing_zeros() + 1);
            prop_assert_eq!(head.root(), tree::root(&leaves[..=at]));
        }
        let (index, whole) = (size as u64, (size + more) as u64);
        let wanted = tree::inclusion_nodes(index, whole).expect("the nodes of a proof");
        let known: std::collections::HashMap<_, _> =
            wanted.iter().copied().zip(nodes_of(wanted.clone()).expect("nodes")).collect();
        prop_assert_eq!(
            tree::inclusion_proof(&known, index, whole),
            tree::inclusion_proof(&leaves[..], index, whole)
        );
    }

    #[test]
    fn a_signed_checkpoint_is_accepted(size in 1_u64..=checkpoint::TREE_SIZE_MAX, seed in any::<[u8; 32]>()) {
        let secret = SigningKey::from_bytes(&seed);
        let key = PublicKey(secret.verifying_key().to_bytes());
        let root = tree::leaf(&seed);
        let text = checkpoint::text(ORIGIN, size, &root);
        let note = checkpoint::signed(&text, ORIGIN, &key, &secret.sign(text.as_bytes()).to_bytes());
        let judged = checkpoint::judge(note.as_bytes(), ORIGIN, &[key]).expect("a checkpoint");
        prop_assert_eq!((judged.size, judged.root, judged.key), (size, root, key));
    }
}

/// A proof with another hash, without its last one, and with one more.
fn changed(proof: &[Hash], at: usize) -> Vec<Vec<Hash>> {
    let longer = [proof, &[leaf(0)]].concat();
    let Some((_, shorter)) = proof.split_last() else { return vec![longer] };
    let mut other = proof.to_vec();
    other[at % proof.len()] = tree::leaf(b"another");
    vec![longer, shorter.to_vec(), other]
}
