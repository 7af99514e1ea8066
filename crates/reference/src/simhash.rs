//! Similarity hash, one bit at a time.

/// Sets each bit that at least half of the digests have. All digests have the same length.
pub fn simhash(digests: &[Vec<u8>]) -> Vec<u8> {
    let length = digests.first().map_or(0, Vec::len);
    let mut result = vec![0; length];
    for bit in 0..8 * length {
        let is_set = |bytes: &Vec<u8>| bytes[bit / 8] >> (7 - bit % 8) & 1 == 1;
        let ones = digests.iter().filter(|digest| is_set(digest)).count();
        if 2 * ones >= digests.len() {
            result[bit / 8] |= 1 << (7 - bit % 8);
        }
    }
    result
}
