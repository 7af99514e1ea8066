//! The soft hash of metadata: simhash over the BLAKE3 hashes of short windows.

use std::ops::Range;

use crate::kernels::blake3_short::{self, SHORT_MAX_BYTES};
use crate::kernels::collapse;
use crate::kernels::simhash::Simhash;
use crate::simd::Level;

/// Characters per window of text: at most 12 bytes.
const TEXT_WINDOW: usize = 3;

/// Bytes per window of other metadata.
const BYTES_WINDOW: usize = 4;

const _: () = assert!(TEXT_WINDOW * 4 <= SHORT_MAX_BYTES && BYTES_WINDOW <= SHORT_MAX_BYTES);

/// The soft hash of a text, from windows of three characters of its collapsed form.
pub(super) fn of_text(level: Level, text: &str) -> [u8; 32] {
    let collapsed = collapse::collapse_at(level, text);
    let ends = || collapsed.char_indices().map(|(at, c)| at + c.len_utf8());
    let starts = collapsed.char_indices().map(|(at, _)| at);
    let windows = starts.zip(ends().skip(TEXT_WINDOW - 1)).map(|(start, end)| start..end);
    of_windows(level, collapsed.as_bytes(), windows)
}

/// The soft hash of bytes, from windows of four bytes.
pub(super) fn of_bytes(level: Level, bytes: &[u8]) -> [u8; 32] {
    let ends = BYTES_WINDOW..=bytes.len();
    of_windows(level, bytes, ends.map(|end| end - BYTES_WINDOW..end))
}

/// If there is no window, all of `bytes` is one.
fn of_windows(level: Level, bytes: &[u8], windows: impl Iterator<Item = Range<usize>>) -> [u8; 32] {
    let mut windows = windows.peekable();
    let short = windows.peek().is_none().then_some(0..bytes.len());
    let mut simhash = Simhash::new_at(level);
    blake3_short::hash_each_at(level, bytes, windows.chain(short), |hashes| simhash.update(hashes));
    simhash.digest()
}

/// Interleaves the first halves of two hashes in groups of four bytes.
pub(super) fn interleave(name: [u8; 32], extra: [u8; 32]) -> [u8; 32] {
    let mut both = [0; 32];
    let pieces = name.as_chunks::<4>().0.iter().zip(extra.as_chunks::<4>().0);
    for (out, (from_name, from_extra)) in both.as_chunks_mut::<8>().0.iter_mut().zip(pieces) {
        out[..4].copy_from_slice(from_name);
        out[4..].copy_from_slice(from_extra);
    }
    both
}
