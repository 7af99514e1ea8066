//! A page of a listing: consecutive assets of one state, in the order of their ISCC-ID bodies.
use std::iter::Peekable;

use iscc_index::filter::Filter;
use iscc_index::id::IsccId;
use iscc_index::paths;
use iscc_index::record::{Record, StoredSimprints, read_simprints};
use iscc_index::store::{Reading, StoreError};

use crate::failure::Failure;
use crate::fields::Fields;
use crate::response;

/// A page ends after this many bytes, because a single asset may have megabytes of metadata.
const PAGE_BYTES_MAX: usize = 8 << 20;

/// A page with conditions ends after this many candidates, so that a request takes bounded time.
const EXAMINED_MAX: usize = 10_000;

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
        writer.add(id, &entry(reading, realm, id, bytes)?);
    }
    Ok(writer.finish(None))
}

/// Writes a page of the assets that meet all conditions. `None` if the path index knows no condition.
///
/// A page ends after [`EXAMINED_MAX`] candidates, so it may be shorter than its limit.
pub fn write_filtered_page(
    reading: &Reading<'_>,
    realm: u8,
    request: PageRequest,
    filters: &[Filter],
) -> Result<Option<AssetPage>, StoreError> {
    let paths = reading.paths()?;
    let known = filters.iter().filter_map(|filter| paths.prefixes_of(filter));
    // Conditions on values have longer prefixes than `exists`, and fewer candidates.
    let Some(prefixes) = known.max_by_key(|prefixes| prefixes[0].len()) else { return Ok(None) };
    let mut writer = PageWriter::new(request);
    let Some(first) = request.after.map_or(Some(0), |after| after.checked_add(1)) else {
        return Ok(Some(writer.finish(None)));
    };
    let mut sources = Vec::new();
    for prefix in prefixes {
        let rows = reading.path_rows(&prefix, &paths::row(prefix.clone(), first))?;
        sources.push(rows.peekable());
    }
    let mut examined = 0;
    while let Some(id) = next_id(&mut sources)? {
        if writer.is_full() || examined == EXAMINED_MAX {
            return Ok(Some(writer.finish(Some(realm))));
        }
        examined += 1;
        writer.last = Some(id);
        let Some(bytes) = reading.asset(id)? else { continue };
        let metadata = Record::read_metadata(bytes).ok_or(StoreError::Damaged { id })?;
        if filters.iter().all(|filter| filter.accepts(metadata)) {
            writer.add(id, &entry(reading, realm, id, bytes)?);
        }
    }
    Ok(Some(writer.finish(None)))
}

/// The lowest ISCC-ID body that follows in several lists of rows. Removes it from all.
fn next_id<'a>(
    sources: &mut [Peekable<impl Iterator<Item = Result<&'a [u8], StoreError>>>],
) -> Result<Option<u64>, StoreError> {
    let mut lowest = None;
    for source in sources.iter_mut() {
        let id = match source.peek() {
            Some(Ok(row)) => paths::id_of(row),
            Some(Err(_)) => return source.next().transpose().map(|_| None),
            None => None,
        };
        lowest = lowest.into_iter().chain(id).min();
    }
    for source in sources {
        source.next_if(|row| matches!(row, Ok(row) if paths::id_of(row) == lowest));
    }
    Ok(lowest)
}

/// The JSON of an asset.
fn entry(reading: &Reading<'_>, realm: u8, id: u64, bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    let damaged = || StoreError::Damaged { id };
    let record = Record::read(bytes).ok_or_else(damaged)?;
    let mut simprints = StoredSimprints::new();
    if record.has_simprints {
        let stored = reading.simprints(id)?.unwrap_or_default();
        simprints = read_simprints(stored).ok_or_else(damaged)?;
    }
    let text = IsccId { body: id, realm }.text();
    Ok(response::entry(&text, &record, &simprints, &Fields::default()))
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
        let next = more.zip(self.last).map(|(realm, id)| IsccId { body: id, realm }.text());
        AssetPage { entries: self.entries, count: self.count, next }
    }
}
