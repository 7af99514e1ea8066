//! A column of a file: each distinct body once, in ascending order, with its owners: the slots of assets for
//! units, chunks for simprints.
//!
//! Equal bodies are one row, so a scan, the lists and a graph compare them once. Rows are never added. Lists
//! ([`Lists`]) find the rows near a probe in less time than a scan, if the probe's threshold permits it.

mod owners;

use crate::array::Array;
use crate::column::{Body, Column, word_count};
use crate::lists::{ListForm, Lists};
use crate::scan::{Columns, WORDS_MAX};
use crate::sections::{Purpose, SealError, Sections};
use owners::Owners;

pub use owners::{Chunk, Owner, several_entry};

/// Distinct bodies of equal length and their owners.
#[derive(Debug)]
pub struct FrozenColumn<O: Owner = u32> {
    bits: u16,
    rows: usize,
    /// Word `w` of all rows. Empty after the bodies' last word.
    words: [Array<u64>; WORDS_MAX],
    owners: Owners<O>,
    lists: Option<Lists>,
}

impl<O: Owner> FrozenColumn<O> {
    /// The distinct bodies of the rows of `column` whose slots are live, without lists.
    pub fn new(column: &Column<O>, is_live: impl Fn(u32) -> bool) -> Self {
        // Most rows differ in their first word, so that sorting rarely reads the column.
        let mut order: Vec<(u64, u32)> = column
            .iter()
            .enumerate()
            .filter(|(_, (_, owner))| is_live(owner.slot()))
            .map(|(row, (body, _))| (body.words()[0], row as u32))
            .collect();
        order.sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| {
                let row = |row: u32| (column.body(row as usize), column.payload(row as usize));
                row(a.1).cmp(&row(b.1))
            })
        });
        let mut owners = Owners::default();
        let mut words: [Vec<u64>; WORDS_MAX] = Default::default();
        let mut last = Body::EMPTY;
        for (_, row) in order {
            let body = column.body(row as usize);
            if body != last {
                for (column, word) in words.iter_mut().zip(&body.words()[..word_count(body.bits())])
                {
                    column.push(*word);
                }
            }
            owners.push(column.payload(row as usize), body == last);
            last = body;
        }
        owners.shrink_to_fit();
        let words = words.map(|mut words| {
            words.shrink_to_fit();
            Array::Heap(words)
        });
        Self { bits: column.bits(), rows: words[0].len(), words, owners, lists: None }
    }

    /// A column of a file: `rows` distinct bodies of `bits` bits. `form` is that of its lists, if it has some.
    pub fn read(
        bits: u16,
        rows: usize,
        form: Option<ListForm>,
        sections: &mut Sections<'_>,
    ) -> Result<Self, SealError> {
        let mut words: [Array<u64>; WORDS_MAX] = Default::default();
        for words in &mut words[..word_count(bits)] {
            *words = sections.next_for(Purpose::Words, rows)?;
        }
        let owners = Owners::read(rows, sections)?;
        let lists = form.map(|form| Lists::read(bits, rows, form, sections)).transpose()?;
        Ok(Self { bits, rows, words, owners, lists })
    }

    /// Calls `each` with the bytes of each array, in the order in which they are in a file. For tests.
    pub fn for_each_array<'a>(&'a self, each: &mut dyn FnMut(&'a [u8])) {
        self.words[..word_count(self.bits)]
            .iter()
            .for_each(|words| each(bytemuck::cast_slice(words)));
        self.owners.for_each_array(each);
        self.lists.iter().for_each(|lists| lists.for_each_array(each));
    }

    /// Adds lists.
    pub fn with_lists(self, lists: Lists) -> Self {
        Self { lists: Some(lists), ..self }
    }

    /// Length of the bodies in bits.
    pub fn bits(&self) -> u16 {
        self.bits
    }

    /// Number of distinct bodies.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of owners: as many as there were live rows.
    pub fn owned(&self) -> usize {
        self.owners.count()
    }

    /// The lists, if they are built.
    pub fn lists(&self) -> Option<&Lists> {
        self.lists.as_ref()
    }

    /// The first `count` words of the rows from `start` up to `end`.
    pub fn columns(&self, count: usize, start: usize, end: usize) -> Columns<'_> {
        let mut columns: [&[u64]; WORDS_MAX] = [&[]; WORDS_MAX];
        for (column, words) in columns.iter_mut().zip(&self.words[..count]) {
            *column = &words[start..end];
        }
        Columns::new(&columns[..count])
    }

    /// Body of a row.
    pub fn body(&self, row: usize) -> Body {
        let mut words = [0; WORDS_MAX];
        for (word, column) in words.iter_mut().zip(&self.words[..word_count(self.bits)]) {
            *word = column[row];
        }
        Body::from_words(words, self.bits)
    }

    /// A word of a row.
    pub fn word(&self, row: usize, word: usize) -> u64 {
        self.words[word][row]
    }

    /// Owners of a row, ascending.
    pub fn owners(&self, row: usize) -> &[O] {
        self.owners.of(row)
    }

    /// All bodies with each of their owners, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (Body, O)> + '_ {
        (0..self.rows).flat_map(|row| {
            let body = self.body(row);
            self.owners(row).iter().map(move |&owner| (body, owner))
        })
    }

    /// Memory in bytes, without the lists.
    pub fn memory_bytes(&self) -> usize {
        self.words.iter().map(Array::bytes).sum::<usize>() + self.owners.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bodies_are_one_row_with_all_live_slots() {
        let mut column = Column::new(72);
        let body = |first: u8, last: u8| Body::new(&[first, 0, 0, 0, 0, 0, 0, 1, last]).unwrap();
        let bodies = [body(7, 1), body(3, 9), body(7, 1), body(7, 0), body(3, 9), body(7, 1)];
        for (slot, body) in bodies.iter().enumerate() {
            column.push(body, slot as u32);
        }
        let frozen = FrozenColumn::new(&column, |slot| slot != 4);
        let rows: Vec<(Body, Vec<u32>)> =
            (0..frozen.rows()).map(|row| (frozen.body(row), frozen.owners(row).to_vec())).collect();
        let expected = [(body(3, 9), vec![1]), (body(7, 0), vec![3]), (body(7, 1), vec![0, 2, 5])];
        assert_eq!(rows, expected);
        assert_eq!((frozen.owned(), frozen.iter().count()), (5, 5));
        assert_eq!(FrozenColumn::new(&column, |_| false).rows(), 0);
    }
}
