//! Small pictures of images, as WebP: scaled, sharpened and encoded as the reference's are (spec C.4). They are no part
//! of any code, so that their looks count and not their bytes.

use webp::Encoder;

use super::gray::Gray;
use super::raster::{Channels, Raster};
use super::resample::{self, Filter};

/// Quality of the encoder, of 100.
const QUALITY: f32 = 30.0;

/// How much the contrast of neighbours grows.
const SHARPNESS: f32 = 1.4;

/// Before the filter looks at them, pixels are averaged to this many times the thumbnail's, or more: what the filter
/// would do with the rest is not seen.
const REDUCED_TO_TIMES: usize = 2;

/// A WebP image whose longer side has at most `side_max` pixels, never larger than the image itself; orientation is not
/// applied. `None` if the encoder gives up.
pub fn thumbnail(raster: &Raster, side_max: usize) -> Option<Vec<u8>> {
    let (width, height) = fitted(raster.width(), raster.height(), side_max);
    let planes: Vec<Vec<u8>> = (0..raster.channels().count())
        .map(|channel| {
            let reduced = reduced_plane(raster, channel, width, height);
            let levels = resample::to_size(&reduced, width, height, Filter::Lanczos);
            sharpened(&Gray { width, height, levels })
        })
        .collect();
    let rgb: Vec<u8> = match raster.channels() {
        Channels::Gray => planes[0].iter().flat_map(|level| [*level; 3]).collect(),
        Channels::Rgb => (0..width * height)
            .flat_map(|at| [planes[0][at], planes[1][at], planes[2][at]])
            .collect(),
    };
    let encoder = Encoder::from_rgb(&rgb, width as u32, height as u32);
    encoder.encode_simple(false, QUALITY).ok().map(|webp| webp.to_vec())
}

/// The size that fits into a square without changing the aspect ratio.
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

/// One channel, with as many neighbours averaged as leave enough for the target's size.
fn reduced_plane(raster: &Raster, channel: usize, width: usize, height: usize) -> Gray {
    let factor =
        |from: usize, to: usize| (from as f64 / to as f64 / REDUCED_TO_TIMES as f64) as usize;
    let across = factor(raster.width(), width).max(1);
    let down = factor(raster.height(), height).max(1);
    let samples_per_box = across * raster.channels().count();
    let mut plane = Gray {
        width: raster.width().div_ceil(across),
        height: raster.height().div_ceil(down),
        levels: Vec::new(),
    };
    let mut sums = vec![0u32; plane.width];
    for top in (0..raster.height()).step_by(down) {
        let bottom = (top + down).min(raster.height());
        sums.fill(0);
        for y in top..bottom {
            let row = raster.row(y, 0, raster.width());
            for (sum, pixels) in sums.iter_mut().zip(row.chunks(samples_per_box)) {
                let samples = pixels.iter().skip(channel).step_by(raster.channels().count());
                *sum += samples.map(|sample| u32::from(*sample)).sum::<u32>();
            }
        }
        plane.levels.extend(sums.iter().enumerate().map(|(x, sum)| {
            let columns = across.min(raster.width() - x * across);
            let count = (columns * (bottom - top)) as u32;
            ((sum + count / 2) / count) as u8
        }));
    }
    plane
}

/// What a pixel differs from its smoothed self is multiplied; pixels at the edge stay.
fn sharpened(plane: &Gray) -> Vec<u8> {
    let Gray { width, height, levels } = plane;
    let mut sharp = levels.clone();
    for y in 1..height.saturating_sub(1) {
        for x in 1..width.saturating_sub(1) {
            let row = |y: usize| levels[y * width + x - 1..][..3].iter().map(|l| u32::from(*l));
            let level = levels[y * width + x];
            let around = row(y - 1).chain(row(y)).chain(row(y + 1)).sum::<u32>();
            // Nine of weight 1, and the pixel itself four times more.
            let smooth = (around + 4 * u32::from(level)) as f32 / 13.0;
            let sharper = smooth + SHARPNESS * (f32::from(level) - smooth);
            sharp[y * width + x] = (sharper + 0.5).clamp(0.0, 255.0) as u8;
        }
    }
    sharp
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::decode;

    fn raster(width: usize, height: usize, level: impl Fn(usize, usize) -> [u8; 3]) -> Raster {
        let samples = (0..width * height).flat_map(|at| level(at % width, at / width)).collect();
        Raster::new(width, height, Channels::Rgb, samples).unwrap()
    }

    #[test]
    fn it_fits_and_is_never_larger() {
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
            let small = decode(&webp, 1 << 20).unwrap();
            assert_eq!((small.width(), small.height()), expected);
        }
    }

    #[test]
    fn it_looks_like_the_image() {
        let image = raster(1000, 517, |x, y| [(x / 4) as u8, (y / 3) as u8, 128]);
        let small = decode(&thumbnail(&image, 128).unwrap(), 1 << 20).unwrap();
        for (x, y) in [(10, 10), (64, 33), (120, 60)] {
            let [red, green, blue] = small.row(y, x, x + 1) else { panic!("not a colour") };
            let expected = [x as f64 * 1000.0 / 128.0 / 4.0, y as f64 * 517.0 / 66.0 / 3.0, 128.0];
            for (level, expected) in [red, green, blue].into_iter().zip(expected) {
                assert!((f64::from(*level) - expected).abs() < 12.0, "{level} at {x}, {y}");
            }
        }
    }

    #[test]
    fn boxes_at_the_edge_are_averaged_over_what_they_have() {
        let plane = reduced_plane(&raster(1025, 3, |_, _| [200, 1, 1]), 0, 100, 1);
        assert_eq!((plane.width, plane.height), (205, 3));
        assert!(plane.levels.iter().all(|level| *level == 200));
    }

    #[test]
    fn edges_become_steeper() {
        let levels = [50, 50, 100, 200, 250, 250].repeat(3);
        let sharp = sharpened(&Gray { width: 6, height: 3, levels });
        assert!(sharp[8] < 100 && sharp[9] > 200);
    }
}
