//! The full check of a stored index: every row decodes, rows are consistent with each other, the vectors loaded at
//! start-up are exactly those of the rows, and the files of sealed segments are not damaged.

mod columns;
mod files;
mod rows;

use std::path::Path;

use crate::id::IsccId;
use crate::lmdb_file::{self, Damage, FileError};
use crate::options::SegmentSizes;
use crate::segment::Matching;
use crate::snapshot::load::load_state;
use crate::store::{DATA_FILE, Store, StoreError};

/// Maximum number of problems that are listed. Further ones are only counted.
const PROBLEMS_MAX: usize = 1000;

/// Result of a check.
#[derive(Debug, Default)]
pub struct IndexCheck {
    /// Number of asset rows.
    pub assets: u64,
    /// Number of simprint rows: one per asset with simprints.
    pub simprints: u64,
    /// Number of units and simprints in the columns loaded at start-up.
    pub vectors: u64,
    /// The first problems, at most 1000.
    pub problems: Vec<Problem>,
    /// Number of all problems.
    pub problem_count: u64,
}

impl IndexCheck {
    /// Of an index whose rows cannot be read because of a damaged page.
    fn damaged(Damage { page, rule }: Damage) -> Self {
        let problems = vec![Problem { key: format!("page {page} of {DATA_FILE}"), rule }];
        Self { problems, problem_count: 1, ..Self::default() }
    }
}

/// A violated rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// ISCC-ID of the asset, a key in hex, or a damaged page.
    pub key: String,
    /// The violated rule.
    pub rule: &'static str,
}

/// Checks the last committed state of the index in a folder.
///
/// Fails if the index cannot be read at all.
pub fn check(index: &Path) -> Result<IndexCheck, StoreError> {
    let store = Store::open_read_only(index)?;
    let reading = store.read()?;
    // LMDB believes its pages: a damaged one could crash the process. No page of this state or of a later one is written
    // while the transaction is open.
    match lmdb_file::check(&index.join(DATA_FILE)) {
        Ok(_) => {}
        Err(FileError::Damage(damage)) => return Ok(IndexCheck::damaged(damage)),
        Err(FileError::Io(error)) => return Err(error.into()),
    }
    let mut found = Findings { realm: reading.meta()?.realm, ..Findings::default() };
    rows::check(&reading, &mut found)?;
    files::check(index, &reading, &mut found)?;
    // Columns cannot be loaded from damaged rows.
    if found.check.problem_count == 0 {
        let state = load_state(&reading, Matching::Approximate, &SegmentSizes::default())?;
        columns::check(&reading, &state, &mut found)?;
    }
    Ok(found.check)
}

/// Collects problems, with readable keys.
#[derive(Default)]
struct Findings {
    check: IndexCheck,
    realm: Option<u8>,
}

impl Findings {
    fn add(&mut self, id: u64, rule: &'static str) {
        let key = match self.realm {
            Some(realm) => IsccId { body: id, realm }.text(),
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
