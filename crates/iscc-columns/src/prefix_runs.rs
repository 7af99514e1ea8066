//! Prefix lookup in sorted runs of bodies of one length.
//!
//! Run sizes double (logarithmic merging): an insertion costs a few copies on average, and a lookup visits a handful
//! of runs. Clones share the runs.

use std::sync::Arc;

use bytemuck::Pod;

use crate::array::Array;
use crate::column::{Body, word_count, word_mask};

/// Maximum number of unsorted rows. A lookup reads them one by one.
const TAIL_ROWS: usize = 512;

/// Each guess leaves about the square root of the error of the one before: 10^4, 10^2 and 10 of 10^8 rows.
const GUESSES: usize = 3;
/// Below, a single guess is near enough.
const GUESS_ROWS_MIN: usize = 256;

/// A growing set of bodies of equal length, each with a payload.
#[derive(Debug, Clone)]
pub struct PrefixRuns<P: Pod> {
    bits: u16,
    /// Sorted, longest first.
    runs: Vec<Arc<Run<P>>>,
    tail: Arc<Run<P>>,
}

impl<P: Pod> PrefixRuns<P> {
    /// An empty set of bodies of `bits` bits.
    pub fn new(bits: u16) -> Self {
        Self { bits, runs: Vec::new(), tail: Arc::new(Run::new(bits)) }
    }

    /// Length of the bodies in bits.
    pub fn bits(&self) -> u16 {
        self.bits
    }

    /// The rows of a file, in order: `words` are those of all rows, row by row.
    pub fn from_sorted(bits: u16, words: Array<u64>, payload: Array<P>) -> Self {
        let run = Run { width: word_count(bits), words, payload };
        Self { runs: vec![Arc::new(run)], ..Self::new(bits) }
    }

    /// All rows in order: their words, row by row, and their payloads.
    pub fn to_sorted(&self) -> (Array<u64>, Array<P>) {
        if let ([run], 0) = (&self.runs[..], self.tail.rows()) {
            return (run.words.clone(), run.payload.clone());
        }
        let shortest_first = self.runs.iter().rev();
        let all = shortest_first.fold(self.tail.sorted(), |all, run| run.merged(&all));
        (all.words, all.payload)
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If the body's length differs from the set's.
    pub fn push(&mut self, body: &Body, payload: P) {
        assert_eq!(body.bits(), self.bits, "body has the wrong length");
        Arc::make_mut(&mut self.tail).push(&body.words()[..word_count(self.bits)], payload);
        if self.tail.rows() >= TAIL_ROWS {
            let mut run = self.tail.sorted();
            self.tail = Arc::new(Run::new(self.bits));
            while let Some(last) = self.runs.last()
                && last.rows() <= run.rows()
            {
                run = last.merged(&run);
                self.runs.pop();
            }
            self.runs.push(Arc::new(run));
        }
    }

    /// Calls `found` with the payload of every row that starts with `prefix`.
    ///
    /// A prefix longer than the rows matches none.
    pub fn starting_with(&self, prefix: &Body, mut found: impl FnMut(P)) {
        if prefix.bits() > self.bits {
            return;
        }
        for run in &self.runs {
            let start = run.first_not_below(prefix);
            for row in start..run.rows() {
                if !run.begins_with(row, prefix) {
                    break;
                }
                found(run.payload[row]);
            }
        }
        for row in 0..self.tail.rows() {
            if self.tail.begins_with(row, prefix) {
                found(self.tail.payload[row]);
            }
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.runs.iter().chain(std::iter::once(&self.tail)).map(|run| run.rows()).sum()
    }

    /// All rows, in undefined order.
    pub fn iter(&self) -> impl Iterator<Item = (Body, P)> + '_ {
        let runs = self.runs.iter().chain(std::iter::once(&self.tail));
        runs.flat_map(move |run| {
            (0..run.rows()).map(move |row| (run.body(row, self.bits), run.payload[row]))
        })
    }

    /// Memory of the rows in bytes.
    pub fn memory_bytes(&self) -> usize {
        let runs = self.runs.iter().chain(std::iter::once(&self.tail));
        runs.map(|run| run.words.bytes() + run.payload.bytes()).sum()
    }
}

#[derive(Debug, Clone)]
struct Run<P: Pod> {
    width: usize,
    /// `width` words per row.
    words: Array<u64>,
    payload: Array<P>,
}

impl<P: Pod> Run<P> {
    fn new(bits: u16) -> Self {
        Self { width: word_count(bits), words: Array::default(), payload: Array::default() }
    }

    fn with_capacity(width: usize, rows: usize) -> Self {
        Self {
            width,
            words: Vec::with_capacity(rows * width).into(),
            payload: Vec::with_capacity(rows).into(),
        }
    }

    fn rows(&self) -> usize {
        self.payload.len()
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.width..(row + 1) * self.width]
    }

    fn body(&self, row: usize, bits: u16) -> Body {
        let bytes: Vec<u8> = self.row(row).iter().flat_map(|word| word.to_be_bytes()).collect();
        let length = usize::from(bits) / 8;
        // Every run is created with a valid body length.
        Body::new(&bytes[..length]).expect("a valid body length")
    }

    fn push(&mut self, words: &[u64], payload: P) {
        self.words.to_mut().extend_from_slice(words);
        self.payload.to_mut().push(payload);
    }

    fn sorted(&self) -> Self {
        let mut order: Vec<usize> = (0..self.rows()).collect();
        order.sort_by(|&a, &b| self.row(a).cmp(self.row(b)));
        let mut sorted = Self::with_capacity(self.width, self.rows());
        for row in order {
            sorted.push(self.row(row), self.payload[row]);
        }
        sorted
    }

    fn merged(&self, other: &Self) -> Self {
        let mut merged = Self::with_capacity(self.width, self.rows() + other.rows());
        let (mut a, mut b) = (0, 0);
        while a < self.rows() && b < other.rows() {
            if self.row(a) <= other.row(b) {
                merged.push(self.row(a), self.payload[a]);
                a += 1;
            } else {
                merged.push(other.row(b), other.payload[b]);
                b += 1;
            }
        }
        let (words, payload) = (merged.words.to_mut(), merged.payload.to_mut());
        words.extend_from_slice(&self.words[a * self.width..]);
        payload.extend_from_slice(&self.payload[a..]);
        words.extend_from_slice(&other.words[b * self.width..]);
        payload.extend_from_slice(&other.payload[b..]);
        merged
    }

    /// First row that is not less than `prefix`. Unused bits of a prefix are zero.
    fn first_not_below(&self, prefix: &Body) -> usize {
        let wanted = &prefix.words()[..self.width];
        let is_below = |row: usize| match wanted {
            [wanted] => self.words[row] < *wanted,
            wanted => self.row(row) < wanted,
        };
        let (mut low, mut high) = self.bounds(self.guess(wanted[0]), is_below);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_below(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// A row near those whose first word is `word`, if words are evenly distributed, as those of hashes are. Each guess
    /// reads one row; a bisection of 10^8 rows would read 27, most of them from memory that no cache has.
    fn guess(&self, word: u64) -> usize {
        let rows = self.rows();
        let scaled = |word: u64| ((u128::from(word) * rows as u128) >> 64) as usize;
        let mut row = scaled(word);
        if rows < GUESS_ROWS_MIN {
            return row;
        }
        for _ in 1..GUESSES {
            let found = self.words[row * self.width];
            let distance = scaled(word.abs_diff(found));
            row = if found < word {
                rows.min(row + distance + 1) - 1
            } else {
                row.saturating_sub(distance)
            };
        }
        row
    }

    /// Rows between which the first one is that is not below, if that is near `row`: few are read.
    fn bounds(&self, row: usize, is_below: impl Fn(usize) -> bool) -> (usize, usize) {
        let rows = self.rows();
        let (mut low, mut high, mut step) = (row, row, 1);
        if row < rows && is_below(row) {
            while high < rows && is_below(high) {
                low = high + 1;
                high = rows.min(low + step);
                step *= 2;
            }
        } else {
            while low > 0 && !is_below(low - 1) {
                high = low - 1;
                low = high.saturating_sub(step);
                step *= 2;
            }
        }
        (low, high)
    }

    fn begins_with(&self, row: usize, prefix: &Body) -> bool {
        let words = self.row(row);
        (0..word_count(prefix.bits())).all(|index| {
            (words[index] ^ prefix.words()[index]) & word_mask(prefix.bits(), index) == 0
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_the_same_rows_as_a_linear_search(
            seeds in prop::collection::vec(0u8..6, 1..3000),
            query in prop::collection::vec(0u8..6, 1..=12),
        ) {
            let mut runs = PrefixRuns::new(96);
            let mut rows = Vec::new();
            for (number, &seed) in seeds.iter().enumerate() {
                let bytes: Vec<u8> =
                    (0..12).map(|i| (usize::from(seed) * 7 + number * i) as u8 % 6).collect();
                runs.push(&Body::new(&bytes).unwrap(), number);
                rows.push(bytes);
            }
            for query in [&query[..], &rows[rows.len() / 2][..query.len()]] {
                let mut found = Vec::new();
                runs.starting_with(&Body::new(query).unwrap(), |row| found.push(row));
                found.sort_unstable();
                let expected: Vec<usize> =
                    (0..rows.len()).filter(|&row| rows[row].starts_with(query)).collect();
                prop_assert_eq!(found, expected);
            }
            prop_assert_eq!(runs.iter().count(), rows.len());
        }
    }

    #[test]
    fn finds_spread_crowded_and_uneven_rows() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state
        };
        let mut words: Vec<u64> = (0..20_000).map(|_| random()).collect();
        words.extend((0..5000).map(|number| 7 << 40 | number));
        words.extend([u64::MAX / 3; 3000]);
        words.extend([0, 0, u64::MAX, u64::MAX]);
        let mut runs = PrefixRuns::new(64);
        words.iter().for_each(|word| runs.push(&body(*word), *word));
        let found = |query: u64| {
            let mut found = 0;
            runs.starting_with(&body(query), |word| found += usize::from(word == query));
            found
        };
        for (number, &word) in words.iter().enumerate().step_by(17) {
            let expected = words.iter().filter(|&&other| other == word).count();
            assert_eq!(found(word), expected, "{number}");
        }
        assert_eq!((found(0), found(u64::MAX), found(1)), (2, 2, 0));
    }

    fn body(word: u64) -> Body {
        Body::new(&word.to_be_bytes()).unwrap()
    }
}
