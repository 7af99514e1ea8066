//! An index whose assets another engine stores: its rules, responses and scores as pure functions of the rows that the
//! engine reads. Nothing here does I/O or takes a lock.
//!
//! A change takes two steps: [`keys`] checks the request and names the assets that it depends on, then [`rehearse`]
//! returns the response and the rows to store. So does a search: [`Search::plan`] says what to look for; [`Search::score`]
//! makes the response from the candidates that were found, with the code of the local engine.

mod assets;
mod batch;
mod candidates;
mod search;

pub use assets::{after, asset_key, entry, gateway, page};
pub use batch::{Rehearsed, keys, rehearse};
pub use candidates::Counts;
use iscc_columns::column::Body;
use iscc_columns::unit::UnitType;
use iscc_index::segment::{Matching, SimprintKind};
pub use search::{Plan, Search, SimprintsPlan, UnitPlan};

use crate::failure::Failure;
use crate::index::{IndexState, no_index};

/// Foreign engines compare by similarity.
const MATCHING: Matching = Matching::Approximate;

/// An index of another engine.
#[derive(Debug, Clone)]
pub struct ForeignIndex {
    /// Name in the request.
    pub name: String,
    /// What the engine knows besides assets; `None` if there is no such index.
    pub state: Option<IndexState>,
}

impl ForeignIndex {
    /// The state of an index that exists.
    fn state(&self) -> Result<&IndexState, Failure> {
        self.state.as_ref().ok_or_else(|| no_index(&self.name))
    }
}

/// Term of a unit in the other engine.
fn unit_term(kind: UnitType, body: &Body) -> String {
    format!("{kind}:{}", hex(body))
}

/// Term of a simprint, by the number of its type.
fn simprint_term(kind: SimprintKind, body: &Body) -> String {
    format!("{kind}:{}", hex(body))
}

fn simprint_of(term: &str) -> Option<(SimprintKind, Body)> {
    let (kind, digits) = term.split_once(':')?;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    Some((kind.parse().ok()?, Body::new(&bytes?)?))
}

fn hex(body: &Body) -> String {
    body.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}
