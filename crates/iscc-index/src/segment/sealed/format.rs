//! The header of a sealed segment's file.
//!
//! The file starts with [`MAGIC`], and the position and length of the header (u64 each). Sections follow, arrays of
//! little-endian numbers. The header is last: JSON with the columns, and for each section position, length and BLAKE3.
use iscc_columns::lists::ListForm;
use iscc_columns::sections::Section;
use iscc_columns::unit::UnitType;
use serde::{Deserialize, Serialize};

// Files have little-endian numbers, which are read without conversion.
const _: () = assert!(cfg!(target_endian = "little"));

/// First bytes of a file. The last one is the version of the format.
pub const MAGIC: [u8; 8] = *b"ISCCSEG4";

/// Bytes before the first section may start.
pub const START_BYTES: usize = 24;

/// Alignment of sections: a page.
const PAGE: u64 = 4096;

/// Alignment of sections that are at least as large: a large page.
pub const LARGE_PAGE: u64 = 2 << 20;

/// The header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Identifies the store of the index.
    pub store: String,
    /// Identifies the file. Never used twice.
    pub uid: u64,
    /// Number of assets.
    pub slots: u32,
    /// The columns. Their sections follow those of the ISCC-ID bodies and of their filter, in the same order.
    pub columns: Vec<ColumnEntry>,
    /// The sections.
    pub sections: Vec<Section>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnEntry {
    /// What it contains.
    pub content: Content,
    /// Length of the bodies in bits.
    pub bits: u16,
    /// Number of rows.
    pub rows: usize,
    /// Whether it has a graph. The sections of the graphs follow those of all columns, in the same order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_graph: bool,
}

/// What a column contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Distinct bodies: words, and the three arrays of owners. The arrays of the lists follow, if there are some.
    Frozen(Bodies, Option<ListForm>),
    /// Bodies in order: words by row, and owners.
    Sorted(Bodies),
}

/// Of what the bodies are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bodies {
    /// Units, identified by MainType, SubType and version. Owners are slots.
    Units([u16; 3]),
    /// Simprints of a type. Owners are chunks.
    Simprints(String),
}

impl Header {
    /// Position of the header, after all sections.
    pub fn offset(&self) -> u64 {
        aligned(end_of(&self.sections), 0)
    }
}

/// Position after the last section.
pub fn end_of(sections: &[Section]) -> u64 {
    sections.last().map_or(START_BYTES as u64, |last| last.offset + last.bytes)
}

/// The position of a section that follows a position.
pub fn aligned(after: u64, bytes: u64) -> u64 {
    after.next_multiple_of(if bytes >= LARGE_PAGE { LARGE_PAGE } else { PAGE })
}

/// The first bytes of a file.
pub fn start(header_offset: u64, header_bytes: u64) -> [u8; START_BYTES] {
    let mut start = [0; START_BYTES];
    start[..8].copy_from_slice(&MAGIC);
    start[8..16].copy_from_slice(&header_offset.to_le_bytes());
    start[16..].copy_from_slice(&header_bytes.to_le_bytes());
    start
}

/// Position and length of the header, from the first bytes of a file. `None` if they are those of another format.
pub fn read_start(start: &[u8; START_BYTES]) -> Option<(u64, u64)> {
    let number = |at: usize| Some(u64::from_le_bytes(start[at..at + 8].try_into().ok()?));
    (start[..8] == MAGIC).then_some(number(8)?).zip(number(16))
}

/// BLAKE3 of the first bytes and the header, in hex. It covers the whole file, because the header has the hashes of the
/// sections.
pub fn file_hash(start: &[u8], header: &[u8]) -> String {
    blake3::Hasher::new().update(start).update(header).finalize().to_hex().to_string()
}

/// The numbers of a unit type.
pub fn unit_numbers(unit: UnitType) -> [u16; 3] {
    [unit.main() as u16, u16::from(unit.sub()), unit.version() as u16]
}

/// The unit type with these numbers.
pub fn unit_type([main, sub, version]: [u16; 3]) -> Option<UnitType> {
    UnitType::new(main, sub, version).ok()
}
