//! The order of a hash table of Java, which shows in the texts of the reference.

/// Sorts keys in the order in which Java's `HashMap` iterates over them if they were added in the
/// given order.
pub fn sort_as_hashed(keys: &mut [&str]) {
    const CAPACITY_MIN: usize = 16;
    // The table doubles when it is three quarters full.
    let capacity = (keys.len() * 4).div_ceil(3).next_power_of_two().max(CAPACITY_MIN);
    let mask = capacity as u32 - 1;
    keys.sort_by_key(|key| {
        let hash = key
            .encode_utf16()
            .fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
        (hash ^ (hash >> 16)) & mask
    });
}

#[cfg(test)]
mod tests {
    use super::sort_as_hashed;

    #[test]
    fn orders_keys_like_a_hash_table_of_java() {
        let mut keys = [
            "c1", "ttf", "js", "smil", "txt", "x", "svg", "xm", "axm", "json", "xpgt", "pls",
            "css", "xh", "otf", "dot", "lost", "pct", "ncx", "mp3", "gif", "none", "webp",
        ];
        sort_as_hashed(&mut keys);
        let listed = [
            "otf", "pct", "gif", "smil", "js", "none", "webp", "xh", "txt", "mp3", "pls", "x",
            "json", "xpgt",
        ];
        keys.iter().filter(|key| listed.contains(key)).zip(listed).for_each(|(key, expected)| {
            assert_eq!(*key, expected);
        });
    }
}
