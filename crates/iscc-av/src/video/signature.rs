//! Parses the binary MPEG-7 video signature (ISO/IEC 15938-3 Amd 4) of FFmpeg's `signature` filter:
//! a header, coarse signatures of 90-frame segments, then one fine signature per frame.

use thiserror::Error;

use super::bits::BitReader;

/// Ternary elements of one frame's signature.
pub const FRAME_ELEMENTS: usize = 380;

/// Elements per byte, stored as base-3 digits.
const ELEMENTS_PER_BYTE: usize = 5;
const FRAME_BYTES: usize = FRAME_ELEMENTS / ELEMENTS_PER_BYTE;

/// Bits before the number of frames: region, start and spatial extent.
const PREAMBLE_BITS: u64 = 129;
/// Bits between the time unit and the number of segments: a flag, first and last media time.
const EXTENT_BITS: u64 = 1 + 32 + 32;
/// Bits of a segment: start and end as frame and as time, a flag, five words of 243 bits.
const SEGMENT_BITS: u64 = 4 * 32 + 1 + 5 * 243;
/// Bits of a frame's five words, which repeat elements of its signature.
const WORDS_BITS: u64 = 5 * 8;
/// Bits of a frame: a flag, media time, confidence, words, signature.
const FRAME_BITS: u64 = 1 + 32 + 8 + WORDS_BITS + 8 * FRAME_BYTES as u64;

/// Frame signatures of a video.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// `n x 380` elements, each 0, 1 or 2, frame by frame.
    pub frames: Vec<u8>,
    /// `n` times in units of [`Self::time_unit`].
    pub times: Vec<u32>,
    /// Ticks per second of [`Self::times`].
    pub time_unit: u16,
}

impl Signature {
    /// The times of the frames in milliseconds. All are zero if the signature has no time unit.
    pub fn milliseconds(&self) -> Vec<u64> {
        let of = |&time: &u32| (u64::from(time) * 1000).checked_div(u64::from(self.time_unit));
        self.times.iter().map(|time| of(time).unwrap_or(0)).collect()
    }
}

/// Why bytes are not a valid signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// The bytes end inside of the header, or before the last frame that the header declares.
    #[error("the video signature ends before its {0}")]
    Truncated(&'static str),
}

/// Parses a signature. Any bytes give a signature or an error. Memory is at most 4.6 times the
/// input, whatever counts the header declares.
///
/// # Errors
/// [`SignatureError::Truncated`] if the input is shorter than its header says.
pub fn parse(bytes: &[u8]) -> Result<Signature, SignatureError> {
    let mut reader = BitReader::new(bytes);
    let (count, time_unit) = header(&mut reader).ok_or(SignatureError::Truncated("first frame"))?;
    // Checked before memory is allocated for the frames.
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

/// Reads the header; returns the number of frames and ticks per second.
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

/// Reads a frame: appends its elements, most significant digit of each byte first, and returns its
/// time.
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

/// The five base-3 digits of every byte. Valid bytes are below 243; greater values wrap, as in
/// other readers.
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
        // The carry of the fifth digit is dropped.
        assert_eq!(DIGITS[243], [0, 0, 0, 0, 0]);
    }

    #[test]
    fn times_are_in_ticks() {
        let of = |time_unit| Signature { frames: Vec::new(), times: vec![0, 1, 7], time_unit };
        assert_eq!(of(5).milliseconds(), [0, 200, 1400]);
        assert_eq!(of(0).milliseconds(), [0, 0, 0]);
    }

    #[test]
    fn empty_input_is_truncated() {
        assert_eq!(parse(&[]), Err(SignatureError::Truncated("first frame")));
    }
}
