//! An inverted index: from a digest to the slots of its manifests.

use std::collections::HashMap;

/// 32 bytes that identify a value: the body of an Instance-Code, or a BLAKE3 hash.
pub type Digest = [u8; 32];

/// Digest of an algorithm and a value. The length prefix of the algorithm's name makes it unambiguous.
pub fn digest(alg: &str, value: &[u8]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(alg.len() as u64).to_le_bytes());
    hasher.update(alg.as_bytes());
    hasher.update(value);
    *hasher.finalize().as_bytes()
}

/// Lists of slots by digest. Nearly all lists have one entry, so they are linked lists in one shared vector.
#[derive(Debug, Default)]
pub struct Postings {
    /// Position of the last link of each digest.
    latest: HashMap<Digest, u32>,
    links: Vec<Link>,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    slot: u32,
    previous: Option<u32>,
}

impl Postings {
    /// Adds a slot to a digest's list.
    pub fn push(&mut self, digest: Digest, slot: u32) {
        let position = self.links.len() as u32;
        let previous = self.latest.insert(digest, position);
        self.links.push(Link { slot, previous });
    }

    /// The slots of a digest, last added first.
    pub fn get(&self, digest: &Digest) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.latest.get(digest).copied();
        std::iter::from_fn(move || {
            let link = self.links[next? as usize];
            next = link.previous;
            Some(link.slot)
        })
    }

    /// Renumbers all slots. Drops those for which `new_slot` returns `None`.
    pub fn renumber(&mut self, new_slot: impl Fn(u32) -> Option<u32>) {
        let mut renumbered = Self::default();
        for digest in self.latest.keys() {
            for slot in self.get(digest).filter_map(&new_slot) {
                renumbered.push(*digest, slot);
            }
        }
        *self = renumbered;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renumbering_keeps_the_lists() {
        let mut postings = Postings::default();
        for slot in 0..6 {
            postings.push(digest("a", &[slot as u8 % 2]), slot);
        }
        assert_eq!(postings.get(&digest("a", &[0])).collect::<Vec<_>>(), [4, 2, 0]);
        postings.renumber(|slot| (slot > 1).then(|| slot - 2));
        let mut kept: Vec<u32> = postings.get(&digest("a", &[0])).collect();
        kept.sort_unstable();
        assert_eq!(kept, [0, 2]);
        assert_eq!(postings.get(&digest("b", &[0])).count(), 0);
        assert_ne!(digest("ab", b"c"), digest("a", b"bc"));
    }
}
