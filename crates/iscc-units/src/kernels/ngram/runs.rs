//! Runs of characters of the same width.

use crate::kernels::utf8;

/// Consecutive characters with the same number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Bytes per character.
    pub(super) width: usize,
    pub(super) characters: usize,
}

impl Run {
    /// The run that starts at byte `start` of a text, which is before its end.
    #[inline(always)]
    pub(super) fn at(text: &[u8], start: usize) -> Self {
        let rest = &text[start..];
        let width = utf8::width(rest[0]);
        let characters = match width {
            1 => ascii(rest),
            2 => count::<2>(rest, 0xE0, 0xC0),
            3 => count::<3>(rest, 0xF0, 0xE0),
            _ => count::<4>(rest, 0xF8, 0xF0),
        };
        Self { width, characters }
    }

    pub(super) const fn bytes(self) -> usize {
        self.width * self.characters
    }
}

/// Number of ASCII bytes at the start, tested eight at a time.
#[inline(always)]
fn ascii(text: &[u8]) -> usize {
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let (words, _) = text.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let high = u64::from_le_bytes(*word) & HIGH;
        if high != 0 {
            return 8 * i + high.trailing_zeros() as usize / 8;
        }
    }
    let done = 8 * words.len();
    done + text[done..].iter().take_while(|byte| byte.is_ascii()).count()
}

/// Number of characters of `WIDTH` bytes at the start, detected by their lead bytes.
#[inline(always)]
fn count<const WIDTH: usize>(text: &[u8], mask: u8, lead: u8) -> usize {
    text.as_chunks::<WIDTH>().0.iter().take_while(|bytes| bytes[0] & mask == lead).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_where_the_width_changes() {
        for (text, width, characters) in [
            ("abcdefghijklmnopqé", 1, 17),
            ("ab", 1, 2),
            ("éàx", 2, 2),
            ("中文字x", 3, 3),
            ("中文😀", 3, 2),
            ("😀😁中", 4, 2),
        ] {
            assert_eq!(Run::at(text.as_bytes(), 0), Run { width, characters }, "{text}");
        }
    }
}
