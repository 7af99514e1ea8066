//! The parts of bodies that are keys.

use crate::scan::WORDS_MAX;

/// Widths of the keys of a word.
const SHORT: [u16; 4] = [16; 4];
/// Widths in large columns, where buckets of shorter keys have too many rows.
const LONG: [u16; 3] = [21, 21, 22];

/// A range of bits within one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    word: usize,
    /// First bit within the word; the highest is 0.
    start: u16,
    bits: u16,
}

impl Part {
    /// The parts of bodies of `bits` bits: first those whose lists contain words.
    pub fn all(bits: u16, has_long_keys: bool) -> Vec<(Self, bool)> {
        let has_long_keys = has_long_keys && bits > 64;
        let mut parts: Vec<(Self, bool)> = of_word(0, &SHORT).map(|part| (part, true)).collect();
        let (first, widths) = if has_long_keys { (0, &LONG[..]) } else { (1, &SHORT[..]) };
        for word in first..WORDS_MAX {
            parts.extend(of_word(word, widths).map(|part| (part, false)));
        }
        parts.retain(|(part, _)| part.end() <= bits);
        parts
    }

    /// Key of a word, which must be word [`Part::word`] of a body.
    pub fn key(&self, word: u64) -> u32 {
        ((word << self.start) >> (64 - self.bits)) as u32
    }

    /// Position of the word.
    pub fn word(&self) -> usize {
        self.word
    }

    /// Number of bits.
    pub fn bits(&self) -> u16 {
        self.bits
    }

    /// Whether it is wider than the keys of small columns.
    pub fn is_long(&self) -> bool {
        self.bits > SHORT[0]
    }

    /// Number of keys.
    pub fn keys(&self) -> usize {
        1 << self.bits
    }

    /// Position after the last bit in the body.
    pub fn end(&self) -> u16 {
        self.word as u16 * 64 + self.start + self.bits
    }

    /// Whether ascending bodies have ascending keys.
    pub fn is_first(&self) -> bool {
        self.end() == self.bits
    }
}

fn of_word(word: usize, widths: &[u16]) -> impl Iterator<Item = Part> {
    let mut start = 0;
    widths.iter().map(move |&bits| {
        start += bits;
        Part { word, start: start - bits, bits }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_overlap_and_do_not_cross_words() {
        for bits in (32..=256).step_by(32) {
            for has_long_keys in [false, true] {
                for with_words in [false, true] {
                    let parts = Part::all(bits, has_long_keys);
                    let parts = parts.iter().filter(|(_, of)| *of == with_words);
                    let mut end = 0;
                    for (part, _) in parts {
                        let start = part.end() - part.bits();
                        assert!(start >= end && part.end() <= bits, "{part:?}");
                        assert_eq!(usize::from(start) / 64, usize::from(part.end() - 1) / 64);
                        end = part.end();
                    }
                }
            }
        }
        assert_eq!(Part::all(256, false).len(), 16);
        assert_eq!(Part::all(256, true).len(), 16);
        assert_eq!(Part::all(96, true).len(), 4 + 3 + 1);
        assert_eq!(Part::all(32, true).len(), 2);
        let last = Part::all(64, true)[3].0;
        assert_eq!((last.key(0xabcd), last.keys()), (0xabcd, 65_536));
    }
}
