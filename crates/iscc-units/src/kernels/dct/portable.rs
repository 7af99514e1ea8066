//! Eight transforms in parallel.

use super::divisors::{DIVISORS_2, DIVISORS_4, DIVISORS_8, DIVISORS_16, DIVISORS_32};
use super::{Frequencies, KEPT, SIDE};

/// Number of parallel transforms.
const LANES: usize = 8;

/// One value of each transform.
type Lanes = [f64; LANES];

/// See [`super::low_frequencies_at`].
#[inline(always)]
pub(super) fn low_frequencies(pixels: &[u8; SIDE * SIDE], eight_columns: bool) -> Frequencies {
    let columns = if eight_columns { LANES } else { KEPT };
    let by_column = transform_rows(pixels, columns);
    let mut frequencies = [[0.0; KEPT]; KEPT];
    for first in (0..columns).step_by(LANES) {
        let lanes =
            std::array::from_fn(|row| std::array::from_fn(|lane| by_column[first + lane][row]));
        for (row, lanes) in frequencies.iter_mut().zip(dct_32(&lanes)) {
            row[first..first + LANES].copy_from_slice(&lanes);
        }
    }
    frequencies
}

/// `[u][row]`: horizontal frequency u of each image row.
#[inline(always)]
fn transform_rows(pixels: &[u8; SIDE * SIDE], columns: usize) -> [[f64; SIDE]; KEPT] {
    let mut by_column = [[0.0; SIDE]; KEPT];
    for first in (0..SIDE).step_by(LANES) {
        let lanes = std::array::from_fn(|x| {
            std::array::from_fn(|lane| f64::from(pixels[SIDE * (first + lane) + x]))
        });
        for (column, lanes) in by_column[..columns].iter_mut().zip(dct_32(&lanes)) {
            column[first..first + LANES].copy_from_slice(&lanes);
        }
    }
    by_column
}

/// One level of the recursion. It transforms the sums and the scaled differences of mirrored values
/// separately. The former are the even outputs; pairs of the latter add up to the odd ones.
macro_rules! level {
    ($name:ident, $half:ident, $size:literal, $divisors:ident) => {
        #[inline(always)]
        fn $name(input: &[Lanes; $size]) -> [Lanes; $size] {
            let mut sums = [[0.0; LANES]; $size / 2];
            let mut differences = [[0.0; LANES]; $size / 2];
            for i in 0..$size / 2 {
                for lane in 0..LANES {
                    let (left, right) = (input[i][lane], input[$size - 1 - i][lane]);
                    sums[i][lane] = left + right;
                    differences[i][lane] = (left - right) / $divisors[i];
                }
            }
            let even = $half(&sums);
            let odd = $half(&differences);
            let mut output = [[0.0; LANES]; $size];
            for i in 0..$size / 2 {
                output[2 * i] = even[i];
                output[2 * i + 1] = odd[i];
                if i + 1 < $size / 2 {
                    for lane in 0..LANES {
                        output[2 * i + 1][lane] += odd[i + 1][lane];
                    }
                }
            }
            output
        }
    };
}

level!(dct_32, dct_16, 32, DIVISORS_32);
level!(dct_16, dct_8, 16, DIVISORS_16);
level!(dct_8, dct_4, 8, DIVISORS_8);
level!(dct_4, dct_2, 4, DIVISORS_4);
level!(dct_2, dct_1, 2, DIVISORS_2);

#[inline(always)]
fn dct_1(input: &[Lanes; 1]) -> [Lanes; 1] {
    *input
}
