//! Thumbnails as WebP, scaled, sharpened and encoded with the reference's settings. No code depends
//! on them, so they need to look like the reference's but not to have the same bytes.

use std::borrow::Cow;

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x3;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use multiversion::multiversion;

use super::libwebp;
use super::raster::{Channels, Raster};

/// Encoder quality, 0 to 100.
const QUALITY: f32 = 30.0;

/// Encoder effort, 0 to 6. For images this small, each step saves a tenth of the bytes and adds
/// half of the time.
const EFFORT: i32 = 1;

/// Factor of the difference between a sample and its smoothed neighbourhood.
const SHARPNESS: f32 = 1.4;

/// Pixels are first averaged down to at least this multiple of the thumbnail's size; then the
/// filter scales the rest. A higher multiple makes no visible difference.
const REDUCED_TO_TIMES: usize = 2;

/// A WebP image whose longer side has at most `side_max` pixels and is never larger than the
/// original. Orientation is not applied. `None` if the encoder fails.
pub fn thumbnail(raster: &Raster, side_max: usize) -> Option<Vec<u8>> {
    let (width, height) = fitted(raster.width(), raster.height(), side_max);
    let reduced = coloured(reduced(raster, width, height)?)?;
    let small = sharpened(&scaled(&reduced, width, height)?);
    libwebp::encode(small.samples(), (width, height), false, |config| {
        config.quality = QUALITY;
        config.method = EFFORT;
    })
}

/// The largest size within a square of `side_max` that keeps the aspect ratio, without enlarging.
fn fitted(width: usize, height: usize, side_max: usize) -> (usize, usize) {
    let longer = width.max(height);
    if longer <= side_max {
        return (width, height);
    }
    let scaled = |side: usize| {
        let exact = side as f64 * side_max as f64 / longer as f64;
        (exact.round() as usize).max(1)
    };
    (scaled(width), scaled(height))
}

/// Averages blocks of pixels, leaving at least [`REDUCED_TO_TIMES`] the target size.
fn reduced(raster: &Raster, width: usize, height: usize) -> Option<Cow<'_, Raster>> {
    let factor =
        |from: usize, to: usize| (from as f64 / to as f64 / REDUCED_TO_TIMES as f64) as usize;
    let across = factor(raster.width(), width).max(1);
    let down = factor(raster.height(), height).max(1);
    if across == 1 && down == 1 {
        return Some(Cow::Borrowed(raster));
    }
    let channels = raster.channels().count();
    let (width, height) = (raster.width().div_ceil(across), raster.height().div_ceil(down));
    let mut samples = Vec::with_capacity(width * height * channels);
    let mut sums = vec![0u32; raster.width() * channels];
    for top in (0..raster.height()).step_by(down) {
        let bottom = (top + down).min(raster.height());
        // Sum whole rows first, which is limited only by memory bandwidth.
        sums.fill(0);
        (top..bottom).for_each(|y| add(&mut sums, raster.row(y, 0, raster.width())));
        for sums in sums.chunks(across * channels) {
            let count = (sums.len() / channels * (bottom - top)) as u32;
            // Dividing each sample would take longer than everything else.
            let share = 1.0 / count as f32;
            samples.extend((0..channels).map(|channel| {
                let sum: u32 = sums.iter().skip(channel).step_by(channels).sum();
                (sum as f32 * share + 0.5) as u8
            }));
        }
    }
    Raster::new(width, height, raster.channels(), samples).map(Cow::Owned)
}

#[multiversion(targets("x86_64+avx2"))]
fn add(sums: &mut [u32], row: &[u8]) {
    for (sum, sample) in sums.iter_mut().zip(row) {
        *sum += u32::from(*sample);
    }
}

/// Typed, because [`Resizer::resize`] compiles the filters of all thirteen pixel formats into its caller, which took more
/// than half of the build of this crate.
fn scaled(rgb: &Raster, width: usize, height: usize) -> Option<Raster> {
    let (from_width, from_height) = (rgb.width() as u32, rgb.height() as u32);
    let from = TypedImageRef::<U8x3>::from_buffer(from_width, from_height, rgb.samples()).ok()?;
    let mut samples = vec![0; width * height * Channels::Rgb.count()];
    let mut to = TypedImage::<U8x3>::from_buffer(width as u32, height as u32, &mut samples).ok()?;
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
    Resizer::new().resize_typed(&from, &mut to, &options).ok()?;
    Raster::new(width, height, Channels::Rgb, samples)
}

/// The pixels in three channels.
fn coloured(raster: Cow<'_, Raster>) -> Option<Cow<'_, Raster>> {
    match raster.channels() {
        Channels::Rgb => Some(raster),
        Channels::Gray => {
            let rgb = raster.samples().iter().flat_map(|level| [*level; 3]).collect();
            Raster::new(raster.width(), raster.height(), Channels::Rgb, rgb).map(Cow::Owned)
        }
    }
}

/// Multiplies the difference of each sample from its smoothed neighbourhood by [`SHARPNESS`].
/// Pixels at the edge are unchanged.
fn sharpened(raster: &Raster) -> Raster {
    let (width, height, channels) = (raster.width(), raster.height(), raster.channels().count());
    let mut sharp = raster.clone();
    for y in 1..height.saturating_sub(1) {
        let [above, here, below] = [y - 1, y, y + 1].map(|y| raster.row(y, 0, width));
        let middle = channels..(width * channels).saturating_sub(channels).max(channels);
        for (at, sharp) in middle.clone().zip(&mut sharp.row_mut(y)[middle]) {
            let level = u32::from(here[at]);
            let around = [above, here, below].map(|row| {
                u32::from(row[at - channels]) + u32::from(row[at]) + u32::from(row[at + channels])
            });
            // Weight 1 for all nine samples, and 4 more for the centre.
            let smooth = (around.iter().sum::<u32>() + 4 * level) as f32 / 13.0;
            let sharper = smooth + SHARPNESS * (level as f32 - smooth);
            *sharp = (sharper + 0.5).clamp(0.0, 255.0) as u8;
        }
    }
    sharp
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as image;
    use iscc_media::mediatype::Sniffed;

    fn decode(webp: &[u8]) -> Raster {
        image::decode(&Sniffed::new(webp), &image::Options::default()).unwrap()
    }

    fn raster(width: usize, height: usize, level: impl Fn(usize, usize) -> [u8; 3]) -> Raster {
        let samples = (0..width * height).flat_map(|at| level(at % width, at / width)).collect();
        Raster::new(width, height, Channels::Rgb, samples).unwrap()
    }

    #[test]
    fn fits_the_square_and_is_never_enlarged() {
        for (size, expected) in [
            ((4000, 3000), (128, 96)),
            ((3000, 4000), (96, 128)),
            ((100, 20), (100, 20)),
            ((1, 1), (1, 1)),
            ((2, 20_000), (1, 128)),
            ((129, 1), (128, 1)),
        ] {
            assert_eq!(fitted(size.0, size.1, 128), expected);
            let webp = thumbnail(&raster(size.0, size.1, |_, _| [7, 8, 9]), 128).unwrap();
            let small = decode(&webp);
            assert_eq!((small.width(), small.height()), expected);
        }
    }

    #[test]
    fn resembles_the_image() {
        let image = raster(1000, 517, |x, y| [(x / 4) as u8, (y / 3) as u8, 128]);
        let small = decode(&thumbnail(&image, 128).unwrap());
        for (x, y) in [(10, 10), (64, 33), (120, 60)] {
            let [red, green, blue] = small.row(y, x, x + 1) else { panic!("not a colour") };
            let expected = [x as f64 * 1000.0 / 128.0 / 4.0, y as f64 * 517.0 / 66.0 / 3.0, 128.0];
            for (level, expected) in [red, green, blue].into_iter().zip(expected) {
                assert!((f64::from(*level) - expected).abs() < 12.0, "{level} at {x}, {y}");
            }
        }
    }

    #[test]
    fn partial_blocks_at_the_edge_are_averaged_over_their_pixels() {
        let large = raster(1025, 3, |_, _| [200, 1, 2]);
        let small = reduced(&large, 100, 1).unwrap();
        assert_eq!((small.width(), small.height()), (205, 3));
        assert!(small.samples().as_chunks().0.iter().all(|pixel| *pixel == [200, 1, 2]));
    }

    #[test]
    fn sharpening_increases_contrast_at_edges() {
        let levels = [50, 50, 100, 200, 250, 250].repeat(3);
        let sharp = sharpened(&Raster::new(6, 3, Channels::Gray, levels).unwrap());
        assert!(sharp.samples()[8] < 100 && sharp.samples()[9] > 200);
    }
}
