//! The full check of a stored index: every row decodes, the rows agree with each other, and the
//! vectors that a start makes of them are those rows, in both directions.

mod columns;
mod rows;

use std::path::Path;

use crate::id::IsccId;
use crate::options::Options;
use crate::segment::Matching;
use crate::store::load::load_state;
use crate::store::{Store, StoreError};

/// Problems that are told one by one; beyond, only their number is.
const PROBLEMS_MAX: usize = 1000;

/// What a check found.
#[derive(Debug, Default)]
pub struct IndexCheck {
    /// Rows of assets.
    pub assets: u64,
    /// Rows of simprints: one per asset that has some.
    pub simprints: u64,
    /// Units and simprints in the columns that a start makes.
    pub vectors: u64,
    /// The first problems.
    pub problems: Vec<Problem>,
    /// Number of all problems.
    pub problem_count: u64,
}

/// One thing that is not as it has to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What it is about: an ISCC-ID, or a key in hex.
    pub key: String,
    /// The rule that is broken.
    pub rule: &'static str,
}

/// Checks the index in a folder, in the last committed state.
///
/// The error says why the index can't be read at all.
pub fn check(index: &Path) -> Result<IndexCheck, StoreError> {
    let store = Store::open_read_only(index)?;
    let reading = store.read()?;
    let mut found = Findings { realm: reading.meta()?.realm, ..Findings::default() };
    rows::check(&reading, &mut found)?;
    // Of damaged rows no columns are made.
    if found.check.problem_count == 0 {
        let slots = Options::default().segment_slots();
        let state = load_state(&reading, Matching::Approximate, slots)?;
        columns::check(&reading, &state, &mut found)?;
    }
    Ok(found.check)
}

/// Collects what is found, with keys as people know them.
#[derive(Default)]
struct Findings {
    check: IndexCheck,
    realm: Option<u8>,
}

impl Findings {
    fn add(&mut self, id: u64, rule: &'static str) {
        let key = match self.realm {
            Some(realm) => IsccId::current(id, realm).text(),
            None => format!("{id:016x}"),
        };
        self.add_key(key, rule);
    }

    fn add_key(&mut self, key: String, rule: &'static str) {
        self.check.problem_count += 1;
        if self.check.problems.len() < PROBLEMS_MAX {
            self.check.problems.push(Problem { key, rule });
        }
    }
}
