//! Input of the HTML tokenizer that bounds the tokenizer's recursion.
//!
//! html5gum 0.9 recurses once per double-quoted attribute of a tag: about 25,000 of them overflow a
//! stack of 8 MiB. An error of its reader unwinds it to its main loop. Where a double-quoted value is
//! about to be read, its state is complete: the next call continues as if nothing had happened.

use html5gum::{Readable, Reader, StringReader};

/// Double-quoted values between two [`Pause`]s. Each takes about 300 bytes of stack.
const QUOTED_VALUES_MAX: usize = 256;

/// Not a failure: call the tokenizer again.
#[derive(Debug, thiserror::Error)]
#[error("pause to unwind the stack")]
pub struct Pause;

/// Reads a string and fails with [`Pause`] once every [`QUOTED_VALUES_MAX`] double-quoted values.
pub struct PausingReader<'a> {
    html: StringReader<'a>,
    quoted_values: usize,
}

impl<'a> PausingReader<'a> {
    pub fn new(html: &'a str) -> Self {
        Self { html: html.to_reader(), quoted_values: 0 }
    }
}

/// Turns the error type of a reader that never fails into another.
fn infallible<T>(result: Result<T, std::convert::Infallible>) -> Result<T, Pause> {
    result.map_err(|never| match never {})
}

impl Reader for PausingReader<'_> {
    type Error = Pause;

    fn read_byte(&mut self) -> Result<Option<u8>, Pause> {
        infallible(self.html.read_byte())
    }

    fn try_read_string(&mut self, text: &[u8], case_sensitive: bool) -> Result<bool, Pause> {
        infallible(self.html.try_read_string(text, case_sensitive))
    }

    fn read_until<'b>(
        &'b mut self,
        needles: &[u8],
        buffer: &'b mut [u8; 4],
    ) -> Result<Option<&'b [u8]>, Pause> {
        // Only double-quoted values have the quote as their first needle.
        if needles.first() == Some(&b'"') {
            self.quoted_values += 1;
            if self.quoted_values.is_multiple_of(QUOTED_VALUES_MAX) {
                return Err(Pause);
            }
        }
        infallible(self.html.read_until(needles, buffer))
    }
}
