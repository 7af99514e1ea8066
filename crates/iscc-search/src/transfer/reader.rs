//! Reads all assets of a folder as lines, batch by batch.
use std::path::Path;

use iscc_index::id::IsccId;
use iscc_index::lmdb_file::FileError;
use iscc_index::store::{Store, StoreError};

use super::page::{Form, PageRequest, write_page};
use super::reference::ReferenceReader;
use super::salvage::Salvage;

/// What to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The folder of an index of this program.
    Index,
    /// An LMDB file of the reference service, iscc-search 0.3, of either of its stored backends.
    Reference,
    /// The folder of a damaged index of this program: all rows that can be read.
    Damaged,
}

/// Why reading failed.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// An index of this program cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not of the expected kind.
    #[error("not an index of iscc-search: its databases are missing")]
    NotReference,
    /// The position does not belong to the source.
    #[error("position '{0}' does not belong to this source")]
    Position(String),
}

/// Consecutive assets.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// One entry per line.
    pub lines: Vec<u8>,
    /// Number of entries.
    pub count: u64,
    /// Where to continue after this batch. `None` at the end.
    pub position: Option<String>,
    /// What could not be read, one sentence each.
    pub problems: Vec<String>,
}

/// Reads all assets of an index.
pub struct AssetReader(Kind);

enum Kind {
    Index { store: Store, after: Option<u64> },
    Reference(ReferenceReader),
    Damaged(Salvage),
}

impl AssetReader {
    /// Opens an index, to continue after the position of an earlier batch.
    pub fn open(source: Source, path: &Path, position: Option<&str>) -> Result<Self, ReadError> {
        let invalid = || ReadError::Position(position.unwrap_or_default().to_owned());
        Ok(Self(match source {
            Source::Index => {
                let store = Store::open_read_only(path)?;
                let after = position.map(|text| IsccId::parse(text).map(|id| id.body));
                Kind::Index { store, after: after.transpose().map_err(|_| invalid())? }
            }
            Source::Reference => {
                let skip = position.map_or(Ok(0), str::parse).map_err(|_| invalid())?;
                Kind::Reference(ReferenceReader::open(path, skip)?)
            }
            Source::Damaged => Kind::Damaged(Salvage::open(path)?),
        }))
    }

    /// Number of all assets, as far as it is known.
    pub fn assets(&self) -> Result<u64, ReadError> {
        Ok(match &self.0 {
            Kind::Index { store, .. } => store.read()?.assets()?,
            Kind::Reference(reader) => reader.assets(),
            Kind::Damaged(salvage) => salvage.assets(),
        })
    }

    /// The declared metadata paths. Empty for indexes of the reference service, which has none.
    pub fn declared_paths(&self) -> Result<Vec<String>, ReadError> {
        Ok(match &self.0 {
            Kind::Index { store, .. } => store.read()?.paths()?.texts(),
            Kind::Reference(_) => Vec::new(),
            Kind::Damaged(salvage) => salvage.paths().texts(),
        })
    }

    /// The next assets, at most `limit`.
    pub fn next(&mut self, limit: usize) -> Result<Batch, ReadError> {
        match &mut self.0 {
            Kind::Index { store, after } => {
                let reading = store.read()?;
                let realm = reading.meta()?.realm.unwrap_or_default();
                let request = PageRequest { after: *after, limit, form: Form::Lines };
                let page = write_page(&reading, realm, request)?;
                *after =
                    page.next.as_deref().and_then(|id| IsccId::parse(id).ok()).map(|id| id.body);
                Ok(Batch {
                    lines: page.entries,
                    count: page.count as u64,
                    position: page.next,
                    problems: Vec::new(),
                })
            }
            Kind::Reference(reader) => reader.next(limit),
            Kind::Damaged(salvage) => salvage.next(limit),
        }
    }
}
