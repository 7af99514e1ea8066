//! The order of results: best first, and the same every time.

use std::cmp::Ordering;

/// Compares scores, higher first. Scores are never NaN.
pub fn higher_first(a: f64, b: f64) -> Ordering {
    b.total_cmp(&a)
}

/// The first `limit` of a list in order, without ordering the rest.
pub fn first<T>(mut list: Vec<T>, limit: usize, order: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    if list.len() > limit && limit > 0 {
        list.select_nth_unstable_by(limit - 1, &order);
    }
    list.truncate(limit);
    list.sort_unstable_by(order);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_those_of_the_whole_order() {
        let list: Vec<u32> = (0..500).map(|index| index * 7919 % 501).collect();
        let mut ordered = list.clone();
        ordered.sort_unstable();
        for limit in [0, 1, 2, 100, 499, 500, 1000] {
            let expected: Vec<u32> = ordered.iter().take(limit).copied().collect();
            assert_eq!(first(list.clone(), limit, Ord::cmp), expected);
        }
    }
}
