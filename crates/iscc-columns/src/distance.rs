//! Conversion between Hamming distance and similarity.

/// Similarity (0 to 1) of bodies that differ in `distance` of `bits` compared bits.
pub fn similarity(distance: u32, bits: u16) -> f64 {
    1.0 - f64::from(distance) / f64::from(bits)
}

/// Maximum number of differing bits with a similarity of at least `threshold` (0 to 1).
pub fn distance_max(bits: u16, threshold: f64) -> u32 {
    let bits_wide = u32::from(bits);
    // Compares with `similarity`, which also makes the scores, so that rounding cannot make the two disagree.
    let guess = ((1.0 - threshold) * f64::from(bits)).ceil() as u32;
    (0..=guess.min(bits_wide))
        .rev()
        .find(|&distance| similarity(distance, bits) >= threshold)
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_the_last_distance_that_passes() {
        for bits in (8..=256).step_by(8) {
            for threshold in [0.0, 0.1, 0.5, 0.75, 0.8, 0.9, 1.0] {
                let limit = distance_max(bits, threshold);
                assert!(similarity(limit, bits) >= threshold, "{bits} {threshold}");
                if limit < u32::from(bits) {
                    assert!(similarity(limit + 1, bits) < threshold, "{bits} {threshold}");
                }
            }
        }
        assert_eq!(distance_max(256, 0.75), 64);
        assert_eq!(distance_max(64, 1.0), 0);
    }
}
