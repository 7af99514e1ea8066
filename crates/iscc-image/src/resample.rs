//! Resampling with the arithmetic of Pillow: weights in 22-bit fixed point, horizontal pass first,
//! each pass rounded to 8 bits.

use std::borrow::Cow;
use std::ops::Range;

use multiversion::multiversion;

use super::gray::Gray;

/// Weighting of the samples around a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Cubic convolution with a = -0.5 (Keys 1981).
    Bicubic,
    /// Linear interpolation (triangle filter).
    Bilinear,
}

/// Rows that are narrowed before they are added up. The narrowed rows of a high image of one column
/// would take much more memory than the image.
const ROWS_AT_ONCE: usize = 4096;

/// Weights that are kept for a pass over the rows, unless one output sample has more. All weights of
/// a wide image of one row would take 16 times the memory of the image.
const WEIGHTS_AT_ONCE: usize = 1 << 20;

/// Scales to `SIDE` x `SIDE` levels, ignoring the aspect ratio. A side that already has the size is
/// not resampled.
pub fn to_square<const SIDE: usize>(gray: &Gray, filter: Filter) -> Vec<u8> {
    let across = Line::new(gray.width, SIDE, filter);
    if gray.height == SIDE {
        return narrowed::<SIDE>(&gray.levels, &across).into_owned();
    }
    let down = Line::new(gray.height, SIDE, filter);
    let mut sums = vec![[HALF; SIDE]; SIDE];
    for (index, rows) in gray.levels.chunks(gray.width * ROWS_AT_ONCE).enumerate() {
        let narrow = narrowed::<SIDE>(rows, &across);
        add_rows(&mut sums, narrow.as_chunks().0, index * ROWS_AT_ONCE, &down);
    }
    sums.into_iter().flatten().map(rounded).collect()
}

/// Fraction bits of a weight: 32 bits minus 8 for the sample and 2 for overshoot.
const PRECISION_BITS: u32 = 32 - 8 - 2;

/// One half in fixed point, added for rounding.
const HALF: i32 = 1 << (PRECISION_BITS - 1);

/// Rows of `SIDE` levels from rows of any length.
fn narrowed<'a, const SIDE: usize>(levels: &'a [u8], across: &Line) -> Cow<'a, [u8]> {
    if across.length == SIDE {
        return Cow::Borrowed(levels);
    }
    let rows = levels.chunks_exact(across.length);
    let mut narrow = vec![0; rows.len() * SIDE];
    for outputs in across.groups() {
        let taps: Vec<Taps> = outputs.clone().map(|output| across.taps(output)).collect();
        for (narrow, row) in narrow.chunks_exact_mut(SIDE).zip(rows.clone()) {
            resample_row(&mut narrow[outputs.clone()], row, &taps);
        }
    }
    Cow::Owned(narrow)
}

/// Resamples one row. With AVX2, eight products at a time take a quarter of the time of baseline
/// x86-64.
#[multiversion(targets("x86_64+avx2"))]
fn resample_row(narrow: &mut [u8], row: &[u8], taps: &[Taps]) {
    for (output, Taps { first, weights }) in narrow.iter_mut().zip(taps) {
        let inputs = &row[*first..*first + weights.len()];
        let mut sum = HALF;
        for (level, weight) in inputs.iter().zip(weights) {
            sum += i32::from(*level) * weight;
        }
        *output = rounded(sum);
    }
}

/// Adds the weighted rows from number `start` on to the sums of all output rows.
fn add_rows<const SIDE: usize>(
    sums: &mut [[i32; SIDE]],
    rows: &[[u8; SIDE]],
    start: usize,
    down: &Line,
) {
    for (sums, window) in sums.iter_mut().zip(&down.windows) {
        let Range { start: first, end } = window.inputs;
        let inputs = first.max(start)..end.min(start + rows.len());
        if inputs.is_empty() {
            continue;
        }
        let rows = &rows[inputs.start - start..];
        // Both are copied to keep the sums in registers.
        let weights: Vec<i32> = down.weights(window, inputs).collect();
        let mut added = *sums;
        for (row, weight) in rows.iter().zip(&weights) {
            for (sum, level) in added.iter_mut().zip(row) {
                *sum += i32::from(*level) * weight;
            }
        }
        *sums = added;
    }
}

fn rounded(sum: i32) -> u8 {
    (sum >> PRECISION_BITS).clamp(0, 255) as u8
}

/// How the samples of a line are computed from those of a line of `length` input samples.
struct Line {
    length: usize,
    kernel: fn(f64) -> f64,
    /// Factor of distances between inputs.
    narrowing: f64,
    /// One per output sample.
    windows: Vec<Window>,
}

/// The input samples of an output sample.
struct Window {
    inputs: Range<usize>,
    center: f64,
    /// Sum of the kernel at all inputs.
    total: f64,
}

/// Weights of an output sample, for the input samples from `first` on.
struct Taps {
    first: usize,
    weights: Vec<i32>,
}

impl Line {
    fn new(length: usize, outputs: usize, filter: Filter) -> Self {
        // Downscaling widens the kernel's support; upscaling does not narrow it.
        let (kernel, support): (fn(f64) -> f64, f64) = match filter {
            Filter::Bicubic => (bicubic, 2.0),
            Filter::Bilinear => (|x| (1.0 - x.abs()).max(0.0), 1.0),
        };
        let scale = length as f64 / outputs as f64;
        let widening = scale.max(1.0);
        let support = support * widening;
        let mut line = Self { length, kernel, narrowing: 1.0 / widening, windows: Vec::new() };
        for output in 0..outputs {
            let center = (output as f64 + 0.5) * scale;
            // The conversion to an integer truncates, and saturates below zero.
            let first = (center - support + 0.5) as usize;
            let last = ((center + support + 0.5) as usize).min(length);
            let total = (first..last).map(|input| line.kernel_at(input, center)).sum();
            line.windows.push(Window { inputs: first..last, center, total });
        }
        line
    }

    fn kernel_at(&self, input: usize, center: f64) -> f64 {
        (self.kernel)((input as f64 - center + 0.5) * self.narrowing)
    }

    /// Weights of some inputs of the window. Only their sum is kept of the weights before they
    /// are rounded, so they are computed again.
    fn weights(&self, window: &Window, inputs: Range<usize>) -> impl Iterator<Item = i32> {
        let Window { center, total, .. } = *window;
        inputs.map(move |input| {
            let weight = self.kernel_at(input, center) / total * f64::from(1 << PRECISION_BITS);
            // Rounds as Pillow does. `round` is a call of a function on baseline x86-64.
            (weight + 0.5_f64.copysign(weight)) as i32
        })
    }

    fn taps(&self, output: usize) -> Taps {
        let window = &self.windows[output];
        let weights = self.weights(window, window.inputs.clone()).collect();
        Taps { first: window.inputs.start, weights }
    }

    /// Ranges of outputs that have [`WEIGHTS_AT_ONCE`] or fewer weights together, or are single.
    fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        let weights = self.windows.iter().map(|window| window.inputs.len()).max().unwrap_or(1);
        let step = (WEIGHTS_AT_ONCE / weights.max(1)).max(1);
        let outputs = self.windows.len();
        (0..outputs).step_by(step).map(move |first| first..outputs.min(first + step))
    }
}

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

    const FILTERS: [Filter; 2] = [Filter::Bicubic, Filter::Bilinear];

    /// One resampled line, with all weights at once, as simple as possible.
    fn simple(line: &[u8], outputs: usize, filter: Filter) -> Vec<u8> {
        if line.len() == outputs {
            return line.to_vec();
        }
        let (kernel, support): (fn(f64) -> f64, f64) = match filter {
            Filter::Bicubic => (bicubic, 2.0),
            Filter::Bilinear => (|x| (1.0 - x.abs()).max(0.0), 1.0),
        };
        let scale = line.len() as f64 / outputs as f64;
        let widening = scale.max(1.0);
        let output = |output: usize| {
            let center = (output as f64 + 0.5) * scale;
            let first = (center - support * widening + 0.5) as usize;
            let last = ((center + support * widening + 0.5) as usize).min(line.len());
            let narrowing = 1.0 / widening;
            let shares: Vec<f64> =
                (first..last).map(|i| kernel((i as f64 - center + 0.5) * narrowing)).collect();
            let total: f64 = shares.iter().sum();
            let weights = shares.iter().map(|share| (share / total * 4_194_304.0).round() as i32);
            let products = line[first..last].iter().zip(weights).map(|(x, w)| i32::from(*x) * w);
            rounded(products.sum::<i32>() + HALF)
        };
        (0..outputs).map(output).collect()
    }

    fn simple_square<const SIDE: usize>(gray: &Gray, filter: Filter) -> Vec<u8> {
        let rows = gray.levels.chunks_exact(gray.width);
        let narrow: Vec<u8> = rows.flat_map(|row| simple(row, SIDE, filter)).collect();
        let mut square = vec![0; SIDE * SIDE];
        for x in 0..SIDE {
            let column: Vec<u8> = narrow.iter().skip(x).step_by(SIDE).copied().collect();
            for (y, level) in simple(&column, SIDE, filter).into_iter().enumerate() {
                square[y * SIDE + x] = level;
            }
        }
        square
    }

    /// An image of noise.
    fn noise(width: usize, height: usize) -> Gray {
        let mut state = 1u32;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        Gray { width, height, levels: std::iter::repeat_with(next).take(width * height).collect() }
    }

    #[test]
    fn parts_of_the_weights_and_rows_give_the_same_levels() {
        let many_rows = 2 * ROWS_AT_ONCE + 5;
        let many_columns = WEIGHTS_AT_ONCE + 3;
        for (width, height) in [
            (1, many_rows),
            (33, many_rows),
            (32, ROWS_AT_ONCE),
            (many_columns, 2),
            (50, 32),
            (3, 70),
        ] {
            let gray = noise(width, height);
            for filter in FILTERS {
                let expected = simple_square::<32>(&gray, filter);
                assert!(
                    to_square::<32>(&gray, filter) == expected,
                    "{width} x {height} {filter:?}"
                );
            }
        }
        let gray = noise(700, 40);
        let expected = simple_square::<512>(&gray, Filter::Bilinear);
        assert!(to_square::<512>(&gray, Filter::Bilinear) == expected);
    }

    #[test]
    fn few_weights_are_kept_at_once() {
        for (length, outputs) in [(1, 32), (4000, 32), (1_000_000, 32), (5_000_000, 512)] {
            let line = Line::new(length, outputs, Filter::Bicubic);
            let mut all = Vec::new();
            for group in line.groups() {
                let weights: usize = group.clone().map(|i| line.windows[i].inputs.len()).sum();
                assert!(weights <= WEIGHTS_AT_ONCE || group.len() == 1, "{weights} of {length}");
                all.extend(group);
            }
            assert!(all.into_iter().eq(0..outputs));
        }
        assert_eq!(Line::new(4000, 32, Filter::Bicubic).groups().count(), 1);
    }

    #[test]
    fn weights_sum_to_one() {
        for length in [1, 2, 31, 33, 64, 1000, 4097] {
            for line in FILTERS.map(|filter| Line::new(length, 32, filter)) {
                for taps in (0..32).map(|output| line.taps(output)) {
                    let sum: i32 = taps.weights.iter().sum();
                    assert!((sum - (1 << PRECISION_BITS)).abs() <= taps.weights.len() as i32);
                    assert!(taps.first + taps.weights.len() <= length);
                }
            }
        }
    }

    #[test]
    fn a_uniform_image_keeps_its_level() {
        for (width, height) in [(1, 1), (32, 32), (31, 200), (4000, 3)] {
            let gray = Gray { width, height, levels: vec![137; width * height] };
            assert_eq!(to_square::<32>(&gray, Filter::Bicubic), [137; 32 * 32]);
            assert_eq!(to_square::<512>(&gray, Filter::Bilinear), [137; 512 * 512]);
        }
    }

    #[test]
    fn an_image_of_the_right_size_is_unchanged() {
        let levels: Vec<u8> = (0..32 * 32).map(|i| (i * 31 % 256) as u8).collect();
        let gray = Gray { width: 32, height: 32, levels: levels.clone() };
        assert_eq!(to_square::<32>(&gray, Filter::Bicubic), levels);
    }
}
