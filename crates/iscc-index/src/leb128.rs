//! Encoding of records: unsigned LEB128 numbers, and length-prefixed bytes and texts.

/// Appends a number in the fewest bytes.
pub fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends bytes, prefixed with their length.
pub fn put_bytes(bytes: &mut Vec<u8>, value: &[u8]) {
    put_number(bytes, value.len() as u64);
    bytes.extend_from_slice(value);
}

/// Reads a record from start to end. Methods return `None` if the record ends too early.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Starts at a record's first byte.
    pub fn new(record: &'a [u8]) -> Self {
        Self { rest: record }
    }

    /// The bytes that were not read.
    pub fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Whether all bytes were read.
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    /// A number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Length-prefixed bytes.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = usize::try_from(self.number()?).ok()?;
        self.take(count)
    }

    /// A length-prefixed text. `None` also if it is not UTF-8.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn reads_what_was_written(numbers in prop::collection::vec(any::<u64>(), 0..8)) {
            let mut bytes = Vec::new();
            for &number in &numbers {
                put_number(&mut bytes, number >> (number % 64));
                put_bytes(&mut bytes, &number.to_be_bytes());
            }
            let mut cursor = Cursor::new(&bytes);
            for &number in &numbers {
                prop_assert_eq!(cursor.number(), Some(number >> (number % 64)));
                prop_assert_eq!(cursor.bytes(), Some(&number.to_be_bytes()[..]));
            }
            prop_assert!(cursor.is_at_end());
        }

        #[test]
        fn reading_any_bytes_terminates(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut cursor = Cursor::new(&bytes);
            while cursor.bytes().is_some() {}
            let _ = cursor.text();
        }
    }
}
