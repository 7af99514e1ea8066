//! A page of a listing: consecutive assets of one state, in the order of their ISCC-ID bodies.

use crate::failure::Failure;
use crate::id::IsccId;
use crate::record::{Record, StoredSimprints, read_simprints};
use crate::response;
use crate::store::{Reading, StoreError};

/// A page ends after this many bytes, because a single asset may have megabytes of metadata.
const PAGE_BYTES_MAX: usize = 8 << 20;

/// Form of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON array.
    Array,
    /// One entry per line.
    Lines,
}

/// Which part of a listing to return.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest {
    /// Body of the ISCC-ID before the first asset.
    pub after: Option<u64>,
    /// Maximum number of assets.
    pub limit: usize,
    /// Form of the page.
    pub form: Form,
}

/// A page of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetPage {
    /// The entries, as they were added.
    pub entries: Vec<u8>,
    /// Number of entries.
    pub count: usize,
    /// ISCC-ID to continue after, if more assets follow.
    pub next: Option<String>,
}

/// Writes a page of the assets of one state.
pub fn write_page(
    reading: &Reading<'_>,
    realm: u8,
    request: PageRequest,
) -> Result<AssetPage, StoreError> {
    let mut writer = PageWriter::new(request);
    let Some(first) = request.after.map_or(Some(0), |after| after.checked_add(1)) else {
        return Ok(writer.finish(None));
    };
    for row in reading.assets_between(first, u64::MAX)? {
        let (id, bytes) = row?;
        if writer.is_full() {
            return Ok(writer.finish(Some(realm)));
        }
        let damaged = || StoreError::Damaged { id };
        let record = Record::read(bytes).ok_or_else(damaged)?;
        let mut simprints = StoredSimprints::new();
        if record.has_simprints {
            let stored = reading.simprints(id)?.unwrap_or_default();
            simprints = read_simprints(stored).ok_or_else(damaged)?;
        }
        let version = u8::from(!record.is_id_v0);
        let text = IsccId { body: id, realm, version }.text();
        writer.add(id, &response::entry(&text, &record, &simprints));
    }
    Ok(writer.finish(None))
}

/// The body of the ISCC-ID in `after`. The asset does not have to exist.
pub fn after(id_text: Option<&str>) -> Result<Option<u64>, Failure> {
    let body = |text| IsccId::parse(text).map(|id| id.body).map_err(Failure::rejected);
    id_text.map(body).transpose()
}

/// Collects the entries of a page.
pub struct PageWriter {
    request: PageRequest,
    entries: Vec<u8>,
    count: usize,
    last: Option<u64>,
}

impl PageWriter {
    /// An empty page.
    pub fn new(request: PageRequest) -> Self {
        let entries = if request.form == Form::Array { vec![b'['] } else { Vec::new() };
        Self { request, entries, count: 0, last: None }
    }

    /// Whether no further entry fits.
    pub fn is_full(&self) -> bool {
        self.count >= self.request.limit || self.entries.len() >= PAGE_BYTES_MAX
    }

    /// Adds the JSON of an entry.
    pub fn add(&mut self, id: u64, entry: &[u8]) {
        match self.request.form {
            Form::Array => {
                if self.count > 0 {
                    self.entries.push(b',');
                }
                self.entries.extend_from_slice(entry);
            }
            Form::Lines => super::lines::push(&mut self.entries, entry),
        }
        self.count += 1;
        self.last = Some(id);
    }

    /// The page. `more` is the realm if more assets follow.
    pub fn finish(mut self, more: Option<u8>) -> AssetPage {
        if self.request.form == Form::Array {
            self.entries.push(b']');
        }
        let next = more.zip(self.last).map(|(realm, id)| IsccId::current(id, realm).text());
        AssetPage { entries: self.entries, count: self.count, next }
    }
}
