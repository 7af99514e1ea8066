//! Builds lists, by counting.

use super::part::Part;
use super::{Entries, List, ListSizes, Lists};
use crate::scan::Columns;

impl Lists {
    /// Memory in bytes of the lists of so many rows, for budgets.
    pub fn bytes_needed(rows: usize, bits: u16, sizes: ListSizes) -> usize {
        let list = |(part, with_words): (Part, bool)| {
            let entry = match (part.is_first() && with_words, with_words) {
                (true, _) => 0,
                (_, true) => 12,
                (_, false) => 4,
            };
            (part.keys() + 1) * 4 + rows * entry
        };
        let parts = Part::all(bits, rows >= sizes.long_keys_rows_min);
        parts.into_iter().map(list).sum()
    }

    /// Builds the lists of distinct, ascending rows of `bits` bits. Calls `should_continue` before each list, and
    /// returns `None` if it returns `false`.
    pub fn build(
        columns: &Columns<'_>,
        bits: u16,
        sizes: ListSizes,
        should_continue: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let rows = columns.rows();
        let mut lists = Vec::new();
        for (part, with_words) in Part::all(bits, rows >= sizes.long_keys_rows_min) {
            if !should_continue() {
                return None;
            }
            lists.push(list(columns, part, with_words));
        }
        Some(Self { lists, rows })
    }
}

fn list(columns: &Columns<'_>, part: Part, with_words: bool) -> List {
    let words = columns.word(part.word());
    let mut offsets = vec![0u32; part.keys() + 1];
    for &word in words {
        offsets[part.key(word) as usize + 1] += 1;
    }
    for key in 1..offsets.len() {
        offsets[key] += offsets[key - 1];
    }
    if part.is_first() && with_words {
        let rows = words.len();
        return List { part, offsets: offsets.into(), entries: Entries::Column, rows };
    }
    let mut next = offsets.clone();
    let mut rows = vec![0u32; words.len()];
    let mut own = vec![0u64; if with_words { words.len() } else { 0 }];
    for (row, &word) in words.iter().enumerate() {
        let place = &mut next[part.key(word) as usize];
        rows[*place as usize] = row as u32;
        if with_words {
            // Lists with words have parts of the first word.
            own[*place as usize] = word;
        }
        *place += 1;
    }
    let entries = if with_words {
        Entries::WithWords { rows: rows.into(), words: own.into() }
    } else {
        Entries::Rows(rows.into())
    };
    List { part, offsets: offsets.into(), entries, rows: words.len() }
}
