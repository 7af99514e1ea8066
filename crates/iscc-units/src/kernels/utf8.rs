//! Reads and writes UTF-8 without repeating the checks of `&str`.

use crate::kernels::table::Short;

/// The character of `text` that starts at byte `at`, and its length in bytes.
///
/// # Safety
/// `at` is less than `text.len()` and a character boundary.
#[inline(always)]
pub(super) unsafe fn decode(text: &str, at: usize) -> (u32, usize) {
    // SAFETY: a character starts at `at`, so all bytes that its lead byte implies exist.
    let byte = |k: usize| u32::from(unsafe { *text.as_bytes().get_unchecked(at + k) });
    let rest = |k: usize| byte(k) & 0x3F;
    match byte(0) {
        lead @ 0..0x80 => (lead, 1),
        lead @ 0x80..0xE0 => ((lead & 0x1F) << 6 | rest(1), 2),
        lead @ 0xE0..0xF0 => ((lead & 0x0F) << 12 | rest(1) << 6 | rest(2), 3),
        lead => ((lead & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3), 4),
    }
}

/// The character at the start of `bytes` if it has two or three bytes, otherwise `None`.
#[inline(always)]
pub(super) fn decode_two_or_three(bytes: [u8; 4]) -> Option<(u32, Short)> {
    let [lead, second, third, _] = bytes.map(u32::from);
    match lead {
        0xE0..0xF0 => {
            let c = (lead & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F;
            Some((c, Short { bytes, len: 3 }))
        }
        0xC0..0xE0 => Some(((lead & 0x1F) << 6 | second & 0x3F, Short { bytes, len: 2 })),
        _ => None,
    }
}

/// Bytes of the character with this lead byte.
#[inline(always)]
pub(super) const fn width(lead: u8) -> usize {
    match lead {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

/// A text that grows by whole registers: a store may write more bytes than it counts, and the next
/// store overwrites these.
///
/// Invariants: the bytes are UTF-8 whenever a character is complete. There is room for an unchanged
/// copy of the remaining input plus [`Output::WIDEST`] bytes.
pub(super) struct Output {
    bytes: Vec<u8>,
}

impl Output {
    /// Maximum number of bytes that a store writes after those it counts.
    pub(super) const WIDEST: usize = 64;

    /// An empty text with room for an input of `input` bytes.
    pub(super) fn for_input(input: usize) -> Self {
        Self { bytes: Vec::with_capacity(input + Self::WIDEST) }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text from byte `at`, which must be a character boundary.
    pub(super) fn text_from(&self, at: usize) -> &str {
        // SAFETY: the bytes are UTF-8 (invariant), and `split_at` panics if `at` is not a boundary.
        unsafe { std::str::from_utf8_unchecked(&self.bytes) }.split_at(at).1
    }

    /// Pointer to the end, where at least `WIDEST` bytes may be written.
    #[inline(always)]
    pub(super) fn end(&mut self) -> *mut u8 {
        self.bytes.spare_capacity_mut().as_mut_ptr().cast()
    }

    /// Counts `more` bytes that were written at [`Output::end`].
    ///
    /// # Safety
    /// The bytes are written, are complete characters, and are at most as many as taken from the
    /// input.
    #[inline(always)]
    pub(super) unsafe fn advance(&mut self, more: usize) {
        // SAFETY: the caller has written them, and there is room for them (invariant).
        unsafe { self.bytes.set_len(self.bytes.len() + more) };
    }

    /// Appends a text that replaces a character of the input and is not longer.
    #[inline(always)]
    pub(super) fn push_short(&mut self, text: Short) {
        // SAFETY: there is room for `WIDEST` bytes and more (invariant). The text is not longer
        // than what it replaces, so there is still room for the remaining input.
        unsafe {
            self.end().cast::<[u8; 4]>().write_unaligned(text.bytes);
            self.advance(text.len);
        }
    }

    /// Appends a text of any length. `left` is the length of the remaining input in bytes.
    #[inline]
    pub(super) fn push_text(&mut self, text: &str, left: usize) {
        self.bytes.reserve(text.len() + left + Self::WIDEST);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Removes everything from byte `at`, which must be a character boundary.
    pub(super) fn truncate(&mut self, at: usize) {
        self.bytes.truncate(at);
    }

    /// The complete text.
    pub(super) fn into_string(self) -> String {
        // SAFETY: only whole characters of the input and whole texts were appended (invariant).
        unsafe { String::from_utf8_unchecked(self.bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_every_character_like_the_standard_library() {
        for c in '\0'..=char::MAX {
            let text = c.encode_utf8(&mut [0; 4]).to_owned();
            // SAFETY: 0 is a boundary of a text that is not empty.
            let (code_point, length) = unsafe { decode(&text, 0) };
            assert_eq!((code_point, length), (u32::from(c), c.len_utf8()));
            assert_eq!(width(text.as_bytes()[0]), c.len_utf8());
        }
    }
}
