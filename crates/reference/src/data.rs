//! Data-Code digest of data in memory.

use crate::{cdc, minhash, xxh32};

/// MinHash of the hashes of the chunks.
pub fn digest(data: &[u8], gear: &[u32; 256], a: &[u64; 64], b: &[u64; 64]) -> [u8; 32] {
    let mut start = 0;
    let mut features = vec![];
    for end in cdc::boundaries(data, 1024, 1, gear) {
        features.push(xxh32::hash(&data[start..end]));
        start = end;
    }
    minhash::digest(&features, a, b)
}
