//! Windows bitmaps. Own decoder, because 16-bit colours must be widened as in Pillow, which reads
//! only a few layouts.

mod pixels;
mod rle;

use super::check_size;
use super::raster::{Channels, Raster};
use super::transparency::rgb_on_white;
use iscc_media::MediaError;
use pixels::Layout;

const FORMAT: &str = "BMP";

/// Bytes of the file header; the information header follows.
const FILE_HEADER_BYTES: usize = 14;

/// Decodes a bitmap, composited over white.
pub fn decode(file: &[u8], pixels_max: u64) -> Result<Raster, MediaError> {
    let header = Header::read(file)?;
    check_size(header.width, header.height, pixels_max)?;
    let data = file.get(header.data..).ok_or_else(truncated)?;
    let mut samples = match header.compression {
        Compression::Rle(bits) => {
            let indices = rle::decode(data, header.width, header.height, bits);
            indices.ok_or_else(truncated)?.iter().flat_map(|i| header.color(*i)).collect()
        }
        Compression::None => header.rows(data)?,
    };
    if !header.is_top_down {
        let row = samples.len() / header.height;
        let (upper, lower) = samples.split_at_mut(header.height / 2 * row);
        let lower = lower.chunks_exact_mut(row).rev();
        upper.chunks_exact_mut(row).zip(lower).for_each(|(a, b)| a.swap_with_slice(b));
    }
    if header.layout.has_alpha() {
        samples = rgb_on_white(&samples);
    }
    Raster::new(header.width, header.height, Channels::Rgb, samples).ok_or_else(truncated)
}

fn truncated() -> MediaError {
    MediaError::damaged(FORMAT, "the file is truncated")
}

/// Compression of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    /// Run-length encoded indices of this many bits: 4 or 8.
    Rle(u8),
}

struct Header {
    width: usize,
    height: usize,
    is_top_down: bool,
    compression: Compression,
    layout: Layout,
    /// RGB colours; empty for direct-colour layouts.
    palette: Vec<[u8; 3]>,
    /// Offset of the pixels.
    data: usize,
}

impl Header {
    fn read(file: &[u8]) -> Result<Self, MediaError> {
        const CORE_BYTES: usize = 12;
        let u16_at = |at: usize| Some(u16::from_le_bytes(*file.get(at..)?.first_chunk()?));
        let u32_at = |at: usize| Some(u32::from_le_bytes(*file.get(at..)?.first_chunk()?));
        let short = |at: usize| u16_at(at).ok_or_else(truncated);
        let long = |at: usize| u32_at(at).ok_or_else(truncated);

        let length = long(14)? as usize;
        let is_core = length == CORE_BYTES;
        if !is_core && !(40..=124).contains(&length) {
            return Err(MediaError::NoDecoder(format!("{FORMAT} header of {length} bytes")));
        }
        let (width, height, is_top_down, bits) = if is_core {
            (usize::from(short(18)?), usize::from(short(20)?), false, short(24)?)
        } else {
            let height = long(22)? as i32;
            (long(18)? as usize, height.unsigned_abs() as usize, height < 0, short(28)?)
        };
        let method = if is_core { 0 } else { long(30)? };
        let masks_at = |index: usize| u32_at(54 + 4 * index).unwrap_or(0);
        // Headers of at least 56 bytes have a fourth mask, for alpha.
        let alpha = if length >= 56 { masks_at(3) } else { 0 };
        let masks = [masks_at(0), masks_at(1), masks_at(2), alpha];
        let (compression, layout) = match (method, bits) {
            (0, 1 | 4 | 8) => (Compression::None, Layout::Indexed(bits as u8)),
            (1, 8) | (2, 4) => (Compression::Rle(bits as u8), Layout::Indexed(bits as u8)),
            (0 | 3, _) => {
                let masks = (method == 3).then_some(masks);
                let layout = Layout::direct(bits, masks);
                (Compression::None, layout.ok_or_else(|| unsupported(method, bits))?)
            }
            _ => return Err(unsupported(method, bits)),
        };
        let palette = match layout {
            Layout::Indexed(bits) => {
                let stated = if is_core { 0 } else { long(46)? as usize };
                let count = if stated == 0 { 1 << bits } else { stated.min(256) };
                palette(file, FILE_HEADER_BYTES + length, if is_core { 3 } else { 4 }, count)
            }
            _ => Vec::new(),
        };
        let data = long(10)? as usize;
        Ok(Self { width, height, is_top_down, compression, layout, palette, data })
    }

    fn color(&self, index: u8) -> [u8; 3] {
        self.palette.get(usize::from(index)).copied().unwrap_or_default()
    }

    /// Samples of uncompressed rows, in stored order.
    fn rows(&self, data: &[u8]) -> Result<Vec<u8>, MediaError> {
        // Rows are padded to four bytes.
        let used = (self.width * self.layout.bits()).div_ceil(8);
        let stride = used.next_multiple_of(4);
        let samples_per_pixel = if self.layout.has_alpha() { 4 } else { 3 };
        let mut samples = Vec::with_capacity(self.width * self.height * samples_per_pixel);
        for y in 0..self.height {
            // The padding of the last row may be missing.
            let row = data.get(y * stride..y * stride + used).ok_or_else(truncated)?;
            self.layout.append(row, self.width, |index| self.color(index), &mut samples);
        }
        Ok(samples)
    }
}

fn palette(file: &[u8], at: usize, entry_bytes: usize, count: usize) -> Vec<[u8; 3]> {
    let entries = file.get(at..).unwrap_or_default().chunks_exact(entry_bytes).take(count);
    entries.map(|entry| [entry[2], entry[1], entry[0]]).collect()
}

fn unsupported(method: u32, bits: u16) -> MediaError {
    MediaError::NoDecoder(format!("{FORMAT} with {bits} bits and compression {method}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bitmap of 2 x 2 pixels with a 40-byte header.
    fn bitmap(bits: u16, method: u32, palette: &[u8], data: &[u8], height: i32) -> Vec<u8> {
        let mut file = b"BM\0\0\0\0\0\0\0\0".to_vec();
        file.extend((54 + palette.len() as u32).to_le_bytes());
        file.extend(40u32.to_le_bytes());
        file.extend(2i32.to_le_bytes());
        file.extend(height.to_le_bytes());
        file.extend(1u16.to_le_bytes());
        file.extend(bits.to_le_bytes());
        file.extend(method.to_le_bytes());
        file.extend([0; 12]);
        file.extend((palette.len() as u32 / 4).to_le_bytes());
        file.extend([0; 4]);
        file.extend_from_slice(palette);
        file.extend_from_slice(data);
        file
    }

    fn samples(file: &[u8]) -> Vec<u8> {
        let raster = decode(file, 100).unwrap();
        (0..raster.height()).flat_map(|y| raster.row(y, 0, raster.width()).to_vec()).collect()
    }

    const PALETTE: [u8; 8] = [30, 20, 10, 0, 60, 50, 40, 0];

    #[test]
    fn rows_are_bottom_up_unless_height_is_negative() {
        let data = [0b0100_0000, 0, 0, 0, 0b1000_0000, 0, 0, 0];
        let (a, b) = ([10, 20, 30], [40, 50, 60]);
        assert_eq!(samples(&bitmap(1, 0, &PALETTE, &data, 2)), [b, a, a, b].concat());
        assert_eq!(samples(&bitmap(1, 0, &PALETTE, &data, -2)), [a, b, b, a].concat());
    }

    #[test]
    fn decodes_run_lengths() {
        let data = [2, 1, 0, 0, 1, 0, 1, 1, 0, 1];
        let (a, b) = ([10, 20, 30], [40, 50, 60]);
        assert_eq!(samples(&bitmap(8, 1, &PALETTE, &data, 2)), [a, b, b, b].concat());
    }

    #[test]
    fn truncated_files_and_bombs_are_rejected() {
        let file = bitmap(8, 0, &PALETTE, &[0; 8], 2);
        assert!(matches!(decode(&file[..file.len() - 3], 100), Err(MediaError::Damaged { .. })));
        let bomb = bitmap(8, 0, &PALETTE, &[0; 8], i32::MAX);
        assert!(matches!(decode(&bomb, 100), Err(MediaError::TooLarge { .. })));
        for end in 0..file.len() - 2 {
            assert!(decode(&file[..end], 100).is_err());
        }
    }
}
