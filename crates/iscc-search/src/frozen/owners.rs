//! The slots of each row.

use crate::array::Array;
use crate::sealed::{SealError, Sections};

/// Set in a row's entry if the row has several slots. The other bits are the row's number among such rows.
const SEVERAL: u32 = 1 << 31;

/// Slots by row. A row with one slot takes four bytes.
#[derive(Debug, Default)]
pub struct Owners {
    /// The slot, or [`SEVERAL`] and a position in `ends`.
    rows: Array<u32>,
    /// Ends of the rows with several slots in `slots`.
    ends: Array<u32>,
    slots: Array<u32>,
}

impl Owners {
    /// Adds a slot: of the last row, or of a new one.
    ///
    /// # Panics
    /// If the slot is not less than 2^31.
    pub fn push(&mut self, slot: u32, is_of_last_row: bool) {
        assert!(slot < SEVERAL, "slot {slot} is too large");
        let (rows, ends) = (self.rows.to_mut(), self.ends.to_mut());
        match rows.last_mut() {
            Some(last) if is_of_last_row => {
                let slots = self.slots.to_mut();
                if *last & SEVERAL == 0 {
                    slots.push(*last);
                    *last = SEVERAL | ends.len() as u32;
                    ends.push(0);
                }
                slots.push(slot);
                let end = slots.len() as u32;
                ends.last_mut().into_iter().for_each(|last| *last = end);
            }
            _ => rows.push(slot),
        }
    }

    /// The owners of `rows` rows in a file.
    pub fn read(rows: usize, sections: &mut Sections<'_>) -> Result<Self, SealError> {
        let rows = sections.next(rows)?;
        Ok(Self { rows, ends: sections.next_any()?, slots: sections.next_any()? })
    }

    /// The three arrays, as they are in a file.
    pub fn arrays(&self) -> [&[u32]; 3] {
        [&self.rows, &self.ends, &self.slots]
    }

    /// Slots of a row, in the order in which they were added. Empty if the row does not exist, or the numbers of a damaged
    /// file contradict each other.
    pub fn of(&self, row: usize) -> &[u32] {
        let Some(entry) = self.rows.get(row) else { return &[] };
        if entry & SEVERAL == 0 {
            return std::slice::from_ref(entry);
        }
        let number = (entry & !SEVERAL) as usize;
        let end = |number: usize| self.ends.get(number).map_or(0, |&end| end as usize);
        let start = number.checked_sub(1).map_or(0, end);
        self.slots.get(start..end(number)).unwrap_or_default()
    }

    /// Number of all slots.
    pub fn slots(&self) -> usize {
        self.rows.len() - self.ends.len() + self.slots.len()
    }

    /// Releases unused memory.
    pub fn shrink_to_fit(&mut self) {
        for list in [&mut self.rows, &mut self.ends, &mut self.slots] {
            list.shrink_to_fit();
        }
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.rows.bytes() + self.ends.bytes() + self.slots.bytes()
    }
}
