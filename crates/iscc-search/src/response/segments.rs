//! JSON of the segments of an index.
use std::sync::Arc;

use iscc_columns::frozen::Owner;
use iscc_columns::probes::{ColumnRows, Rows};
use iscc_index::json::push_string;
use iscc_index::segment::Segment;
use iscc_index::snapshot::Snapshot;

/// The segments as a JSON array, oldest first. `None` if none is in a file.
///
/// `kind` is `growing` for the last segment, `sealed` if it is in a file, and otherwise `full`.
pub fn json(snapshot: &Snapshot) -> Option<Vec<u8>> {
    snapshot.files().next()?;
    let last = snapshot.segments.len() - 1;
    let segment = |(number, segment): (usize, &Arc<Segment>)| {
        let kind = match (number == last, segment.file().is_some()) {
            (true, _) => "growing",
            (false, true) => "sealed",
            (false, false) => "full",
        };
        let has_graph = |key| segment.file().is_some_and(|file| file.graph_bytes(key) > 0);
        let units = segment
            .unit_columns()
            .map(|(key, rows)| column(&key.0.to_string(), &rows, has_graph(key)));
        let simprints = segment
            .simprint_columns()
            .map(|((kind, _), rows)| column(&snapshot.simprint_column_name(kind), &rows, false));
        let columns = units.chain(simprints).collect::<Vec<_>>().join(",");
        let (assets, dead) = (segment.slots.live(), segment.slots.dead());
        format!(
            "{{\"kind\":\"{kind}\",\"assets\":{assets},\"dead\":{dead},\"columns\":[{columns}]}}"
        )
    };
    let all: Vec<String> = snapshot.segments.iter().enumerate().map(segment).collect();
    Some(format!("[{}]", all.join(",")).into_bytes())
}

fn column<O: Owner>(name: &str, rows: &ColumnRows<'_, O>, has_graph: bool) -> String {
    let mut json = b"{\"type\":".to_vec();
    push_string(&mut json, name);
    let (bits, count, has_lists) = (rows.bits(), rows.rows(), rows.has_lists());
    format!(
        "{},\"bits\":{bits},\"rows\":{count},\"lists\":{has_lists},\"graph\":{has_graph}}}",
        String::from_utf8_lossy(&json),
    )
}
