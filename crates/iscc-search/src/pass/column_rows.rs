//! The bodies of one type and length in a segment, growing or frozen.

use std::slice::from_ref;

use super::plan::Rows;
use crate::column::{BLOCK_ROWS, Body, Column};
use crate::frozen::{FrozenColumn, Owner};
use crate::scan::Columns;
use crate::segment::{Chunk, Key, Segment, SimprintKind};
use crate::unit::UnitType;

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

impl<'a> UnitRows<'a> {
    /// All units of a segment that are compared by similarity.
    pub fn all(segment: &'a Segment) -> impl Iterator<Item = (Key<UnitType>, Self)> {
        let growing = segment.units.iter().map(|(key, column)| (*key, Self::Growing(column)));
        let frozen = segment.frozen.iter().map(|(key, column)| (*key, Self::Frozen(column)));
        growing.chain(frozen)
    }
}

impl<'a> SimprintRows<'a> {
    /// All simprints of a segment that are compared by similarity.
    pub fn all(segment: &'a Segment) -> impl Iterator<Item = (Key<SimprintKind>, Self)> {
        let growing = segment.simprints.iter().map(|(key, column)| (*key, Self::Growing(column)));
        let frozen = segment.frozen_simprints.iter();
        growing.chain(frozen.map(|(key, column)| (*key, Self::Frozen(column))))
    }
}

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
