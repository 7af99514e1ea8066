//! Queries for manifests by soft binding, compared with recorded results and a naive implementation.

use std::collections::HashMap;
use std::path::PathBuf;

use data_encoding::BASE64;
use iscc_codec::seq::QueryError;
use iscc_search::bindings::{BindingEntry, BindingIndex, BindingQuery, unit_score};
use serde_json::Value;

const ISCC: &str = "io.iscc.v0";

fn vectors() -> Value {
    let file = "../../test/fixtures/c2pa/vectors/scoring.json";
    let text = std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file));
    serde_json::from_str(&text.expect(file)).expect(file)
}

#[test]
fn scores_equal_the_recorded_ones() {
    let recorded = vectors()["scoreByDistance"].as_array().unwrap().clone();
    let scores: Vec<u64> = (0..=256).map(|distance| u64::from(unit_score(distance))).collect();
    assert_eq!(recorded, scores);
}

#[test]
fn matches_equal_the_recorded_ones() {
    let mut matches_seen = 0;
    for store in vectors()["store"].as_array().unwrap() {
        let manifests = store["manifests"].as_array().unwrap();
        let index = BindingIndex::new();
        let entries: Vec<BindingEntry> = manifests
            .iter()
            .enumerate()
            .map(|(key, manifest)| entry(key as u64, manifest))
            .collect();
        index.insert(&entries);
        for query in store["queries"].as_array().unwrap() {
            let value = bytes(&query["value"]);
            let results_max = query["maxResults"].as_u64().unwrap() as usize;
            let query_of_index = BindingQuery {
                alg: query["alg"].as_str().unwrap(),
                value: &value,
                threshold: query["threshold"].as_u64().unwrap() as u8,
                results_max,
            };
            let found = index.query(&query_of_index).unwrap();
            let found: Vec<Value> = found
                .iter()
                .take(results_max)
                .map(|found| {
                    let id = &manifests[found.key as usize]["manifestId"];
                    serde_json::json!({ "manifestId": id, "similarityScore": found.score })
                })
                .collect();
            matches_seen += found.len();
            assert_eq!(&Value::Array(found), &query["matches"]);
        }
    }
    assert!(matches_seen > 10);
}

fn entry(key: u64, manifest: &Value) -> BindingEntry {
    let blocks = manifest["blocks"].as_array().unwrap().iter();
    BindingEntry {
        key,
        trusted: manifest["trusted"].as_bool().unwrap(),
        uploaded_at: manifest["uploadedAt"].as_u64().unwrap(),
        bindings: blocks
            .map(|block| (block["alg"].as_str().unwrap().to_owned(), bytes(&block["value"])))
            .collect(),
    }
}

fn bytes(base64: &Value) -> Vec<u8> {
    BASE64.decode(base64.as_str().unwrap().as_bytes()).unwrap()
}

#[test]
fn a_value_without_or_with_too_many_units_is_rejected() {
    let index = BindingIndex::new();
    let query = |value: &[u8]| {
        index.query(&BindingQuery { alg: ISCC, value, threshold: 75, results_max: 10 })
    };
    assert!(matches!(query(b""), Err(QueryError::NotASequence(_))));
    let meta = [&[0x00, 0x07][..], &[1; 32]].concat();
    assert_eq!(query(&meta), Err(QueryError::NoUnit));
    let data = |number: u8| [&[0x30, 0x07][..], &[number; 32]].concat();
    let units: Vec<u8> = (0..33).flat_map(data).collect();
    let most: Vec<u8> = [&units[..32 * 34], &units[..34]].concat();
    assert_eq!(query(&units), Err(QueryError::TooManyUnits));
    assert_eq!(query(&most), Ok(Vec::new()));
}

/// After insertions, replacements and removals in any order, the index finds what a linear search finds.
#[test]
fn equals_a_linear_search_after_changes() {
    let index = BindingIndex::new();
    let mut entries: HashMap<u64, BindingEntry> = HashMap::new();
    let mut random = Random(7);
    for round in 0..12_000 {
        let key = random.below(1500);
        if random.below(3) == 0 {
            assert_eq!(index.remove(key), entries.remove(&key).is_some());
        } else {
            let entry = random.entry(key);
            index.insert(std::slice::from_ref(&entry));
            entries.insert(key, entry);
        }
        if round % 500 == 0 {
            let (alg, value) = random.entry(0).bindings.remove(0);
            compare(&index, &entries, &alg, &value);
        }
    }
    assert_eq!(index.len(), entries.len());
}

fn compare(index: &BindingIndex, entries: &HashMap<u64, BindingEntry>, alg: &str, value: &[u8]) {
    for threshold in [0, 75, 100] {
        let query = BindingQuery { alg, value, threshold, results_max: usize::MAX };
        let mut found: Vec<(u64, u8)> =
            index.query(&query).unwrap().iter().map(|found| (found.key, found.score)).collect();
        found.sort_unstable();
        let mut expected: Vec<(u64, u8)> = entries
            .values()
            .filter_map(|entry| Some((entry.key, score(entry, alg, value)?)))
            .filter(|&(_, score)| score >= threshold)
            .collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "threshold {threshold}");
    }
}

/// The scoring rule, unit by unit and bit by bit.
fn score(entry: &BindingEntry, alg: &str, value: &[u8]) -> Option<u8> {
    let mut best = None;
    for (_, stored) in entry.bindings.iter().filter(|(stored, _)| stored == alg) {
        if stored == value {
            best = Some(100);
        }
        if alg == ISCC {
            for unit in stored.chunks(34) {
                for query in value.chunks(34).filter(|query| query[..2] == unit[..2]) {
                    best = best.max(pair_score(unit, query));
                }
            }
        }
    }
    best
}

fn pair_score(unit: &[u8], query: &[u8]) -> Option<u8> {
    let (distance, _) = reference::scan::prefix_distance(&unit[2..], &query[2..]);
    match unit[0] >> 4 {
        0 => None,
        4 => (distance == 0).then_some(100),
        _ => Some(unit_score(distance)),
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// A manifest with one or two bindings. Its units are near one of a few centres.
    fn entry(&mut self, key: u64) -> BindingEntry {
        let headers =
            [[0x00, 0x07], [0x10, 0x07], [0x20, 0x07], [0x22, 0x07], [0x30, 0x07], [0x40, 0x07]];
        let mut value = Vec::new();
        for header in headers {
            let centre = self.below(3) as u8 * 0x55;
            value.extend(header);
            value.extend((0..32).map(|_| centre ^ (1 << self.below(12)) as u8));
        }
        if self.below(2) == 0 {
            let end = value.len();
            value[end - 32..].fill(self.below(40) as u8);
        }
        let mut bindings = vec![(ISCC.to_owned(), value)];
        if self.below(4) == 0 {
            bindings.insert(0, ("com.adobe.trustmark.P".to_owned(), vec![self.below(20) as u8]));
        }
        BindingEntry { key, trusted: self.below(2) == 0, uploaded_at: self.below(50), bindings }
    }
}
