//! Recorded queries: results of the reference service, and of an exact search where the service's are known to be
//! inexact.

use std::collections::BTreeMap;

use crate::common::{rows, run_query, value, with_recorded_assets};
use iscc_search::Options;
use serde_json::Value;

const TOLERANCE: f64 = 1e-6;
const MATCH_THRESHOLD: f64 = 0.75;

fn by_query(file: &str) -> BTreeMap<i64, Value> {
    rows(file).into_iter().map(|row| (row["qid"].as_i64().unwrap(), row)).collect()
}

fn scores(map: &Value) -> BTreeMap<String, f64> {
    let scores = map.as_object().unwrap().iter();
    scores.map(|(name, score)| (name.clone(), score.as_f64().unwrap())).collect()
}

fn is_close(a: &BTreeMap<String, f64>, b: &BTreeMap<String, f64>) -> bool {
    a.keys().eq(b.keys()) && a.values().zip(b.values()).all(|(a, b)| (a - b).abs() < TOLERANCE)
}

/// Compares with an exact search through all assets, which the recorded results were also judged by.
#[test]
fn similar_units_are_ranked_as_by_an_exact_search() {
    for scheme in ["usearch", "memory"] {
        assert_ranked_as_by_an_exact_search(scheme);
    }
}

fn assert_ranked_as_by_an_exact_search(scheme: &str) {
    let service = with_recorded_assets(scheme, Options::default());
    let truth = by_query("results_exact_reference.jsonl");
    let mut compared = 0;
    for query in rows("queries.jsonl") {
        let Some(truth) = truth.get(&query["qid"].as_i64().unwrap()) else { continue };
        let limit = query["limit"].as_u64().unwrap_or(100) as usize;
        // Assets with only a code match by derived units. The exact results list them separately.
        let mut expected: Vec<&Value> = truth["matches"].as_array().unwrap().iter().collect();
        expected.extend(truth["optional"].as_array().into_iter().flatten());
        expected.sort_by(|a, b| {
            let types = |row: &Value| row[2].as_object().unwrap().len();
            b[1].as_f64()
                .unwrap()
                .total_cmp(&a[1].as_f64().unwrap())
                .then(types(b).cmp(&types(a)))
                .then(a[0].as_str().cmp(&b[0].as_str()))
        });
        expected.truncate(limit);
        let response = run_query(&service, &query).unwrap();
        let found = response["global_matches"].as_array().unwrap();
        assert_eq!(found.len(), expected.len(), "query {query}");
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(found["iscc_id"], expected[0], "query {query}");
            let score = found["score"].as_f64().unwrap() - expected[1].as_f64().unwrap();
            assert!(score.abs() < TOLERANCE, "query {query}: {found} {expected}");
            assert!(
                is_close(&scores(&found["types"]), &scores(&expected[2])),
                "{found} {expected}"
            );
            assert_eq!(found["types"], found["unit_scores"]);
            compared += 1;
        }
    }
    assert!(compared > 800, "{compared}");
}

/// The reference service searched a graph that misses some simprints, even equal ones. All its matches must be found,
/// and where it missed nothing the results must be equal.
#[test]
fn similar_simprints_are_found_as_recorded() {
    let service = with_recorded_assets("usearch", Options::default());
    let recorded = by_query("results_usearch.jsonl");
    let (mut compared, mut equal) = (0, 0);
    for query in rows("queries.jsonl") {
        let recorded = &recorded[&query["qid"].as_i64().unwrap()]["response"];
        if query["body"].get("iscc_id").is_some() {
            // The reference service did not store simprints with assets, so it could not search with them.
            continue;
        }
        let response = run_query(&service, &query).unwrap();
        assert_eq!(response["query"], recorded["query"], "query {query}");
        let mut wide = query.clone();
        wide["limit"] = Value::from(10_000);
        let found = chunks_by_asset(&run_query(&service, &wide).unwrap());
        let expected = chunks_by_asset(recorded);
        for (id, (score, chunks)) in &expected {
            let (own_score, own_chunks) = &found[id];
            for (chunk, (matched, score, frequency)) in chunks {
                let (own_match, own_score, own_frequency) = &own_chunks[chunk];
                // Where it missed a simprint, it used a less similar one.
                assert!(own_score >= score, "query {query}: {id} {chunk:?}");
                assert!(own_match != matched || own_frequency == frequency, "query {query}: {id}");
            }
            compared += 1;
            if own_chunks == chunks {
                assert!((own_score - score).abs() < TOLERANCE, "query {query}: {id}");
                equal += 1;
            }
        }
    }
    assert!(compared > 100 && equal * 10 > compared * 9, "{equal} of {compared}");
}

/// Match, score and frequency by type and query simprint.
type Chunks = BTreeMap<(String, String), (String, f64, u64)>;

/// Score and chunks of each asset in a response.
fn chunks_by_asset(response: &Value) -> BTreeMap<String, (f64, Chunks)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut by_asset = BTreeMap::new();
    for matched in response["chunk_matches"].as_array().unwrap() {
        let mut chunks = Chunks::new();
        for (name, of_type) in matched["types"].as_object().unwrap() {
            for chunk in of_type["chunks"].as_array().unwrap() {
                let (score, frequency) = (chunk["score"].as_f64(), chunk["freq"].as_u64());
                let value = (text(&chunk["match"]), score.unwrap(), frequency.unwrap());
                chunks.insert((name.clone(), text(&chunk["query"])), value);
            }
        }
        let score = matched["score"].as_f64().unwrap();
        by_asset.insert(text(&matched["iscc_id"]), (score, chunks));
    }
    by_asset
}

fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            *value = Value::from((number.as_f64().unwrap() / TOLERANCE).round() as i64);
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(members) => members.values_mut().for_each(round),
        _ => {}
    }
}

/// The reference service returned results with equal scores in any order, so only scores can be compared at the limit.
/// It did not find assets with only a code; this engine does.
#[test]
fn equal_prefixes_are_ranked_as_recorded() {
    let service = with_recorded_assets("lmdb", Options::default());
    let code_only: Vec<Value> = rows("assets.jsonl")
        .into_iter()
        .filter(|asset| asset.get("units").is_none())
        .map(|asset| asset["iscc_id"].clone())
        .collect();
    let recorded = by_query("results_lmdb.jsonl");
    let mut compared = 0;
    for query in rows("queries.jsonl") {
        let recorded = &recorded[&query["qid"].as_i64().unwrap()];
        if recorded["status"] != 200 {
            // The reference service failed on queries with only simprints.
            continue;
        }
        let limit = query["limit"].as_u64().unwrap_or(100) as usize;
        let mut wide = query.clone();
        wide["limit"] = Value::from(10_000);
        let all = run_query(&service, &wide).unwrap();
        let expected = recorded["response"]["global_matches"].as_array().unwrap();
        let found: Vec<&Value> = all["global_matches"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|found| !code_only.contains(&found["iscc_id"]))
            .collect();
        assert_eq!(expected.len(), found.len().min(limit), "query {query}");
        for (place, expected) in expected.iter().enumerate() {
            let found = found.iter().find(|found| found["iscc_id"] == expected["iscc_id"]);
            let found = found.unwrap_or_else(|| panic!("query {query}: {expected} is missing"));
            assert!(is_close(&scores(&found["types"]), &scores(&expected["types"])), "{query}");
            let own_score = all_scores(&all, &code_only)[place];
            assert!((own_score - expected["score"].as_f64().unwrap()).abs() < TOLERANCE, "{query}");
            compared += 1;
        }
        assert_eq!(all["query"]["units"], recorded["response"]["query"]["units"]);
    }
    assert!(compared > 200, "{compared}");
}

fn all_scores(response: &Value, without: &[Value]) -> Vec<f64> {
    let matches = response["global_matches"].as_array().unwrap().iter();
    let kept = matches.filter(|found| !without.contains(&found["iscc_id"]));
    kept.map(|found| found["score"].as_f64().unwrap()).collect()
}

#[test]
fn equal_simprints_are_ranked_as_recorded() {
    let service = with_recorded_assets("lmdb", Options::default());
    let recorded = by_query("results_simprint_exact.jsonl");
    let mut compared = 0;
    for query in rows("queries.jsonl") {
        let Some(recorded) = recorded.get(&query["qid"].as_i64().unwrap()) else { continue };
        let response = run_query(&service, &query).unwrap();
        let (mut found, mut expected) =
            (response["chunk_matches"].clone(), recorded["chunk_matches"].clone());
        round(&mut found);
        round(&mut expected);
        assert_eq!(found, expected, "query {query}");
        compared += expected.as_array().unwrap().len();
    }
    assert!(compared >= 8, "{compared}");
}

/// The limit only truncates the list.
#[test]
fn scores_do_not_depend_on_the_limit() {
    for scheme in ["usearch", "lmdb"] {
        let service = with_recorded_assets(scheme, Options::default());
        for query in rows("queries.jsonl").iter().step_by(3) {
            let mut query = query.clone();
            query["limit"] = Value::from(10_000);
            let all = run_query(&service, &query).unwrap();
            for limit in [1, 2, 7, 100] {
                query["limit"] = Value::from(limit);
                let some = run_query(&service, &query).unwrap();
                for list in ["global_matches", "chunk_matches"] {
                    let all = all[list].as_array().unwrap();
                    let cut = all.len().min(limit as usize);
                    assert_eq!(some[list].as_array().unwrap(), &all[..cut], "{query}");
                }
            }
            for found in all["global_matches"].as_array().unwrap() {
                let all_above = scores(&found["types"]).values().all(|&s| s >= MATCH_THRESHOLD);
                assert!(scheme == "lmdb" || all_above, "{found}");
            }
        }
    }
}

#[test]
fn a_small_search_runs_on_the_calling_thread() {
    let service = with_recorded_assets("usearch", Options::default());
    let mut inline = 0;
    for query in rows("queries.jsonl").iter().filter(|query| query["method"] != "GET") {
        let body = query["body"].to_string();
        let limit = query["limit"].as_i64().unwrap_or(100);
        let expected = run_query(&service, query);
        let search = || service.engine.search_inline("ds", body.as_bytes(), limit);
        if limit > 100 || body.len() > 2048 || body.contains("iscc_id") {
            assert!(search().is_none(), "{query}");
        } else {
            assert_eq!(value(when_idle(search).map(|found| found.json)), expected, "{query}");
            inline += 1;
        }
    }
    assert!(inline > 50, "{inline}");
    let invalid = || service.engine.search_inline("ds", b"not JSON", 10);
    assert!(when_idle(invalid).is_err());
    assert!(service.engine.search_inline("unknown", b"{}", 10).is_none());
    // A stored asset may have any number of units and simprints.
    for by_id in [r#"{"iscc_id":"ISCC:X"}"#, r#"{"iscc\u005fid":"ISCC:X"}"#] {
        assert!(service.engine.search_inline("ds", by_id.as_bytes(), 10).is_none());
    }
}

/// Retries until the search threads are idle: a thread may need a moment to return after its reply.
fn when_idle<T>(search: impl Fn() -> Option<T>) -> T {
    const TRIES_MAX: usize = 10_000;
    let results = std::iter::repeat_with(|| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        search()
    });
    results.take(TRIES_MAX).flatten().next().expect("the threads become idle")
}
