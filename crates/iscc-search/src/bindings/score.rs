//! Scores and ranks of matches.

/// Bits of a searchable unit.
const BITS: u32 = 256;
/// Maximum score of similar units.
const SIMILAR_MAX: u32 = 99;
/// Score of equal values and equal Instance-Codes.
pub const EQUAL: u8 = 100;

/// Score of two units of 256 bits that differ in `distance` bits: the similarity in per cent, rounded half up, at most
/// 99.
pub fn unit_score(distance: u32) -> u8 {
    let percent = ((BITS - distance.min(BITS)) * 200 + BITS) / (2 * BITS);
    percent.min(SIMILAR_MAX) as u8
}

/// Maximum distance with at least a given score. `None` if similar units cannot reach the score.
pub fn distance_max(score: u8) -> Option<u32> {
    (0..=BITS).rev().find(|&distance| unit_score(distance) >= score)
}

/// Rank of a manifest among those of equal score. The smallest comes first.
pub fn rank(trusted: bool, uploaded_at: u64) -> u64 {
    const UNTRUSTED: u64 = 1 << 63;
    let untrusted = if trusted { 0 } else { UNTRUSTED };
    untrusted | uploaded_at & (UNTRUSTED - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_applies_to_the_rounded_score() {
        assert_eq!(
            (unit_score(0), unit_score(65), unit_score(66), unit_score(256)),
            (99, 75, 74, 0)
        );
        assert_eq!(
            (distance_max(75), distance_max(0), distance_max(100)),
            (Some(65), Some(256), None)
        );
    }

    #[test]
    fn trusted_manifests_rank_before_older_ones() {
        assert!(rank(true, 9) < rank(false, 1) && rank(true, 1) < rank(true, 2));
    }
}
