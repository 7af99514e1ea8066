//! Searches against a walk over all assets: random data, with changes in between, by scan and by
//! graph.

mod common;

use std::collections::BTreeMap;

use common::{Random, Service, id, unit};
use iscc_codec::{Kind, Mode};
use iscc_search::{Engine, Options};
use reference::scan::prefix_distance;
use serde_json::{Value, json};

const THRESHOLD: f64 = 0.75;
const EXPONENT: i32 = 4;

/// What the walk knows of an asset.
#[derive(Clone)]
struct Twin {
    id: String,
    units: Vec<(Kind, Vec<u8>)>,
}

fn entry(twin: &Twin) -> Value {
    let units: Vec<String> = twin.units.iter().map(|(kind, body)| unit(*kind, body)).collect();
    json!({ "iscc_id": twin.id, "units": units })
}

fn kinds() -> [Kind; 4] {
    [Kind::META, Kind::content(Mode::Text), Kind::DATA, Kind::INSTANCE]
}

/// Score and types of every asset with a unit within the threshold.
fn walk(twins: &[Twin], query: &[(Kind, Vec<u8>)]) -> BTreeMap<String, (f64, usize)> {
    let mut found = BTreeMap::new();
    for twin in twins {
        let mut best: BTreeMap<String, f64> = BTreeMap::new();
        for (kind, body) in query {
            for (_, own) in twin.units.iter().filter(|(own, _)| own == kind) {
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
            found.insert(twin.id.clone(), (score, best.len()));
        }
    }
    found
}

fn search(service: &Service, query: &[(Kind, Vec<u8>)]) -> BTreeMap<String, (f64, usize)> {
    let units: Vec<String> = query.iter().map(|(kind, body)| unit(*kind, body)).collect();
    let answer = service.search("main", &json!({ "units": units }), 10_000).unwrap();
    let matches = answer["global_matches"].as_array().unwrap().iter();
    let pair = |found: &Value| {
        let types = found["types"].as_object().unwrap().len();
        (found["iscc_id"].as_str().unwrap().to_owned(), (found["score"].as_f64().unwrap(), types))
    };
    matches.map(pair).collect()
}

/// Clusters of similar assets with units of all lengths.
fn clustered(random: &mut Random, count: u64) -> Vec<Twin> {
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
            Twin { id: id(number), units: units.collect() }
        })
        .collect()
}

fn query(random: &mut Random, twins: &[Twin]) -> Vec<(Kind, Vec<u8>)> {
    let twin = &twins[random.below(twins.len() as u64) as usize];
    twin.units
        .iter()
        .map(|(kind, body)| {
            let length = [4, 8, 16, 32][random.below(4) as usize].min(body.len());
            let flips = if *kind == Kind::INSTANCE { 0 } else { random.below(length as u64) };
            (*kind, random.flipped(&body[..length], flips))
        })
        .collect()
}

fn assert_same(service: &Service, twins: &[Twin], random: &mut Random, queries: usize) {
    let mut matches = 0;
    for _ in 0..queries {
        let query = query(random, twins);
        let (found, expected) = (search(service, &query), walk(twins, &query));
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (id, (score, types)) in &found {
            assert!((score - expected[id].0).abs() < 1e-9 && *types == expected[id].1, "{id}");
        }
        matches += found.len();
    }
    assert!(matches > queries, "{matches} matches of {queries} queries");
}

#[test]
fn a_search_finds_what_a_walk_finds_while_assets_come_and_go() {
    let mut random = Random(42);
    let mut twins = clustered(&mut random, 3000);
    // Small segments, so that searches cross them and worn ones are written anew.
    let options = Options { scan_limit: usize::MAX, ..Options::default() };
    let service = Service::new("usearch", options);
    service.create("main");
    for batch in twins.chunks(400) {
        service.add("main", &Value::from(batch.iter().map(entry).collect::<Vec<_>>())).unwrap();
    }
    assert_same(&service, &twins, &mut random, 40);
    for round in 0..4 {
        let replaced = clustered(&mut random, 3000);
        let mut batch = Vec::new();
        for index in (round..3000).step_by(3) {
            let units = replaced[index].units.clone();
            twins[index] = Twin { id: twins[index].id.clone(), units };
            batch.push(entry(&twins[index]));
        }
        service.add("main", &Value::from(batch)).unwrap();
        assert_same(&service, &twins, &mut random, 20);
    }
    let kept = twins.split_off(500);
    for twin in &twins {
        service.delete("main", &twin.id).unwrap();
    }
    assert_same(&service, &kept, &mut random, 30);
}

/// With a low scan limit, most rows are searched by graph. What a graph finds is measured again, so
/// it is always a part of the truth; how large a part is what the trial of each graph watches over.
#[test]
fn graphs_find_a_part_of_the_truth_with_exact_scores_and_hardly_miss_anything() {
    let mut random = Random(7);
    let mut twins: Vec<Twin> = Vec::new();
    let mut centre = Vec::new();
    for number in 0..6000u64 {
        if number % 10 == 0 {
            centre = random.bytes(32);
        }
        let flips = random.below(40);
        let body = random.flipped(&centre, flips);
        twins.push(Twin { id: id(number), units: vec![(Kind::META, body), data(&mut random)] });
    }
    let service = Service::new("usearch", Options { scan_limit: 1024, ..Options::default() });
    service.create("main");
    for batch in twins.chunks(1000) {
        service.add("main", &Value::from(batch.iter().map(entry).collect::<Vec<_>>())).unwrap();
    }
    service.engine.wait_for_graphs();
    assert!(service.engine.graphs("main") >= 4, "{} graphs", service.engine.graphs("main"));
    let recall = recall(&service, &twins, &mut random);
    assert!(recall >= 0.99, "{recall}");
    // Deleted and replaced assets are no matches, though the graph still knows them.
    let mut batch = Vec::new();
    for index in (0..twins.len()).step_by(7) {
        twins[index].units[0].1 = random.bytes(32);
        batch.push(entry(&twins[index]));
    }
    service.add("main", &Value::from(batch)).unwrap();
    let recall = self::recall(&service, &twins, &mut random);
    assert!(recall >= 0.99, "{recall}");
}

/// Graphs are not stored: after a restart they are built again, and until then all rows are
/// scanned.
#[test]
fn a_restart_costs_no_match_and_brings_the_graphs_back() {
    let mut random = Random(11);
    let mut centre = Vec::new();
    let twins: Vec<Twin> = (0..5000)
        .map(|number| {
            if number % 10 == 0 {
                centre = random.bytes(32);
            }
            let body = random.flipped(&centre, 30);
            Twin { id: id(number), units: vec![(Kind::META, body), data(&mut random)] }
        })
        .collect();
    let options = Options { scan_limit: 1024, ..Options::default() };
    let service = Service::new("usearch", options.clone());
    service.create("main");
    for batch in twins.chunks(1000) {
        service.add("main", &Value::from(batch.iter().map(entry).collect::<Vec<_>>())).unwrap();
    }
    let Service { engine, folder } = service;
    drop(engine);
    let path = folder.as_ref().unwrap().path().to_str().unwrap();
    let engine = Engine::open(&format!("usearch://{path}"), options).unwrap();
    let service = Service { engine, folder };
    let recall = recall(&service, &twins, &mut random);
    assert!(recall >= 0.99, "{recall} while graphs are built");
    service.engine.wait_for_graphs();
    assert!(service.engine.graphs("main") >= 2, "{} graphs", service.engine.graphs("main"));
    let recall = self::recall(&service, &twins, &mut random);
    assert!(recall >= 0.99, "{recall} with graphs");
}

/// On uniform random codes graphs miss much: they must not pass their trial.
#[test]
fn uniform_random_codes_are_found_whatever_the_scan_limit_is() {
    let mut random = Random(99);
    let twins: Vec<Twin> = (0..5000)
        .map(|number| {
            let units = vec![(Kind::META, random.bytes(32)), data(&mut random)];
            Twin { id: id(number), units }
        })
        .collect();
    let service = Service::new("usearch", Options { scan_limit: 1024, ..Options::default() });
    service.create("main");
    for batch in twins.chunks(1000) {
        service.add("main", &Value::from(batch.iter().map(entry).collect::<Vec<_>>())).unwrap();
    }
    service.engine.wait_for_graphs();
    let recall = recall(&service, &twins, &mut random);
    assert!(recall >= 0.99, "{recall}");
}

fn data(random: &mut Random) -> (Kind, Vec<u8>) {
    (Kind::INSTANCE, random.bytes(8))
}

/// Share of the truth that is found; panics if something else is found or a score is not exact.
fn recall(service: &Service, twins: &[Twin], random: &mut Random) -> f64 {
    let (mut wanted, mut seen) = (0, 0);
    for _ in 0..150 {
        let twin = &twins[random.below(twins.len() as u64) as usize];
        let flips = random.below(64);
        let query = vec![(Kind::META, random.flipped(&twin.units[0].1, flips))];
        let (found, expected) = (search(service, &query), walk(twins, &query));
        for (id, (score, _)) in &found {
            assert!((score - expected[id].0).abs() < 1e-9, "{id}");
        }
        wanted += expected.len();
        seen += found.len();
    }
    assert!(wanted > 100, "{wanted}");
    f64::from(seen as u32) / f64::from(wanted as u32)
}
