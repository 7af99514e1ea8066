//! Simprints in frozen and sealed segments, compared with a walk over all chunks and with an index that only scans: random
//! changes, with each method of searching forced once.

use std::collections::BTreeMap;

use crate::common::{Random, Service, id, unit, value, wait_found};
use data_encoding::BASE64URL_NOPAD;
use iscc_codec::Kind;
use iscc_search::{
    Method, Options, Sealing, SearchParameters, SegmentSizes, SelectionParameters, SimprintLists,
    StoreOptions,
};
use proptest::prelude::*;
use reference::chunks::{Chunk, Match, similar};
use serde_json::{Value, json};

/// Assets of a full segment.
const FULL: u32 = 48;

/// The chunks of an asset, by the number of the simprint type.
type Chunks = Vec<Vec<Chunk>>;

fn options(lists: SimprintLists, method: Method, sealing: Sealing) -> Options {
    let sizes = SegmentSizes { simprint_lists: lists, ..SegmentSizes::early(FULL) };
    let store = StoreOptions { sync: false, ..StoreOptions::default() };
    Options { sizes, sealing, method, store, ..Options::default() }
}

fn tiers() -> Vec<(&'static str, Options)> {
    let plain = options(SimprintLists::All, Method::Scan, Sealing::never());
    vec![
        ("plain", Options { sizes: SegmentSizes::default(), ..plain.clone() }),
        ("memory", plain),
        ("scan", options(SimprintLists::All, Method::Scan, Sealing::early())),
        ("sealed", options(SimprintLists::All, Method::Lists, Sealing::early())),
        ("planned", options(SimprintLists::All, Method::Planned, Sealing::early())),
        ("first", options(SimprintLists::First, Method::Lists, Sealing::early())),
        ("none", options(SimprintLists::None, Method::Lists, Sealing::early())),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Add(u64, u64),
    Update(u64, u64),
    Delete(u64, u64),
    /// Waits for all background work. Without it, it happens during the next steps.
    Wait,
    Restart,
    Search(u64, u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (any::<u64>(), 1u64..90).prop_map(|(seed, count)| Step::Add(seed, count)),
        2 => (any::<u64>(), 1u64..30).prop_map(|(seed, count)| Step::Update(seed, count)),
        2 => (any::<u64>(), 1u64..20).prop_map(|(seed, count)| Step::Delete(seed, count)),
        2 => Just(Step::Wait),
        1 => Just(Step::Restart),
        4 => (any::<u64>(), 75u32..=100).prop_map(|(seed, percent)| Step::Search(seed, percent)),
    ];
    let first = Just(Step::Add(5, 150));
    (first, prop::collection::vec(step, 3..16))
        .prop_map(|(first, rest)| std::iter::once(first).chain(rest).collect())
}

/// The same changes to all indexes, and to the map that the reference walks over.
struct Twins {
    services: Vec<(&'static str, Options, Service)>,
    /// Bytes of the simprints of each type.
    lengths: Vec<usize>,
    assets: BTreeMap<u64, Chunks>,
    next: u64,
}

impl Twins {
    fn new(lengths: &[usize]) -> Self {
        let services = tiers().into_iter().map(|(name, options)| {
            let service = Service::new("usearch", options.clone());
            service.create("main");
            (name, options, service)
        });
        let lengths = lengths.to_vec();
        Self { services: services.collect(), lengths, assets: BTreeMap::new(), next: 0 }
    }

    /// Simprints equal to those of other assets or near them, boilerplate, and featureless ones.
    fn new_body(&self, random: &mut Random, kind: usize) -> Vec<u8> {
        let length = self.lengths[kind];
        let start = random.below(self.next.max(1));
        let mut later = self.assets.range(start..).flat_map(|(_, chunks)| &chunks[kind]);
        let known = later.next().map(|chunk| chunk.body.clone());
        match (random.below(7), known) {
            (0, _) => vec![kind as u8; length],
            (1, _) => random.flipped(&vec![0; length], 3),
            (2, Some(known)) => known,
            (3..=5, Some(known)) => {
                let flips = random.below(length as u64 * 2);
                random.flipped(&known, flips)
            }
            _ => random.bytes(length),
        }
    }

    fn new_asset(&self, random: &mut Random) -> Chunks {
        let of_kind = |kind| {
            let count = random.below(4);
            let mut chunk = || Chunk {
                body: self.new_body(random, kind),
                offset: random.below(4) as u32 * 10,
                size: random.below(2) as u32,
            };
            (0..count).map(|_| chunk()).collect()
        };
        (0..self.lengths.len()).map(of_kind).collect()
    }

    fn put(&mut self, batch: BTreeMap<u64, Chunks>) {
        let entry = |(number, chunks): (&u64, &Chunks)| {
            // An empty list removes the simprints of a type.
            let list = |(kind, chunks): (usize, &Vec<Chunk>)| {
                let chunk = |chunk: &Chunk| {
                    let body = BASE64URL_NOPAD.encode(&chunk.body);
                    json!({ "simprint": body, "offset": chunk.offset, "size": chunk.size })
                };
                let list: Value = chunks.iter().map(chunk).collect();
                (name(kind), if chunks.is_empty() { Value::Null } else { list })
            };
            let lists: serde_json::Map<String, Value> =
                chunks.iter().enumerate().map(list).collect();
            json!({ "iscc_id": id(*number), "units": units(*number), "simprints": lists })
        };
        let entries: Value = batch.iter().map(entry).collect();
        for (_, _, service) in &self.services {
            service.add("main", &entries).unwrap();
        }
        self.assets.extend(batch);
    }

    fn some(&self, random: &mut Random, count: u64) -> Vec<u64> {
        let all: Vec<u64> = self.assets.keys().copied().collect();
        let some =
            (0..count).filter_map(|_| all.get(random.below(all.len().max(1) as u64) as usize));
        let mut some: Vec<u64> = some.copied().collect();
        some.sort_unstable();
        some.dedup();
        some
    }

    fn add(&mut self, seed: u64, count: u64) {
        let mut random = Random(seed | 1);
        let first = self.next;
        self.next += count;
        let batch = (first..self.next).map(|number| (number, self.new_asset(&mut random)));
        let batch = batch.collect();
        self.put(batch);
    }

    fn update(&mut self, seed: u64, count: u64) {
        let mut random = Random(seed | 1);
        let some = self.some(&mut random, count);
        let batch = some.into_iter().map(|number| (number, self.new_asset(&mut random))).collect();
        self.put(batch);
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Add(seed, count) => self.add(seed, count),
            Step::Update(seed, count) => self.update(seed, count),
            Step::Delete(seed, count) => {
                for number in self.some(&mut Random(seed | 1), count) {
                    for (_, _, service) in &self.services {
                        service.delete("main", &id(number)).unwrap();
                    }
                    self.assets.remove(&number);
                }
            }
            Step::Wait => self.wait(),
            Step::Restart => {
                for (_, options, service) in &mut self.services {
                    service.restart("usearch", options.clone());
                }
            }
            Step::Search(seed, percent) => self.search(seed, f64::from(percent) / 100.0),
        }
    }

    fn wait(&self) {
        self.services.iter().for_each(|(_, _, service)| service.engine.wait_for_maintenance());
    }

    fn search(&self, seed: u64, threshold: f64) {
        let mut random = Random(seed | 1);
        let mut query: Vec<Vec<Vec<u8>>> = Vec::new();
        for kind in 0..self.lengths.len() {
            let count = random.below(5);
            let mut list: Vec<_> = (0..count).map(|_| self.new_body(&mut random, kind)).collect();
            if let Some(first) = list.first().cloned() {
                list.push(first);
            }
            query.push(list);
        }
        let expected = self.expected(&query, threshold);
        for limit in [3, 10_000] {
            let plain = search(&self.services[0].2, &query, threshold, limit);
            if limit > 3 {
                assert_found(&plain, &expected);
            }
            for (name, _, service) in &self.services[1..] {
                let response = search(service, &query, threshold, limit);
                assert_eq!(response.to_string(), plain.to_string(), "{name}");
            }
        }
    }

    /// Score and types of each asset that the reference finds.
    fn expected(&self, query: &[Vec<Vec<u8>>], threshold: f64) -> BTreeMap<String, (f64, Types)> {
        let mut found: BTreeMap<String, Types> = BTreeMap::new();
        for (kind, query) in query.iter().enumerate() {
            let of_kind =
                self.assets.iter().map(|(number, chunks)| (*number, chunks[kind].clone()));
            for (number, matched) in similar(&of_kind.collect(), query, threshold) {
                found.entry(id(number)).or_default().insert(name(kind), matched);
            }
        }
        let mean = |types: &Types| {
            types.values().map(|(score, _)| score).sum::<f64>() / types.len() as f64
        };
        found.into_iter().map(|(id, types)| (id, (mean(&types), types))).collect()
    }
}

/// Score and matches by the name of the simprint type.
type Types = BTreeMap<String, (f64, Vec<Match>)>;

/// Assets without simprints need two units.
fn units(number: u64) -> [String; 2] {
    [Kind::META, Kind::DATA].map(|kind| unit(kind, &number.to_be_bytes()))
}

fn name(kind: usize) -> String {
    format!("TYPE_{kind}")
}

fn search(service: &Service, query: &[Vec<Vec<u8>>], threshold: f64, limit: i64) -> Value {
    let list = |(kind, list): (usize, &Vec<Vec<u8>>)| {
        let list: Value = list.iter().map(|body| BASE64URL_NOPAD.encode(body)).collect();
        (name(kind), list)
    };
    let lists = query.iter().enumerate().filter(|(_, list)| !list.is_empty()).map(list);
    let lists: serde_json::Map<String, Value> = lists.collect();
    let body = json!({ "simprints": lists }).to_string().into_bytes();
    let threshold_simprints = Some(threshold);
    let selection =
        Some(Box::new(SelectionParameters { threshold_simprints, ..Default::default() }));
    let parameters = SearchParameters { limit, skip_featureless: None, selection };
    wait_found(|reply| service.engine.search("main", body, parameters, reply))
        .unwrap_or_else(|(_, failure)| failure)
}

fn assert_found(response: &Value, expected: &BTreeMap<String, (f64, Types)>) {
    let Some(matches) = response["chunk_matches"].as_array() else {
        assert!(expected.is_empty(), "{response}");
        return;
    };
    let near = |value: &Value, expected: f64| {
        assert!((value.as_f64().unwrap() - expected).abs() < 1e-12, "{value} {expected}");
    };
    assert_eq!(matches.len(), expected.len());
    for matched in matches {
        let (score, types) = &expected[matched["iscc_id"].as_str().unwrap()];
        near(&matched["score"], *score);
        assert_eq!(matched["types"].as_object().unwrap().len(), types.len());
        for (name, (score, matches)) in types {
            let of_type = &matched["types"][name];
            near(&of_type["score"], *score);
            let chunks = of_type["chunks"].as_array().unwrap();
            assert_eq!(chunks.len(), matches.len());
            for (chunk, expected) in chunks.iter().zip(matches) {
                near(&chunk["score"], expected.score);
                assert_eq!(chunk["freq"], expected.frequency);
                assert_eq!(chunk["offset"], expected.chunk.offset);
                assert_eq!(chunk["size"], expected.chunk.size);
                assert_eq!(chunk["match"], BASE64URL_NOPAD.encode(&expected.chunk.body));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_tier_equals_the_reference_after_any_changes(
        lengths in prop::collection::vec((2usize..=8).prop_map(|words| words * 4), 3),
        steps in steps(),
    ) {
        let mut twins = Twins::new(&lengths);
        steps.iter().for_each(|step| twins.run(step));
        twins.wait();
        for seed in 0..4 {
            twins.search(seed * 77 + 3, 0.75 + seed as f64 / 12.0);
        }
    }
}

/// Columns of simprints by segment: whether each has lists.
fn lists_by_segment(service: &Service) -> Vec<Vec<bool>> {
    let info = value(service.engine.index("main")).unwrap();
    let columns = |segment: &Value| {
        let columns = segment["columns"].as_array().unwrap().iter();
        let simprints = columns.filter(|column| column["type"] == "SIMPRINT_TYPE_0");
        simprints.map(|column| column["lists"].as_bool().unwrap()).collect()
    };
    info["segments"].as_array().unwrap().iter().map(columns).collect()
}

#[test]
fn full_segments_have_the_lists_that_the_operator_wants() {
    let mut twins = Twins::new(&[16]);
    twins.add(3, u64::from(FULL) * 2 + 5);
    twins.wait();
    // The first two have no files.
    for (name, _, service) in &twins.services[2..] {
        let expected = *name != "none";
        let full = vec![vec![expected]; 2];
        assert_eq!(lists_by_segment(service), [full, vec![vec![false]]].concat(), "{name}");
    }
    let body = json!({ "simprints": { "TYPE_0": [BASE64URL_NOPAD.encode(&[0; 16])] } });
    let report = |name: &str| {
        let (_, _, service) = twins.services.iter().find(|(known, ..)| *known == name).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let reply = iscc_search::Reply::new(move |found| sender.send(found).unwrap());
        service.engine.search("main", body.to_string().into_bytes(), 9, reply);
        let found: iscc_search::Found = receiver.recv().unwrap().unwrap();
        found.report.server_timing()
    };
    assert!(report("scan").contains("scan;") && !report("scan").contains("lists;"));
    assert!(report("sealed").contains("lists;"), "{}", report("sealed"));
    assert!(!report("none").contains("lists;"));
}

#[test]
fn many_simprints_of_few_assets_fill_a_segment() {
    let early = options(SimprintLists::All, Method::Planned, Sealing::default());
    let sizes = SegmentSizes {
        segment_rows: 100,
        rows_min: 50,
        segment_slots: 1 << 17,
        ..early.sizes.clone()
    };
    let sealing = Sealing { rows_max: 150, rows_min: 50, ..Sealing::early() };
    let sealing = Sealing { assets_max: 1 << 17, slots_min: 1 << 14, ..sealing };
    let service = Service::new("usearch", Options { sizes, sealing, ..early });
    service.create("main");
    let mut random = Random(7);
    let chunk = |random: &mut Random| {
        let body = BASE64URL_NOPAD.encode(&random.bytes(8));
        json!({ "simprint": body, "offset": 0, "size": 9 })
    };
    for number in 0..30 {
        let list: Vec<Value> = (0..10).map(|_| chunk(&mut random)).collect();
        let simprints = json!({ "TYPE_0": list });
        let entry =
            json!({ "iscc_id": id(number), "units": units(number), "simprints": simprints });
        service.add("main", &json!([entry])).unwrap();
    }
    service.engine.wait_for_maintenance();
    let lists = lists_by_segment(&service);
    assert_eq!(lists, [vec![vec![true]; 3], vec![vec![false]]].concat());
    let info = value(service.engine.index("main")).unwrap();
    assert_eq!(info["segments"][0]["kind"], "sealed");
}

/// Boilerplate in all assets, more often than chunks are counted.
#[test]
fn a_crowd_is_counted_by_its_first_chunks() {
    let mut twins = Twins::new(&[16, 8]);
    let chunk = |offset: u32| Chunk { offset, size: 5, body: vec![7; 16] };
    let asset = |number: u64| {
        let (near, own) =
            ([&[7; 15][..], &[200 + (number % 50) as u8]].concat(), vec![number as u8; 8]);
        let crowd = vec![chunk(30), chunk(10), Chunk { body: near, ..chunk(20) }];
        (number, vec![crowd, vec![Chunk { body: own, ..chunk(0) }]])
    };
    for first in (0..700).step_by(50) {
        twins.next = first + 50;
        twins.put((first..first + 50).map(asset).collect());
    }
    twins.wait();
    let query = [vec![vec![7; 16], vec![9; 16], vec![7; 16]], vec![vec![3; 8]]];
    for threshold in [0.8, 1.0] {
        let expected = twins.expected(&query, threshold);
        let plain = search(&twins.services[0].2, &query, threshold, 10_000);
        assert_found(&plain, &expected);
        let first = &plain["chunk_matches"][0]["types"]["TYPE_0"]["chunks"][0];
        assert_eq!((&first["freq"], &first["offset"]), (&json!(500), &json!(10)));
        for (name, _, service) in &twins.services[1..] {
            for limit in [1, 7, 10_000] {
                let plain = search(&twins.services[0].2, &query, threshold, limit);
                let found = search(service, &query, threshold, limit);
                assert_eq!(found.to_string(), plain.to_string(), "{name}");
            }
        }
    }
}

/// A passage that more assets have than chunks are counted.
#[test]
fn a_crowd_is_found_as_a_whole_where_simprints_must_be_equal() {
    let service = Service::new("lmdb", Options::default());
    service.create("main");
    let body = BASE64URL_NOPAD.encode(&[7; 16]);
    let chunk = |offset: u32| json!({ "simprint": body, "offset": offset, "size": 9 });
    for first in (0..600).step_by(100) {
        let entries = (first..first + 100).map(|number| {
            let simprints = json!({ "TYPE_0": [chunk(0), chunk(50)] });
            json!({ "iscc_id": id(number), "units": units(number), "simprints": simprints })
        });
        service.add("main", &entries.collect()).unwrap();
    }
    let query = json!({ "simprints": { "TYPE_0": [body] } });
    let found = service.search("main", &query, 10_000).unwrap();
    let matches = found["chunk_matches"].as_array().unwrap();
    assert_eq!(matches.len(), 600);
    let chunks = &matches[599]["types"]["TYPE_0"]["chunks"];
    assert_eq!((chunks.as_array().unwrap().len(), &chunks[0]["freq"]), (2, &json!(500)));
}
