//! Reads what can be read of a damaged index.
//!
//! Rows below sound pages are read through the trees. If pages are damaged, all other leaf pages of the file that no
//! tree reaches and that are not free are read, too: they are below a damaged branch.
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use iscc_index::id::IsccId;
use iscc_index::lmdb_file::{
    Content, FileError, LmdbFile, Pages, Row, Rows, Tree, Value, free_pages, visit,
};
use iscc_index::paths::{self, Paths};
use iscc_index::record::{Record, StoredSimprints, read_simprints};
use iscc_index::store::DATA_FILE;

use super::lines;
use super::reader::{Batch, ReadError};
use crate::fields::Fields;
use crate::response;

/// The rows of a damaged index.
pub struct Salvage {
    file: Arc<LmdbFile>,
    realm: u8,
    paths: Paths,
    assets: Option<Tree>,
    simprints: Option<Tree>,
    rows: Option<Rows>,
    /// Rows of leaf pages that no tree reaches.
    lost_assets: BTreeMap<u64, Vec<u8>>,
    lost_simprints: HashMap<u64, Vec<u8>>,
    problems: Vec<String>,
}

impl Salvage {
    /// Opens the folder of an index.
    pub fn open(folder: &Path) -> Result<Self, ReadError> {
        let file = Arc::new(LmdbFile::open(&folder.join(DATA_FILE))?);
        let mut problems = Vec::new();
        if file.meta().is_none() {
            problems
                .push("both meta pages are damaged: old rows may be among those read".to_owned());
        }
        let databases = file.databases(|error| problems.push(error.to_string()));
        let find =
            |wanted: &str| databases.iter().find(|(name, _)| name == wanted).map(|(_, t)| *t);
        let (assets, simprints) = (find("assets"), find("simprints"));
        let meta = |key: &[u8]| meta_value(&file, &find("meta")?, key);
        let realm = meta(b"realm").and_then(|value| value.first().copied());
        let paths = meta(paths::DECLARED.as_bytes()).and_then(|json| Paths::read(&json));
        if realm.is_none() {
            problems.push("the realm is lost; realm 0 is assumed".to_owned());
        }
        let mut salvage = Self {
            rows: assets.map(|tree| Rows::new(&file, &tree)),
            file,
            realm: realm.unwrap_or_default(),
            paths: paths.unwrap_or_default(),
            assets,
            simprints,
            lost_assets: BTreeMap::new(),
            lost_simprints: HashMap::new(),
            problems,
        };
        salvage.find_lost();
        Ok(salvage)
    }

    /// Number of assets before the damage, if it is known.
    pub fn assets(&self) -> u64 {
        self.assets.map_or(self.lost_assets.len() as u64, |tree| tree.entries)
    }

    /// The declared metadata paths that can be read.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The next assets.
    pub fn next(&mut self, limit: usize) -> Result<Batch, ReadError> {
        let mut batch = Batch { problems: std::mem::take(&mut self.problems), ..Batch::default() };
        while (batch.count as usize) < limit {
            let Some((id, bytes)) = self.next_row() else { return Ok(batch) };
            batch.count += 1;
            let text = IsccId { body: id, realm: self.realm }.text();
            let record = Record::read_units(&bytes).and_then(|_| Record::read(&bytes));
            let Some(record) = record else {
                batch.problems.push(format!("{text}: its record is damaged"));
                continue;
            };
            let mut simprints = StoredSimprints::new();
            if record.has_simprints {
                match self.simprints_of(id) {
                    Some(found) => simprints = found,
                    None => batch.problems.push(format!("{text}: its simprints are lost")),
                }
            }
            let entry = response::entry(&text, &record, &simprints, &Fields::default());
            lines::push(&mut batch.lines, &entry);
        }
        batch.position = Some(String::new());
        Ok(batch)
    }

    /// The next row of the tree, then the next row outside it. Pages that cannot be read were reported before.
    fn next_row(&mut self) -> Option<(u64, Vec<u8>)> {
        for row in self.rows.iter_mut().flatten() {
            let Ok(Row { key, value: Value::Bytes(bytes) }) = row else { continue };
            let Ok(key) = <[u8; 8]>::try_from(key) else { continue };
            let id = u64::from_be_bytes(key);
            self.lost_assets.remove(&id);
            return Some((id, bytes));
        }
        self.lost_assets.pop_first()
    }

    fn simprints_of(&self, id: u64) -> Option<StoredSimprints> {
        let stored = self.simprints.and_then(|tree| {
            let mut rows = Rows::from(&self.file, &tree, &id.to_be_bytes());
            match rows.next()?.ok()? {
                Row { key, value: Value::Bytes(bytes) } if key == id.to_be_bytes() => Some(bytes),
                _ => None,
            }
        });
        read_simprints(stored.as_ref().or_else(|| self.lost_simprints.get(&id))?)
    }

    /// Reads the leaf pages that no tree reaches, if pages are damaged.
    fn find_lost(&mut self) {
        let mut reached = Pages::new(&self.file);
        let mut damage: Vec<String> = Vec::new();
        if let Some(meta) = self.file.meta() {
            for tree in [&meta.main, &meta.free] {
                visit(&self.file, tree, &mut reached, &mut |error: FileError| {
                    damage.push(error.to_string())
                });
            }
        }
        if damage.is_empty() && self.file.meta().is_some() {
            return;
        }
        self.problems.append(&mut damage);
        let mut is_known = true;
        for page in free_pages(&self.file, |_| is_known = false) {
            reached.insert(page);
        }
        if !is_known {
            let note = "the list of free pages is damaged: old rows may be among those read";
            self.problems.push(note.to_owned());
        }
        let pages = self.file.pages();
        for number in (0..pages).filter(|&number| !reached.contains(number)) {
            let Ok(page) = self.file.page(number) else { continue };
            if page.is_branch() {
                continue;
            }
            for index in 0..page.count() {
                let Ok(key) = <[u8; 8]>::try_from(page.key(index)) else { continue };
                let bytes = match page.value(index) {
                    Ok(Value::Bytes(bytes)) => bytes,
                    Ok(Value::Large { page, bytes }) => {
                        self.file.large_value(page, bytes, Content::Rows).unwrap_or_default()
                    }
                    _ => continue,
                };
                self.keep_lost(u64::from_be_bytes(key), bytes);
            }
        }
    }

    /// Tells rows of assets and of simprints apart: neither decodes as the other.
    fn keep_lost(&mut self, id: u64, bytes: Vec<u8>) {
        let is_simprints = read_simprints(&bytes).is_some_and(|types| {
            let is_sound = |(name, list): &(String, Vec<_>)| !name.is_empty() && !list.is_empty();
            !types.is_empty() && types.iter().all(is_sound)
        });
        if is_simprints {
            self.lost_simprints.insert(id, bytes);
        } else if Record::read_units(&bytes)
            .is_some_and(|(units, has_simprints)| has_simprints || !units.is_empty())
        {
            self.lost_assets.insert(id, bytes);
        }
    }
}

/// The value of a key in the index's metadata.
fn meta_value(file: &Arc<LmdbFile>, meta: &Tree, wanted: &[u8]) -> Option<Vec<u8>> {
    Rows::new(file, meta).find_map(|row| match row {
        Ok(Row { key, value: Value::Bytes(bytes) }) if key == wanted => Some(bytes),
        _ => None,
    })
}
