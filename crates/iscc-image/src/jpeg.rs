//! JPEG, decoded by libjpeg-turbo. Other decoders differ in a few gray levels, which changes bits
//! after the first 64.

mod shortened;

use super::check_size;
use super::libjpeg::{Decompressor, Layout};
use super::raster::{Channels, Loss, Raster};
use super::transparency::cmyk_to_rgb;
use iscc_media::MediaError;

const FORMAT: &str = "JPEG";

/// Decodes a file. Rejects files that lack more than their last bytes. The reference rejects these,
/// too; each viewer shows them.
pub fn decode(file: &[u8], pixels_max: u64) -> Result<Raster, MediaError> {
    let damaged = |reason: String| MediaError::damaged(FORMAT, reason);
    let mut decompressor = Decompressor::new().map_err(damaged)?;
    let header = decompressor.header(file).map_err(damaged)?;
    if header.precision != 8 {
        return Err(MediaError::NoDecoder(format!("JPEG with {} bits", header.precision)));
    }
    check_size(header.width, header.height, pixels_max)?;
    let is_whole = reaches_end(file);
    let mut samples = decompressor.decode(file, &header).map_err(damaged)?;
    if !is_whole && !shortened::has_picture(file, &header, &samples) {
        return Err(damaged("the file is truncated".to_owned()));
    }
    let channels = match header.layout {
        Layout::Gray => Channels::Gray,
        Layout::Rgb => Channels::Rgb,
        Layout::Cmyk => {
            // All CMYK files are assumed to follow Adobe's convention: 255 is no ink.
            samples.iter_mut().for_each(|sample| *sample = 255 - *sample);
            samples = cmyk_to_rgb(&samples);
            Channels::Rgb
        }
    };
    let raster = Raster::new(header.width, header.height, channels, samples)
        .ok_or_else(|| damaged("the image has no pixels".to_owned()))?;
    Ok(raster.with_loss((!is_whole).then_some(Loss::End)))
}

/// Whether the image data ends with an end marker. The library fills in missing data, so it does
/// not detect truncated files.
fn reaches_end(file: &[u8]) -> bool {
    const END: u8 = 0xd9;
    const START_OF_SCAN: u8 = 0xda;
    let mut at = 2;
    while let Some((marker, after)) = next_marker(file, at) {
        at = match marker {
            END => return true,
            // Restart markers and similar have no segment.
            0x01 | 0xd0..=0xd8 => after,
            _ => {
                let Some(length) = file.get(after..after + 2) else { return false };
                after + usize::from(u16::from_be_bytes([length[0], length[1]])).max(2)
            }
        };
        if marker == START_OF_SCAN && at > file.len() {
            return false;
        }
    }
    false
}

/// The next marker at or after `at`, and the offset after it. `FF 00` is data, not a marker.
fn next_marker(file: &[u8], mut at: usize) -> Option<(u8, usize)> {
    loop {
        at += file.get(at..)?.iter().position(|byte| *byte == 0xff)? + 1;
        match *file.get(at)? {
            0x00 => at += 1,
            0xff => {}
            marker => return Some((marker, at + 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::reaches_end;

    #[test]
    fn the_end_marker_counts_only_outside_of_segments() {
        let whole = b"\xff\xd8\xff\xe1\x00\x04\xff\xd9\xff\xda\x00\x02a\xff\x00b\xff\xd0c\xff\xd9";
        assert!(reaches_end(whole));
        for end in 0..whole.len() {
            assert!(!reaches_end(&whole[..end]), "{end}");
        }
    }
}
