//! Gray samples of 16 to 64 bits.

use ::tiff::ColorType;
use ::tiff::decoder::DecodingResult;

use crate::depth::{Depth, gray_levels};
use crate::raster::Loss;

/// Levels of gray with more than 8 bits, and what they lost; `None` for other layouts. The decoder has
/// inverted the samples if `is_inverted`.
pub fn gray(
    colors: ColorType,
    decoded: &DecodingResult,
    is_inverted: bool,
    depth: Depth,
) -> Option<(Vec<u8>, Option<Loss>)> {
    let ColorType::Gray(16 | 32 | 64) = colors else { return None };
    let is_clipped = depth == Depth::Clipped;
    Some(match decoded {
        // Pillow inverts only samples of fewer bits.
        DecodingResult::U16(samples) if is_clipped && is_inverted => {
            levels(samples, |sample| f64::from(!sample), depth)
        }
        DecodingResult::U16(samples) => levels(samples, f64::from, depth),
        DecodingResult::I16(samples) => levels(samples, f64::from, depth),
        // Pillow takes them for signed samples.
        DecodingResult::U32(samples) if is_clipped => {
            levels(samples, |sample| f64::from(sample.cast_signed()), depth)
        }
        DecodingResult::U32(samples) => levels(samples, f64::from, depth),
        DecodingResult::I32(samples) => levels(samples, f64::from, depth),
        DecodingResult::F32(samples) => levels(samples, f64::from, depth),
        DecodingResult::F64(samples) => levels(samples, |sample| sample, depth),
        _ => return None,
    })
}

fn levels<Sample: Copy>(
    samples: &[Sample],
    value: impl Fn(Sample) -> f64 + Copy,
    depth: Depth,
) -> (Vec<u8>, Option<Loss>) {
    gray_levels(samples.iter().map(move |sample| value(*sample)), depth)
}
