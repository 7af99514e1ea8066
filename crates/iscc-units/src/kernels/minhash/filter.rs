//! Most features of a block cannot lower a minimum. A 32-bit pass finds the few that might.
//!
//! A hash is `h = ((a f + b) mod 2^64) mod (2^61 - 1) mod 2^32`. With `x = (a f + b) mod 2^64`,
//! folding at bit 61 gives `h = low32(x) + (x >> 61) + carry (mod 2^32)`, because 2^61 - 1 is -1
//! modulo 2^32. The sum of the last two terms is 0 to 8. So with the bound
//! `y = low32(x) + 8 (mod 2^32)`, the hash is in `y - 8 ..= y (mod 2^32)`. Computing `y` only needs
//! 32-bit lanes: low words of `a` and `b`, one multiplication.
//!
//! Let `m` be the minimum `y` of a block. If `m >= 16`, no `y` wrapped around: no hash is below
//! `m - 8`, and features with `y > m + 8` cannot beat the one with `m`. If `m < 16`, some `y` may
//! have wrapped, and every feature is checked.

use super::{BLOCK, Lowest, MULTIPLIER, SUMMAND};

/// Features per lane-wise operation.
pub(super) const GROUP: usize = 16;

/// Groups per block.
pub(super) const GROUPS: usize = BLOCK / GROUP;

/// Maximum difference between the bound and the exact hash.
const SLACK: u32 = 8;

/// Low words of the multipliers.
pub(super) static FACTOR: [u32; 64] = {
    let mut low = [0; 64];
    let mut i = 0;
    while i < 64 {
        low[i] = MULTIPLIER[i] as u32;
        i += 1;
    }
    low
};

/// Low words of the summands, plus the slack.
pub(super) static OFFSET: [u32; 64] = {
    let mut low = [0; 64];
    let mut i = 0;
    while i < 64 {
        low[i] = (SUMMAND[i] as u32).wrapping_add(SLACK);
        i += 1;
    }
    low
};

/// Lowers the minima by 1 to a block of features. Returns the number of permutations for which only
/// the feature with the current minimum occurred.
///
/// `least` returns the minimum bound of each permutation over some groups. `at_most(groups, i,
/// limit)` returns the features, one bit each, whose bound under permutation `i` is at most
/// `limit`.
#[inline(always)]
pub(super) fn fold(
    features: &[u32],
    lowest: &mut Lowest,
    least: impl Fn(&[[u32; GROUP]]) -> [u32; 64],
    at_most: impl Fn(&[[u32; GROUP]], usize, u32) -> [u16; GROUPS],
) -> u32 {
    let mut padded = [0; BLOCK];
    let groups = match features.as_chunks::<GROUP>() {
        (groups, []) => groups,
        _ => pad(features, &mut padded),
    };
    let mut repeated = 0;
    for (i, bound) in least(groups).into_iter().enumerate() {
        let may_win = bound < 2 * SLACK || bound - SLACK < lowest.minima[i];
        if may_win {
            let limit = if bound < 2 * SLACK { u32::MAX } else { bound.saturating_add(SLACK) };
            repeated += u32::from(!take(groups, i, at_most(groups, i, limit), lowest));
        }
    }
    repeated
}

/// Completes the last group by repeating the last feature, which does not change the result.
fn pad<'a>(features: &[u32], padded: &'a mut [u32; BLOCK]) -> &'a [[u32; GROUP]] {
    let whole = features.len().next_multiple_of(GROUP);
    padded[..features.len()].copy_from_slice(features);
    padded[features.len()..whole].fill(features[features.len() - 1]);
    padded[..whole].as_chunks().0
}

/// Processes the marked features except the one with the current minimum. Returns whether there
/// was another one.
#[inline(always)]
fn take(groups: &[[u32; GROUP]], i: usize, marked: [u16; GROUPS], lowest: &mut Lowest) -> bool {
    let first = lowest.minima[i] == u32::MAX;
    let mut any = false;
    for (group, mut marks) in groups.iter().zip(marked) {
        while marks != 0 {
            let feature = group[marks.trailing_zeros() as usize];
            if first || feature != lowest.features[i] {
                lowest.take(i, feature);
                any = true;
            }
            marks &= marks - 1;
        }
    }
    any
}
