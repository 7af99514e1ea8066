//! The columns of a segment as sections of a file.

use std::borrow::Cow;

use bytemuck::{Pod, cast_slice};

use super::format::{ColumnEntry, Content, unit_numbers};
use crate::column::Column;
use crate::prefix_runs::PrefixRuns;
use crate::segment::Segment;

/// The bytes of a section, in pieces.
pub type Pieces<'a> = Vec<Cow<'a, [u8]>>;

/// What a file contains.
#[derive(Default)]
pub struct SegmentContent<'a> {
    pub columns: Vec<ColumnEntry>,
    pub sections: Vec<Pieces<'a>>,
}

impl<'a> SegmentContent<'a> {
    /// The content of a segment, with the names of simprint types.
    pub fn new(segment: &'a Segment, simprint_names: &[String]) -> Self {
        let name = |kind: u16| simprint_names[usize::from(kind)].clone();
        let mut all = Self::default();
        all.sections
            .push(segment.slots.id_blocks().map(|ids| Cow::Borrowed(cast_slice(ids))).collect());
        for ((unit, bits), column) in &segment.units {
            all.column(Content::Units(unit_numbers(*unit)), *bits, column);
        }
        for ((unit, bits), column) in &segment.frozen {
            let unit = unit_numbers(*unit);
            let content = match column.lists() {
                Some(lists) => Content::Listed(unit, lists.has_long_keys()),
                None => Content::Frozen(unit),
            };
            all.columns.push(ColumnEntry { content, bits: *bits, rows: column.rows() });
            column.for_each_array(&mut |bytes| all.sections.push(vec![Cow::Borrowed(bytes)]));
        }
        for ((unit, bits), rows) in &segment.prefixes {
            all.sorted(Content::Prefixes(unit_numbers(*unit)), *bits, rows);
        }
        for ((kind, bits), column) in &segment.simprints {
            all.column(Content::Simprints(name(*kind)), *bits, column);
        }
        for ((kind, bits), rows) in &segment.equal_simprints {
            all.sorted(Content::EqualSimprints(name(*kind)), *bits, rows);
        }
        all
    }

    fn column<P: Pod>(&mut self, content: Content, bits: u16, column: &'a Column<P>) {
        self.columns.push(ColumnEntry { content, bits, rows: column.rows() });
        let blocks = column.blocks().iter();
        let words = blocks.clone().flat_map(|block| block.word_columns());
        self.sections.push(words.map(|words| Cow::Borrowed(cast_slice(words))).collect());
        self.sections
            .push(blocks.map(|block| Cow::Borrowed(cast_slice(block.payloads()))).collect());
    }

    fn sorted<P: Pod>(&mut self, content: Content, bits: u16, rows: &PrefixRuns<P>) {
        self.columns.push(ColumnEntry { content, bits, rows: rows.rows() });
        let (words, payload) = rows.to_sorted();
        self.sections.push(vec![Cow::Owned(cast_slice(&words).to_vec())]);
        self.sections.push(vec![Cow::Owned(cast_slice(&payload).to_vec())]);
    }
}
