//! Photoshop documents: the merged image that is stored in addition to the layers.

use super::lab::lab_to_rgb;
use super::raster::{Channels, Raster, unpacked};
use super::transparency::{cmyk_to_rgb, rgb_on_white};
use super::{check_memory, check_size};
use iscc_media::MediaError;

const FORMAT: &str = "PSD";

/// Decodes the merged image of a document with 8 bits per sample, or 1 bit in bitmaps.
pub fn decode(file: &[u8], pixels_max: u64) -> Result<Raster, MediaError> {
    let mut reader = Reader { rest: file };
    let header = Header::read(&mut reader).ok_or_else(truncated)?;
    check_size(header.width, header.height, pixels_max)?;
    let palette = reader.section().ok_or_else(truncated)?;
    // Skip the resources, then the layers and masks.
    reader.section().and_then(|_| reader.section()).ok_or_else(truncated)?;
    let planes = header.planes()?;
    check_memory(header.width, header.height, 2 * planes)?;
    let size = header.width * header.height;
    let mut samples = match reader.u16() {
        Some(0) => {
            reader.take(header.row_bytes() * header.height * planes).ok_or_else(truncated)?.to_vec()
        }
        Some(1) => unpack(&mut reader, &header, planes).ok_or_else(truncated)?,
        Some(other) => return Err(no_decoder(format_args!("compression {other}"))),
        None => return Err(truncated()),
    };
    let (channels, samples) = match (header.mode, planes) {
        (Mode::INDEXED, _) => (Channels::Rgb, colours(&samples, palette).ok_or_else(truncated)?),
        // As in Pillow, a bit that is set is white.
        (Mode::BITMAP, _) => (Channels::Gray, unpacked(&samples, header.width, 1, 255)),
        (Mode::LAB, _) => (Channels::Rgb, lab_to_rgb(&interleave::<3>(&samples, size))?),
        (_, 1) => (Channels::Gray, samples),
        (_, 3) => (Channels::Rgb, interleave::<3>(&samples, size)),
        (Mode::CMYK, _) => {
            // Stored inverted: 255 is no ink.
            samples.iter_mut().for_each(|light| *light = 255 - *light);
            (Channels::Rgb, cmyk_to_rgb(&interleave::<4>(&samples, size)))
        }
        _ => (Channels::Rgb, rgb_on_white(&interleave::<4>(&samples, size))),
    };
    Raster::new(header.width, header.height, channels, samples).ok_or_else(truncated)
}

/// Fields of the header, which has 26 bytes.
struct Header {
    channels: usize,
    height: usize,
    width: usize,
    depth: u16,
    mode: u16,
}

/// Colour modes, as numbered in the file.
struct Mode;

impl Mode {
    const BITMAP: u16 = 0;
    const GRAY: u16 = 1;
    const INDEXED: u16 = 2;
    const RGB: u16 = 3;
    const CMYK: u16 = 4;
    const MULTICHANNEL: u16 = 7;
    const DUOTONE: u16 = 8;
    const LAB: u16 = 9;
}

impl Header {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        const SIGNATURE_VERSION_RESERVED_BYTES: usize = 4 + 2 + 6;
        reader.take(SIGNATURE_VERSION_RESERVED_BYTES)?;
        Some(Self {
            channels: usize::from(reader.u16()?),
            height: reader.u32()?,
            width: reader.u32()?,
            depth: reader.u16()?,
            mode: reader.u16()?,
        })
    }

    /// Bytes of a row of one plane.
    fn row_bytes(&self) -> usize {
        if self.depth == 1 { self.width.div_ceil(8) } else { self.width }
    }

    /// Number of colour and transparency planes.
    fn planes(&self) -> Result<usize, MediaError> {
        if self.depth != if self.mode == Mode::BITMAP { 1 } else { 8 } {
            return Err(no_decoder(format_args!("{} bits per sample", self.depth)));
        }
        let planes = match self.mode {
            Mode::BITMAP | Mode::GRAY | Mode::INDEXED | Mode::MULTICHANNEL | Mode::DUOTONE => 1,
            // A fourth plane is transparency only if it is the last one, as in Pillow. Of more
            // planes it may as well be a selection mask.
            Mode::RGB if self.channels == 4 => 4,
            Mode::RGB | Mode::LAB => 3,
            Mode::CMYK => 4,
            other => return Err(no_decoder(format_args!("colour mode {other}"))),
        };
        if self.channels < planes {
            return Err(MediaError::damaged(FORMAT, "the file has too few channels"));
        }
        Ok(planes)
    }
}

/// Decodes PackBits rows of all planes; their lengths come first.
fn unpack(reader: &mut Reader<'_>, header: &Header, planes: usize) -> Option<Vec<u8>> {
    let rows = header.height * header.channels;
    let lengths = reader.take(rows * 2)?;
    let mut samples = Vec::new();
    for length in &lengths.as_chunks::<2>().0[..header.height * planes] {
        let packed = reader.take(usize::from(u16::from_be_bytes(*length)))?;
        let start = samples.len();
        let end = start + header.row_bytes();
        unpack_row(packed, end, &mut samples);
        samples.resize(end, 0);
    }
    Some(samples)
}

/// Decodes PackBits runs and literals until `samples` has `end` samples.
fn unpack_row(mut packed: &[u8], end: usize, samples: &mut Vec<u8>) {
    while let [count, rest @ ..] = packed {
        let left = end - samples.len();
        match *count {
            128 => packed = rest,
            0..128 => {
                let count = (usize::from(*count) + 1).min(rest.len());
                samples.extend(&rest[..count.min(left)]);
                packed = &rest[count..];
            }
            _ => {
                let Some(level) = rest.first() else { return };
                samples.extend(std::iter::repeat_n(level, (257 - usize::from(*count)).min(left)));
                packed = &rest[1..];
            }
        }
    }
}

/// Converts `N` planes of `size` samples to pixels of `N` samples.
fn interleave<const N: usize>(planes: &[u8], size: usize) -> Vec<u8> {
    let mut pixels = vec![0; size * N];
    for (channel, plane) in planes.chunks_exact(size).take(N).enumerate() {
        for (pixel, level) in pixels.as_chunks_mut::<N>().0.iter_mut().zip(plane) {
            pixel[channel] = *level;
        }
    }
    pixels
}

/// Converts palette indices to RGB. The palette lists all red levels, then all green, then all
/// blue.
fn colours(indices: &[u8], palette: &[u8]) -> Option<Vec<u8>> {
    let [reds, greens, blues] = palette.as_chunks::<256>().0 else { return None };
    let colour = |index: &u8| [reds, greens, blues].map(|levels| levels[usize::from(*index)]);
    Some(indices.iter().flat_map(colour).collect())
}

/// A cursor over the file.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))
    }

    fn u32(&mut self) -> Option<usize> {
        self.take(4)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes) as usize)
    }

    /// Reads length-prefixed bytes.
    fn section(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(length)
    }
}

fn truncated() -> MediaError {
    MediaError::damaged(FORMAT, "the file is truncated")
}

fn no_decoder(what: impl std::fmt::Display) -> MediaError {
    MediaError::NoDecoder(format!("{FORMAT}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document of 2 x 2 pixels.
    fn document(mode: u16, channels: u16, palette: &[u8], data: &[u8]) -> Vec<u8> {
        let mut file = b"8BPS\0\x01\0\0\0\0\0\0".to_vec();
        file.extend(channels.to_be_bytes());
        file.extend([0, 0, 0, 2, 0, 0, 0, 2, 0, 8]);
        file.extend(mode.to_be_bytes());
        file.extend((palette.len() as u32).to_be_bytes());
        file.extend(palette);
        file.extend([0; 8]);
        file.extend(data);
        file
    }

    fn samples(file: &[u8]) -> Vec<u8> {
        decode(file, 100).unwrap().into_samples()
    }

    #[test]
    fn planes_are_interleaved() {
        let rgb = document(3, 3, &[], &[0, 0, 1, 2, 3, 4, 10, 20, 30, 40, 5, 6, 7, 8]);
        assert_eq!(samples(&rgb), [1, 10, 5, 2, 20, 6, 3, 30, 7, 4, 40, 8]);
        let gray = document(1, 1, &[], &[0, 0, 1, 2, 3, 4]);
        assert_eq!(samples(&gray), [1, 2, 3, 4]);
    }

    #[test]
    fn decodes_runs_and_literals() {
        let rows = [0, 1, 0, 2, 0, 3, 0xff, 9, 1, 7, 8];
        assert_eq!(samples(&document(1, 1, &[], &rows)), [9, 9, 7, 8]);
        // A run longer than its row, and a row that is too short.
        let rows = [0, 1, 0, 2, 0, 2, 0x81, 9, 0, 7];
        assert_eq!(samples(&document(1, 1, &[], &rows)), [9, 9, 7, 0]);
    }

    #[test]
    fn other_modes_are_converted_to_rgb() {
        let palette: Vec<u8> = (0..768).map(|i| (i % 256) as u8).collect();
        let indexed = document(2, 1, &palette, &[0, 0, 1, 2, 3, 4]);
        assert_eq!(samples(&indexed)[..6], [1, 1, 1, 2, 2, 2]);
        let no_ink = document(4, 4, &[], &[&[0, 0][..], &[255; 16]].concat());
        assert_eq!(samples(&no_ink), [255; 12]);
        let clear = document(3, 4, &[], &[0; 18]);
        assert_eq!(samples(&clear), [255; 12]);
    }

    #[test]
    fn bitmaps_have_a_bit_per_pixel() {
        let mut bitmap = document(0, 1, &[], &[0, 0, 0b0100_0000, 0b1000_0000]);
        bitmap[23] = 1;
        assert_eq!(samples(&bitmap), [0, 255, 255, 0]);
        let deep = document(0, 1, &[], &[0, 0, 1, 2, 3, 4]);
        assert!(matches!(decode(&deep, 100), Err(MediaError::NoDecoder(_))));
    }

    #[test]
    fn lab_is_converted_to_rgb() {
        // White, black, and two grays. The signs of a* and b* are not inverted.
        let lab =
            document(9, 3, &[], &[0, 0, 255, 0, 128, 64, 128, 128, 128, 128, 128, 128, 128, 128]);
        // As with Pillow.
        assert_eq!(samples(&lab)[..6], [254, 255, 254, 1, 0, 1]);
    }

    #[test]
    fn a_fourth_plane_is_a_mask_if_there_is_a_fifth() {
        let opaque = document(3, 5, &[], &[0; 22]);
        assert_eq!(samples(&opaque), [0; 12]);
        let packed = [&[0, 1][..], &[0, 2].repeat(10), &[255, 7].repeat(10)].concat();
        assert_eq!(samples(&document(3, 5, &[], &packed)), [7; 12]);
        let damaged = decode(&document(3, 2, &[], &[0; 10]), 100);
        assert!(matches!(damaged, Err(MediaError::Damaged { .. })));
    }

    #[test]
    fn truncated_unsupported_and_too_large_files_are_rejected() {
        let whole = document(3, 3, &[], &[0, 1, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 255, 9]);
        for end in 0..whole.len() {
            assert!(decode(&whole[..end], 100).is_err());
        }
        assert!(matches!(
            decode(&document(5, 3, &[], &[0; 14]), 100),
            Err(MediaError::NoDecoder(_))
        ));
        assert!(matches!(decode(&whole, 1), Err(MediaError::TooLarge { .. })));
    }
}
