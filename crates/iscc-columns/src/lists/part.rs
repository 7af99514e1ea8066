//! The parts of bodies that are keys.

use super::ListForm;
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
    pub fn all(bits: u16, form: ListForm) -> Vec<(Self, bool)> {
        let has_long_keys = form.has_long_keys && bits > 64;
        let per_word = if form.is_first_only { 1 } else { usize::MAX };
        let with_words = of_word(0, &SHORT).take(per_word).map(|part| (part, true));
        let mut parts: Vec<(Self, bool)> = with_words.collect();
        let widths = if has_long_keys { &LONG[..] } else { &SHORT[..] };
        // With short keys, or one list per word, the lists with words are enough for the first word.
        let first = usize::from(!has_long_keys || form.is_first_only);
        for word in first..WORDS_MAX {
            parts.extend(of_word(word, widths).take(per_word).map(|part| (part, false)));
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

    const fn form(has_long_keys: bool, is_first_only: bool) -> ListForm {
        ListForm { has_long_keys, is_first_only }
    }

    const FORMS: [ListForm; 4] =
        [form(false, false), form(true, false), form(false, true), form(true, true)];

    #[test]
    fn parts_do_not_overlap_and_do_not_cross_words() {
        for bits in (32..=256).step_by(32) {
            for form in FORMS {
                for with_words in [false, true] {
                    let parts = Part::all(bits, form);
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
        let [short, long, first, first_long] = FORMS;
        assert_eq!(Part::all(256, short).len(), 16);
        assert_eq!(Part::all(256, long).len(), 16);
        assert_eq!(Part::all(96, long).len(), 4 + 3 + 1);
        assert_eq!(Part::all(32, long).len(), 2);
        assert_eq!([first, first_long].map(|form| Part::all(256, form).len()), [4, 4]);
        assert_eq!(Part::all(64, first_long).len(), 1);
        let last = Part::all(64, long)[3].0;
        assert_eq!((last.key(0xabcd), last.keys()), (0xabcd, 65_536));
    }
}
