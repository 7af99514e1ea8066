//! Typed searches return the same matches as the JSON of the same queries.

use std::sync::mpsc::channel;

use crate::common::{Service, id, rows, with_recorded_assets};
use iscc_search::{AssetMatch, Failure, FailureKind, Options, Reply};
use serde_json::{Value, json};

fn typed(
    service: &Service,
    index: &str,
    units: Vec<String>,
    limit: i64,
) -> Result<Vec<AssetMatch>, Failure> {
    let (sender, receiver) = channel();
    let reply = Reply::new(move |result| sender.send(result).unwrap());
    service.engine.search_units(index, units, limit, reply);
    receiver.recv().unwrap()
}

/// The matches of a JSON response, in typed form.
fn from_json(response: &Value) -> Vec<AssetMatch> {
    let matches = response["global_matches"].as_array().unwrap().iter();
    let convert = |found: &Value| AssetMatch {
        iscc_id: found["iscc_id"].as_str().unwrap().to_owned(),
        score: found["score"].as_f64().unwrap(),
        types: found["types"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, score)| (name.clone(), score.as_f64().unwrap()))
            .collect(),
        gateway: found["metadata"]["gateway"].as_str().map(str::to_owned),
    };
    matches.map(convert).collect()
}

/// JSON objects have no order in these tests, so the types are sorted.
fn sorted(mut matches: Vec<AssetMatch>) -> Vec<AssetMatch> {
    for found in &mut matches {
        found.types.sort_by(|a, b| a.0.cmp(&b.0));
    }
    matches
}

#[test]
fn equals_the_json_results_of_the_recorded_queries() {
    for scheme in ["usearch", "lmdb", "memory"] {
        let service = with_recorded_assets(scheme, Options::default());
        let mut compared = 0;
        for query in rows("queries.jsonl") {
            let Some(units) = query["body"]["units"].as_array() else { continue };
            let texts = units.iter().map(|unit| unit.as_str().unwrap().to_owned()).collect();
            let limit = query["limit"].as_i64().unwrap_or(100);
            let response = service.search("ds", &json!({ "units": units }), limit).unwrap();
            let matches = typed(&service, "ds", texts, limit).unwrap();
            compared += matches.len();
            assert_eq!(sorted(matches), sorted(from_json(&response)), "{scheme}: {query}");
        }
        assert!(compared > 10, "{scheme}: {compared}");
    }
}

#[test]
fn returns_the_gateway_of_each_match() {
    let code = "ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI";
    for scheme in ["usearch", "lmdb", "memory"] {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let metadata = [
            json!({ "gateway": "https://example.com/1" }),
            json!({ "gateway": 5 }),
            json!({ "name": "x" }),
        ];
        let asset = |(number, metadata): (u64, &Value)| json!({ "iscc_id": id(number), "iscc_code": code, "metadata": metadata });
        let assets: Vec<Value> = (0..).zip(&metadata).map(asset).collect();
        service.add("main", &Value::from(assets)).unwrap();
        let query = json!({ "iscc_code": code });
        let units = service.search("main", &query, 10).unwrap()["query"]["units"].clone();
        let texts = serde_json::from_value(units.clone()).unwrap();
        let matches = typed(&service, "main", texts, 10).unwrap();
        let response = service.search("main", &json!({ "units": units }), 10).unwrap();
        assert_eq!(sorted(matches.clone()), sorted(from_json(&response)), "{scheme}");
        let expected = [Some("https://example.com/1".to_owned()), None, None];
        let gateways: Vec<Option<String>> =
            matches.into_iter().map(|found| found.gateway).collect();
        assert_eq!(gateways, expected, "{scheme}");
        let stored = (0..3).map(|number| service.engine.gateway("main", &id(number)).unwrap());
        assert_eq!(stored.collect::<Vec<_>>(), expected, "{scheme}");
        let missing = service.engine.gateway("main", &id(9)).unwrap_err();
        assert_eq!(missing.kind, FailureKind::NotFound, "{scheme}");
    }
}

#[test]
fn fails_with_the_kinds_of_the_json_search() {
    let service = Service::new("usearch", Options::default());
    service.create("main");
    let unit = || vec!["ISCC:EAAWFH3PX3MCYB6N".to_owned()];
    let kind = |result: Result<Vec<AssetMatch>, Failure>| result.unwrap_err().kind;
    assert_eq!(kind(typed(&service, "none", unit(), 10)), FailureKind::NotFound);
    assert_eq!(kind(typed(&service, "main", Vec::new(), 10)), FailureKind::Invalid);
    assert_eq!(kind(typed(&service, "main", vec!["x".to_owned()], 10)), FailureKind::Rejected);
    assert_eq!(kind(typed(&service, "main", unit(), 0)), FailureKind::Rejected);
    assert_eq!(kind(typed(&service, "main", unit(), 10_001)), FailureKind::Rejected);
    assert_eq!(typed(&service, "main", unit(), 10), Ok(Vec::new()));
}
