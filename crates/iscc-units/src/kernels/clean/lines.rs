//! Lines of cleaned text: line breaks become `\n`, runs of blank lines one empty line.

use crate::kernels::table::Short;
use crate::kernels::utf8::Output;

/// Start of the current line, and the state before it.
pub(super) struct Lines {
    start: usize,
    /// Whether the previous line is blank or missing, so that a blank line is omitted.
    after_blank: bool,
    /// Whether the last break was a carriage return without output since.
    after_return: bool,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self { start: 0, after_blank: true, after_return: false }
    }

    /// Records output to the current line.
    #[inline(always)]
    pub(super) fn content(&mut self) {
        self.after_return = false;
    }

    /// Processes a line break. A line feed right after a carriage return belongs to it, even if
    /// characters between them were removed.
    pub(super) fn end(&mut self, newline: u32, out: &mut Output) {
        if self.after_return && newline == u32::from('\n') {
            self.after_return = false;
            return;
        }
        self.after_return = newline == u32::from('\r');
        let blank = is_blank(&out.bytes()[self.start..]);
        if blank {
            out.truncate(self.start);
        }
        if !(blank && self.after_blank) {
            // It replaces a line break in the input, which has at least one byte.
            out.push_short(Short { bytes: [b'\n', 0, 0, 0], len: 1 });
            self.start = out.len();
        }
        self.after_blank = blank;
    }

    /// Ends the text: removes a blank last line and the breaks before it.
    pub(super) fn finish(self, out: &mut Output) {
        if is_blank(&out.bytes()[self.start..]) {
            out.truncate(self.start);
        }
    }
}

/// Whether the line is white space. After NFKC and without control characters, a line can only
/// contain the space and the Ogham space mark (U+1680).
fn is_blank(mut line: &[u8]) -> bool {
    loop {
        match line {
            [] => return true,
            [b' ', rest @ ..] | [0xE1, 0x9A, 0x80, rest @ ..] => line = rest,
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization;

    use super::is_blank;
    use crate::kernels::table::{Action, CLEAN};

    #[test]
    fn lines_have_no_other_white_space() {
        for c in ('\0'..=char::MAX).filter(|c| c.is_whitespace()) {
            let dropped =
                matches!(CLEAN.action(CLEAN.entry(c.into())), Action::Drop | Action::Special);
            let composed: String = [c].into_iter().nfkc().collect();
            assert!(dropped || is_blank(composed.as_bytes()), "{c:?}");
        }
    }
}
