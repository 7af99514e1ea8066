//! JSON of responses.

pub mod segments;
use iscc_codec::base::base64url;
use iscc_columns::unit::UnitType;
use iscc_index::id::IsccId;
use iscc_index::json::{push_number, push_string};
use iscc_index::paths::{DeclaredPath, PathState};
use iscc_index::record::{Record, StoredSimprints};

use crate::asset_match::{Metadata, string_member};
use crate::cursor::Cursor;
use crate::failure::Failure;
use crate::fields::Fields;
use crate::query::Query;
use crate::score::{ChunkMatch, Compared, GlobalMatch, TypeMatch};

/// What adding an asset did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddStatus {
    /// Added a new asset.
    Created,
    /// Replaced an asset.
    Updated,
}

/// Response to an add request.
pub fn added(statuses: &[(&str, AddStatus)]) -> Vec<u8> {
    let mut json = vec![b'['];
    for (index, (id, status)) in statuses.iter().enumerate() {
        separate(&mut json, index);
        json.extend_from_slice(b"{\"iscc_id\":");
        push_string(&mut json, id);
        json.extend_from_slice(match status {
            AddStatus::Created => b",\"status\":\"created\"}",
            AddStatus::Updated => b",\"status\":\"updated\"}",
        });
    }
    json.push(b']');
    json
}

/// Response to a request that deletes several assets.
pub fn deleted(statuses: &[(&str, bool)]) -> Vec<u8> {
    let mut json = vec![b'['];
    for (index, (id, is_deleted)) in statuses.iter().enumerate() {
        separate(&mut json, index);
        json.extend_from_slice(b"{\"iscc_id\":");
        push_string(&mut json, id);
        let status = if *is_deleted { "deleted" } else { "not_found" };
        json.extend_from_slice(format!(",\"status\":\"{status}\"}}").as_bytes());
    }
    json.push(b']');
    json
}

/// Response to a get request: the entry as it was sent, with these members of its metadata. Absent members stay absent.
pub fn entry(
    id: &str,
    record: &Record<'_>,
    simprints: &StoredSimprints,
    fields: &Fields,
) -> Vec<u8> {
    let mut json = b"{\"iscc_id\":".to_vec();
    push_string(&mut json, id);
    if let Some(code) = &record.code {
        json.extend_from_slice(b",\"iscc_code\":");
        push_string(&mut json, code);
    }
    if let Some(units) = &record.units {
        json.extend_from_slice(b",\"units\":[");
        for (index, unit) in units.iter().enumerate() {
            separate(&mut json, index);
            push_string(&mut json, unit);
        }
        json.push(b']');
    }
    if !simprints.is_empty() {
        json.extend_from_slice(b",\"simprints\":");
        json.extend(self::simprints(simprints));
    }
    if let Some(metadata) = fields.of(record.metadata) {
        json.extend_from_slice(b",\"metadata\":");
        json.extend_from_slice(&metadata);
    }
    json.push(b'}');
    json
}

/// Simprints by type, in the form of an entry.
pub fn simprints(simprints: &StoredSimprints) -> Vec<u8> {
    let mut json = vec![b'{'];
    for (index, (name, list)) in simprints.iter().enumerate() {
        separate(&mut json, index);
        push_string(&mut json, name);
        json.extend_from_slice(b":[");
        for (index, simprint) in list.iter().enumerate() {
            separate(&mut json, index);
            json.extend_from_slice(b"{\"simprint\":");
            push_string(&mut json, &base64url::encode(&simprint.body.to_bytes()));
            push_integer(&mut json, "offset", u64::from(simprint.offset));
            push_integer(&mut json, "size", u64::from(simprint.size));
            json.push(b'}');
        }
        json.push(b']');
    }
    json.push(b'}');
    json
}

/// Description of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexInfo {
    /// Name of the index.
    pub name: String,
    /// Number of assets.
    pub assets: u64,
    /// Bytes per component. `None` if the index has no components.
    pub bytes: Option<Vec<(String, u64)>>,
    /// JSON of the segments (see [`segments::json`]).
    pub segments: Option<Vec<u8>>,
}

impl IndexInfo {
    /// The description as JSON. Sizes are in MiB, rounded down.
    pub fn json(&self) -> Vec<u8> {
        const MIB: u64 = 1 << 20;
        let total: u64 = self.bytes.iter().flatten().map(|(_, bytes)| bytes).sum();
        let mut json = b"{\"name\":".to_vec();
        push_string(&mut json, &self.name);
        push_integer(&mut json, "assets", self.assets);
        push_integer(&mut json, "size", total / MIB);
        if let Some(components) = &self.bytes {
            json.extend_from_slice(b",\"sizes\":{");
            for (index, (name, bytes)) in components.iter().enumerate() {
                separate(&mut json, index);
                push_string(&mut json, name);
                json.push(b':');
                json.extend_from_slice((bytes / MIB).to_string().as_bytes());
            }
            json.push(b'}');
        }
        if let Some(segments) = &self.segments {
            json.extend_from_slice(b",\"segments\":");
            json.extend_from_slice(segments);
        }
        json.push(b'}');
        json
    }
}

/// Declared paths as `{"paths": [{"path", "state"}]}`.
pub fn paths<'a>(declared: impl Iterator<Item = &'a DeclaredPath>) -> Vec<u8> {
    let mut json = b"{\"paths\":[".to_vec();
    for (index, DeclaredPath { path, state, .. }) in declared.enumerate() {
        separate(&mut json, index);
        json.extend_from_slice(b"{\"path\":");
        push_string(&mut json, path);
        let state = if *state == PathState::Ready { "ready" } else { "building" };
        json.extend_from_slice(format!(",\"state\":\"{state}\"}}").as_bytes());
    }
    json.extend_from_slice(b"]}");
    json
}

/// Files of segments that were written and count, since the start.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileCounts {
    /// Those of full segments.
    pub seals: FileCount,
    /// Those of merged and compacted segments.
    pub merges: FileCount,
}

/// Files that were written.
#[derive(Debug, Clone, Copy, Default)]
pub struct FileCount {
    /// Number of files.
    pub files: u64,
    /// Sum of their lengths in bytes.
    pub bytes: u64,
    /// Time from the choice of the segments until the files counted, in seconds.
    pub seconds: f64,
}

/// Counts of a stored index since the start, and its state.
#[derive(Debug, Clone)]
pub struct IndexMetrics {
    /// Name of the index.
    pub name: String,
    /// Sizes in bytes by part. Empty if the disk does not tell.
    pub bytes: Vec<(String, u64)>,
    /// Rows of units and simprints, including dead ones.
    pub rows: usize,
    /// Those among them that are in files.
    pub rows_mapped: usize,
    /// Heap memory of the rows, lists and graphs in bytes.
    pub heap_bytes: u64,
    /// Number of ISCC-IDs in the journal: assets that a start loads or marks as dead.
    pub journal_ids: u64,
    /// Files of segments that were written since the start.
    pub file_counts: FileCounts,
    /// Replaced and deleted assets whose rows are still in memory.
    pub dead: u64,
    /// Number of segments.
    pub segments: usize,
    /// Number of segments with lists.
    pub list_segments: usize,
    /// Number of segments with graphs.
    pub graph_segments: usize,
    /// Number of full segments that wait for a file.
    pub waiting_segments: usize,
    /// Number of segments in files.
    pub sealed_segments: usize,
    /// Size of these files in bytes.
    pub sealed_bytes: u64,
    /// Number of columns with graphs.
    pub graphs: usize,
    /// Number of commits.
    pub commits: u64,
    /// Seconds that the commits took, mostly to sync.
    pub sync_seconds: f64,
    /// Assets of all changes.
    pub changed_assets: u64,
    /// Changes that wait for the running commit.
    pub waiting: usize,
}

impl IndexMetrics {
    /// The counts as JSON.
    pub fn json(&self) -> Vec<u8> {
        let mut json = b"{\"name\":".to_vec();
        push_string(&mut json, &self.name);
        let counts = [
            ("rows", self.rows as u64),
            ("rowsMapped", self.rows_mapped as u64),
            ("heapBytes", self.heap_bytes),
            ("journal", self.journal_ids),
            ("seals", self.file_counts.seals.files),
            ("sealsBytes", self.file_counts.seals.bytes),
            ("merges", self.file_counts.merges.files),
            ("mergesBytes", self.file_counts.merges.bytes),
            ("dead", self.dead),
            ("segments", self.segments as u64),
            ("listSegments", self.list_segments as u64),
            ("graphSegments", self.graph_segments as u64),
            ("waitingSegments", self.waiting_segments as u64),
            ("sealedSegments", self.sealed_segments as u64),
            ("sealedBytes", self.sealed_bytes),
            ("graphs", self.graphs as u64),
            ("commits", self.commits),
            ("changedAssets", self.changed_assets),
            ("waiting", self.waiting as u64),
        ];
        for (name, count) in counts {
            push_integer(&mut json, name, count);
        }
        for (name, seconds) in [
            ("syncSeconds", self.sync_seconds),
            ("sealsSeconds", self.file_counts.seals.seconds),
            ("mergesSeconds", self.file_counts.merges.seconds),
        ] {
            json.extend_from_slice(format!(",\"{name}\":").as_bytes());
            push_number(&mut json, seconds);
        }
        json.extend_from_slice(b",\"bytes\":{");
        for (index, (part, bytes)) in self.bytes.iter().enumerate() {
            separate(&mut json, index);
            push_string(&mut json, part);
            json.push(b':');
            json.extend_from_slice(bytes.to_string().as_bytes());
        }
        json.extend_from_slice(b"}}");
        json
    }
}

/// An alias and its index.
pub fn alias(name: &str, index: &str) -> Vec<u8> {
    let mut json = b"{\"name\":".to_vec();
    push_string(&mut json, name);
    json.extend_from_slice(b",\"index\":");
    push_string(&mut json, index);
    json.push(b'}');
    json
}

/// ISCC-ID of a matched asset.
pub fn current_id(body: u64, realm: u8) -> String {
    IsccId { body, realm }.text()
}

/// What a response to a search has.
pub struct FoundForm<'a> {
    /// Where the next page starts, if the request asks for pages.
    pub cursor: Option<Cursor>,
    /// Members of the metadata.
    pub fields: &'a Fields,
    /// Maximum length in bytes.
    pub bytes_max: usize,
}

impl FoundForm<'_> {
    /// Refuses a response that takes too much memory: assets may have a megabyte of metadata each.
    fn check_size(&self, json: &[u8]) -> Result<(), Failure> {
        let Self { bytes_max, .. } = self;
        if json.len() <= *bytes_max {
            return Ok(());
        }
        Err(Failure::rejected(format!(
            "the matches with their metadata take more than {bytes_max} bytes; leave the metadata out with metadata=false, \
             name the members that you need with fields, or lower the limit"
        )))
    }
}

/// Response to a search request.
///
/// `id_text` and `metadata` return an asset's ISCC-ID and metadata, by the `id` of its match.
pub fn found<'a>(
    query: &Query,
    id_text: impl Fn(u64) -> String,
    global: &[GlobalMatch],
    chunks: &[ChunkMatch],
    form: &FoundForm<'_>,
    metadata: impl Fn(u64) -> Result<Metadata<'a>, Failure>,
) -> Result<Vec<u8>, Failure> {
    let mut json = Vec::with_capacity(256 + query.echo.len() + global.len() * 256);
    json.extend_from_slice(b"{\"query\":");
    json.extend_from_slice(&query.echo);
    json.extend_from_slice(b",\"global_matches\":[");
    let mut written = 0;
    for matched in global {
        let Some(metadata) = metadata(matched.id)? else { continue };
        separate(&mut json, written);
        written += 1;
        let metadata = form.fields.of(metadata);
        global_match(&mut json, query, matched, &id_text(matched.id), metadata.as_deref());
        form.check_size(&json)?;
    }
    json.extend_from_slice(b"],\"chunk_matches\":[");
    let mut written = 0;
    for matched in chunks {
        let Some(metadata) = metadata(matched.id)? else { continue };
        separate(&mut json, written);
        written += 1;
        chunk_match(&mut json, query, matched, &id_text(matched.id), metadata, form.fields);
        form.check_size(&json)?;
    }
    json.push(b']');
    if let Some(texts) = &query.suppressed {
        json.extend_from_slice(b",\"suppressed\":[");
        for (index, text) in texts.iter().enumerate() {
            separate(&mut json, index);
            push_string(&mut json, text);
        }
        json.push(b']');
    }
    if let Some(cursor) = form.cursor {
        json.extend_from_slice(b",\"next_cursor\":");
        match cursor.text() {
            Some(text) => push_string(&mut json, &text),
            None => json.extend_from_slice(b"null"),
        }
    }
    json.push(b'}');
    Ok(json)
}

fn global_match(
    json: &mut Vec<u8>,
    query: &Query,
    matched: &GlobalMatch,
    id: &str,
    metadata: Option<&[u8]>,
) {
    push_head(json, id, matched.score);
    // The API has the same map under two names.
    for name in ["types", "unit_scores"] {
        json.push(b',');
        push_string(json, name);
        json.extend_from_slice(b":{");
        for (index, (kind, score)) in matched.types.iter().enumerate() {
            separate(json, index);
            push_type_name(json, *kind);
            json.push(b':');
            push_number(json, *score);
        }
        json.push(b'}');
    }
    push_metadata(json, metadata);
    if !matched.compared.is_empty() {
        json.extend_from_slice(b",\"explain\":[");
        for (index, compared) in matched.compared.iter().enumerate() {
            separate(json, index);
            push_compared(json, query, *compared);
        }
        json.push(b']');
    }
    json.push(b'}');
}

fn push_compared(
    json: &mut Vec<u8>,
    query: &Query,
    Compared { position, bits, distance }: Compared,
) {
    json.extend_from_slice(b"{\"unit\":");
    push_string(json, &query.texts[position]);
    json.extend_from_slice(b",\"type\":");
    push_type_name(json, query.units[position].kind);
    push_integer(json, "bits", u64::from(bits));
    push_integer(json, "distance", u64::from(distance));
    json.push(b'}');
}

fn chunk_match(
    json: &mut Vec<u8>,
    query: &Query,
    matched: &ChunkMatch,
    id: &str,
    metadata: Option<&[u8]>,
    fields: &Fields,
) {
    push_head(json, id, matched.score);
    json.extend_from_slice(b",\"types\":{");
    for (index, (position, type_match)) in matched.types.iter().enumerate() {
        separate(json, index);
        let (name, simprints) = &query.simprints[*position];
        push_string(json, name);
        json.push(b':');
        push_type_match(json, type_match, |query| base64url::encode(&simprints[query].bytes));
    }
    json.extend_from_slice(b"},\"source\":");
    let source = metadata.and_then(|metadata| string_member(metadata, "source"));
    json.extend_from_slice(source.unwrap_or("null").as_bytes());
    push_metadata(json, fields.of(metadata).as_deref());
    json.push(b'}');
}

fn push_type_match(json: &mut Vec<u8>, matched: &TypeMatch, query: impl Fn(usize) -> String) {
    json.extend_from_slice(b"{\"score\":");
    push_number(json, matched.score);
    push_integer(json, "matches", matched.matches as u64);
    push_integer(json, "queried", matched.queried as u64);
    json.extend_from_slice(b",\"chunks\":[");
    for (index, chunk) in matched.chunks.iter().enumerate() {
        separate(json, index);
        json.extend_from_slice(b"{\"query\":");
        push_string(json, &query(chunk.query));
        json.extend_from_slice(b",\"match\":");
        push_string(json, &base64url::encode(&chunk.body.to_bytes()));
        json.extend_from_slice(b",\"score\":");
        push_number(json, chunk.score);
        push_integer(json, "freq", chunk.frequency as u64);
        push_integer(json, "offset", u64::from(chunk.offset));
        push_integer(json, "size", u64::from(chunk.size));
        json.extend_from_slice(b",\"content\":null}");
    }
    json.extend_from_slice(b"]}");
}

fn push_head(json: &mut Vec<u8>, id: &str, score: f64) {
    json.extend_from_slice(b"{\"iscc_id\":");
    push_string(json, id);
    json.extend_from_slice(b",\"score\":");
    push_number(json, score);
}

fn push_metadata(json: &mut Vec<u8>, metadata: Option<&[u8]>) {
    json.extend_from_slice(b",\"metadata\":");
    json.extend_from_slice(metadata.unwrap_or(b"null"));
}

fn push_type_name(json: &mut Vec<u8>, kind: UnitType) {
    json.push(b'"');
    json.extend_from_slice(kind.to_string().as_bytes());
    json.push(b'"');
}

fn push_integer(json: &mut Vec<u8>, name: &str, value: u64) {
    json.extend_from_slice(b",\"");
    json.extend_from_slice(name.as_bytes());
    json.extend_from_slice(b"\":");
    json.extend_from_slice(value.to_string().as_bytes());
}

fn separate(json: &mut Vec<u8>, index: usize) {
    if index > 0 {
        json.push(b',');
    }
}
