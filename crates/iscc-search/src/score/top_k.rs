//! Deterministic ranking: the best items of a list.

use std::cmp::Ordering;

/// Compares scores, higher first. Scores are never NaN.
pub fn higher_first(a: f64, b: f64) -> Ordering {
    b.total_cmp(&a)
}

/// The first `limit` items of a list in a given order. Does not sort the rest.
pub fn top_k<T>(mut list: Vec<T>, limit: usize, order: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    if list.len() > limit {
        list.select_nth_unstable_by(limit, &order);
        list.truncate(limit);
    }
    list.sort_unstable_by(order);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equals_a_full_sort() {
        let list: Vec<u32> = (0..500).map(|index| index * 7919 % 501).collect();
        let mut ordered = list.clone();
        ordered.sort_unstable();
        for limit in [0, 1, 2, 100, 499, 500, 1000] {
            let expected: Vec<u32> = ordered.iter().take(limit).copied().collect();
            assert_eq!(top_k(list.clone(), limit, Ord::cmp), expected);
        }
    }
}
