//! The first directory of a file, read beside the decoder. Changed tags let the decoder read layouts
//! that it does not know as ones that it knows.

use std::ops::Range;

use ::tiff::tags::{ByteOrder, Tag};

/// Bytes that replace those of a file, and where they are.
pub type Change = (u64, Vec<u8>);

/// Types of unsigned fields.
mod kind {
    pub const BYTE: u64 = 1;
    pub const SHORT: u64 = 3;
    pub const LONG: u64 = 4;
    pub const LONG8: u64 = 16;
}

/// The first directory.
#[derive(Clone, Copy)]
pub struct Directory<'a> {
    file: &'a [u8],
    number: Number,
    /// Whether counts and offsets have 64 bits.
    is_big: bool,
    entries_at: usize,
    entries: usize,
}

/// A tag with unsigned values.
struct Entry {
    at: usize,
    kind: u64,
    value_bytes: usize,
    values_at: usize,
    values: usize,
}

impl<'a> Directory<'a> {
    /// `None` if the file has none.
    pub fn first(file: &'a [u8]) -> Option<Self> {
        let number = Number(match file.get(..2)? {
            b"II" => ByteOrder::LittleEndian,
            b"MM" => ByteOrder::BigEndian,
            _ => return None,
        });
        let is_big = number.read(file, 2, 2)? == 43;
        let at = if is_big { number.read(file, 8, 8)? } else { number.read(file, 4, 4)? };
        let at = usize::try_from(at).ok()?;
        let count_bytes = if is_big { 8 } else { 2 };
        let entries = usize::try_from(number.read(file, at, count_bytes)?).ok()?;
        Some(Self { file, number, is_big, entries_at: at.checked_add(count_bytes)?, entries })
    }

    /// The number of unsigned values of a tag; 0 without the tag.
    pub fn count(&self, tag: Tag) -> usize {
        self.entry(tag).map_or(0, |entry| entry.values)
    }

    /// The first value of a tag with unsigned values.
    pub fn value(&self, tag: Tag) -> Option<u64> {
        let entry = self.entry(tag).filter(|entry| entry.values > 0)?;
        self.number.read(self.file, entry.values_at, entry.value_bytes)
    }

    /// Gives a tag one other value. Does nothing if the directory does not have the tag.
    pub fn set(&self, tag: Tag, value: u32) -> Option<Change> {
        let at = self.entry_at(tag)?;
        Some(self.field(at, kind::LONG, 1, &self.number.bytes32(value)))
    }

    /// Leaves a tag only some of its values. Does nothing if it does not have them.
    pub fn keep(&self, tag: Tag, values: Range<usize>) -> Option<Change> {
        let entry = self.entry(tag).filter(|entry| values.end <= entry.values)?;
        let at = entry.values_at.checked_add(values.start * entry.value_bytes)?;
        let bytes = values.len() * entry.value_bytes;
        let field = if bytes <= self.field_bytes() {
            self.file.get(at..at.checked_add(bytes)?)?.to_vec()
        } else if self.is_big {
            self.number.bytes64(at as u64).to_vec()
        } else {
            self.number.bytes32(u32::try_from(at).ok()?).to_vec()
        };
        Some(self.field(entry.at, entry.kind, values.len(), &field))
    }

    /// Makes this the last directory. Others are not read, and may form a circle.
    pub fn without_next(&self) -> Option<Change> {
        let at = self.entries_at.checked_add(self.entries.checked_mul(self.entry_bytes())?)?;
        Some((at as u64, vec![0; self.field_bytes()]))
    }

    fn entry_bytes(&self) -> usize {
        if self.is_big { 20 } else { 12 }
    }

    /// Bytes of a value or offset in an entry.
    fn field_bytes(&self) -> usize {
        if self.is_big { 8 } else { 4 }
    }

    fn entry_at(&self, tag: Tag) -> Option<usize> {
        let is_found = |entry: &[u8]| self.number.read(entry, 0, 2) == Some(tag.to_u16().into());
        let entries = self.file.get(self.entries_at..)?.chunks_exact(self.entry_bytes());
        let index = entries.take(self.entries).position(is_found)?;
        Some(self.entries_at + index * self.entry_bytes())
    }

    fn entry(&self, tag: Tag) -> Option<Entry> {
        let at = self.entry_at(tag)?;
        let kind = self.number.read(self.file, at + 2, 2)?;
        let value_bytes = match kind {
            kind::BYTE => 1,
            kind::SHORT => 2,
            kind::LONG => 4,
            kind::LONG8 => 8,
            _ => return None,
        };
        let values =
            usize::try_from(self.number.read(self.file, at + 4, self.field_bytes())?).ok()?;
        let field_at = at + 4 + self.field_bytes();
        let values_at = if values.checked_mul(value_bytes)? <= self.field_bytes() {
            field_at
        } else {
            usize::try_from(self.number.read(self.file, field_at, self.field_bytes())?).ok()?
        };
        Some(Entry { at, kind, value_bytes, values_at, values })
    }

    /// Another content of the entry at `at`, without its tag.
    fn field(&self, at: usize, kind: u64, values: usize, field: &[u8]) -> Change {
        let mut bytes = self.number.bytes16(kind as u16).to_vec();
        if self.is_big {
            bytes.extend(self.number.bytes64(values as u64));
        } else {
            bytes.extend(self.number.bytes32(values as u32));
        }
        bytes.extend(field);
        bytes.resize(self.entry_bytes() - 2, 0);
        (at as u64 + 2, bytes)
    }
}

/// Numbers in the byte order of the file.
#[derive(Clone, Copy)]
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

#[cfg(test)]
mod tests {
    use super::super::tests::{gray, samples};

    #[test]
    fn directories_may_form_a_circle() {
        let mut file = gray(8, 1, 1, 1, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let next = file.len() - 8 - 4;
        file[next..next + 4].copy_from_slice(&8u32.to_le_bytes());
        assert_eq!(samples(&file), [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn more_bits_than_samples_are_ignored() {
        let mut file = gray(8, 1, 1, 1, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let entry = file.windows(4).position(|bytes| bytes == [2, 1, 3, 0]).unwrap();
        file[entry + 4..entry + 12].copy_from_slice(&[2, 0, 0, 0, 8, 0, 1, 0]);
        assert_eq!(samples(&file), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
