//! Many chunks: sorted by length, then twelve of similar length in parallel.

use super::portable::{STRIPE, finish_stripes, hash as hash_one};

/// Number of parallel chunks: two per 256-bit register, six registers to hide the latency of the
/// multiplier.
pub(super) const CHUNKS: usize = 12;

/// Longer chunks have this length in the counting sort.
const STRIPES_MAX: usize = 512;

/// With fewer stripes, setting up the lanes does not pay off.
const STRIPES_MIN: usize = 4;

/// Appends the hashes of the chunks in their order. `lanes` gets twelve chunks sorted by ascending
/// number of stripes. It returns their four accumulators after the stripes of the shorter chunk of
/// each pair.
#[inline(always)]
pub(super) fn hash(
    data: &[u8],
    ends: &[u32],
    hashes: &mut Vec<u32>,
    lanes: impl Fn(&[&[u8]; CHUNKS]) -> [[u32; 4]; CHUNKS],
) {
    let first = hashes.len();
    hashes.resize(first + ends.len(), 0);
    let hashes = &mut hashes[first..];
    let chunk = |i: u32| {
        let start = if i == 0 { 0 } else { ends[i as usize - 1] as usize };
        &data[start..ends[i as usize] as usize]
    };
    let order = by_stripes(ends.len() as u32, |i| chunk(i).len() / STRIPE);
    let (groups, rest) = order.as_chunks::<CHUNKS>();
    for group in groups {
        let chunks = group.map(chunk);
        if chunks[0].len() < STRIPE * STRIPES_MIN {
            for (&i, chunk) in group.iter().zip(chunks) {
                hashes[i as usize] = hash_one(chunk);
            }
            continue;
        }
        let lanes = lanes(&chunks);
        for (k, &i) in group.iter().enumerate() {
            let taken = chunks[k & !1].len() / STRIPE * STRIPE;
            hashes[i as usize] = finish_stripes(lanes[k], chunks[k].len(), &chunks[k][taken..]);
        }
    }
    for &i in rest {
        hashes[i as usize] = hash_one(chunk(i));
    }
}

/// Indexes of the chunks sorted by number of stripes. A counting sort, in which chunks of more than
/// [`STRIPES_MAX`] stripes share the last slot and are then sorted by comparison.
fn by_stripes(chunks: u32, stripes: impl Fn(u32) -> usize) -> Vec<u32> {
    let mut places = [0u32; STRIPES_MAX + 2];
    for i in 0..chunks {
        places[stripes(i).min(STRIPES_MAX) + 1] += 1;
    }
    for i in 1..places.len() {
        places[i] += places[i - 1];
    }
    let longest = places[STRIPES_MAX] as usize;
    let mut order = vec![0; chunks as usize];
    for i in 0..chunks {
        let place = &mut places[stripes(i).min(STRIPES_MAX)];
        order[*place as usize] = i;
        *place += 1;
    }
    order[longest..].sort_unstable_by_key(|&i| stripes(i));
    order
}
