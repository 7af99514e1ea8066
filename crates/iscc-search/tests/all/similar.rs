//! Searches by scan, compared with a linear search: random data, with changes in between.

use std::collections::BTreeMap;

use crate::common::{Random, Service, id, unit};
use iscc_codec::{Kind, Mode};
use iscc_search::Options;
use reference::scan::prefix_distance;
use serde_json::{Value, json};

const THRESHOLD: f64 = 0.75;
const EXPONENT: i32 = 4;

/// An asset of the linear search.
#[derive(Clone)]
struct Asset {
    id: String,
    units: Vec<(Kind, Vec<u8>)>,
}

fn entry(asset: &Asset) -> Value {
    let units: Vec<String> = asset.units.iter().map(|(kind, body)| unit(*kind, body)).collect();
    json!({ "iscc_id": asset.id, "units": units })
}

fn kinds() -> [Kind; 4] {
    [Kind::META, Kind::content(Mode::Text), Kind::DATA, Kind::INSTANCE]
}

/// Score and number of matching types of every asset with a unit within the threshold.
fn linear_search(assets: &[Asset], query: &[(Kind, Vec<u8>)]) -> BTreeMap<String, (f64, usize)> {
    let mut found = BTreeMap::new();
    for asset in assets {
        let mut best: BTreeMap<String, f64> = BTreeMap::new();
        for (kind, body) in query {
            for (_, own) in asset.units.iter().filter(|(own, _)| own == kind) {
                let (differing, bits) = prefix_distance(own, body);
                let mut score = 1.0 - f64::from(differing) / f64::from(bits);
                if *kind == Kind::INSTANCE {
                    score = score.floor();
                }
                if score >= THRESHOLD {
                    let known = best.entry(kind.to_string()).or_insert(0.0);
                    *known = known.max(score);
                }
            }
        }
        if !best.is_empty() {
            let weighted: f64 = best.values().map(|score| score.powi(EXPONENT)).sum();
            let score = weighted / best.values().sum::<f64>();
            found.insert(asset.id.clone(), (score, best.len()));
        }
    }
    found
}

fn search(service: &Service, query: &[(Kind, Vec<u8>)]) -> BTreeMap<String, (f64, usize)> {
    let units: Vec<String> = query.iter().map(|(kind, body)| unit(*kind, body)).collect();
    let response = service.search("main", &json!({ "units": units }), 10_000).unwrap();
    let matches = response["global_matches"].as_array().unwrap().iter();
    let pair = |found: &Value| {
        let types = found["types"].as_object().unwrap().len();
        (found["iscc_id"].as_str().unwrap().to_owned(), (found["score"].as_f64().unwrap(), types))
    };
    matches.map(pair).collect()
}

/// Clusters of similar assets with units of all lengths.
fn clustered(random: &mut Random, count: u64) -> Vec<Asset> {
    let mut centre: Vec<Vec<u8>> = Vec::new();
    (0..count)
        .map(|number| {
            if number % 10 == 0 {
                centre = (0..4).map(|_| random.bytes(32)).collect();
            }
            let units = kinds().into_iter().zip(&centre).map(|(kind, body)| {
                let length = [4, 8, 12, 16, 24, 32, 32, 32][random.below(8) as usize];
                let flips = if kind == Kind::INSTANCE { 0 } else { random.below(80) };
                (kind, random.flipped(&body[..length], flips * length as u64 / 32))
            });
            Asset { id: id(number), units: units.collect() }
        })
        .collect()
}

fn query(random: &mut Random, assets: &[Asset]) -> Vec<(Kind, Vec<u8>)> {
    let asset = &assets[random.below(assets.len() as u64) as usize];
    asset
        .units
        .iter()
        .map(|(kind, body)| {
            let length = [4, 8, 16, 32][random.below(4) as usize].min(body.len());
            let flips = if *kind == Kind::INSTANCE { 0 } else { random.below(length as u64) };
            (*kind, random.flipped(&body[..length], flips))
        })
        .collect()
}

fn assert_same(service: &Service, assets: &[Asset], random: &mut Random, queries: usize) {
    let mut matches = 0;
    for _ in 0..queries {
        let query = query(random, assets);
        let (found, expected) = (search(service, &query), linear_search(assets, &query));
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (id, (score, types)) in &found {
            assert!((score - expected[id].0).abs() < 1e-9 && *types == expected[id].1, "{id}");
        }
        matches += found.len();
    }
    assert!(matches > queries, "{matches} matches of {queries} queries");
}

#[test]
fn equals_a_linear_search_after_changes() {
    let mut random = Random(42);
    let mut assets = clustered(&mut random, 3000);
    // One segment, in which many slots die, so that it is compacted.
    let service = Service::new("usearch", Options::default());
    service.create("main");
    for batch in assets.chunks(400) {
        service.add("main", &Value::from(batch.iter().map(entry).collect::<Vec<_>>())).unwrap();
    }
    assert_same(&service, &assets, &mut random, 40);
    for round in 0..4 {
        let replaced = clustered(&mut random, 3000);
        let mut batch = Vec::new();
        for index in (round..3000).step_by(3) {
            let units = replaced[index].units.clone();
            assets[index] = Asset { id: assets[index].id.clone(), units };
            batch.push(entry(&assets[index]));
        }
        service.add("main", &Value::from(batch)).unwrap();
        assert_same(&service, &assets, &mut random, 20);
    }
    let kept = assets.split_off(500);
    for asset in &assets {
        service.delete("main", &asset.id).unwrap();
    }
    assert_same(&service, &kept, &mut random, 30);
}
