//! Segments in files, lists and merges, compared with a linear search and with an index that only scans: random changes,
//! with each method of searching forced once.

use crate::common;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use crate::common::{FIXTURES, Random, Service, id, rows, run_query, unit, value, wait_found};
use iscc_codec::{Kind, Mode};
use iscc_search::{
    ListSizes, Method, Options, Sealing, SearchParameters, SegmentSizes, SelectionParameters,
    StoreOptions,
};
use proptest::prelude::*;
use reference::scan::prefix_distance;
use serde_json::{Value, json};

const EXPONENT: i32 = 4;
/// Assets of a full segment.
const FULL: u32 = 128;

type Units = Vec<(Kind, Vec<u8>)>;

fn unsynced() -> StoreOptions {
    StoreOptions { sync: false, ..StoreOptions::default() }
}

/// Indexes whose full segments get files at once, by the method that searches them.
fn tiers() -> Vec<(&'static str, Options)> {
    let sealed = |method| Options {
        sizes: SegmentSizes { segment_slots_max: FULL * 64, ..SegmentSizes::early(FULL) },
        sealing: Sealing::early(),
        method,
        store: unsynced(),
        ..Options::default()
    };
    vec![
        ("scan", sealed(Method::Scan)),
        ("lists", sealed(Method::Lists)),
        ("planned", sealed(Method::Planned)),
    ]
}

/// Keys as in columns of millions of rows. Their lists take 100 MB per column, so only the largest columns have them.
fn long_keys() -> (&'static str, Options) {
    let lists = ListSizes { rows_min: 300, long_keys_rows_min: 1, ..ListSizes::default() };
    let sizes = SegmentSizes { lists, ..SegmentSizes::early(512) };
    let (sealing, store) = (Sealing::early(), unsynced());
    ("long keys", Options { sizes, sealing, method: Method::Lists, store, ..Options::default() })
}

/// Waits until all full segments are in files, and at least one column has lists.
fn wait_until_sealed(service: &Service, index: &str) {
    loop {
        service.engine.wait_for_maintenance();
        let info = value(service.engine.index(index)).unwrap();
        let segments = info["segments"].as_array().cloned().unwrap_or_default();
        let (last, full) = segments.split_last().unwrap_or((&Value::Null, &[]));
        let is_sealed = |segment: &Value| segment["kind"] == "sealed";
        let has_lists = |segment: &Value| {
            let mut columns = segment["columns"].as_array().unwrap().iter();
            columns.any(|column| column["lists"] == true)
        };
        if last["kind"] == "growing" && full.iter().all(is_sealed) && full.iter().any(has_lists) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn recorded_queries_have_the_same_responses_on_every_tier() {
    let expected = common::with_recorded_assets("usearch", Options::default());
    let queries = rows("queries.jsonl");
    for (name, options) in tiers().into_iter().chain([long_keys()]) {
        let service = common::with_recorded_assets("usearch", options);
        wait_until_sealed(&service, "ds");
        for query in &queries {
            let (found, expected) = (run_query(&service, query), run_query(&expected, query));
            assert_eq!(found, expected, "{name}, query {query} of {FIXTURES}");
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Add {
        seed: u64,
        count: u64,
    },
    Update {
        seed: u64,
        count: u64,
    },
    Delete {
        seed: u64,
        count: u64,
    },
    /// Waits for all background work. Without it, it happens during the next steps.
    Wait,
    Restart,
    Search {
        seed: u64,
        percent: u32,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (any::<u64>(), 1u64..200).prop_map(|(seed, count)| Step::Add { seed, count }),
        2 => (any::<u64>(), 1u64..60).prop_map(|(seed, count)| Step::Update { seed, count }),
        2 => (any::<u64>(), 1u64..40).prop_map(|(seed, count)| Step::Delete { seed, count }),
        1 => Just(Step::Wait),
        1 => Just(Step::Restart),
        4 => (any::<u64>(), 75u32..=100)
            .prop_map(|(seed, percent)| Step::Search { seed, percent }),
    ];
    let first = Just(Step::Add { seed: 5, count: 300 });
    (first, prop::collection::vec(step, 4..24))
        .prop_map(|(first, rest)| std::iter::once(first).chain(rest).collect())
}

/// Lengths of stored units in bytes. Each length of each type has lists of megabytes in each segment.
const LENGTHS: [(Kind, [usize; 2]); 3] =
    [(Kind::META, [8, 32]), (Kind::content(Mode::Image), [16, 20]), (Kind::DATA, [4, 28])];

#[derive(Clone, Copy)]
enum Purpose {
    /// Units of the lengths in [`LENGTHS`].
    Store,
    /// Units of all lengths.
    Search,
}

/// Units near those of other assets, equal ones, featureless ones, and ones that share 16 bits with a victim.
fn new_units(random: &mut Random, assets: &BTreeMap<u64, Units>, purpose: Purpose) -> Units {
    let mut units: Units = Vec::new();
    for (kind, lengths) in LENGTHS {
        let length = match purpose {
            Purpose::Store => lengths[random.below(2) as usize],
            Purpose::Search => 4 * (1 + random.below(8) as usize),
        };
        let start = random.below(1000);
        let mut later = assets.range(start..).flat_map(|(_, units)| units);
        let known = later.find(|(known, _)| *known == kind).map(|(_, body)| {
            let mut body = body[..body.len().min(length)].to_vec();
            body.extend(random.bytes(length - body.len()));
            body
        });
        let body = match (random.below(6), known) {
            (0, _) => random.flipped(&vec![0; length], 5),
            (1, Some(body)) => body,
            (2 | 3, Some(body)) => {
                let flips = random.below(length as u64 * 2);
                random.flipped(&body, flips)
            }
            (4, Some(victim)) => {
                let mut body = random.bytes(length);
                let shared = random.below(length as u64) as usize & !1;
                body[shared..shared + 2].copy_from_slice(&victim[shared..shared + 2]);
                body
            }
            _ => random.bytes(length),
        };
        units.push((kind, body));
    }
    units
}

fn entry(number: u64, units: &Units) -> Value {
    let units: Vec<String> = units.iter().map(|(kind, body)| unit(*kind, body)).collect();
    json!({ "iscc_id": id(number), "units": units })
}

/// Score and number of matching types of every asset with a unit within the threshold.
fn linear_search(
    assets: &BTreeMap<u64, Units>,
    query: &Units,
    threshold: f64,
) -> BTreeMap<String, (f64, usize)> {
    let mut found = BTreeMap::new();
    for (number, units) in assets {
        let mut scores = Vec::new();
        for (kind, body) in query {
            for (_, own) in units.iter().filter(|(own, _)| own == kind) {
                let (differing, bits) = prefix_distance(own, body);
                let score = 1.0 - f64::from(differing) / f64::from(bits);
                if score >= threshold {
                    scores.push(score);
                }
            }
        }
        if !scores.is_empty() {
            let weighted: f64 = scores.iter().map(|score| score.powi(EXPONENT)).sum();
            found.insert(id(*number), (weighted / scores.iter().sum::<f64>(), scores.len()));
        }
    }
    found
}

fn search(service: &Service, query: &Units, threshold: f64) -> Value {
    let units: Vec<String> = query.iter().map(|(kind, body)| unit(*kind, body)).collect();
    let body = json!({ "units": units }).to_string().into_bytes();
    let selection = SelectionParameters { threshold: Some(threshold), ..Default::default() };
    let selection = Some(Box::new(selection));
    let parameters = SearchParameters { limit: 10_000, skip_featureless: None, selection };
    wait_found(|reply| service.engine.search("main", body, parameters, reply)).unwrap()
}

fn assert_found(response: &Value, expected: &BTreeMap<String, (f64, usize)>, name: &str) {
    let matches = response["global_matches"].as_array().unwrap();
    let ids: HashSet<&str> =
        matches.iter().map(|found| found["iscc_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), matches.len(), "{name}");
    assert_eq!(ids, expected.keys().map(String::as_str).collect(), "{name}");
    for found in matches {
        let (score, types) = expected[found["iscc_id"].as_str().unwrap()];
        assert!((found["score"].as_f64().unwrap() - score).abs() < 1e-9, "{name}: {found}");
        assert_eq!(found["types"].as_object().unwrap().len(), types, "{name}");
    }
}

/// The same changes to all indexes, one per tier, and to the map that a linear search reads.
struct Twins {
    services: Vec<(&'static str, Options, Service)>,
    assets: BTreeMap<u64, Units>,
    next: u64,
}

impl Twins {
    fn new() -> Self {
        let plain = ("plain", Options { store: unsynced(), ..Options::default() });
        let all = std::iter::once(plain).chain(tiers().into_iter().skip(1));
        let services = all.map(|(name, options)| {
            let service = Service::new("usearch", options.clone());
            service.create("main");
            (name, options, service)
        });
        Self { services: services.collect(), assets: BTreeMap::new(), next: 0 }
    }

    fn put(&mut self, batch: Vec<(u64, Units)>) {
        if batch.is_empty() {
            return;
        }
        let entries: Value = batch.iter().map(|(number, units)| entry(*number, units)).collect();
        for (_, _, service) in &self.services {
            service.add("main", &entries).unwrap();
        }
        self.assets.extend(batch);
    }

    fn some(&self, random: &mut Random, count: u64) -> Vec<u64> {
        let all: Vec<u64> = self.assets.keys().copied().collect();
        let some =
            (0..count).filter_map(|_| all.get(random.below(all.len().max(1) as u64) as usize));
        let some: HashSet<u64> = some.copied().collect();
        some.into_iter().collect()
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Add { seed, count } => {
                let mut random = Random(seed | 1);
                let first = self.next;
                self.next += count;
                let mut batch = BTreeMap::new();
                for number in first..self.next {
                    let source = if number % 3 == 0 { &self.assets } else { &batch };
                    let units = new_units(&mut random, source, Purpose::Store);
                    batch.insert(number, units);
                }
                self.put(batch.into_iter().collect());
            }
            Step::Update { seed, count } => {
                let mut random = Random(seed | 1);
                let numbers = self.some(&mut random, count);
                let update =
                    |number| (number, new_units(&mut random, &self.assets, Purpose::Store));
                let batch = numbers.into_iter().map(update).collect();
                self.put(batch);
            }
            Step::Delete { seed, count } => {
                for number in self.some(&mut Random(seed | 1), count) {
                    for (_, _, service) in &self.services {
                        service.delete("main", &id(number)).unwrap();
                    }
                    self.assets.remove(&number);
                }
            }
            Step::Wait => {
                self.services
                    .iter()
                    .for_each(|(_, _, service)| service.engine.wait_for_maintenance());
            }
            Step::Restart => {
                for (_, options, service) in &mut self.services {
                    service.restart("usearch", options.clone());
                }
            }
            Step::Search { seed, percent } => self.search(seed, f64::from(percent) / 100.0),
        }
    }

    fn search(&self, seed: u64, threshold: f64) {
        let mut random = Random(seed | 1);
        for _ in 0..3 {
            let query = new_units(&mut random, &self.assets, Purpose::Search);
            let expected = linear_search(&self.assets, &query, threshold);
            let plain = search(&self.services[0].2, &query, threshold);
            assert_found(&plain, &expected, "plain");
            for (name, _, service) in &self.services[1..] {
                let response = search(service, &query, threshold);
                assert_eq!(response.to_string(), plain.to_string(), "{name}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn every_tier_equals_a_linear_search_after_any_changes(steps in steps()) {
        let mut twins = Twins::new();
        for step in &steps {
            twins.run(step);
        }
        for (_, _, service) in &twins.services {
            service.engine.wait_for_maintenance();
        }
        for seed in 0..4 {
            twins.search(seed * 77 + 3, 0.75 + seed as f64 / 12.0);
        }
    }
}

/// Eight full segments become one.
#[test]
fn full_segments_are_merged_by_size_class() {
    let mut twins = Twins::new();
    for seed in 0..20 {
        twins.run(&Step::Add { seed, count: u64::from(FULL) });
        twins.run(&Step::Update { seed, count: 2 });
    }
    for (name, _, service) in &twins.services[1..] {
        wait_until_sealed(service, "main");
        let info = value(service.engine.index("main")).unwrap();
        let segments = info["segments"].as_array().unwrap().len();
        assert!(segments < 14, "{name}: {segments} segments");
    }
    twins.search(1, 0.75);
    twins.search(2, 0.9);
}

/// 15 of 128 bits is farther than 23 of 192, by less than a 256th.
#[test]
fn the_explained_unit_is_the_one_that_counts() {
    let service = Service::new("usearch", Options::default());
    service.create("main");
    let differing = |bytes: usize, count: u64| {
        let mut body = vec![0; bytes];
        (0..count).for_each(|bit| body[bit as usize / 8] |= 0x80 >> (bit % 8));
        body
    };
    let units = vec![(Kind::META, differing(16, 15)), (Kind::META, differing(24, 23))];
    service.add("main", &json!([entry(1, &units)])).unwrap();
    let body = json!({ "units": [unit(Kind::META, &[0; 32])] }).to_string().into_bytes();
    let selection = SelectionParameters { explain: true, ..Default::default() };
    let selection = Some(Box::new(selection));
    let parameters = SearchParameters { limit: 1, skip_featureless: None, selection };
    let response =
        wait_found(|reply| service.engine.search("main", body, parameters, reply)).unwrap();
    let found = &response["global_matches"][0];
    let score = found["types"]["META_NONE_V0"].as_f64().unwrap();
    let explained = &found["explain"][0];
    let share = explained["distance"].as_f64().unwrap() / explained["bits"].as_f64().unwrap();
    assert!((score - (1.0 - share)).abs() < 1e-9, "{found}");
}
