//! Bit vectors of one type and length, stored column by column in blocks that snapshots share.

use std::sync::Arc;

use bytemuck::Pod;

use crate::scan::{Columns, WORDS_MAX};

/// Rows of a full block. Three of its word columns fit into a core's L2 cache next to other data.
pub const BLOCK_ROWS: usize = 4096;

/// Initial capacity of a block. It doubles until the block is full, so that small indexes stay small.
const BLOCK_ROWS_MIN: usize = 64;

/// A bit string of up to 256 bits. The first bit is the most significant bit of the first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Body {
    words: [u64; WORDS_MAX],
    bits: u16,
}

impl Body {
    /// No bits. Differs from every stored body.
    pub const EMPTY: Self = Self { words: [0; WORDS_MAX], bits: 0 };

    /// Takes 1 to 32 bytes; otherwise returns `None`.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() || bytes.len() > WORDS_MAX * 8 {
            return None;
        }
        let mut words = [0; WORDS_MAX];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
            let mut padded = [0; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            *word = u64::from_be_bytes(padded);
        }
        Some(Self { words, bits: bytes.len() as u16 * 8 })
    }

    /// A stored body of `bits` bits. The bits after them must be zero.
    pub fn from_words(words: [u64; WORDS_MAX], bits: u16) -> Self {
        Self { words, bits }
    }

    /// Length in bits, a multiple of 8.
    pub fn bits(&self) -> u16 {
        self.bits
    }

    /// The words. Bits after the length are zero.
    pub fn words(&self) -> &[u64; WORDS_MAX] {
        &self.words
    }

    /// The first `bits` bits.
    pub fn prefix(&self, bits: u16) -> Self {
        let bits = bits.min(self.bits);
        let mut words = [0; WORDS_MAX];
        for (index, word) in words.iter_mut().enumerate() {
            *word = self.words[index] & word_mask(bits, index);
        }
        Self { words, bits }
    }

    /// Number of bits that differ from another body of the same length.
    pub fn distance(&self, other: &Self) -> u32 {
        self.words.iter().zip(&other.words).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    /// The bytes, in order.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_be_bytes()).collect();
        bytes.truncate(usize::from(self.bits) / 8);
        bytes
    }
}

/// Mask of the bits of word `index` that belong to a prefix of `bits` bits.
pub fn word_mask(bits: u16, index: usize) -> u64 {
    match usize::from(bits).saturating_sub(index * 64) {
        0 => 0,
        1..64 => u64::MAX << (64 - (usize::from(bits) - index * 64)),
        _ => u64::MAX,
    }
}

/// Number of words that a prefix of `bits` bits touches.
pub fn word_count(bits: u16) -> usize {
    usize::from(bits).div_ceil(64)
}

/// A growing list of bodies of equal length, each with a payload. Clones share all full blocks.
#[derive(Debug, Clone)]
pub struct Column<P: Pod> {
    bits: u16,
    blocks: Vec<Arc<Block<P>>>,
    rows: usize,
}

impl<P: Pod> Column<P> {
    /// An empty column of bodies of `bits` bits.
    pub fn new(bits: u16) -> Self {
        Self { bits, blocks: Vec::new(), rows: 0 }
    }

    /// Length of the bodies in bits.
    pub fn bits(&self) -> u16 {
        self.bits
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Appends a row. Copies the last block first if a clone shares it.
    ///
    /// # Panics
    /// If the body's length differs from the column's.
    pub fn push(&mut self, body: &Body, payload: P) {
        assert_eq!(body.bits, self.bits, "body has the wrong length");
        if self.rows.is_multiple_of(BLOCK_ROWS) {
            self.blocks.push(Arc::new(Block::new(word_count(self.bits))));
        }
        let last = self.blocks.len() - 1;
        Arc::make_mut(&mut self.blocks[last]).push(&body.words, payload);
        self.rows += 1;
    }

    /// The blocks in row order. All but the last are full.
    pub fn blocks(&self) -> &[Arc<Block<P>>] {
        &self.blocks
    }

    /// Body of a row.
    pub fn body(&self, row: usize) -> Body {
        self.blocks[row / BLOCK_ROWS].body(row % BLOCK_ROWS, self.bits)
    }

    /// Payload of a row.
    pub fn payload(&self, row: usize) -> P {
        self.blocks[row / BLOCK_ROWS].payload(row % BLOCK_ROWS)
    }

    /// All rows, as body and payload.
    pub fn iter(&self) -> impl Iterator<Item = (Body, P)> + '_ {
        self.blocks.iter().flat_map(move |block| {
            (0..block.rows()).map(move |row| (block.body(row, self.bits), block.payload(row)))
        })
    }

    /// Memory of the rows in bytes.
    pub fn memory_bytes(&self) -> usize {
        let bytes = |block: &Arc<Block<P>>| {
            block.words.capacity() * size_of::<u64>() + block.payload.capacity() * size_of::<P>()
        };
        self.blocks.iter().map(bytes).sum()
    }
}

/// Up to [`BLOCK_ROWS`] rows.
#[derive(Debug)]
pub struct Block<P: Pod> {
    width: usize,
    /// `width` columns of `capacity` words each, one after the other.
    words: Vec<u64>,
    capacity: usize,
    payload: Vec<P>,
}

impl<P: Pod> Block<P> {
    fn new(width: usize) -> Self {
        Self {
            width,
            words: vec![0; width * BLOCK_ROWS_MIN],
            capacity: BLOCK_ROWS_MIN,
            payload: Vec::with_capacity(BLOCK_ROWS_MIN),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.payload.len()
    }

    /// The first `count` words of all rows, for the scan.
    pub fn columns(&self, count: usize) -> Columns<'_> {
        let mut columns: [&[u64]; WORDS_MAX] = [&[]; WORDS_MAX];
        for (index, column) in columns[..count].iter_mut().enumerate() {
            let start = index * self.capacity;
            *column = &self.words[start..start + self.rows()];
        }
        Columns::new(&columns[..count])
    }

    /// The payloads of all rows.
    pub fn payloads(&self) -> &[P] {
        &self.payload
    }

    /// Payload of a row.
    pub fn payload(&self, row: usize) -> P {
        self.payload[row]
    }

    /// Body of a row. The column knows its length.
    pub fn body(&self, row: usize, bits: u16) -> Body {
        let mut words = [0; WORDS_MAX];
        for (index, word) in words[..self.width].iter_mut().enumerate() {
            *word = self.words[index * self.capacity + row];
        }
        Body { words, bits }
    }

    fn push(&mut self, words: &[u64; WORDS_MAX], payload: P) {
        if self.payload.len() == self.capacity {
            *self = self.copy_with_capacity((self.capacity * 2).min(BLOCK_ROWS));
        }
        let row = self.payload.len();
        for (index, word) in words[..self.width].iter().enumerate() {
            self.words[index * self.capacity + row] = *word;
        }
        self.payload.push(payload);
    }

    fn copy_with_capacity(&self, capacity: usize) -> Self {
        let rows = self.rows();
        let mut words = vec![0; self.width * capacity];
        for index in 0..self.width {
            let from = index * self.capacity;
            let to = index * capacity;
            words[to..to + rows].copy_from_slice(&self.words[from..from + rows]);
        }
        let mut payload = Vec::with_capacity(capacity);
        payload.extend_from_slice(&self.payload);
        Self { width: self.width, words, capacity, payload }
    }
}

impl<P: Pod> Clone for Block<P> {
    fn clone(&self) -> Self {
        self.copy_with_capacity(self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_does_not_see_later_rows() {
        let mut column = Column::new(96);
        for number in 0..BLOCK_ROWS as u32 + 70 {
            let mut bytes = [7u8; 12];
            bytes[8..].copy_from_slice(&number.to_be_bytes());
            column.push(&Body::new(&bytes).unwrap(), number);
        }
        let snapshot = column.clone();
        column.push(&Body::new(&[1; 12]).unwrap(), 1);
        assert_eq!(snapshot.rows() + 1, column.rows());
        let rows: Vec<(Body, u32)> = snapshot.iter().collect();
        assert_eq!(rows.len(), snapshot.rows());
        for (number, (body, payload)) in rows.into_iter().enumerate() {
            assert_eq!(payload, number as u32);
            assert_eq!(body.to_bytes()[8..], (number as u32).to_be_bytes());
        }
        assert!(Arc::ptr_eq(&snapshot.blocks[0], &column.blocks[0]), "full blocks are shared");
    }

    #[test]
    fn a_prefix_may_end_inside_a_word() {
        let body = Body::new(&[0xff; 32]).unwrap();
        assert_eq!(body.prefix(96).words(), &[u64::MAX, u64::MAX << 32, 0, 0]);
        assert_eq!(body.prefix(96).to_bytes(), vec![0xff; 12]);
        assert_eq!(body.prefix(8).words()[0], 0xff << 56);
        assert_eq!(word_count(96), 2);
        assert!(Body::new(&[0; 33]).is_none() && Body::new(&[]).is_none());
    }
}
