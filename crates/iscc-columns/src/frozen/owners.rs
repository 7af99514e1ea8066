//! The owners of each row.

use std::fmt::Debug;

use bytemuck::{Pod, Zeroable};

use crate::array::Array;
use crate::sections::{SealError, Sections};

/// Set in the slot of a row's entry if the row has several owners. The other bits are the row's number among such rows.
const SEVERAL: u32 = 1 << 31;

/// The origin of a simprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Zeroable, Pod)]
#[repr(C)]
pub struct Chunk {
    /// Slot of its asset.
    pub slot: u32,
    /// Start in the asset's content. The producer defines the unit, usually bytes or characters.
    pub offset: u32,
    /// Length in the asset's content, in the same unit.
    pub size: u32,
}

/// What a body belongs to: the slot of its asset, and for simprints the place in the asset's content.
pub trait Owner: Pod + Ord + Debug + Send + Sync {
    /// Slot of the asset.
    fn slot(&self) -> u32;

    /// The same with another slot.
    fn with_slot(self, slot: u32) -> Self;
}

impl Owner for u32 {
    fn slot(&self) -> u32 {
        *self
    }

    fn with_slot(self, slot: u32) -> Self {
        slot
    }
}

impl Owner for Chunk {
    fn slot(&self) -> u32 {
        self.slot
    }

    fn with_slot(self, slot: u32) -> Self {
        Self { slot, ..self }
    }
}

/// Owners by row. A row with one owner takes no more than the owner.
#[derive(Debug)]
pub struct Owners<O: Owner> {
    /// The owner, or [`SEVERAL`] and a position in `ends`.
    rows: Array<O>,
    /// Ends of the rows with several owners in `several`.
    ends: Array<u32>,
    several: Array<O>,
}

impl<O: Owner> Default for Owners<O> {
    fn default() -> Self {
        Self { rows: Array::default(), ends: Array::default(), several: Array::default() }
    }
}

/// The entry of a row with several owners.
pub fn several_entry<O: Owner>(number: u32) -> O {
    O::zeroed().with_slot(SEVERAL | number)
}

impl<O: Owner> Owners<O> {
    /// Adds an owner: of the last row, or of a new one.
    ///
    /// # Panics
    /// If the slot is not less than 2^31.
    pub fn push(&mut self, owner: O, is_of_last_row: bool) {
        assert!(owner.slot() < SEVERAL, "slot {} is too large", owner.slot());
        let (rows, ends) = (self.rows.to_mut(), self.ends.to_mut());
        match rows.last_mut() {
            Some(last) if is_of_last_row => {
                let several = self.several.to_mut();
                if last.slot() & SEVERAL == 0 {
                    several.push(*last);
                    *last = several_entry(ends.len() as u32);
                    ends.push(0);
                }
                several.push(owner);
                let end = several.len() as u32;
                ends.last_mut().into_iter().for_each(|last| *last = end);
            }
            _ => rows.push(owner),
        }
    }

    /// The owners of `rows` rows in a file.
    pub fn read(rows: usize, sections: &mut Sections<'_>) -> Result<Self, SealError> {
        let rows = sections.next(rows)?;
        Ok(Self { rows, ends: sections.next_any()?, several: sections.next_any()? })
    }

    /// Calls `each` with the bytes of the three arrays, as they are in a file.
    pub fn for_each_array<'a>(&'a self, each: &mut dyn FnMut(&'a [u8])) {
        each(bytemuck::cast_slice(&self.rows));
        each(bytemuck::cast_slice(&self.ends));
        each(bytemuck::cast_slice(&self.several));
    }

    /// Owners of a row, in the order in which they were added. Empty if the row does not exist, or the numbers of a
    /// damaged file contradict each other.
    pub fn of(&self, row: usize) -> &[O] {
        let Some(entry) = self.rows.get(row) else { return &[] };
        if entry.slot() & SEVERAL == 0 {
            return std::slice::from_ref(entry);
        }
        let number = (entry.slot() & !SEVERAL) as usize;
        let end = |number: usize| self.ends.get(number).map_or(0, |&end| end as usize);
        let start = number.checked_sub(1).map_or(0, end);
        self.several.get(start..end(number)).unwrap_or_default()
    }

    /// Number of all owners.
    pub fn count(&self) -> usize {
        self.rows.len() - self.ends.len() + self.several.len()
    }

    /// Releases unused memory.
    pub fn shrink_to_fit(&mut self) {
        self.rows.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.several.shrink_to_fit();
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.rows.bytes() + self.ends.bytes() + self.several.bytes()
    }
}
