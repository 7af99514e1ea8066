//! Strings of binary spreadsheets: 8 or 16 bits per character, continued over records.

use super::super::ole::{latin1, slice, u16_at, u32_at, utf16};
use super::kind;

/// Decodes `count` characters.
pub fn characters(bytes: &[u8], count: usize, is_wide: bool) -> Option<String> {
    let length = if is_wide { count.checked_mul(2)? } else { count };
    let bytes = bytes.get(..length)?;
    Some(if is_wide { utf16(bytes) } else { latin1(bytes) })
}

/// A string of `count` characters at `at`, where its flags are.
pub fn record_text(data: &[u8], at: usize, count: usize) -> Option<String> {
    let flags = *data.get(at)?;
    characters(data.get(at + 1..)?, count, flags & 1 == 1)
}

/// The phonetic text of a string ([MS-XLS] 2.5.86), if it has one.
fn reading_of(extension: &[u8]) -> Option<String> {
    const IS_PHONETIC: u16 = 1;
    const LENGTH: usize = 10;
    const TEXT: usize = 14;
    let length = usize::from(u16_at(extension, LENGTH)?);
    let reading = utf16(slice(extension, TEXT, length * 2)?);
    let is_read = u16_at(extension, 0)? == IS_PHONETIC && !reading.trim().is_empty();
    is_read.then_some(reading)
}

/// Reader of strings that continue over records, such as the table of shared strings.
pub struct Strings<'a> {
    stream: &'a [u8],
    /// Current position, and end of the current record.
    at: usize,
    end: usize,
}

impl<'a> Strings<'a> {
    /// Starts at the data of a record.
    pub fn new(stream: &'a [u8], record: usize) -> Self {
        let length = usize::from(u16_at(stream, record + 2).unwrap_or(0));
        Self { stream, at: record + 4, end: (record + 4 + length).min(stream.len()) }
    }

    /// All strings without white space around them, up to the first damaged one.
    pub fn read(mut self) -> Vec<String> {
        let count = u32_at(self.stream, self.at + 4).unwrap_or(0);
        self.at += 8;
        let mut strings = Vec::new();
        for _ in 0..count {
            match self.string() {
                Some(text) => strings.push(text.trim().to_owned()),
                None => break,
            }
        }
        strings
    }

    /// The string at the current position, with its length in two bytes.
    pub fn string(&mut self) -> Option<String> {
        const IS_WIDE: u8 = 1;
        const HAS_PHONETIC: u8 = 4;
        const HAS_RUNS: u8 = 8;
        let mut left = usize::from(u16::from_le_bytes(self.take::<2>()?));
        let [mut flags] = self.take::<1>()?;
        let runs = if flags & HAS_RUNS > 0 { u16::from_le_bytes(self.take::<2>()?) } else { 0 };
        let phonetic =
            if flags & HAS_PHONETIC > 0 { u32::from_le_bytes(self.take::<4>()?) } else { 0 };
        let mut text = String::new();
        loop {
            let is_wide = flags & IS_WIDE > 0;
            let width = if is_wide { 2 } else { 1 };
            let count = left.min((self.end - self.at) / width);
            text.push_str(&characters(&self.stream[self.at..self.end], count, is_wide)?);
            self.at += count * width;
            left -= count;
            if left == 0 {
                break;
            }
            // The rest is in the next record, with flags of its own.
            self.next_record()?;
            [flags] = self.take::<1>()?;
        }
        self.skip(usize::from(runs) * 4)?;
        let phonetic = self.bytes(phonetic as usize)?;
        if let Some(reading) = reading_of(&phonetic) {
            text.push(' ');
            text.push_str(&reading);
        }
        Some(text)
    }

    /// The next bytes, which may continue in other records.
    fn bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        while bytes.len() < count {
            if self.at >= self.end {
                self.next_record()?;
            }
            let part = self.stream.get(self.at..self.end)?;
            let part = &part[..part.len().min(count - bytes.len())];
            bytes.extend(part);
            self.at += part.len();
        }
        Some(bytes)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        if self.at >= self.end {
            self.next_record()?;
        }
        let bytes = slice(self.stream, self.at, N)?.try_into().ok()?;
        self.at += N;
        (self.at <= self.end).then_some(bytes)
    }

    fn skip(&mut self, mut count: usize) -> Option<()> {
        while count > self.end - self.at {
            count -= self.end - self.at;
            self.next_record()?;
        }
        self.at += count;
        Some(())
    }

    fn next_record(&mut self) -> Option<()> {
        if u16_at(self.stream, self.end)? != kind::CONTINUE {
            return None;
        }
        let length = usize::from(u16_at(self.stream, self.end + 2)?);
        self.at = self.end + 4;
        self.end = (self.at + length).min(self.stream.len());
        (self.at <= self.end).then_some(())
    }
}
