//! Searches with a small limit that end early have the responses of full searches, byte for byte.

use std::sync::mpsc::{Receiver, channel};

use crate::common::{Random, Service, id, unit};
use iscc_codec::{Kind, Mode};
use iscc_search::{
    EarlyEnd, Failure, Found, Method, Options, Reply, Sealing, SearchParameters, SegmentSizes,
    SelectionParameters, StoreOptions,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Assets of a full segment.
const FULL: u32 = 64;
/// Assets of a family of near copies.
const FAMILY: u64 = 12;
const ASSETS: u64 = 500;
const SEARCHES: u64 = 120;
/// Types and lengths of units in bytes.
const UNITS: [(Kind, [usize; 2]); 3] =
    [(Kind::META, [8, 32]), (Kind::content(Mode::Image), [32, 32]), (Kind::DATA, [32, 16])];
/// Largest numbers of flipped bits of a unit, by closeness.
const FLIPS: [u64; 5] = [1, 4, 20, 40, 90];

fn options(exponent: u32) -> Options {
    Options {
        match_threshold_units: 0.5,
        confidence_exponent: exponent,
        search_threads: 1,
        store: StoreOptions { sync: false, ..StoreOptions::default() },
        ..Options::default()
    }
}

/// The full search first, then those that may end early.
fn services(exponent: u32) -> Vec<(&'static str, Service)> {
    let (sizes, sealing) = (SegmentSizes::early(FULL), Sealing::early());
    let sealed = Options { sizes, sealing, ..options(exponent) };
    let always = Options { early_end: EarlyEnd::Always, ..sealed.clone() };
    let all = [
        ("never", Options { early_end: EarlyEnd::Never, ..options(exponent) }),
        ("always", always.clone()),
        ("lists", Options { method: Method::Lists, ..always }),
        ("planned", sealed),
    ];
    let open = |(name, options)| {
        let service = Service::new("usearch", options);
        service.create("main");
        (name, service)
    };
    all.into_iter().map(open).collect()
}

/// Units of a family member: near those of the family, equal to those of many assets, or unrelated.
fn units(random: &mut Random, family: u64) -> Vec<String> {
    let closeness = random.below(FLIPS.len() as u64) as usize;
    let mut units = Vec::new();
    for (position, (kind, lengths)) in UNITS.into_iter().enumerate() {
        let length = lengths[random.below(2) as usize];
        let centre = Random(family * 31 + position as u64 + 1).bytes(length);
        let body = match random.below(12) {
            0 if position > 0 => continue,
            1 => random.bytes(length),
            2 => vec![0x55; length],
            3 => random.flipped(&vec![0; length], 4),
            4 | 5 => centre,
            _ => {
                let flips = random.below(FLIPS[closeness]);
                random.flipped(&centre, flips)
            }
        };
        units.push(unit(kind, &body));
        if random.below(8) == 0 {
            // A second unit of the type, which may be nearer.
            units.push(unit(kind, &random.flipped(&body[..8], 9)));
        }
    }
    let instance = if random.below(3) == 0 { family } else { random.next() };
    units.push(unit(Kind::INSTANCE, &Random(instance | 1).bytes(8)));
    units
}

fn entry(random: &mut Random, number: u64) -> Value {
    let units = units(random, number / FAMILY);
    json!({ "iscc_id": id(number), "units": units, "metadata": { "group": number % 3 } })
}

/// The same changes to all indexes.
fn fill(services: &[(&str, Service)], random: &mut Random) {
    let all: Vec<Value> = (0..ASSETS).map(|number| entry(random, number)).collect();
    let updates: Vec<Value> = (0..40)
        .map(|_| {
            let number = random.below(ASSETS);
            entry(random, number)
        })
        .collect();
    let deletions: Vec<u64> = (0..30).map(|_| random.below(ASSETS)).collect();
    for (_, service) in services {
        for batch in all.chunks(100) {
            service.add("main", &json!(batch)).unwrap();
        }
        service.engine.wait_for_maintenance();
        for update in &updates {
            service.add("main", &json!([update])).unwrap();
        }
        for &number in &deletions {
            // An asset may be drawn twice.
            let _ = service.delete("main", &id(number));
        }
    }
}

/// A search near a family, with all parameters that may restrict it.
fn search(random: &mut Random) -> (Value, SearchParameters) {
    let number = random.below(ASSETS);
    let query = match random.below(8) {
        0 => json!({ "iscc_id": id(number) }),
        _ => json!({ "units": units(random, number / FAMILY) }),
    };
    let some = |random: &mut Random, share: u64| random.below(share) == 0;
    let mut selection = SelectionParameters::default();
    if !some(random, 4) {
        selection.threshold = Some(0.5 + random.below(50) as f64 / 100.0);
    }
    if some(random, 6) {
        let names = ["META_NONE_V0", "CONTENT_IMAGE_V0", "INSTANCE_NONE_V0"];
        let count = 1 + random.below(3) as usize;
        selection.unit_types = Some(names[..count].iter().map(|&name| name.to_owned()).collect());
    }
    if some(random, 4) {
        selection.exclude = (number..number + 3).map(id).collect();
    }
    if some(random, 3) {
        selection.min_score = Some(random.below(100) as f64 / 100.0);
    }
    if some(random, 12) {
        selection.filters = vec!["group=1".to_owned()];
    }
    if some(random, 12) {
        selection.cursor = Some("*".to_owned());
    }
    if some(random, 4) {
        // The first is a Meta-Code.
        selection.set_aside = units(random, number / FAMILY).into_iter().take(1).collect();
    }
    selection.explain = some(random, 2);
    selection.exact = some(random, 2);
    let selection = (!some(random, 4)).then(|| Box::new(selection));
    let skip_featureless = some(random, 4).then_some(true);
    (query, SearchParameters { limit: 1 + random.below(20) as i64, skip_featureless, selection })
}

/// Sends a search without waiting for its result, so that several share a pass.
fn send(
    service: &Service,
    (query, parameters): &(Value, SearchParameters),
) -> Receiver<Result<Found, Failure>> {
    let (sender, receiver) = channel();
    let reply = Reply::new(move |found| sender.send(found).unwrap());
    let parameters = SearchParameters {
        limit: parameters.limit,
        skip_featureless: parameters.skip_featureless,
        selection: parameters.selection.clone(),
    };
    service.engine.search("main", query.to_string().into_bytes(), parameters, reply);
    receiver
}

/// The response or the error, and whether the search ended early.
fn results(service: &Service, searches: &[(Value, SearchParameters)]) -> Vec<(String, bool)> {
    let waiting: Vec<_> = searches.iter().map(|search| send(service, search)).collect();
    let result = |receiver: Receiver<Result<Found, Failure>>| match receiver.recv().unwrap() {
        Ok(Found { json, report, .. }) => {
            assert!(report.is_exact());
            (String::from_utf8(json).unwrap(), report.is_early())
        }
        Err(failure) => (format!("{:?} {failure}", failure.kind), false),
    };
    waiting.into_iter().map(result).collect()
}

/// Compares many searches. Returns by service how many ended early.
fn compare(seed: u64, exponent: u32) -> Vec<(&'static str, u64)> {
    let mut random = Random(seed | 1);
    let services = services(exponent);
    fill(&services, &mut random);
    let mut early: Vec<_> = services.iter().map(|(name, _)| (*name, 0)).collect();
    let searches: Vec<_> = (0..SEARCHES).map(|_| search(&mut random)).collect();
    for batch in searches.chunks(12) {
        let expected = results(&services[0].1, batch);
        for ((name, service), (_, count)) in services.iter().zip(&mut early) {
            for ((found, expected), (query, parameters)) in
                results(service, batch).iter().zip(&expected).zip(batch)
            {
                let selection = &parameters.selection;
                let limit = parameters.limit;
                assert_eq!(found.0, expected.0, "{name}: {query}, limit {limit}, {selection:?}");
                *count += u64::from(found.1);
            }
        }
    }
    for ((_, service), (_, count)) in services.iter().zip(&early) {
        let metrics: Value = serde_json::from_slice(&service.engine.metrics()).unwrap();
        assert_eq!(metrics["earlyEnds"], *count);
    }
    early
}

#[test]
fn many_searches_end_early_and_small_indexes_do_not_try() {
    for (seed, exponent) in [(11, 4), (12, 2)] {
        let early = compare(seed, exponent);
        for (name, count) in early {
            let expected = match name {
                "never" | "planned" => 0..1,
                _ => SEARCHES / 5..SEARCHES * 4 / 5,
            };
            assert!(expected.contains(&count), "{name}, exponent {exponent}: {count}");
        }
    }
}

#[test]
fn the_first_step_is_enough_for_one_match_or_if_the_others_score_too_low() {
    let services = services(4);
    let mut random = Random(3);
    fill(&services, &mut random);
    let body = random.bytes(32);
    let units =
        json!([unit(Kind::content(Mode::Image), &body), unit(Kind::INSTANCE, &random.bytes(8))]);
    let added = json!([{ "iscc_id": id(ASSETS + 1), "units": units }]);
    // Full segments have lists.
    let others: Vec<Value> =
        (0..u64::from(FULL)).map(|at| entry(&mut random, ASSETS + 2 + at)).collect();
    for (_, service) in &services {
        service.add("main", &added).unwrap();
        service.add("main", &json!(others)).unwrap();
        service.engine.wait_for_maintenance();
    }
    let query = json!({ "units": [units[0], unit(Kind::META, &random.bytes(8))] });
    let search = |limit: i64, min_score: Option<f64>| {
        let selection = SelectionParameters { min_score, exact: true, ..Default::default() };
        let selection = Some(Box::new(selection));
        (query.clone(), SearchParameters { limit, skip_featureless: None, selection })
    };
    let searches = [search(1, None), search(10, Some(0.999))];
    let expected = results(&services[0].1, &searches);
    for (name, service) in &services[1..3] {
        for (found, expected) in results(service, &searches).iter().zip(&expected) {
            assert_eq!(found, &(expected.0.clone(), true), "{name}");
        }
    }
}

#[test]
fn scores_without_a_bound_never_end_early() {
    for exponent in [0, 1, 65] {
        let early = compare(21, exponent);
        assert!(early.iter().all(|(_, count)| *count == 0), "exponent {exponent}: {early:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 8, ..ProptestConfig::default() })]

    #[test]
    fn responses_are_those_of_the_full_search(seed: u64, exponent in 2u32..9) {
        compare(seed, exponent);
    }
}
