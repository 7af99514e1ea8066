//! Arrays in a mapped file, from which columns are read.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use serde::{Deserialize, Serialize};

use crate::array::Array;
use crate::column::word_count;
use crate::graph::GraphError;
use crate::map::{FileMap, MappedRange};
use crate::prefix_runs::PrefixRuns;

/// A section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Position in the file.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// BLAKE3 of the bytes, in hex.
    pub hash: String,
}

/// What searches need a section for. They need the first ones most often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// To find the entries of a key.
    Offsets,
    /// To compare.
    Words,
    /// To know which rows and assets were found.
    Rows,
    /// To propose rows.
    Graph,
}

impl Purpose {
    /// All purposes, in the order in which sections are read.
    pub const ALL: [Self; 4] = [Self::Offsets, Self::Words, Self::Rows, Self::Graph];
}

/// Why a file is not used.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The file system failed, or the file is missing.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The content is not what the index's record says.
    #[error("{0}")]
    Damaged(&'static str),
    /// A graph cannot be built or saved.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The caller stopped the work.
    #[error("stopped")]
    Stopped,
}

impl SealError {
    /// Whether the process or the system lacks descriptors or memory, which says nothing about the file.
    pub fn is_passing(&self) -> bool {
        #[cfg(unix)]
        const PASSING: [i32; 3] = [libc::EMFILE, libc::ENFILE, libc::ENOMEM];
        #[cfg(not(unix))]
        const PASSING: [i32; 0] = [];
        match self {
            Self::File(error) => error.raw_os_error().is_some_and(|code| PASSING.contains(&code)),
            _ => false,
        }
    }
}

/// The sections of a file in order.
pub struct Sections<'a> {
    map: &'a Arc<FileMap>,
    all: std::slice::Iter<'a, Section>,
    purposes: Vec<(Purpose, Range<usize>)>,
}

impl<'a> Sections<'a> {
    /// All sections, of which none is read yet.
    pub fn new(map: &'a Arc<FileMap>, all: &'a [Section]) -> Self {
        Self { map, all: all.iter(), purposes: Vec::with_capacity(all.len()) }
    }

    /// What each section that was read is for, and its place in the mapping.
    pub fn into_purposes(self) -> Vec<(Purpose, Range<usize>)> {
        self.purposes
    }

    /// The next section, which must have `items` numbers.
    pub fn next<T: Pod>(&mut self, items: usize) -> Result<Array<T>, SealError> {
        self.next_for(Purpose::Rows, items)
    }

    /// The next section, which must have `items` numbers and has a purpose.
    pub fn next_for<T: Pod>(
        &mut self,
        purpose: Purpose,
        items: usize,
    ) -> Result<Array<T>, SealError> {
        let array = self.take(purpose)?;
        if array.len() != items {
            return Err(SealError::Damaged("a section has another length"));
        }
        Ok(array)
    }

    /// The next section.
    pub fn next_any<T: Pod>(&mut self) -> Result<Array<T>, SealError> {
        self.take(Purpose::Rows)
    }

    fn take<T: Pod>(&mut self, purpose: Purpose) -> Result<Array<T>, SealError> {
        self.range(purpose).map(Array::Mapped)
    }

    /// The place of the next section in the mapping.
    pub fn range<T: Pod>(&mut self, purpose: Purpose) -> Result<MappedRange<T>, SealError> {
        let damaged = SealError::Damaged("a section is not in the file");
        let Some(section) = self.all.next() else { return Err(damaged) };
        let Some(end) = section.offset.checked_add(section.bytes) else { return Err(damaged) };
        let bytes = section.offset as usize..end as usize;
        let range = MappedRange::new(self.map, bytes.clone());
        self.purposes.push((purpose, bytes));
        range.ok_or(damaged)
    }

    /// The next two sections: words and owners of rows in order.
    pub fn sorted<P: Pod>(&mut self, bits: u16, rows: usize) -> Result<PrefixRuns<P>, SealError> {
        let words = self.next_for(Purpose::Words, rows * word_count(bits))?;
        Ok(PrefixRuns::from_sorted(bits, words, self.next(rows)?))
    }
}
