//! JSON of the segments of an index.

use std::sync::Arc;

use crate::frozen::Owner;
use crate::index::GraphProgress;
use crate::json::push_string;
use crate::pass::{ColumnRows, Rows, SimprintRows, UnitRows};
use crate::segment::{Key, Segment};
use crate::snapshot::Snapshot;
use crate::store::GraphEntry;
use crate::unit::UnitType;

/// The segments as a JSON array, oldest first. `None` if none is in a file.
///
/// `kind` is `growing` for the last segment, `sealed` if it is in a file, and otherwise `full`.
pub fn json(snapshot: &Snapshot, building: Option<GraphProgress>) -> Option<Vec<u8>> {
    if snapshot.segments.iter().all(|segment| segment.file.is_none()) {
        return None;
    }
    let last = snapshot.segments.len() - 1;
    let segment = |(number, segment): (usize, &Arc<Segment>)| {
        let kind = match (number == last, segment.file.is_some()) {
            (true, _) => "growing",
            (false, true) => "sealed",
            (false, false) => "full",
        };
        let units = UnitRows::all(segment).map(|(key, rows)| {
            let building = building.filter(|one| (one.segment_uid, one.key) == (segment.uid, key));
            let state = graph_state(segment, key, building.map(|one| one.share));
            let graph = format!("{}{state}", segment.graphs.contains_key(&key));
            column(&key.0.to_string(), &rows, &graph)
        });
        let simprints = SimprintRows::all(segment)
            .map(|((kind, _), rows)| column(&snapshot.simprint_column_name(kind), &rows, "false"));
        let columns = units.chain(simprints).collect::<Vec<_>>().join(",");
        let (assets, dead) = (segment.slots.live(), segment.slots.dead());
        format!(
            "{{\"kind\":\"{kind}\",\"assets\":{assets},\"dead\":{dead},\"columns\":[{columns}]}}"
        )
    };
    let all: Vec<String> = snapshot.segments.iter().enumerate().map(segment).collect();
    Some(format!("[{}]", all.join(",")).into_bytes())
}

fn column<O: Owner>(name: &str, rows: &ColumnRows<'_, O>, graph: &str) -> String {
    let mut json = b"{\"type\":".to_vec();
    push_string(&mut json, name);
    let (bits, count, has_lists) = (rows.bits(), rows.rows(), rows.has_lists());
    format!(
        "{},\"bits\":{bits},\"rows\":{count},\"lists\":{has_lists},\"graph\":{graph}}}",
        String::from_utf8_lossy(&json),
    )
}

/// Members that tell the state of a column's graph. Empty for a column without one.
fn graph_state(segment: &Segment, key: Key<UnitType>, building: Option<f64>) -> String {
    let known = segment.known_graphs.get(&key);
    let share = |known: &GraphEntry| {
        known.unfinished().map(|file| file.nodes as f64 / known.rows.max(1) as f64)
    };
    let saved = known.and_then(|known| share(known));
    let recall = known.map(|known| known.trial.recall).unwrap_or_default();
    match (known, building.or(saved)) {
        (_, Some(share)) => {
            format!(",\"graph_state\":\"building\",\"graph_progress\":{share:.4}")
        }
        (None, None) => String::new(),
        (Some(known), None) => {
            let state = match (segment.graphs.contains_key(&key), known.file.is_some()) {
                (true, _) => "ready",
                (false, true) => "opening",
                (false, false) => "refused",
            };
            format!(",\"graph_state\":\"{state}\",\"graph_recall\":{recall:.4}")
        }
    }
}
