//! Random changes of inputs, decided by a seed.

/// A generator of random numbers (xorshift64*).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`, which is at least 1.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32;
        number as usize % end.max(1)
    }
}

/// Values at which parsers change their minds: lengths, offsets and counts.
const NUMBERS: [u32; 10] =
    [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF];

/// A copy with up to four changes: bits, numbers, pieces that are removed, repeated or taken from `other`.
pub fn mutated(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=random.below(4) {
        change(&mut bytes, other, random);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(7) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
        1 if !bytes.is_empty() => bytes[at] = random.below(256) as u8,
        2 => {
            let number = NUMBERS[random.below(NUMBERS.len())];
            let number =
                if random.below(2) == 0 { number.to_be_bytes() } else { number.to_le_bytes() };
            let width = [1, 2, 4][random.below(3)];
            for (byte, new) in bytes.iter_mut().skip(at).zip(&number[4 - width..]) {
                *byte = *new;
            }
        }
        3 => bytes.truncate(at),
        4 => {
            let end = (at + 1 + random.below(64)).min(bytes.len());
            bytes.drain(at.min(end)..end);
        }
        5 => {
            let end = (at + 1 + random.below(256)).min(bytes.len());
            let piece = bytes[at.min(end)..end].to_vec();
            bytes.splice(at.min(end)..at.min(end), piece);
        }
        _ => {
            let from = random.below(other.len());
            let piece = &other[from..(from + 1 + random.below(64)).min(other.len())];
            bytes.splice(at.min(bytes.len())..at.min(bytes.len()), piece.iter().copied());
        }
    }
}
