//! JSON of the segments of an index.

use std::sync::Arc;

use crate::pass::{Rows, UnitRows};
use crate::segment::Segment;
use crate::snapshot::Snapshot;

/// The segments as a JSON array, oldest first. `None` if no column is frozen and no segment sealed.
///
/// `kind` is `growing` for the last segment, `sealed` if it is in a file, `frozen` if large columns are frozen, and
/// otherwise `full`.
pub fn json(snapshot: &Snapshot) -> Option<Vec<u8>> {
    let is_plain = |one: &Arc<Segment>| one.frozen.is_empty() && one.file.is_none();
    if snapshot.segments.iter().all(is_plain) {
        return None;
    }
    let last = snapshot.segments.len() - 1;
    let segment = |(number, segment): (usize, &Arc<Segment>)| {
        let kind = match (number == last, segment.file.is_some(), segment.frozen.is_empty()) {
            (true, _, _) => "growing",
            (false, true, _) => "sealed",
            (false, false, false) => "frozen",
            (false, false, true) => "full",
        };
        let columns = UnitRows::all(segment).map(|(key, rows)| {
            let has_lists = matches!(rows, UnitRows::Frozen(column) if column.lists().is_some());
            format!(
                "{{\"type\":\"{}\",\"bits\":{},\"rows\":{},\"lists\":{has_lists},\"graph\":{}}}",
                key.0,
                key.1,
                rows.rows(),
                segment.graphs.contains_key(&key),
            )
        });
        let columns = columns.collect::<Vec<_>>().join(",");
        let (assets, dead) = (segment.slots.live(), segment.slots.dead());
        format!(
            "{{\"kind\":\"{kind}\",\"assets\":{assets},\"dead\":{dead},\"columns\":[{columns}]}}"
        )
    };
    let all: Vec<String> = snapshot.segments.iter().enumerate().map(segment).collect();
    Some(format!("[{}]", all.join(",")).into_bytes())
}
