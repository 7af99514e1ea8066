//! The columns of a segment as sections of a file.

use bytemuck::{Pod, cast_slice};

use super::SealError;
use super::format::{Bodies, ColumnEntry, Content, unit_numbers};
use super::id_filter::IdFilter;
use super::write::SectionWriter;
use crate::column::{Column, word_count};
use crate::frozen::{FrozenColumn, Owner};
use crate::lists::Lists;
use crate::prefix_runs::PrefixRuns;
use crate::segment::Segment;

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
}

impl<'a> FileContent<'a> {
    /// The content of a segment, with the names of simprint types.
    pub fn new(segment: &'a Segment, simprint_names: &[String]) -> Self {
        let slots = &segment.slots;
        let mut all = Self { slots: slots.len(), ..Self::default() };
        all.add_ids(
            slots.id_blocks().flatten().copied(),
            move |writer: &mut SectionWriter<'_, '_>| {
                writer.pieces(slots.id_blocks().map(cast_slice))
            },
        );
        let units = |unit| Bodies::Units(unit_numbers(unit));
        let simprints = |kind| Bodies::Simprints(simprint_names[usize::from(kind)].clone());
        segment.units.iter().for_each(|(key, column)| all.plain(units(key.0), column));
        segment.frozen.iter().for_each(|(key, column)| all.frozen(units(key.0), column));
        segment.prefixes.iter().for_each(|(key, rows)| all.sorted(units(key.0), rows));
        segment.simprints.iter().for_each(|(key, column)| all.plain(simprints(key.0), column));
        let frozen = segment.frozen_simprints.iter();
        frozen.for_each(|(key, column)| all.frozen(simprints(key.0), column));
        segment.equal_simprints.iter().for_each(|(key, rows)| all.sorted(simprints(key.0), rows));
        all
    }

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
        self.columns.push(ColumnEntry { content, bits, rows });
    }

    fn plain<P: Pod>(&mut self, of: Bodies, column: &'a Column<P>) {
        self.column(Content::Plain(of), column.bits(), column.rows());
        self.add(sorted_bytes::<P>(column.bits(), column.rows()), |writer| {
            let blocks = column.blocks().iter();
            let words = blocks.clone().flat_map(|block| block.word_columns());
            writer.pieces(words.map(cast_slice))?;
            writer.pieces(blocks.map(|block| cast_slice(block.payloads())))
        });
    }

    fn frozen<O: Owner>(&mut self, of: Bodies, column: &'a FrozenColumn<O>) {
        let content = Content::Frozen(of, column.lists().map(Lists::form));
        self.column(content, column.bits(), column.rows());
        let mut arrays = Vec::new();
        column.for_each_array(&mut |bytes| arrays.push(bytes));
        let bytes = arrays.iter().map(|bytes| bytes.len() as u64).collect();
        self.add(bytes, |writer| {
            arrays.into_iter().try_for_each(|array| writer.pieces([array].into_iter()))
        });
    }

    fn sorted<P: Pod>(&mut self, of: Bodies, rows: &'a PrefixRuns<P>) {
        self.column(Content::Sorted(of), rows.bits(), rows.rows());
        self.add(sorted_bytes::<P>(rows.bits(), rows.rows()), |writer| {
            let (words, payload) = rows.to_sorted();
            writer.pieces([cast_slice(&words)].into_iter())?;
            writer.pieces([cast_slice(&payload)].into_iter())
        });
    }
}

/// Lengths of the sections of rows that are not distinct: words and owners.
pub fn sorted_bytes<P>(bits: u16, rows: usize) -> Vec<u64> {
    let bytes = |each: usize| (rows * each) as u64;
    vec![bytes(word_count(bits) * 8), bytes(size_of::<P>())]
}
