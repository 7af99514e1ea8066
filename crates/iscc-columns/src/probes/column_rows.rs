//! The bodies of one type and length in a segment, in memory or in a file.

use std::slice::from_ref;

use super::plan::Rows;
use crate::column::{BLOCK_ROWS, Body, Column};
use crate::frozen::{Chunk, FrozenColumn, Owner};
use crate::lists::Lists;
use crate::scan::Columns;

/// Bodies of one type and length.
#[derive(Debug, Clone, Copy)]
pub enum ColumnRows<'a, O: Owner> {
    /// One row per owner.
    Growing(&'a Column<O>),
    /// One row per distinct body.
    Frozen(&'a FrozenColumn<O>),
}

/// Units of one type and length.
pub type UnitRows<'a> = ColumnRows<'a, u32>;

/// Simprints of one type and length.
pub type SimprintRows<'a> = ColumnRows<'a, Chunk>;

impl<'a, O: Owner> ColumnRows<'a, O> {
    /// Body of a row.
    pub fn body(&self, row: usize) -> Body {
        match self {
            Self::Growing(column) => column.body(row),
            Self::Frozen(column) => column.body(row),
        }
    }

    /// Owners of a row.
    pub fn owners(&self, row: usize) -> &'a [O] {
        match self {
            Self::Growing(column) => {
                from_ref(&column.blocks()[row / BLOCK_ROWS].payloads()[row % BLOCK_ROWS])
            }
            Self::Frozen(column) => column.owners(row),
        }
    }

    /// Size of the rows and their lists in bytes, of heap memory or of the file.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Growing(column) => column.memory_bytes(),
            Self::Frozen(column) => {
                column.memory_bytes() + column.lists().map_or(0, Lists::memory_bytes)
            }
        }
    }

    /// All bodies with their owners.
    pub fn for_each(&self, mut each: impl FnMut(Body, O)) {
        match self {
            Self::Growing(column) => column.iter().for_each(|(body, owner)| each(body, owner)),
            Self::Frozen(column) => column.iter().for_each(|(body, owner)| each(body, owner)),
        }
    }

    /// Whether the rows have lists.
    pub fn has_lists(&self) -> bool {
        matches!(self, Self::Frozen(column) if column.lists().is_some())
    }
}

impl<O: Owner> Rows for ColumnRows<'_, O> {
    fn bits(&self) -> u16 {
        match self {
            Self::Growing(column) => column.bits(),
            Self::Frozen(column) => column.bits(),
        }
    }

    fn rows(&self) -> usize {
        match self {
            Self::Growing(column) => column.rows(),
            Self::Frozen(column) => column.rows(),
        }
    }

    fn block(&self, block: usize, words: usize) -> Columns<'_> {
        match self {
            Self::Growing(column) => column.blocks()[block].columns(words),
            Self::Frozen(column) => {
                let start = block * BLOCK_ROWS;
                column.columns(words, start, (start + BLOCK_ROWS).min(column.rows()))
            }
        }
    }
}
