//! Reads numbers that are not aligned to bytes.

/// A cursor over bits, most significant bit of each byte first.
pub struct BitReader<'a> {
    bytes: &'a [u8],
    position: u64,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Number of unread bits.
    pub fn remaining(&self) -> u64 {
        8 * self.bytes.len() as u64 - self.position
    }

    /// Skips `bits`. With fewer bits left, returns `None` and does not move.
    pub fn skip(&mut self, bits: u64) -> Option<()> {
        if bits > self.remaining() {
            return None;
        }
        self.position += bits;
        Some(())
    }

    /// Reads `bits` (at most 32) as an unsigned number. With fewer bits left, returns `None` and
    /// does not move.
    pub fn take(&mut self, bits: u32) -> Option<u32> {
        debug_assert!(bits <= 32);
        let first = (self.position / 8) as usize;
        let offset = (self.position % 8) as u32;
        self.skip(u64::from(bits))?;
        // Offset and number span at most 39 bits, so five bytes suffice.
        let mut window = 0u64;
        for index in 0..5 {
            window = window << 8 | u64::from(self.bytes.get(first + index).copied().unwrap_or(0));
        }
        let value = window >> (40 - offset - bits);
        Some((value & ((1 << bits) - 1)) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_at_any_offset() {
        let mut reader = BitReader::new(&[0b1010_1100, 0xff, 0x00, 0x12, 0x34, 0x80]);
        assert_eq!(reader.take(3), Some(0b101));
        assert_eq!(reader.take(5), Some(0b01100));
        assert_eq!(reader.take(0), Some(0));
        assert_eq!(reader.skip(7), Some(()));
        assert_eq!(reader.take(32), Some(0x8009_1a40));
        assert_eq!(reader.remaining(), 1);
        assert_eq!(reader.take(2), None);
        assert_eq!(reader.skip(u64::MAX), None);
        assert_eq!(reader.take(1), Some(0));
        assert_eq!(reader.remaining(), 0);
    }
}
