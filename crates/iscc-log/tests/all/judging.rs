//! Judging in any split of a log into polls equals the definition.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;

use iscc_log::code_text::LogId;
use iscc_log::entry::{Asset, Reason, Signed};
use iscc_log::judge::{Claim, Judge, Known};
use iscc_log::key::PublicKey;
use proptest::prelude::*;
use reference::log::{self, Entry};

/// What is stored between two polls.
#[derive(Debug, Default)]
struct Stored {
    claims: HashMap<u64, Claim>,
    nonces: HashMap<[u8; 16], u64>,
    /// Leaf of the declaration that an asset comes from, by id.
    assets: BTreeMap<u64, usize>,
}

impl Known for &Stored {
    type Error = Infallible;

    fn claim(&self, id: LogId) -> Result<Option<Claim>, Infallible> {
        Ok(self.claims.get(&id.body).copied())
    }

    fn has_nonce(&self, nonce: &[u8; 16]) -> Result<bool, Infallible> {
        Ok(self.nonces.contains_key(nonce))
    }
}

/// The asset names its leaf, so that a test sees which declaration is in force.
fn signed(leaf: usize, entry: &Entry) -> Signed {
    let asset = Asset {
        iscc_id: leaf.to_string(),
        iscc_code: String::new(),
        units: Vec::new(),
        gateway: None,
    };
    Signed {
        id: LogId { realm: 0, body: entry.id },
        nonce: [entry.nonce; 16],
        key: PublicKey([entry.key; 32]),
        asset: (!entry.is_deletion).then_some(asset),
    }
}

/// Few ids, keys and nonces, so that every rule applies.
fn entries() -> impl Strategy<Value = Vec<Option<Entry>>> {
    let entry = (0_u64..4, 0_u8..3, 0_u8..40, any::<bool>())
        .prop_map(|(id, key, nonce, is_deletion)| Entry { id, key, nonce, is_deletion });
    // `None` has a bad signature.
    prop::collection::vec(prop::option::weighted(0.9, entry), 0..80)
}

fn polled(entries: &[Option<Entry>], polls: &[usize]) -> (Vec<Reason>, Stored) {
    let mut stored = Stored::default();
    let mut reasons = Vec::new();
    let mut sizes = polls.iter().copied();
    while reasons.len() < entries.len() {
        let size = sizes.next().unwrap_or(entries.len());
        let end = entries.len().min(reasons.len() + size);
        let mut judge = Judge::new(&stored);
        for (leaf, entry) in entries.iter().enumerate().take(end).skip(reasons.len()) {
            let entry = entry.as_ref().map(|entry| signed(leaf, entry));
            let Ok(reason) = judge.take(leaf as u64, entry.ok_or(Reason::BadSignature));
            reasons.push(reason);
        }
        let Judge { claims, nonces, assets, .. } = judge;
        stored.claims.extend(claims);
        stored.nonces.extend(nonces);
        for (id, asset) in assets {
            match asset {
                Some(asset) => stored.assets.insert(id, asset.iscc_id.parse().expect("a leaf")),
                None => stored.assets.remove(&id),
            };
        }
    }
    (reasons, stored)
}

proptest! {
    #[test]
    fn any_split_into_polls_gives_what_the_definition_says(
        entries in entries(),
        polls in prop::collection::vec(1_usize..20, 0..20),
    ) {
        let good: Vec<_> = entries.iter().flatten().cloned().collect();
        let leaves: Vec<_> = (0..entries.len()).filter(|&leaf| entries[leaf].is_some()).collect();
        let (reasons, stored) = polled(&entries, &polls);
        let names: Vec<_> = leaves.iter().map(|&leaf| reasons[leaf].name()).collect();
        prop_assert_eq!(names, log::judged(&good));
        let in_force: BTreeMap<_, _> =
            log::in_force(&good).into_iter().map(|(id, at)| (id, leaves[at])).collect();
        prop_assert_eq!(&stored.assets, &in_force);
        for (id, claim) in &stored.claims {
            prop_assert_eq!(claim.in_force, in_force.contains_key(id));
        }
    }
}
