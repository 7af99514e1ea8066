//! JSON of the segments of an index.

use crate::pass::{Rows, UnitRows};
use crate::snapshot::Snapshot;

/// The segments as a JSON array, oldest first. `None` if no column is frozen.
///
/// `kind` is `growing` for the last segment, `frozen` if large columns are frozen, and otherwise `full`.
pub fn json(snapshot: &Snapshot) -> Option<Vec<u8>> {
    if snapshot.segments.iter().all(|segment| segment.frozen.is_empty()) {
        return None;
    }
    let last = snapshot.segments.len() - 1;
    let segment = |(number, segment): (usize, &std::sync::Arc<crate::segment::Segment>)| {
        let kind = match (number == last, segment.frozen.is_empty()) {
            (true, _) => "growing",
            (false, false) => "frozen",
            (false, true) => "full",
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
