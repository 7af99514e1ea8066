//! Content-defined chunks of text, equal to those of its UTF-32 form.

use crate::kernels::cdc::{GEAR, Params};

/// Bytes of a character in UTF-32.
const UTF32_BYTES: usize = 4;

/// The consecutive chunks of `text`. Empty text is one empty chunk.
pub(crate) fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (chunk, after) = text.split_at(first_chunk_len(text));
        rest = (!after.is_empty()).then_some(after);
        Some(chunk)
    })
}

/// Length of the first chunk in bytes of UTF-8.
///
/// Boundaries equal those of [`cdc`](crate::kernels::cdc) over big-endian UTF-32, with ends rounded
/// down to whole characters. The function does not create the UTF-32 form.
fn first_chunk_len(text: &str) -> usize {
    const PARAMS: Params = Params::TEXT_UTF32;
    let mut pattern = 0;
    // Length of the processed text in UTF-32.
    let mut processed = 0;
    for (at, c) in text.char_indices() {
        if processed >= PARAMS.max() {
            return at;
        }
        if processed >= PARAMS.min() {
            // The centre is a multiple of four, so it does not split a character.
            let mask = if processed < PARAMS.center() {
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
        processed += UTF32_BYTES;
    }
    text.len()
}

const _: () = assert!(Params::TEXT_UTF32.center().is_multiple_of(UTF32_BYTES));
const _: () = assert!(Params::TEXT_UTF32.min().is_multiple_of(UTF32_BYTES));
