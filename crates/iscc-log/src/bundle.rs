//! Entry bundles: up to 256 records, each with its length in two bytes.

/// Splits a bundle into exactly `count` records. `None` if it is truncated, has another count, or trailing bytes.
pub fn records(bundle: &[u8], count: usize) -> Option<Vec<&[u8]>> {
    let mut rest = bundle;
    let mut records = Vec::with_capacity(count.min(crate::TILE_WIDTH));
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let (record, after) = after.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        if records.len() == count {
            return None;
        }
        records.push(record);
        rest = after;
    }
    (records.len() == count).then_some(records)
}
