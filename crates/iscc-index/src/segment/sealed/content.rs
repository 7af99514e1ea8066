//! What a file contains, and the sections that it is made of.
use bytemuck::cast_slice;
use iscc_columns::column::word_count;
use iscc_columns::id_filter::IdFilter;
use iscc_columns::sections::SealError;

use super::format::{ColumnEntry, Content};
use super::write::SectionWriter;

/// Consecutive sections of a file.
pub struct Part<'a> {
    /// Length of each section in bytes.
    pub bytes: Vec<u64>,
    /// Writes them in order.
    pub write: PartWriter<'a>,
}

/// Writes consecutive sections.
pub type PartWriter<'a> = Box<dyn FnOnce(&mut SectionWriter<'_, '_>) -> Result<(), SealError> + 'a>;

/// What a file contains.
#[derive(Default)]
pub struct FileContent<'a> {
    /// Number of assets.
    pub slots: u32,
    pub columns: Vec<ColumnEntry>,
    pub parts: Vec<Part<'a>>,
    /// Sections whose lengths are known only when they are made. They follow all others.
    pub last: Vec<PartWriter<'a>>,
}

impl<'a> FileContent<'a> {
    /// Adds the ISCC-ID bodies, which `write` writes, and their filter.
    pub fn add_ids(
        &mut self,
        ids: impl Iterator<Item = u64> + 'a,
        write: impl FnOnce(&mut SectionWriter<'_, '_>) -> Result<(), SealError> + 'a,
    ) {
        let count = self.slots as usize;
        let bytes = [count, IdFilter::words(count)].map(|words| words as u64 * 8);
        self.add(bytes.to_vec(), move |writer| {
            write(writer)?;
            let filter = IdFilter::build(count, ids);
            writer.pieces([cast_slice(&filter)].into_iter())
        });
    }

    /// Adds sections of so many bytes.
    pub fn add(
        &mut self,
        bytes: Vec<u64>,
        write: impl FnOnce(&mut SectionWriter<'_, '_>) -> Result<(), SealError> + 'a,
    ) {
        self.parts.push(Part { bytes, write: Box::new(write) });
    }

    /// Adds the entry of a column, whose sections follow.
    pub fn column(&mut self, content: Content, bits: u16, rows: usize) {
        self.columns.push(ColumnEntry { content, bits, rows, has_graph: false });
    }

    /// Adds a graph to the last column.
    pub fn graph(
        &mut self,
        write: impl FnOnce(&mut SectionWriter<'_, '_>) -> Result<(), SealError> + 'a,
    ) {
        if let Some(column) = self.columns.last_mut() {
            column.has_graph = true;
            self.last.push(Box::new(write));
        }
    }
}

/// Lengths of the sections of rows that are not distinct: words and owners.
pub fn sorted_bytes<P>(bits: u16, rows: usize) -> Vec<u64> {
    let bytes = |each: usize| (rows * each) as u64;
    vec![bytes(word_count(bits) * 8), bytes(size_of::<P>())]
}
