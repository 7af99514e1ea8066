//! The rules that depend on earlier entries of the log.

use std::collections::HashMap;

use crate::code_text::LogId;
use crate::entry::{Asset, Reason, Signed};
use crate::key::PublicKey;

/// Who declared an id, and whether the declaration is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The declarer's key.
    pub key: PublicKey,
    /// Leaf index of the declaration in force, or of the last one.
    pub leaf: u64,
    /// `false` once deleted.
    pub in_force: bool,
    /// Leaf index of the deletion, once deleted.
    pub deletion: Option<u64>,
}

/// What is known of earlier entries.
pub trait Known {
    /// Failure of the storage below.
    type Error;
    /// The claim on an id of this log.
    fn claim(&self, id: LogId) -> Result<Option<Claim>, Self::Error>;
    /// Whether an earlier, correctly signed entry had the nonce.
    fn has_nonce(&self, nonce: &[u8; 16]) -> Result<bool, Self::Error>;
}

/// Nothing is known: for logs that are judged from their first entry.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nothing;

impl Known for Nothing {
    type Error = std::convert::Infallible;

    fn claim(&self, _: LogId) -> Result<Option<Claim>, Self::Error> {
        Ok(None)
    }

    fn has_nonce(&self, _: &[u8; 16]) -> Result<bool, Self::Error> {
        Ok(false)
    }
}

/// Judges entries in their order and collects what they change.
#[derive(Debug)]
pub struct Judge<K> {
    known: K,
    keeps_deleted: bool,
    /// Claims that changed, by body of the ISCC-ID.
    pub claims: HashMap<u64, Claim>,
    /// New nonces, with the leaf index of the entry.
    pub nonces: HashMap<[u8; 16], u64>,
    /// Assets by body of the ISCC-ID: `Some` to put, `None` to delete.
    pub assets: HashMap<u64, Option<Asset>>,
    /// Number of entries by reason, in the order of [`Reason::ALL`].
    pub counts: [u64; Reason::ALL.len()],
}

impl<K: Known> Judge<K> {
    /// Starts where `known` ends.
    pub fn new(known: K) -> Self {
        Self {
            known,
            keeps_deleted: false,
            claims: HashMap::new(),
            nonces: HashMap::new(),
            assets: HashMap::new(),
            counts: [0; _],
        }
    }

    /// Deleted assets are neither deleted nor withheld. Claims and counts are the same.
    pub fn keeping_deleted(self) -> Self {
        Self { keeps_deleted: true, ..self }
    }

    /// Judges the entry at `leaf` by what [`crate::entry::parse`] found.
    ///
    /// # Errors
    /// Failures of the storage; the entry is not counted then.
    pub fn take(&mut self, leaf: u64, entry: Result<Signed, Reason>) -> Result<Reason, K::Error> {
        let reason = match entry {
            Ok(signed) => self.signed(leaf, signed)?,
            Err(reason) => reason,
        };
        if let Some(at) = Reason::ALL.iter().position(|&each| each == reason) {
            self.counts[at] += 1;
        }
        Ok(reason)
    }

    fn signed(&mut self, leaf: u64, entry: Signed) -> Result<Reason, K::Error> {
        let Signed { id, nonce, key, asset } = entry;
        if self.nonces.contains_key(&nonce) || self.known.has_nonce(&nonce)? {
            return Ok(Reason::NonceReuse);
        }
        let claim = match self.claims.get(&id.body) {
            Some(claim) => Some(*claim),
            None => self.known.claim(id)?,
        };
        self.nonces.insert(nonce, leaf);
        Ok(match asset {
            None => self.deletion(id, key, claim, leaf),
            Some(asset) => {
                let new = Claim { key, leaf, in_force: true, deletion: None };
                self.declaration(id, new, claim, asset)
            }
        })
    }

    fn deletion(&mut self, id: LogId, key: PublicKey, claim: Option<Claim>, leaf: u64) -> Reason {
        let Some(claim) = claim.filter(|claim| claim.in_force) else { return Reason::Orphan };
        if claim.key != key {
            return Reason::Unauthorized;
        }
        self.claims.insert(id.body, Claim { in_force: false, deletion: Some(leaf), ..claim });
        if !self.keeps_deleted {
            self.assets.insert(id.body, None);
        }
        Reason::Deletion
    }

    fn declaration(&mut self, id: LogId, new: Claim, old: Option<Claim>, asset: Asset) -> Reason {
        if old.is_some_and(|old| !old.in_force || old.key != new.key) {
            return Reason::Conflict;
        }
        self.claims.insert(id.body, new);
        self.assets.insert(id.body, Some(asset));
        Reason::Ok
    }
}
