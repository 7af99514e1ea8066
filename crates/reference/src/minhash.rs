//! MinHash-256, with one division per feature and permutation (ISO 24138).

/// The minimum over all features of each permutation `a x + b`; `u32::MAX` without features.
pub fn minima(features: &[u32], a: &[u64; 64], b: &[u64; 64]) -> [u32; 64] {
    std::array::from_fn(|i| {
        let hash = |feature: &u32| {
            let line = a[i].wrapping_mul(u64::from(*feature)).wrapping_add(b[i]);
            (line % ((1 << 61) - 1) % (1 << 32)) as u32
        };
        features.iter().map(hash).min().unwrap_or(u32::MAX)
    })
}

/// The lowest four bits of the minima, lowest bits first, packed from the highest bit of each byte.
pub fn digest(features: &[u32], a: &[u64; 64], b: &[u64; 64]) -> [u8; 32] {
    let minima = minima(features, a, b);
    let mut digest = [0; 32];
    for position in 0..256 {
        let (plane, i) = (position / 64, position % 64);
        let bit = minima[i] >> plane & 1;
        digest[position / 8] |= (bit as u8) << (7 - position % 8);
    }
    digest
}
