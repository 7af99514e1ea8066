//! FLAC of one or two channels and 16 bits (RFC 9639). It does without the checksum of all samples, because each frame has its
//! own. What this decoder refuses, FFmpeg decodes.

mod bits;
mod frame;
mod subframe;
#[cfg(test)]
mod tests;

use std::io::{self, Read};

use frame::{Decoded, frame};

use super::sound::{bytes, fill};

/// What the first block of a file says of all its frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamInfo {
    pub rate_hz: u32,
    pub channels: usize,
}

const BITS: u32 = 16;
const LAST_BLOCK: u8 = 0x80;

/// Reads the blocks before the frames, after `fLaC`. `None` if there is something else, or samples
/// of more than 16 bits.
pub fn stream_info(file: &mut (impl Read + ?Sized)) -> Option<StreamInfo> {
    let mut header = bytes::<4>(file)?;
    (header[0] & !LAST_BLOCK == 0 && header[1..] == [0, 0, 34]).then_some(())?;
    let block = bytes::<34>(file)?;
    // 20 bits of rate, 3 of channels, 5 of bits, after four sizes.
    let packed = u32::from_be_bytes([block[10], block[11], block[12], block[13]]);
    let (rate_hz, channels) = (packed >> 12, (packed >> 9 & 7) as usize + 1);
    ((packed >> 4 & 31) + 1 == BITS && rate_hz > 0 && channels <= 2).then_some(())?;
    while header[0] & LAST_BLOCK == 0 {
        header = bytes(file)?;
        let size = u32::from_be_bytes([0, header[1], header[2], header[3]]).into();
        let skipped = io::copy(&mut file.take(size), &mut io::sink()).ok()?;
        (skipped == size).then_some(())?;
    }
    Some(StreamInfo { rate_hz, channels })
}

/// A frame never needs more, unless it was made to be large. Two channels of 65,535 samples are
/// 256 KiB.
const FRAME_BYTES_MAX: usize = 1 << 20;
const READ_BYTES: usize = 1 << 20;
/// Bit readers load eight bytes at a time, when up to four that they have loaded are left.
const PADDING: usize = 16;

/// Decodes the frames that follow until the end of the file, and passes the samples of each, one of
/// each channel after the other. `None` if anything is damaged, or if a frame differs from
/// `info` in rate, channels or bits. `take` stops the decoder with `None`.
pub fn frames(
    file: &mut (impl Read + ?Sized),
    info: StreamInfo,
    mut take: impl FnMut(&Decoded) -> Option<()>,
) -> Option<()> {
    let mut buffer = vec![0; FRAME_BYTES_MAX + READ_BYTES + PADDING];
    let mut decoded = Decoded::default();
    let (mut from, mut to, mut is_ended) = (0, 0, false);
    loop {
        if to - from < FRAME_BYTES_MAX && !is_ended {
            buffer.copy_within(from..to, 0);
            (from, to) = (0, to - from);
            let read = fill(file, &mut buffer[to..FRAME_BYTES_MAX + READ_BYTES]).ok()?;
            to += read;
            is_ended = to < FRAME_BYTES_MAX + READ_BYTES;
            buffer[to..to + PADDING].fill(0);
        }
        if from == to {
            return Some(());
        }
        from += frame(&buffer[from..to + PADDING], info, &mut decoded)?;
        take(&decoded)?;
    }
}
