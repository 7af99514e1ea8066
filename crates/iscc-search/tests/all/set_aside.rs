//! A unit that is set aside matches as if no asset had it, and results name the units by which they match.

use std::sync::mpsc::channel;

use crate::common::{Random, Service, id, unit, wait_found};
use iscc_codec::{Kind, Mode};
use iscc_search::{
    EarlyEnd, Options, Reply, Sealing, SearchParameters, SegmentSizes, SelectionParameters,
};
use serde_json::{Value, json};

const ASSETS: u64 = 400;
const SEARCHES: u64 = 200;
/// Assets of a full segment.
const FULL: u32 = 64;
/// Different Image-Codes and Meta-Codes.
const IMAGES: u64 = 12;
const METAS: u64 = 40;

fn image(number: u64) -> String {
    // Neighbours are near each other.
    let bytes = Random(number / 3 + 1).bytes(32);
    unit(Kind::content(Mode::Image), &Random(number + 77).flipped(&bytes, 20))
}

fn meta(number: u64) -> String {
    unit(Kind::META, &Random(number + 1000).bytes(8))
}

fn instance(number: u64) -> String {
    unit(Kind::INSTANCE, &Random(number + 5000).bytes(8))
}

/// The units of an asset; in place of those that `is_gone` names, its Instance-Code again.
fn asset(random: &mut Random, number: u64, is_gone: impl Fn(&str) -> bool) -> Value {
    let all = [image(random.below(IMAGES)), meta(random.below(METAS)), instance(number)];
    let kept = all.iter().map(|one| if is_gone(one) { &all[2] } else { one });
    json!({ "iscc_id": id(number), "units": kept.collect::<Vec<_>>() })
}

fn filled(is_gone: impl Fn(&str) -> bool) -> Service {
    let options = Options {
        sizes: SegmentSizes::early(FULL),
        sealing: Sealing::early(),
        early_end: EarlyEnd::Always,
        ..Options::default()
    };
    let service = Service::new("usearch", options);
    service.create("main");
    let mut random = Random(4);
    let all: Vec<Value> = (0..ASSETS).map(|n| asset(&mut random, n, &is_gone)).collect();
    for batch in all.chunks(100) {
        service.add("main", &json!(batch)).unwrap();
    }
    service.engine.wait_for_maintenance();
    service
}

fn parameters(limit: i64, selection: SelectionParameters) -> SearchParameters {
    SearchParameters { limit, skip_featureless: None, selection: Some(Box::new(selection)) }
}

#[test]
fn matches_as_if_no_asset_had_the_unit() {
    let gone = [image(0), image(4), meta(3)];
    let (all, without) = (filled(|_| false), filled(|unit| gone.contains(&unit.to_owned())));
    let mut random = Random(9);
    let mut found = 0;
    for _ in 0..SEARCHES {
        let units = [
            image(random.below(IMAGES)),
            meta(random.below(METAS)),
            instance(random.below(ASSETS)),
        ];
        let query = json!({ "units": units[..1 + random.below(3) as usize] });
        let (limit, explain) = (1 + random.below(30) as i64, random.below(2) == 0);
        let search = |service: &Service, set_aside: &[String]| {
            let set_aside = set_aside.to_vec();
            let selection = SelectionParameters { set_aside, explain, ..Default::default() };
            let body = query.to_string().into_bytes();
            wait_found(|reply| {
                service.engine.search("main", body, parameters(limit, selection), reply);
            })
            .unwrap()
        };
        let expected = search(&without, &[]);
        assert_eq!(search(&all, &gone), expected, "{query}");
        found += expected["global_matches"].as_array().unwrap().len();
    }
    assert!(found > 100, "{found}");
}

#[test]
fn names_each_unit_of_content_by_which_assets_match() {
    let service = filled(|_| false);
    let named = |units: &[String], set_aside: &[String]| {
        let (sender, receiver) = channel();
        let reply = Reply::new(move |found| sender.send(found).unwrap());
        let set_aside = set_aside.to_vec();
        let selection = SelectionParameters { names_units: true, set_aside, ..Default::default() };
        let body = json!({ "units": units }).to_string().into_bytes();
        service.engine.search("main", body, parameters(100, selection), reply);
        let mut units = receiver.recv().unwrap().unwrap().units;
        units.sort_unstable();
        units
    };
    let near = |numbers: &[u64]| {
        let mut units: Vec<String> = numbers.iter().map(|&number| image(number)).collect();
        units.sort_unstable();
        units
    };
    assert_eq!(named(&[image(0)], &[]), near(&[0, 1, 2]));
    assert_eq!(named(&[image(0)], &[image(1)]), near(&[0, 2]));
    // The Instance-Code stands for the bytes of a file.
    assert!(named(&[instance(5)], &[]).is_empty());
}

#[test]
fn refuses_units_that_stand_for_bytes() {
    for text in [instance(1), "AAA".to_owned()] {
        let parameters = SelectionParameters { set_aside: vec![text], ..Default::default() };
        assert!(parameters.check().is_err());
    }
}
