//! Discrete cosine transform by recursion (Lee 1984), as the reference implementation computes it.

use std::f64::consts::PI;

/// The DCT-II of `values`, not normalised. The number of values is a power of two.
pub fn dct(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    if n == 1 {
        return values.to_vec();
    }
    let mirrored = |i: usize| (values[i], values[n - 1 - i]);
    let divisor = |i: usize| ((i as f64 + 0.5) * PI / n as f64).cos() * 2.0;
    let sums: Vec<_> = (0..n / 2).map(mirrored).map(|(a, b)| a + b).collect();
    let differences: Vec<_> =
        (0..n / 2).map(|i| (mirrored(i).0 - mirrored(i).1) / divisor(i)).collect();
    let (even, odd) = (dct(&sums), dct(&differences));
    let mut result = vec![];
    for i in 0..n / 2 {
        result.push(even[i]);
        result.push(odd[i] + odd.get(i + 1).unwrap_or(&0.0));
    }
    result
}

/// Row-major frequencies of a square image. Transforms the rows first.
pub fn dct_2d(pixels: &[u8], side: usize) -> Vec<Vec<f64>> {
    let rows: Vec<Vec<f64>> = pixels
        .chunks(side)
        .map(|row| dct(&row.iter().map(|&gray| f64::from(gray)).collect::<Vec<_>>()))
        .collect();
    let mut result = vec![vec![0.0; side]; side];
    for x in 0..side {
        let column: Vec<f64> = rows.iter().map(|row| row[x]).collect();
        for (row, value) in result.iter_mut().zip(dct(&column)) {
            row[x] = value;
        }
    }
    result
}
