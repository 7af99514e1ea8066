//! The slots of each row.

/// Set in a row's entry if the row has several slots. The other bits are the row's number among such rows.
const SEVERAL: u32 = 1 << 31;

/// Slots by row. A row with one slot takes four bytes.
#[derive(Debug, Default)]
pub struct Owners {
    /// The slot, or [`SEVERAL`] and a position in `ends`.
    rows: Vec<u32>,
    /// Ends of the rows with several slots in `slots`.
    ends: Vec<u32>,
    slots: Vec<u32>,
}

impl Owners {
    /// Adds a slot: of the last row, or of a new one.
    ///
    /// # Panics
    /// If the slot is not less than 2^31.
    pub fn push(&mut self, slot: u32, is_of_last_row: bool) {
        assert!(slot < SEVERAL, "slot {slot} is too large");
        match self.rows.last_mut() {
            Some(last) if is_of_last_row => {
                if *last & SEVERAL == 0 {
                    self.slots.push(*last);
                    *last = SEVERAL | self.ends.len() as u32;
                    self.ends.push(0);
                }
                self.slots.push(slot);
                let end = self.slots.len() as u32;
                self.ends.last_mut().into_iter().for_each(|last| *last = end);
            }
            _ => self.rows.push(slot),
        }
    }

    /// Slots of a row, in the order in which they were added.
    pub fn of(&self, row: usize) -> &[u32] {
        let entry = &self.rows[row];
        if entry & SEVERAL == 0 {
            return std::slice::from_ref(entry);
        }
        let number = (entry & !SEVERAL) as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.slots[start as usize..self.ends[number] as usize]
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
        (self.rows.capacity() + self.ends.capacity() + self.slots.capacity()) * 4
    }
}
