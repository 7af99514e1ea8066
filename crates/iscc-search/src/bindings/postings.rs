//! From something equal to the manifests that have it.

use std::collections::HashMap;

/// 32 bytes that stand for a value: an Instance-Code's body, or the hash of what has other lengths.
pub type Digest = [u8; 32];

/// Stands for a value of an algorithm. No separator is needed: the length of the name is in front.
pub fn digest(alg: &str, value: &[u8]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(alg.len() as u64).to_le_bytes());
    hasher.update(alg.as_bytes());
    hasher.update(value);
    *hasher.finalize().as_bytes()
}

/// Lists of slots. Nearly all of them have one entry, so they are chained through one vector
/// instead of being vectors themselves.
#[derive(Debug, Default)]
pub struct Postings {
    /// Position of a digest's latest link.
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

    /// The slots of a digest, latest first.
    pub fn get(&self, digest: &Digest) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.latest.get(digest).copied();
        std::iter::from_fn(move || {
            let link = self.links[next? as usize];
            next = link.previous;
            Some(link.slot)
        })
    }

    /// Gives slots their new numbers and leaves out those that have none.
    pub fn rewrite(&mut self, moves: impl Fn(u32) -> Option<u32>) {
        let mut rewritten = Self::default();
        for digest in self.latest.keys() {
            for slot in self.get(digest).filter_map(&moves) {
                rewritten.push(*digest, slot);
            }
        }
        *self = rewritten;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_survive_a_rewrite() {
        let mut postings = Postings::default();
        for slot in 0..6 {
            postings.push(digest("a", &[slot as u8 % 2]), slot);
        }
        assert_eq!(postings.get(&digest("a", &[0])).collect::<Vec<_>>(), [4, 2, 0]);
        postings.rewrite(|slot| (slot > 1).then(|| slot - 2));
        let mut kept: Vec<u32> = postings.get(&digest("a", &[0])).collect();
        kept.sort_unstable();
        assert_eq!(kept, [0, 2]);
        assert_eq!(postings.get(&digest("b", &[0])).count(), 0);
        assert_ne!(digest("ab", b"c"), digest("a", b"bc"));
    }
}
