//! Builds lists, by counting.

use super::part::Part;
use super::{Entries, List, ListForm, ListSizes, Lists};
use crate::scan::Columns;

impl Lists {
    /// Lengths in bytes of the arrays of the lists of so many rows, in the order in which they are in a file.
    pub fn section_bytes(rows: usize, bits: u16, form: ListForm) -> Vec<u64> {
        let list = |(part, with_words): (Part, bool)| {
            let offsets = (part.keys() + 1) * 4;
            let arrays = match (part.is_first() && with_words, with_words) {
                (true, _) => vec![offsets],
                (_, true) => vec![offsets, rows * 4, rows * 8],
                (_, false) => vec![offsets, rows * 4],
            };
            arrays.into_iter().map(|bytes| bytes as u64)
        };
        Part::all(bits, form).into_iter().flat_map(list).collect()
    }

    /// Builds the lists of distinct, ascending rows of `bits` bits. Calls `should_continue` before each list, and
    /// returns `None` if it returns `false`.
    pub fn build(
        columns: &Columns<'_>,
        bits: u16,
        sizes: ListSizes,
        should_continue: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let (rows, form) = (columns.rows(), sizes.form(columns.rows()));
        let mut lists = Vec::new();
        for (part, with_words) in Part::all(bits, form) {
            if !should_continue() {
                return None;
            }
            lists.push(List::build(part, with_words, rows, |word| {
                columns.word(word).iter().copied()
            }));
        }
        Some(Self { lists, rows })
    }

    /// Builds the lists of so many distinct, ascending rows of `bits` bits, one after the other, and calls `each` with the
    /// bytes of each array, in the order in which they are in a file. Only one list is in memory at a time. `words` returns
    /// a word of all rows.
    pub fn build_each<E, I: Iterator<Item = u64>>(
        bits: u16,
        rows: usize,
        form: ListForm,
        words: impl Fn(usize) -> I,
        each: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for (part, with_words) in Part::all(bits, form) {
            let list = List::build(part, with_words, rows, &words);
            for array in list.arrays() {
                each(array)?;
            }
        }
        Ok(())
    }
}

impl List {
    fn build<I: Iterator<Item = u64>>(
        part: Part,
        with_words: bool,
        rows: usize,
        words: impl Fn(usize) -> I,
    ) -> Self {
        let mut offsets = vec![0u32; part.keys() + 1];
        for word in words(part.word()) {
            offsets[part.key(word) as usize + 1] += 1;
        }
        for key in 1..offsets.len() {
            offsets[key] += offsets[key - 1];
        }
        if part.is_first() && with_words {
            return Self { part, offsets: offsets.into(), entries: Entries::Column, rows };
        }
        let mut next = offsets.clone();
        let mut positions = vec![0u32; rows];
        let mut own = vec![0u64; if with_words { rows } else { 0 }];
        for (row, word) in words(part.word()).enumerate() {
            let place = &mut next[part.key(word) as usize];
            positions[*place as usize] = row as u32;
            if with_words {
                // Lists with words have parts of the first word.
                own[*place as usize] = word;
            }
            *place += 1;
        }
        let entries = if with_words {
            Entries::WithWords { rows: positions.into(), words: own.into() }
        } else {
            Entries::Rows(positions.into())
        };
        Self { part, offsets: offsets.into(), entries, rows }
    }
}
