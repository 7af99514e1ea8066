//! Opens and checks the file of a sealed segment.
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use iscc_columns::frozen::FrozenColumn;
use iscc_columns::id_filter::IdFilter;
use iscc_columns::map::FileMap;
use iscc_columns::sections::{Purpose, SealError, Section, Sections};
use iscc_columns::slots::Slots;

use super::format::{
    Bodies, ColumnEntry, Content, Header, START_BYTES, file_hash, read_start, unit_type,
};
use super::graph::FileGraph;
use super::warm::Pages;
use super::{Paced, SealedFile, path_of};
use crate::segment::{FileColumns, FileSegment, Segment, SegmentRows, SimprintKind};
use crate::store::SealedEntry;

/// Bytes that are compared with a hash at a time.
const STEP_BYTES: usize = 4 << 20;

/// Maximum length of a header in bytes.
const HEADER_BYTES_MAX: u64 = 64 << 20;

/// What the record of an index says about a file.
#[derive(Clone, Copy)]
pub struct Expected<'a> {
    /// Identifies the index's store.
    pub store: &'a str,
    /// Identifies the file.
    pub uid: u64,
    /// Number of assets.
    pub slots: u32,
    /// Length in bytes.
    pub bytes: u64,
    /// Hash of the header, in hex.
    pub hash: &'a str,
}

impl<'a> Expected<'a> {
    /// What an entry of a store's record says.
    pub fn new(store: &'a str, entry: &'a SealedEntry) -> Self {
        let SealedEntry { uid, slots, bytes, ref hash, .. } = *entry;
        Self { store, uid, slots, bytes, hash }
    }
}

/// Opens the file that a record names, and maps it. `kind_of` returns the number of a simprint type.
///
/// Header, lengths and positions are checked here, the sections with [`check_sections`].
pub fn open(
    index_folder: &Path,
    expected: &Expected<'_>,
    kind_of: &dyn Fn(&str) -> Option<SimprintKind>,
) -> Result<Segment, SealError> {
    let mut file = File::open(path_of(index_folder, expected.uid))?;
    let (header, data_bytes) = read_header(&mut file, expected)?;
    let map = FileMap::open(&file, data_bytes)?;
    let mut sections = Sections::new(&map, &header.sections);
    let ids = sections.next(header.slots as usize)?;
    let filter = sections.next(IdFilter::words(header.slots as usize))?;
    let slots = Slots::sealed(ids, IdFilter::new(filter));
    let mut columns = FileColumns::default();
    for column in &header.columns {
        add_column(&mut columns, column, &mut sections, kind_of)?;
    }
    let mut graphs = BTreeMap::new();
    for column in header.columns.iter().filter(|column| column.has_graph) {
        let Content::Frozen(Bodies::Units(numbers), _) = column.content else { continue };
        let unit = unit_type(numbers).ok_or(SealError::Damaged("a unit type is unknown"))?;
        graphs.insert(
            (unit, column.bits),
            FileGraph::new(sections.range(Purpose::Graph)?, column.rows),
        );
    }
    let purposes = sections.into_purposes();
    let file = SealedFile {
        uid: header.uid,
        bytes: expected.bytes,
        hash: expected.hash.to_owned(),
        is_checked: AtomicBool::new(false),
        is_warm: AtomicBool::new(false),
        sections: header.sections,
        graphs,
        pages: Some(Pages { map, purposes }),
    };
    let rows = FileSegment { file: Arc::new(file), columns: Arc::new(columns) };
    Ok(Segment { uid: 0, slots, rows: SegmentRows::File(rows) })
}

fn read_header(file: &mut File, expected: &Expected<'_>) -> Result<(Header, u64), SealError> {
    if file.metadata()?.len() != expected.bytes {
        return Err(SealError::Damaged("the file has another length"));
    }
    let mut start = [0; START_BYTES];
    file.read_exact(&mut start)?;
    let (offset, bytes) =
        read_start(&start).ok_or(SealError::Damaged("the file has another format"))?;
    if bytes > HEADER_BYTES_MAX || offset.checked_add(bytes) != Some(expected.bytes) {
        return Err(SealError::Damaged("the header is not at the end"));
    }
    let mut json = vec![0; bytes as usize];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut json)?;
    if file_hash(&start, &json) != expected.hash {
        return Err(SealError::Damaged("the header has another hash"));
    }
    let header: Header =
        serde_json::from_slice(&json).map_err(|_| SealError::Damaged("the header is no JSON"))?;
    let is_expected = header.store == expected.store
        && header.uid == expected.uid
        && header.slots == expected.slots;
    if !is_expected {
        return Err(SealError::Damaged("the header is that of another segment"));
    }
    Ok((header, offset))
}

/// Adds a column, whose sections are the next ones.
fn add_column(
    columns: &mut FileColumns,
    ColumnEntry { content, bits, rows, .. }: &ColumnEntry,
    sections: &mut Sections<'_>,
    kind_of: &dyn Fn(&str) -> Option<SimprintKind>,
) -> Result<(), SealError> {
    let (bits, rows) = (*bits, *rows);
    let unit = |numbers| unit_type(numbers).ok_or(SealError::Damaged("a unit type is unknown"));
    let kind = |name| kind_of(name).ok_or(SealError::Damaged("a simprint type is unknown"));
    if !(1..=256).contains(&bits) || !bits.is_multiple_of(8) {
        return Err(SealError::Damaged("a length of bodies is invalid"));
    }
    match content {
        Content::Frozen(Bodies::Units(numbers), form) => {
            let column = FrozenColumn::read(bits, rows, *form, sections)?;
            columns.units.insert((unit(*numbers)?, bits), column);
        }
        Content::Frozen(Bodies::Simprints(name), form) => {
            let column = FrozenColumn::read(bits, rows, *form, sections)?;
            columns.simprints.insert((kind(name)?, bits), column);
        }
        Content::Sorted(Bodies::Units(numbers)) => {
            let rows = sections.sorted(bits, rows)?;
            columns.sorted.units.insert((unit(*numbers)?, bits), rows);
        }
        Content::Sorted(Bodies::Simprints(name)) => {
            let rows = sections.sorted(bits, rows)?;
            columns.sorted.simprints.insert((kind(name)?, bits), rows);
        }
    }
    Ok(())
}

/// Compares all sections of a file with their hashes. Reads the opened `file` instead of the mapping, so that a disk that
/// cannot be read is an error instead of a signal.
pub fn check_sections(
    mut file: File,
    sealed: &SealedFile,
    pace: &Paced<'_>,
) -> Result<(), SealError> {
    check_hashes(&mut file, &sealed.sections, pace)?;
    sealed.is_checked.store(true, Ordering::Release);
    Ok(())
}

/// Compares the file that a record names with all hashes.
pub fn check_file(
    index_folder: &Path,
    expected: &Expected<'_>,
    pace: &Paced<'_>,
) -> Result<(), SealError> {
    let mut file = File::open(path_of(index_folder, expected.uid))?;
    let (header, _) = read_header(&mut file, expected)?;
    check_hashes(&mut file, &header.sections, pace)
}

fn check_hashes(file: &mut File, sections: &[Section], pace: &Paced<'_>) -> Result<(), SealError> {
    let (since, mut total) = (Instant::now(), 0);
    let mut buffer = vec![0; STEP_BYTES];
    for section in sections {
        file.seek(SeekFrom::Start(section.offset))?;
        let (mut hasher, mut rest) = (blake3::Hasher::new(), section.bytes);
        while rest > 0 {
            let step = &mut buffer[..rest.min(STEP_BYTES as u64) as usize];
            file.read_exact(step)?;
            hasher.update(step);
            rest -= step.len() as u64;
            total += step.len() as u64;
            pace.wait(since, total)?;
        }
        if *hasher.finalize().to_hex() != *section.hash {
            return Err(SealError::Damaged("a section has another hash"));
        }
    }
    Ok(())
}
