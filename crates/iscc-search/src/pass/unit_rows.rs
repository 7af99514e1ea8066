//! The units of one type and length in a segment, growing or frozen.

use super::plan::Rows;
use crate::column::{BLOCK_ROWS, Body, Column};
use crate::frozen::FrozenColumn;
use crate::scan::Columns;
use crate::segment::{Key, Segment};
use crate::unit::UnitType;

/// Units of one type and length.
#[derive(Debug, Clone, Copy)]
pub enum UnitRows<'a> {
    /// One row per unit.
    Growing(&'a Column<u32>),
    /// One row per distinct body.
    Frozen(&'a FrozenColumn),
}

impl<'a> UnitRows<'a> {
    /// All units of a segment that are compared by similarity.
    pub fn all(segment: &'a Segment) -> impl Iterator<Item = (Key<UnitType>, Self)> {
        let growing = segment.units.iter().map(|(key, column)| (*key, Self::Growing(column)));
        let frozen = segment.frozen.iter().map(|(key, column)| (*key, Self::Frozen(column)));
        growing.chain(frozen)
    }

    /// Body of a row.
    pub fn body(&self, row: usize) -> Body {
        match self {
            Self::Growing(column) => column.body(row),
            Self::Frozen(column) => column.body(row),
        }
    }

    /// Calls `each` with the slots of a row's assets.
    pub fn for_each_slot(&self, row: usize, mut each: impl FnMut(u32)) {
        match self {
            Self::Growing(column) => each(column.payload(row)),
            Self::Frozen(column) => column.slots(row).iter().for_each(|&slot| each(slot)),
        }
    }
}

impl Rows for UnitRows<'_> {
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
