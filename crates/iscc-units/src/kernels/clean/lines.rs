//! Lines of a text that is being cleaned: breaks become `\n`, runs of blank lines one empty line.

use crate::kernels::utf8::Output;
use crate::text::table::Short;

/// Where the current line starts, and what came before it.
pub(super) struct Lines {
    start: usize,
    /// The line before was blank, or there is none: another blank one is left out.
    after_blank: bool,
    /// The last break was a carriage return, and nothing was written since.
    after_return: bool,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self { start: 0, after_blank: true, after_return: false }
    }

    /// Something was written to the current line.
    #[inline(always)]
    pub(super) fn content(&mut self) {
        self.after_return = false;
    }

    /// A line break is next. A line feed right after a carriage return belongs to it, whatever
    /// was dropped between them.
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
            // It takes the place of a line break in the input, which has one byte at least.
            out.push_short(Short { bytes: [b'\n', 0, 0, 0], len: 1 });
            self.start = out.len();
        }
        self.after_blank = blank;
    }

    /// The input is over: a blank last line goes, with the breaks before it.
    pub(super) fn finish(self, out: &mut Output) {
        if is_blank(&out.bytes()[self.start..]) {
            out.truncate(self.start);
        }
    }
}

/// Whitespace only? After NFKC and without control characters there are two kinds of it left in a
/// line: the space and the Ogham space mark (U+1680).
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
    use crate::text::table::{Action, CLEAN};

    #[test]
    fn no_other_whitespace_is_left_in_a_line() {
        for c in ('\0'..=char::MAX).filter(|c| c.is_whitespace()) {
            let dropped =
                matches!(CLEAN.action(CLEAN.entry(c.into())), Action::Drop | Action::Special);
            let composed: String = [c].into_iter().nfkc().collect();
            assert!(dropped || is_blank(composed.as_bytes()), "{c:?}");
        }
    }
}
