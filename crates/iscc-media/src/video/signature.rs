//! The binary MPEG-7 video signature (ISO/IEC 15938-3 Amd 4) as FFmpeg's `signature` filter writes
//! it: a header, coarse signatures of 90-frame segments, then one fine signature per frame.

use thiserror::Error;

use super::bits::BitReader;

/// Ternary elements of one frame's signature.
pub const FRAME_ELEMENTS: usize = 380;

/// Elements that one byte carries, as base-3 digits.
const ELEMENTS_PER_BYTE: usize = 5;
const FRAME_BYTES: usize = FRAME_ELEMENTS / ELEMENTS_PER_BYTE;

/// Everything before the number of frames: region, start and the spatial extent.
const PREAMBLE_BITS: u64 = 129;
/// Between the time unit and the number of segments: a flag and the first and last media time.
const EXTENT_BITS: u64 = 1 + 32 + 32;
/// Start and end as frame and as time, a flag, and five words of 243 bits.
const SEGMENT_BITS: u64 = 4 * 32 + 1 + 5 * 243;
/// The five fine words of a frame, which repeat elements of its signature.
const WORDS_BITS: u64 = 5 * 8;
/// A flag, media time, confidence, words, signature.
const FRAME_BITS: u64 = 1 + 32 + 8 + WORDS_BITS + 8 * FRAME_BYTES as u64;

/// Frame signatures of a video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// `n x 380` elements, each 0, 1 or 2, frame after frame.
    pub frames: Vec<u8>,
    /// `n` times in [`Self::time_unit`].
    pub times: Vec<u32>,
    /// Ticks per second of [`Self::times`].
    pub time_unit: u16,
}

/// Why bytes are not a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// The bytes end inside the header or before the last frame that it announces.
    #[error("the video signature ends before its {0}")]
    Truncated(&'static str),
}

/// Reads a signature. Total: any bytes give a signature or an error, and memory is bounded by 4.6
/// times the input, whatever counts the header claims.
///
/// # Errors
/// [`SignatureError::Truncated`] if the input is shorter than its header says.
pub fn parse(bytes: &[u8]) -> Result<Signature, SignatureError> {
    let mut reader = BitReader::new(bytes);
    let (count, time_unit) = header(&mut reader).ok_or(SignatureError::Truncated("first frame"))?;
    // Checked before anything is allocated for them.
    if u64::from(count) * FRAME_BITS > reader.remaining() {
        return Err(SignatureError::Truncated("last frame"));
    }
    let count = count as usize;
    let mut frames = Vec::with_capacity(count * FRAME_ELEMENTS);
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let time =
            frame(&mut reader, &mut frames).ok_or(SignatureError::Truncated("last frame"))?;
        times.push(time);
    }
    Ok(Signature { frames, times, time_unit })
}

/// Reads up to the first frame: number of frames and ticks per second.
fn header(reader: &mut BitReader) -> Option<(u32, u16)> {
    reader.skip(PREAMBLE_BITS)?;
    let frames = reader.take(32)?;
    let time_unit = reader.take(16)? as u16;
    reader.skip(EXTENT_BITS)?;
    let segments = reader.take(32)?;
    reader.skip(u64::from(segments) * SEGMENT_BITS)?;
    reader.skip(1)?;
    Some((frames, time_unit))
}

/// Appends a frame's elements, most significant digit of each byte first; gives its time.
fn frame(reader: &mut BitReader, elements: &mut Vec<u8>) -> Option<u32> {
    reader.skip(1)?;
    let time = reader.take(32)?;
    reader.skip(8 + WORDS_BITS)?;
    for _ in 0..FRAME_BYTES {
        let byte = reader.take(8)? as usize;
        elements.extend_from_slice(&DIGITS[byte]);
    }
    Some(time)
}

/// The five base-3 digits of every byte. Only values below 243 are written; what is above wraps,
/// as in other readers.
const DIGITS: [[u8; ELEMENTS_PER_BYTE]; 256] = {
    let mut table = [[0; ELEMENTS_PER_BYTE]; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut rest = byte;
        let mut digit = ELEMENTS_PER_BYTE;
        while digit > 0 {
            digit -= 1;
            table[byte][digit] = (rest % 3) as u8;
            rest /= 3;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_five_digits_most_significant_first() {
        assert_eq!(DIGITS[0], [0, 0, 0, 0, 0]);
        assert_eq!(DIGITS[1], [0, 0, 0, 0, 1]);
        assert_eq!(DIGITS[242], [2, 2, 2, 2, 2]);
        assert_eq!(DIGITS[81 + 2 * 9 + 1], [1, 0, 2, 0, 1]);
        // Beyond what five digits hold, the carry is dropped.
        assert_eq!(DIGITS[243], [0, 0, 0, 0, 0]);
    }

    #[test]
    fn no_bytes_are_no_signature() {
        assert_eq!(parse(&[]), Err(SignatureError::Truncated("first frame")));
    }
}
