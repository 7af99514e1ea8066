//! Exact search in less time than a scan: multi-index hashing over the distinct, ascending rows of a frozen column.
//!
//! Parts of the bodies, of 16 to 22 bits, are keys of lists. If two bodies differ in at most `d` bits, then for all
//! radii `r` with `Σ (r + 1) = d + 1`, they differ in at most `r` bits of at least one part, because otherwise they would
//! differ in more than `d` bits. A radius of -1 leaves a part out. Therefore every row within the distance is in a
//! bucket near the probe's key in one of the lists. [`Lists::plan`] chooses the radii for each probe, from the sizes
//! of the probe's own buckets. The plan counts work and uses no clock, so it is the same in each run.
//!
//! Keys do not cross words, so a shorter probe uses the lists of its own prefix. The lists of the first word contain
//! the rows' first words: for probes of up to 64 bits, nothing else is read.
//!
//! Source: M. Norouzi, A. Punjani, D. Fleet, "Fast Exact Search in Hamming Space with Multi-Index Hashing" (2014);
//! general pigeonhole principle: J. Qin et al., "GPH: Similarity Search in Hamming Space" (2018).

mod build;
pub mod cost;
mod part;
mod plan;
mod rings;
mod search;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

pub use plan::Plan;

use bytemuck::cast_slice;
use serde::{Deserialize, Serialize};

use crate::array::Array;
use crate::sections::{Purpose, SealError, Sections};
use part::Part;

/// Maximum number of lists of a column.
const LISTS_MAX: usize = 16;

/// From how many rows on a column has which lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListSizes {
    /// Number of rows from which a column has lists.
    pub rows_min: usize,
    /// Number of rows from which columns of more than 64 bits have long keys.
    pub long_keys_rows_min: usize,
    /// Whether only the first part of each word has a list: a quarter of the memory, for higher thresholds.
    pub is_first_only: bool,
}

impl ListSizes {
    /// The form of the lists of a column.
    pub fn form(&self, rows: usize) -> ListForm {
        let has_long_keys = rows >= self.long_keys_rows_min;
        ListForm { has_long_keys, is_first_only: self.is_first_only }
    }
}

/// Which parts of the bodies are keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListForm {
    /// Whether keys for comparisons of more than 64 bits are as long as in large columns.
    pub has_long_keys: bool,
    /// Whether only the first part of each word has a list.
    pub is_first_only: bool,
}

impl Default for ListSizes {
    fn default() -> Self {
        Self { rows_min: 65_536, long_keys_rows_min: 4_000_000, is_first_only: false }
    }
}

/// The lists of a column.
#[derive(Debug)]
pub struct Lists {
    /// First those with words, then those with only rows.
    lists: Vec<List>,
    rows: usize,
}

/// Rows by key.
#[derive(Debug)]
struct List {
    part: Part,
    /// The rows with key `k` are the entries from `offsets[k]` to `offsets[k + 1]`.
    offsets: Array<u32>,
    entries: Entries,
    /// Number of entries.
    rows: usize,
}

/// The entries of a list, by key.
#[derive(Debug)]
enum Entries {
    /// The key is the start of the rows, so the entries are the rows of the column.
    Column,
    /// Rows and their first words.
    WithWords { rows: Array<u32>, words: Array<u64> },
    /// Rows.
    Rows(Array<u32>),
}

impl Lists {
    /// The lists in a file, of `rows` rows of `bits` bits.
    pub fn read(
        bits: u16,
        rows: usize,
        form: ListForm,
        sections: &mut Sections<'_>,
    ) -> Result<Self, SealError> {
        let mut lists = Vec::new();
        for (part, with_words) in Part::all(bits, form) {
            let offsets = sections.next_for(Purpose::Offsets, part.keys() + 1)?;
            let entries = match (part.is_first(), with_words) {
                (true, true) => Entries::Column,
                (false, true) => {
                    let own = sections.next(rows)?;
                    let words = sections.next_for(Purpose::Words, rows)?;
                    Entries::WithWords { rows: own, words }
                }
                (_, false) => Entries::Rows(sections.next(rows)?),
            };
            lists.push(List { part, offsets, entries, rows });
        }
        Ok(Self { lists, rows })
    }

    /// Calls `each` with the bytes of each array, in the order in which they are in a file.
    pub fn for_each_array<'a>(&'a self, each: &mut dyn FnMut(&'a [u8])) {
        self.lists.iter().flat_map(List::arrays).for_each(each);
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        let list = |list: &List| {
            let entries = match &list.entries {
                Entries::Column => 0,
                Entries::WithWords { rows, words } => rows.bytes() + words.bytes(),
                Entries::Rows(rows) => rows.bytes(),
            };
            list.offsets.bytes() + entries
        };
        self.lists.iter().map(list).sum()
    }

    /// Positions of the lists for comparisons of the first `bits` bits.
    fn usable(&self, bits: u16) -> std::ops::Range<usize> {
        let with_words = self.lists.iter().take_while(|list| list.has_words()).count();
        // With long keys, the first word is in lists of both kinds.
        let is_doubled = self.lists.get(with_words).is_some_and(|list| list.part.word() == 0);
        let (start, kind_end) = match bits {
            0..=64 => (0, with_words),
            _ if is_doubled => (with_words, self.lists.len()),
            _ => (0, self.lists.len()),
        };
        let fits = |list: &&List| list.part.end() <= bits;
        start..start + self.lists[start..kind_end].iter().take_while(fits).count()
    }
}

impl List {
    /// The bytes of each array, in the order in which they are in a file.
    fn arrays(&self) -> Vec<&[u8]> {
        let offsets = cast_slice(&self.offsets);
        match &self.entries {
            Entries::Column => vec![offsets],
            Entries::WithWords { rows, words } => {
                vec![offsets, cast_slice(rows), cast_slice(words)]
            }
            Entries::Rows(rows) => vec![offsets, cast_slice(rows)],
        }
    }

    fn has_words(&self) -> bool {
        !matches!(self.entries, Entries::Rows(_))
    }

    fn bucket(&self, key: u32) -> std::ops::Range<usize> {
        // Offsets of a damaged file may be anything.
        let end = (self.offsets[key as usize + 1] as usize).min(self.rows);
        (self.offsets[key as usize] as usize).min(end)..end
    }
}
