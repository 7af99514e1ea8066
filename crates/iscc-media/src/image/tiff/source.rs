//! The bytes of a TIFF file as the decoder reads them. Changed tags let it read layouts that it does
//! not know as ones that it knows.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use ::tiff::tags::{ByteOrder, Tag};

/// Type of a field of 32 bits.
const LONG: u16 = 4;

/// A file with changed tags of its first directory.
pub struct Source<'a> {
    file: Cursor<&'a [u8]>,
    /// Bytes that replace those of the file, and where they are.
    changes: Vec<(u64, Vec<u8>)>,
    /// Whether to reverse the bits of each byte.
    pub is_mirrored: bool,
}

impl<'a> Source<'a> {
    /// The file as it is.
    pub fn new(file: &'a [u8]) -> Self {
        Self { file: Cursor::new(file), changes: Vec::new(), is_mirrored: false }
    }

    /// The file with another value of a tag in the directory at `directory`. A tag that the directory
    /// does not have is not added.
    pub fn with(mut self, directory: u64, order: ByteOrder, tag: Tag, value: u32) -> Self {
        let file: &[u8] = self.file.get_ref();
        if let Some(at) = entry(file, directory, order, tag) {
            let number = Number(order);
            let field = if is_big(file, order) {
                [&number.bytes16(LONG)[..], &number.bytes64(1), &number.bytes32(value)].concat()
            } else {
                [&number.bytes16(LONG)[..], &number.bytes32(1), &number.bytes32(value)].concat()
            };
            self.changes.push((at as u64 + 2, field));
        }
        self
    }
}

/// Whether the offsets of the file have 64 bits.
fn is_big(file: &[u8], order: ByteOrder) -> bool {
    Number(order).read(file, 2, 2) == Some(43)
}

/// Position of a tag's entry in a directory.
fn entry(file: &[u8], directory: u64, order: ByteOrder, tag: Tag) -> Option<usize> {
    let number = Number(order);
    let (count_bytes, entry_bytes) = if is_big(file, order) { (8, 20) } else { (2, 12) };
    let start = usize::try_from(directory).ok()?;
    let count = usize::try_from(number.read(file, start, count_bytes)?).ok()?;
    let entries = file.get(start.checked_add(count_bytes)?..)?;
    let is_found = |entry: &[u8]| number.read(entry, 0, 2) == Some(u64::from(tag.to_u16()));
    let index = entries.chunks_exact(entry_bytes).take(count).position(is_found)?;
    Some(start + count_bytes + index * entry_bytes)
}

/// Numbers in the byte order of the file.
pub struct Number(pub ByteOrder);

impl Number {
    fn read(&self, bytes: &[u8], at: usize, length: usize) -> Option<u64> {
        let bytes = bytes.get(at..at.checked_add(length)?)?;
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(match self.0 {
            ByteOrder::LittleEndian => bytes.iter().rev().fold(0, add),
            ByteOrder::BigEndian => bytes.iter().fold(0, add),
        })
    }

    pub fn bytes16(&self, value: u16) -> [u8; 2] {
        match self.0 {
            ByteOrder::LittleEndian => value.to_le_bytes(),
            ByteOrder::BigEndian => value.to_be_bytes(),
        }
    }

    pub fn bytes32(&self, value: u32) -> [u8; 4] {
        match self.0 {
            ByteOrder::LittleEndian => value.to_le_bytes(),
            ByteOrder::BigEndian => value.to_be_bytes(),
        }
    }

    pub fn bytes64(&self, value: u64) -> [u8; 8] {
        match self.0 {
            ByteOrder::LittleEndian => value.to_le_bytes(),
            ByteOrder::BigEndian => value.to_be_bytes(),
        }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let start = self.file.position();
        let count = self.file.read(bytes)?;
        for (at, change) in &self.changes {
            for (position, byte) in (*at..).zip(change) {
                let index =
                    position.checked_sub(start).and_then(|index| usize::try_from(index).ok());
                if let Some(target) = index.and_then(|index| bytes[..count].get_mut(index)) {
                    *target = *byte;
                }
            }
        }
        if self.is_mirrored {
            bytes[..count].iter_mut().for_each(|byte| *byte = byte.reverse_bits());
        }
        Ok(count)
    }
}

impl Seek for Source<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}
