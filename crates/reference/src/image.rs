//! Image-Code bits, with the median of a sorted window.

use crate::dct::dct_2d;

/// 64 bits per window of 8 x 8 frequencies at `(x, y)`: 1 if above the window's median.
pub fn digest(pixels: &[u8], windows: &[(usize, usize)]) -> Vec<u8> {
    let frequencies = dct_2d(pixels, 32);
    let mut digest = vec![];
    for &(x, y) in windows {
        let window: Vec<f64> = (0..64).map(|i| frequencies[y + i / 8][x + i % 8]).collect();
        let mut sorted = window.clone();
        sorted.sort_by(f64::total_cmp);
        let median = (sorted[31] + sorted[32]) / 2.0;
        for eight in window.chunks(8) {
            digest.push(eight.iter().fold(0, |bits, value| bits << 1 | u8::from(*value > median)));
        }
    }
    digest
}
