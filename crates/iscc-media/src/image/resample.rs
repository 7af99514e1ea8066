//! Bicubic scaling to 32 x 32 with the arithmetic of Pillow's resampler: weights in 22-bit fixed
//! point, rows first, each pass rounded to 8 bits.

use super::SIDE;
use super::gray::Gray;

/// Scales to 32 x 32 without keeping the aspect ratio. A side of 32 pixels is left as it is.
pub fn to_square(gray: &Gray) -> [u8; SIDE * SIDE] {
    let narrow = if gray.width == SIDE { gray.levels.clone() } else { across(gray) };
    let mut square = [0; SIDE * SIDE];
    if gray.height == SIDE {
        square.copy_from_slice(&narrow);
    } else {
        down(&narrow, gray.height, &mut square);
    }
    square
}

/// Fraction bits of a weight: Pillow's 32 bits less 8 for the sample and 2 for overshoot.
const PRECISION_BITS: u32 = 32 - 8 - 2;

/// Half in fixed point, to round.
const HALF: i32 = 1 << (PRECISION_BITS - 1);

/// What one output sample is made of: weights of the input samples from `first` on.
struct Taps {
    first: usize,
    weights: Vec<i32>,
}

fn across(gray: &Gray) -> Vec<u8> {
    let taps = taps(gray.width);
    let mut narrow = Vec::with_capacity(gray.height * SIDE);
    for row in gray.levels.chunks_exact(gray.width) {
        narrow.extend(taps.iter().map(|Taps { first, weights }| {
            let inputs = &row[*first..*first + weights.len()];
            let products =
                inputs.iter().zip(weights).map(|(level, weight)| i32::from(*level) * weight);
            rounded(HALF + products.sum::<i32>())
        }));
    }
    narrow
}

fn down(narrow: &[u8], height: usize, square: &mut [u8; SIDE * SIDE]) {
    let rows = narrow.as_chunks::<SIDE>().0;
    for (taps, out) in taps(height).iter().zip(square.as_chunks_mut::<SIDE>().0) {
        let mut sums = [HALF; SIDE];
        for (row, weight) in rows[taps.first..].iter().zip(&taps.weights) {
            for (sum, level) in sums.iter_mut().zip(row) {
                *sum += i32::from(*level) * weight;
            }
        }
        *out = sums.map(rounded);
    }
}

fn rounded(sum: i32) -> u8 {
    (sum >> PRECISION_BITS).clamp(0, 255) as u8
}

/// Taps of all 32 output samples of a line of `length` input samples.
fn taps(length: usize) -> Vec<Taps> {
    // Support of the bicubic kernel; scaling down widens it, scaling up does not narrow it.
    const SUPPORT: f64 = 2.0;
    let scale = length as f64 / SIDE as f64;
    let widening = scale.max(1.0);
    let support = SUPPORT * widening;
    let narrowing = 1.0 / widening;
    (0..SIDE)
        .map(|output| {
            let center = (output as f64 + 0.5) * scale;
            // Conversion to integers truncates, and saturates below zero.
            let first = (center - support + 0.5) as usize;
            let last = ((center + support + 0.5) as usize).min(length);
            let weights: Vec<f64> = (first..last)
                .map(|input| bicubic((input as f64 - center + 0.5) * narrowing))
                .collect();
            let total: f64 = weights.iter().sum();
            let fixed =
                |weight: &f64| (weight / total * f64::from(1 << PRECISION_BITS)).round() as i32;
            Taps { first, weights: weights.iter().map(fixed).collect() }
        })
        .collect()
}

/// The cubic convolution kernel with a = -0.5 (Keys 1981).
fn bicubic(x: f64) -> f64 {
    const A: f64 = -0.5;
    let x = x.abs();
    if x < 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * A
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one() {
        for length in [1, 2, 31, 33, 64, 1000, 4097] {
            for taps in taps(length) {
                let sum: i32 = taps.weights.iter().sum();
                assert!((sum - (1 << PRECISION_BITS)).abs() <= taps.weights.len() as i32);
                assert!(taps.first + taps.weights.len() <= length);
            }
        }
    }

    #[test]
    fn flat_images_stay_flat() {
        for (width, height) in [(1, 1), (32, 32), (31, 200), (4000, 3)] {
            let gray = Gray { width, height, levels: vec![137; width * height] };
            assert_eq!(to_square(&gray), [137; SIDE * SIDE]);
        }
    }

    #[test]
    fn size_32_is_untouched() {
        let levels: Vec<u8> = (0..SIDE * SIDE).map(|i| (i * 31 % 256) as u8).collect();
        let gray = Gray { width: SIDE, height: SIDE, levels: levels.clone() };
        assert_eq!(to_square(&gray)[..], levels);
    }
}
