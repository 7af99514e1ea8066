//! GIF: the first frame, on the full canvas.

use std::io::Cursor;

use ::gif::{ColorOutput, DecodeOptions, MemoryLimit};

use super::check_size;
use super::raster::{Channels, Raster};
use super::transparency::on_white;
use crate::error::MediaError;

const FORMAT: &str = "GIF";

/// Decodes the first frame.
pub fn decode(file: &[u8], pixels_max: u64) -> Result<Raster, MediaError> {
    let damaged = |reason: ::gif::DecodingError| MediaError::damaged(FORMAT, reason);
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.set_memory_limit(MemoryLimit::Unlimited);
    let mut decoder = options.read_info(Cursor::new(file)).map_err(damaged)?;
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    check_size(width, height, pixels_max)?;
    let global = decoder.global_palette().map(<[u8]>::to_vec);
    let frame = decoder.next_frame_info().map_err(damaged)?;
    let frame = frame.ok_or_else(|| MediaError::damaged(FORMAT, "the file has no frame"))?.clone();
    check_size(usize::from(frame.width), usize::from(frame.height), pixels_max)?;
    let mut stored = vec![0; decoder.buffer_size()];
    decoder.read_into_buffer(&mut stored).map_err(damaged)?;
    let colors = Colors::new(frame.palette.as_deref().or(global.as_deref()), frame.transparent);

    // Pixels outside of the frame have the transparent index, or index 0.
    let mut indices = vec![frame.transparent.unwrap_or(0); width * height];
    let (left, top) = (usize::from(frame.left), usize::from(frame.top));
    let rows = stored.chunks_exact(usize::from(frame.width).max(1));
    for (y, row) in (top..height).zip(rows) {
        for (index, shown) in indices[y * width..(y + 1) * width].iter_mut().skip(left).zip(row) {
            *index = *shown;
        }
    }
    let samples = indices.iter().flat_map(|index| colors.of(*index)).collect();
    Raster::new(width, height, Channels::Rgb, samples)
        .ok_or_else(|| MediaError::damaged(FORMAT, "the image has no pixels"))
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
    use super::Colors;

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
