//! GIF: the first frame, on the full canvas. As in Pillow, the canvas is the logical screen, enlarged
//! to contain the frame.

use std::io::{Cursor, Read};

use ::gif::{ColorOutput, DecodeOptions, MemoryLimit};

use super::check_size;
use super::raster::{Channels, Raster};
use super::transparency::on_white;
use iscc_media::MediaError;

const FORMAT: &str = "GIF";

/// Decodes the first frame.
pub fn decode(file: &[u8], pixels_max: u64) -> Result<Raster, MediaError> {
    let damaged = |reason: ::gif::DecodingError| MediaError::damaged(FORMAT, reason);
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.set_memory_limit(MemoryLimit::Unlimited);
    let mut decoder = options.read_info(with_palette(file)).map_err(damaged)?;
    let screen = (usize::from(decoder.width()), usize::from(decoder.height()));
    let global = decoder.global_palette().map(<[u8]>::to_vec);
    let frame = decoder.next_frame_info().map_err(damaged)?;
    let frame = frame.ok_or_else(|| MediaError::damaged(FORMAT, "the file has no frame"))?.clone();
    let (frame_width, frame_height) = (usize::from(frame.width), usize::from(frame.height));
    let (left, top) = (usize::from(frame.left), usize::from(frame.top));
    let (width, height) = (screen.0.max(left + frame_width), screen.1.max(top + frame_height));
    check_size(width, height, pixels_max)?;
    // An empty frame is damaged, whatever the canvas.
    check_size(frame_width, frame_height, pixels_max)?;
    let mut stored = vec![0; decoder.buffer_size()];
    decoder.read_into_buffer(&mut stored).map_err(damaged)?;
    let colors = Colors::new(frame.palette.as_deref().or(global.as_deref()), frame.transparent);

    // Pixels outside of the frame have the transparent index, or index 0.
    let mut indices = vec![frame.transparent.unwrap_or(0); width * height];
    let lines = indices.chunks_exact_mut(width).skip(top);
    for (line, row) in lines.zip(stored.chunks_exact(frame_width)) {
        line[left..left + frame_width].copy_from_slice(row);
    }
    let samples = indices.iter().flat_map(|index| colors.of(*index)).collect();
    Raster::new(width, height, Channels::Rgb, samples)
        .ok_or_else(|| MediaError::damaged(FORMAT, "the image has no pixels"))
}

/// The file, with a gray ramp as global palette if it has none: the decoder rejects frames without
/// any palette, which are gray in the reference.
fn with_palette(file: &[u8]) -> impl Read {
    const HEADER_BYTES: usize = 13;
    const FLAGS: usize = 10;
    const HAS_PALETTE: u8 = 0x80;
    const SIZE_256: u8 = 7;
    let mut header = file[..file.len().min(HEADER_BYTES)].to_vec();
    let rest = &file[header.len()..];
    let mut palette = Vec::new();
    if header.len() == HEADER_BYTES && header[FLAGS] & HAS_PALETTE == 0 {
        header[FLAGS] |= HAS_PALETTE | SIZE_256;
        palette.extend((0..=u8::MAX).flat_map(|level| [level; 3]));
    }
    Cursor::new(header).chain(Cursor::new(palette)).chain(Cursor::new(rest))
}

/// Opaque RGB colours of all 256 indices.
struct Colors([[u8; 3]; 256]);

impl Colors {
    /// As in the reference, an image without a palette, or with a gray ramp as palette, is gray,
    /// and gray images have no transparent colour.
    fn new(palette: Option<&[u8]>, transparent: Option<u8>) -> Self {
        let mut colors = [[0; 3]; 256];
        let ramp = |index: usize| [index as u8; 3];
        let entries = palette.unwrap_or_default().as_chunks::<3>().0;
        let is_gray = entries.iter().enumerate().all(|(index, entry)| *entry == ramp(index));
        if is_gray {
            return Self(std::array::from_fn(ramp));
        }
        colors.iter_mut().zip(entries).for_each(|(color, entry)| *color = *entry);
        if let Some(index) = transparent {
            let color = &mut colors[usize::from(index)];
            *color = color.map(|sample| on_white(sample, 0));
        }
        Self(colors)
    }

    fn of(&self, index: u8) -> [u8; 3] {
        self.0[usize::from(index)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of one frame of 2 x 2 pixels with the colours 1, 2, 3, 0 of a palette of four.
    fn file(screen: [u16; 2], corner: [u16; 2], size: [u16; 2]) -> Vec<u8> {
        let bytes = |values: [u16; 2]| values.map(u16::to_le_bytes).concat();
        let palette = [9, 9, 9, 10, 0, 0, 20, 0, 0, 30, 0, 0];
        let frame = [&[0x2c][..], &bytes(corner), &bytes(size), &[0]].concat();
        // Codes of 3 bits: clear, 1, 2, then clear again before the codes get wider.
        let codes = [4u32, 1, 2, 4, 3, 0, 5];
        let packed = codes.iter().rev().fold(0, |packed, code| packed << 3 | code).to_le_bytes();
        let data = [&[2, 3][..], &packed[..3], &[0, 0x3b]].concat();
        [b"GIF89a", &bytes(screen)[..], &[0x81, 0, 0], &palette, &frame, &data].concat()
    }

    fn reds(file: &[u8]) -> (usize, usize, Vec<u8>) {
        let raster = decode(file, 100).unwrap();
        let reds = raster.samples().iter().step_by(3).copied().collect();
        (raster.width(), raster.height(), reds)
    }

    #[test]
    fn the_canvas_is_enlarged_to_contain_the_frame() {
        let whole = (2, 2, vec![10, 20, 30, 9]);
        assert_eq!(reds(&file([2, 2], [0, 0], [2, 2])), whole);
        for screen in [[0, 0], [1, 1], [1, 2], [2, 0]] {
            assert_eq!(reds(&file(screen, [0, 0], [2, 2])), whole);
        }
        let moved = (3, 2, vec![9, 10, 20, 9, 30, 9]);
        assert_eq!(reds(&file([3, 2], [1, 0], [2, 2])), moved);
        assert_eq!(reds(&file([1, 1], [1, 0], [2, 2])), moved);
        let below = (2, 3, vec![10, 20, 30, 9, 9, 9]);
        assert_eq!(reds(&file([1, 3], [0, 0], [2, 2])), below);
    }

    #[test]
    fn frames_without_any_palette_are_gray() {
        let coloured = file([3, 2], [1, 0], [2, 2]);
        let palette = &coloured[13..25];
        let mut header = coloured[..13].to_vec();
        header[10] = 0x01;
        assert_eq!(reds(&[&header, &coloured[25..]].concat()), (3, 2, vec![0, 1, 2, 0, 3, 0]));
        // The palette of the frame counts.
        let (frame, data) = coloured[25..].split_at(10);
        let mut frame = frame.to_vec();
        frame[9] = 0x81;
        let local = [&header, &frame, palette, data].concat();
        assert_eq!(reds(&local), (3, 2, vec![9, 10, 20, 9, 30, 9]));
        for end in [6, 10, 13] {
            assert!(decode(&local[..end], 100).is_err());
        }
    }

    #[test]
    fn the_size_of_the_enlarged_canvas_is_limited() {
        for corner in [[50, 50], [u16::MAX, 0], [u16::MAX, u16::MAX]] {
            let error = decode(&file([1, 1], corner, [2, 2]), 100).unwrap_err();
            assert!(matches!(error, MediaError::TooLarge { .. }), "{error}");
        }
        let error = decode(&file([1, 1], [0, 0], [2, 0]), 100).unwrap_err();
        assert!(matches!(error, MediaError::Damaged { .. }), "{error}");
    }

    #[test]
    fn the_transparent_colour_is_white_except_in_gray_images() {
        let palette = [9, 8, 7, 1, 2, 3];
        assert_eq!(Colors::new(Some(&palette), Some(1)).of(1), [255; 3]);
        assert_eq!(Colors::new(Some(&palette), None).of(1), [1, 2, 3]);
        assert_eq!(Colors::new(Some(&[0, 0, 0, 1, 1, 1]), Some(1)).of(1), [1; 3]);
        assert_eq!(Colors::new(None, None).of(200), [200; 3]);
        assert_eq!(Colors::new(Some(&palette), None).of(200), [0; 3]);
    }
}
