//! A reader of bits, the highest of each byte first.

use super::PADDING;

/// Bytes that end with [`PADDING`] bytes, which belong to no frame.
pub struct Bits<'a> {
    bytes: &'a [u8],
    /// The next byte to load.
    next: usize,
    /// Loaded bits, the next one highest.
    cache: u64,
    /// Valid bits of the cache. Those below them are the bits that follow, or zero.
    valid: u32,
}

/// Bits that are valid after a refill.
const REFILLED: u32 = 56;

impl<'a> Bits<'a> {
    #[inline(always)]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, next: 0, cache: 0, valid: 0 }
    }

    /// Makes at least 56 bits valid. `None` behind the padding.
    #[inline(always)]
    fn refill(&mut self) -> Option<()> {
        let word =
            self.bytes.get(self.next..)?.first_chunk().map(|word| u64::from_be_bytes(*word))?;
        self.cache |= word >> self.valid;
        self.next += ((63 - self.valid) >> 3) as usize;
        self.valid |= REFILLED;
        Some(())
    }

    #[inline(always)]
    fn drop(&mut self, count: u32) {
        self.cache <<= count;
        self.valid -= count;
    }

    /// Reads up to 32 bits.
    #[inline(always)]
    pub fn read(&mut self, count: u32) -> Option<u32> {
        if self.valid < count {
            self.refill()?;
        }
        // Two steps, because a shift by 64 is undefined.
        let value = (self.cache >> 1 >> (63 - count)) as u32;
        self.drop(count);
        Some(value)
    }

    /// Reads a number of `count` bits in two's complement.
    #[inline(always)]
    pub fn signed(&mut self, count: u32) -> Option<i32> {
        let value = self.read(count)?;
        Some(if count == 0 { 0 } else { (value << (32 - count)) as i32 >> (32 - count) })
    }

    /// Counts zeros up to the next one, and reads both.
    #[inline(always)]
    pub fn zeros(&mut self) -> Option<u32> {
        let mut count = 0;
        loop {
            let zeros = self.cache.leading_zeros();
            if zeros < self.valid {
                self.drop(zeros);
                self.drop(1);
                return Some(count + zeros);
            }
            count += self.valid;
            self.cache = 0;
            self.valid = 0;
            self.refill()?;
        }
    }

    /// Reads a Rice code: a number of zeros and a one, then `parameter` bits.
    #[inline(always)]
    pub fn rice(&mut self, parameter: u32) -> Option<i32> {
        if self.valid < 32 {
            self.refill()?;
        }
        let zeros = self.cache.leading_zeros();
        let value = if zeros + 1 + parameter <= self.valid {
            let rest = self.cache << zeros << 1;
            let low = (rest >> 1 >> (63 - parameter)) as u32;
            self.drop(zeros + 1 + parameter);
            zeros << parameter | low
        } else {
            let high = self.zeros()?;
            let low = self.read(parameter)?;
            high.wrapping_shl(parameter) | low
        };
        Some((value >> 1) as i32 ^ -((value & 1) as i32))
    }

    /// Skips to the next whole byte, and returns how many bytes were read. `None` if they include
    /// the padding.
    pub fn align(&mut self) -> Option<usize> {
        self.drop(self.valid & 7);
        let read = self.next - (self.valid >> 3) as usize;
        (read + PADDING <= self.bytes.len()).then_some(read)
    }
}
