//! Content-defined chunks of text, as chunking its UTF-32 form would give them.

use crate::kernels::cdc::{GEAR, Params};

/// Bytes of a character in UTF-32.
const UTF32_BYTES: usize = 4;

/// The chunks of `text`, one after another without gaps. The empty text is one empty chunk.
pub(crate) fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (chunk, after) = text.split_at(first_chunk_len(text));
        rest = (!after.is_empty()).then_some(after);
        Some(chunk)
    })
}

/// UTF-8 bytes of the first chunk.
///
/// The boundaries are those of [`cdc`](crate::kernels::cdc) over UTF-32 (big-endian) with ends
/// rounded down to whole characters; the UTF-32 form is not made for it.
fn first_chunk_len(text: &str) -> usize {
    const PARAMS: Params = Params::TEXT_UTF32;
    let mut pattern = 0;
    // Length of what is behind, in UTF-32.
    let mut behind = 0;
    for (at, c) in text.char_indices() {
        if behind >= PARAMS.max() {
            return at;
        }
        if behind >= PARAMS.min() {
            // All of a character lies on one side of the centre: that is a multiple of four.
            let mask = if behind < PARAMS.center() {
                PARAMS.mask_before_center()
            } else {
                PARAMS.mask_after_center()
            };
            for (k, byte) in u32::from(c).to_be_bytes().into_iter().enumerate() {
                pattern = (pattern >> 1) + GEAR[usize::from(byte)];
                if pattern & mask == 0 {
                    let whole = k == UTF32_BYTES - 1;
                    return if whole { at + c.len_utf8() } else { at };
                }
            }
        }
        behind += UTF32_BYTES;
    }
    text.len()
}

const _: () = assert!(Params::TEXT_UTF32.center().is_multiple_of(UTF32_BYTES));
const _: () = assert!(Params::TEXT_UTF32.min().is_multiple_of(UTF32_BYTES));
