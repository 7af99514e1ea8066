//! Searches whose planned work takes too long are refused, with a threshold at which they are accepted.

use crate::common::{Random, Service, id, unit, wait_found};
use iscc_codec::{Kind, Mode};
use iscc_search::{
    Options, Sealing, SearchParameters, SegmentSizes, SelectionParameters, StoreOptions,
};
use serde_json::{Value, json};

const ASSETS: u64 = 4096 * 3 + 5;
const SIMPRINT_TYPE: &str = "CONTENT_TEXT_V0";
/// Costs of a scan of the test's index for one unit are between these, on each processor.
const SECONDS: [f64; 3] = [2e-6, 1e-5, 3e-5];

fn options(search_seconds_max: f64) -> Options {
    let store = StoreOptions { sync: false, ..StoreOptions::default() };
    // Segments stay separate: a merge during the test would change the plans.
    let sizes = SegmentSizes { segment_slots_max: 4096, ..SegmentSizes::early(4096) };
    let sealing = Sealing::early();
    Options { search_seconds_max, sizes, sealing, store, ..Options::default() }
}

fn body(number: u64) -> Vec<u8> {
    Random(number * 31 + 7).bytes(32)
}

fn simprint(number: u64) -> String {
    data_encoding::BASE64URL_NOPAD.encode(&body(number + 1_000_000))
}

fn units(number: u64) -> Value {
    json!([unit(Kind::content(Mode::Text), &body(number)), unit(Kind::DATA, &body(number + 9))])
}

fn filled(scheme: &str, search_seconds_max: f64) -> Service {
    let service = Service::new(scheme, options(search_seconds_max));
    for name in ["main", "other"] {
        service.create(name);
        let entries: Vec<Value> = (0..ASSETS)
            .map(|number| {
                let chunk = json!({ "simprint": simprint(number), "offset": 0, "size": 9 });
                json!({
                    "iscc_id": id(number), "units": units(number), "simprints": { SIMPRINT_TYPE: [chunk] },
                })
            })
            .collect();
        for batch in entries.chunks(1000) {
            service.add(name, &json!(batch)).unwrap();
        }
    }
    service.engine.wait_for_maintenance();
    service
}

fn search(
    service: &Service,
    query: &Value,
    selection: SelectionParameters,
) -> Result<Value, (u16, Value)> {
    let selection = Some(Box::new(selection));
    let parameters = SearchParameters { limit: 10, skip_featureless: None, selection };
    let body = query.to_string().into_bytes();
    wait_found(|reply| service.engine.search("main", body, parameters, reply))
}

/// The thresholds that a refusal names, for units and simprints.
fn named(refusal: &str) -> (Option<f64>, Option<f64>) {
    let (_, advice) = refusal.split_once(" rows; ").unwrap();
    let value = || advice.rsplit_once("at least ").unwrap().1.parse().ok();
    match advice.split_once(" to at least ").map(|(names, _)| names) {
        Some("raise threshold") => (value(), None),
        Some("raise threshold_simprints") => (None, value()),
        Some("raise threshold and threshold_simprints") => (value(), value()),
        _ => (None, None),
    }
}

fn refusal(response: Result<Value, (u16, Value)>) -> Option<String> {
    let (status, text) = response.err()?;
    assert_eq!(status, 400);
    let text = text.as_str().unwrap().to_owned();
    assert!(text.starts_with("the search would compare "), "{text}");
    Some(text)
}

fn selection(threshold: f64, simprints: f64) -> SelectionParameters {
    SelectionParameters {
        threshold: Some(threshold),
        threshold_simprints: Some(simprints),
        ..SelectionParameters::default()
    }
}

/// Searches until a search is accepted, and checks that the named threshold is the lowest one. Returns how many were refused.
fn check(service: &Service, free: &Service, query: &Value) -> usize {
    let (mut units, mut simprints, mut refused) = (0.75, 0.75, 0);
    loop {
        let response = search(service, query, selection(units, simprints));
        let Some(text) = refusal(response.clone()) else {
            let expected = search(free, query, selection(units, simprints));
            assert_eq!(response, expected, "{query}");
            return refused;
        };
        refused += 1;
        let (named_units, named_simprints) = named(&text);
        if (named_units, named_simprints) == (None, None) {
            assert!(text.ends_with("search with fewer units or simprints"), "{text}");
            assert!(refusal(search(service, query, selection(1.0, 1.0))).is_some(), "{query}");
            return refused;
        }
        assert!(refused == 1, "the named threshold is refused: {text}");
        let below = |named: Option<f64>, now: f64| match named {
            Some(at_least) => (at_least - 1.0 / 256.0 - 0.0001).max(now),
            None => now,
        };
        let lower = selection(below(named_units, units), below(named_simprints, simprints));
        assert!(refusal(search(service, query, lower)).is_some(), "not the lowest: {text}");
        units = named_units.unwrap_or(units);
        simprints = named_simprints.unwrap_or(simprints);
    }
}

#[test]
fn a_refused_search_is_accepted_with_the_threshold_that_the_refusal_names() {
    let free = filled("usearch", 0.0);
    let simprints: Vec<String> = (0..6).map(simprint).collect();
    let queries = [
        json!({ "units": units(5) }),
        json!({ "units": [unit(Kind::content(Mode::Text), &body(5)[..8])] }),
        json!({ "simprints": { SIMPRINT_TYPE: simprints } }),
        json!({ "simprints": { SIMPRINT_TYPE: [simprint(4), simprint(4)] } }),
        json!({ "units": units(8), "simprints": { SIMPRINT_TYPE: simprints } }),
        json!({ "iscc_id": id(77) }),
    ];
    let (mut refused, mut accepted) = (0, 0);
    for seconds in SECONDS {
        let service = filled("usearch", seconds);
        for query in &queries {
            match check(&service, &free, query) {
                0 => accepted += 1,
                count => refused += count,
            }
        }
    }
    assert!(refused >= 8 && accepted >= 1, "{refused} refused, {accepted} accepted");
}

#[test]
fn the_work_of_a_negative_index_counts() {
    // Enough for one index without lists, and not for two.
    let alone = refused_at("usearch", None);
    let both = refused_at("usearch", Some("other"));
    assert!(both > alone * 1.5, "{alone} {both}");
}

/// The smallest limit in seconds at which a search is accepted, within a fifth.
fn refused_at(scheme: &str, not_in: Option<&str>) -> f64 {
    let query = json!({ "units": units(3) });
    let mut seconds = 1e-6;
    loop {
        let service = Service::new(scheme, options(seconds));
        for name in ["main", "other"] {
            service.create(name);
            let entry = |number| json!({ "iscc_id": id(number), "units": units(number) });
            let entries: Vec<Value> = (0..2000).map(entry).collect();
            service.add(name, &json!(entries)).unwrap();
        }
        let not_in = not_in.map(str::to_owned);
        let selection = SelectionParameters { not_in, ..SelectionParameters::default() };
        if refusal(search(&service, &query, selection)).is_none() {
            return seconds;
        }
        seconds *= 1.2;
    }
}

#[test]
fn indexes_that_match_by_equality_refuse_nothing() {
    let service = filled("lmdb", 1e-9);
    let query = json!({ "units": units(3), "simprints": { SIMPRINT_TYPE: [simprint(3)] } });
    let response = service.search("main", &query, 10).unwrap();
    assert_eq!(response["global_matches"].as_array().map(Vec::len), Some(1));
}

#[test]
fn searches_on_the_calling_thread_are_refused_too() {
    let service = filled("usearch", 1e-9);
    let query = json!({ "units": units(3) }).to_string().into_bytes();
    let response = service.engine.search_inline("main", &query, 10);
    if let Some(response) = response {
        let failure = response.unwrap_err().to_string();
        assert!(failure.starts_with("the search would compare "), "{failure}");
    }
    assert!(refusal(service.search("main", &json!({ "units": units(3) }), 10)).is_some());
}
