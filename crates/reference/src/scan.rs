//! Distance scan of `iscc-search`: normalised prefix Hamming distance, one bit at a time.

/// Number of differing bits in the common prefix of `a` and `b`, and its length in bits.
///
/// The normalised prefix Hamming distance (NPHD) is the first divided by the second.
pub fn prefix_distance(a: &[u8], b: &[u8]) -> (u32, u32) {
    let bits = a.len().min(b.len()) * 8;
    let differing = (0..bits).filter(|&index| bit(a, index) != bit(b, index)).count();
    (differing as u32, bits as u32)
}

/// Rows whose similarity to `query` (1 - NPHD) is at least `threshold`: `(row, differing, bits)`.
pub fn rows_within(rows: &[Vec<u8>], query: &[u8], threshold: f64) -> Vec<(usize, u32, u32)> {
    let mut found = Vec::new();
    for (row, body) in rows.iter().enumerate() {
        let (differing, bits) = prefix_distance(body, query);
        if 1.0 - f64::from(differing) / f64::from(bits) >= threshold {
            found.push((row, differing, bits));
        }
    }
    found
}

/// Rows that are a prefix of `query` or have it as a prefix.
pub fn rows_with_prefix(rows: &[Vec<u8>], query: &[u8]) -> Vec<usize> {
    (0..rows.len())
        .filter(|&row| rows[row].starts_with(query) || query.starts_with(&rows[row]))
        .collect()
}

fn bit(bytes: &[u8], index: usize) -> u8 {
    bytes[index / 8] >> (7 - index % 8) & 1
}
