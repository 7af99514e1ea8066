//! The keys at a given distance from a key.

use std::sync::OnceLock;

/// Maximum radius of a search in one list. A wider ring has more keys than a scan is worth.
pub const RADIUS_MAX: usize = 5;
/// Maximum radius in lists of more than 16 bits.
const RADIUS_MAX_LONG: usize = 4;
const KEY_BITS_MAX: usize = 22;

/// All numbers of `bits` bits with `radius` ones, ascending. `None` beyond the maximum radius.
///
/// # Panics
/// If `bits` is more than 22.
pub fn ring(bits: u16, radius: usize) -> Option<&'static [u32]> {
    static RINGS: [OnceLock<Vec<Vec<u32>>>; KEY_BITS_MAX + 1] =
        [const { OnceLock::new() }; KEY_BITS_MAX + 1];
    let rings = RINGS[usize::from(bits)].get_or_init(|| {
        let radius_max = if bits > 16 { RADIUS_MAX_LONG } else { RADIUS_MAX };
        (0..=radius_max).map(|radius| combinations(u32::from(bits), radius as u32)).collect()
    });
    rings.get(radius).map(Vec::as_slice)
}

/// Numbers below 2^`bits` with `ones` ones, ascending.
fn combinations(bits: u32, ones: u32) -> Vec<u32> {
    if ones == 0 {
        return vec![0];
    }
    let next = |&number: &u32| {
        // Gosper's hack: moves the lowest run of ones up by one place.
        let lowest = number & number.wrapping_neg();
        let carried = number + lowest;
        Some(carried | (((number ^ carried) >> 2) / lowest))
    };
    let all = std::iter::successors((ones <= bits).then(|| (1 << ones) - 1), next);
    all.take_while(|&number| number < 1 << bits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_all_numbers_with_so_many_ones() {
        for bits in [16, 21, 22] {
            for radius in 0..=RADIUS_MAX_LONG {
                let all = 0u32..1 << bits;
                let expected: Vec<u32> =
                    all.filter(|number| number.count_ones() as usize == radius).collect();
                assert_eq!(ring(bits, radius), Some(&expected[..]), "{bits} {radius}");
            }
        }
        assert_eq!(ring(16, 5).unwrap().len(), 4368);
        assert_eq!((ring(16, 6), ring(21, 5)), (None, None));
    }
}
