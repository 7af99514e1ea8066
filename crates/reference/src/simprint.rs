//! Chunks of a text for its simprints (iscc-sdk, granular text features).

use crate::cdc;

/// Ends of the chunks of `text` as byte offsets. Chunks have 2048 bytes of big-endian UTF-32 on
/// average and contain whole characters.
pub fn chunk_ends(text: &str, gear: &[u32; 256]) -> Vec<usize> {
    let utf32: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    starts.push(text.len());
    cdc::boundaries(&utf32, 2048, 4, gear).into_iter().map(|end| starts[end / 4]).collect()
}
