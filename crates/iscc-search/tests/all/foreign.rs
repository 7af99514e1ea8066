//! The pure functions of the module `foreign` respond byte for byte as the local engine does.

use crate::common;
use std::collections::BTreeMap;
use std::sync::mpsc::channel;

use crate::common::{Random, Service, id, twins};
use iscc_search::foreign::{
    Counts, ForeignIndex, Search, after, asset_key, entry, gateway, keys, page, rehearse,
};
use iscc_search::transfer::Form;
use iscc_search::{
    BatchForm, ChangeForm, Failure, Fields, Found, IndexState, Options, Reply, Response,
    SearchBody, SearchParameters, SelectionParameters,
};
use serde_json::{Value, json};

/// What another engine stores: rows and terms by key.
#[derive(Default)]
struct Foreign {
    state: IndexState,
    rows: BTreeMap<String, (String, Vec<String>)>,
    options: Options,
}

impl Foreign {
    fn index(&self) -> ForeignIndex {
        ForeignIndex { name: "ds".to_owned(), state: Some(self.state.clone()) }
    }

    fn rows<'a>(&self, keys: impl IntoIterator<Item = &'a String>) -> Vec<u8> {
        let rows = keys.into_iter().filter_map(|key| Some(self.rows.get(key)?.0.as_str()));
        format!("[{}]", rows.collect::<Vec<_>>().join(",")).into_bytes()
    }

    fn change(&mut self, form: &ChangeForm, body: &[u8]) -> Response {
        let index = self.index();
        let stored = self.rows(&keys(&index, form, body)?);
        let done = rehearse(&index, form, body, &stored)?;
        let rows: Vec<Box<serde_json::value::RawValue>> =
            serde_json::from_slice(&done.rows).unwrap();
        let terms: Vec<Value> = serde_json::from_slice(&done.terms).unwrap();
        assert_eq!(rows.len(), terms.len());
        for (row, terms) in rows.iter().zip(terms) {
            let key: Value = serde_json::from_str(row.get()).unwrap();
            let simprints = terms["simprints"].as_array().unwrap().iter();
            let simprints = simprints.map(|term| term.as_str().unwrap().to_owned()).collect();
            let row = (row.get().to_owned(), simprints);
            self.rows.insert(key["key"].as_str().unwrap().to_owned(), row);
        }
        done.deleted.iter().for_each(|key| drop(self.rows.remove(key)));
        self.state = done.state;
        done.response
    }

    fn counts(&self, terms: Vec<String>) -> Counts {
        let frequency =
            |term: &String| self.rows.values().filter(|(_, known)| known.contains(term)).count();
        let simprints = terms.into_iter().map(|term| (frequency(&term) as u64, term));
        Counts {
            assets: self.rows.len() as u64,
            simprints: simprints.map(|(count, term)| (term, count)).collect(),
        }
    }

    /// Searches with the candidates that `choose` keeps of all rows.
    fn search(
        &self,
        body: SearchBody,
        parameters: SearchParameters,
        choose: impl Fn(&str) -> bool,
    ) -> Result<Found, Failure> {
        let search = Search { index: self.index(), body, parameters, options: &self.options };
        let plan = search.plan(None)?;
        let asset = plan.asset.map(|key| self.rows([&key]));
        let plan = search.plan(asset.as_deref())?;
        assert!(plan.asset.is_none());
        let rows = self.rows(self.rows.keys().filter(|key| choose(key)));
        let counts = self.counts(search.matching_simprints(asset.as_deref(), &rows)?);
        search.score(asset.as_deref(), &rows, &counts)
    }
}

fn entries() -> ChangeForm {
    ChangeForm::Batch(BatchForm::Entries)
}

fn local_search(
    service: &Service,
    body: Vec<u8>,
    parameters: SearchParameters,
) -> Result<Vec<u8>, Failure> {
    let (sender, receiver) = channel();
    let reply = Reply::new(move |found: Result<Found, Failure>| sender.send(found).unwrap());
    service.engine.search("ds", body, parameters, reply);
    receiver.recv().unwrap().map(|found| found.json)
}

fn local_change(service: &Service, form: &ChangeForm, body: &[u8]) -> Response {
    let (sender, receiver) = channel();
    let reply = Reply::new(move |response| sender.send(response).unwrap());
    let body = body.to_vec();
    match form {
        ChangeForm::Batch(BatchForm::Entries) => service.engine.add("ds", body, reply),
        ChangeForm::Batch(BatchForm::Lines(first)) => {
            service.engine.add_lines("ds", body, *first, reply);
        }
        ChangeForm::Batch(BatchForm::Deletions) => service.engine.delete_assets("ds", body, reply),
        ChangeForm::Deletion => {
            service.engine.delete_asset("ds", &String::from_utf8(body).unwrap(), reply);
        }
    }
    receiver.recv().unwrap()
}

/// The same assets in a local engine and as rows.
fn both(assets: &[Value]) -> (Service, Foreign) {
    let service = Service::new("usearch", Options::default());
    service.create("ds");
    let mut foreign = Foreign::default();
    for batch in assets.chunks(50) {
        let body = Value::from(batch.to_vec()).to_string().into_bytes();
        let response = local_change(&service, &entries(), &body).unwrap();
        assert_eq!(foreign.change(&entries(), &body), Ok(response));
    }
    (service, foreign)
}

fn generated() -> Vec<Value> {
    (0..300).map(|number| twins::entry(number, number)).collect()
}

#[test]
fn a_search_responds_as_the_local_engine_does_from_all_rows() {
    let assets = common::rows("assets.jsonl");
    let (service, foreign) = both(&assets);
    let mut found = 0;
    for query in common::rows("queries.jsonl").iter().filter(|query| query["method"] != "GET") {
        let body = query["body"].to_string().into_bytes();
        let limit = query["limit"].as_i64().unwrap_or(100);
        let expected = local_search(&service, body.clone(), limit.into());
        found += usize::from(expected.is_ok());
        let json = foreign.search(SearchBody::Json(body), limit.into(), |_| true);
        assert_eq!(json.map(|found| found.json), expected, "{query}");
    }
    assert!(found > 10, "{found}");
}

#[test]
fn selections_respond_as_the_local_engine_does() {
    let (service, foreign) = both(&generated());
    let selections = [
        SelectionParameters { explain: true, ..SelectionParameters::default() },
        SelectionParameters { cursor: Some("*".into()), ..SelectionParameters::default() },
        SelectionParameters { min_score: Some(0.9), ..SelectionParameters::default() },
        SelectionParameters { threshold: Some(0.1), ..SelectionParameters::default() },
        SelectionParameters { threshold: Some(0.9), ..SelectionParameters::default() },
        SelectionParameters { exclude: vec![id(2), id(3)], ..SelectionParameters::default() },
        SelectionParameters { exclude: vec!["x".into()], ..SelectionParameters::default() },
        SelectionParameters { filters: vec!["seed>4".into()], ..SelectionParameters::default() },
        SelectionParameters {
            unit_types: Some(vec!["CONTENT_TEXT_V0".into()]),
            ..SelectionParameters::default()
        },
    ];
    let mut random = Random(5);
    for selection in selections {
        for number in (0..300).step_by(7) {
            let parameters = SearchParameters {
                limit: 1 + random.below(20) as i64,
                skip_featureless: None,
                selection: Some(Box::new(selection.clone())),
            };
            let body = json!({ "iscc_id": id(number) }).to_string().into_bytes();
            let expected = local_search(&service, body.clone(), parameters.clone());
            let json = foreign.search(SearchBody::Json(body), parameters, |_| true);
            assert_eq!(json.map(|found| found.json), expected, "{selection:?} {number}");
        }
    }
}

#[test]
fn scores_do_not_depend_on_which_other_assets_are_candidates() {
    let (service, foreign) = both(&generated());
    let mut compared = 0;
    for number in 0..300 {
        let body = json!({ "iscc_id": id(number) }).to_string().into_bytes();
        let expected = local_search(&service, body.clone(), 100.into()).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        let half = |key: &str| key.ends_with(['0', '2', '4', '6', '8', 'a', 'c', 'e']);
        let found = foreign.search(SearchBody::Json(body), 100.into(), half).unwrap();
        let found: Value = serde_json::from_slice(&found.json).unwrap();
        for list in ["global_matches", "chunk_matches"] {
            for matched in found[list].as_array().unwrap() {
                let same = expected[list].as_array().unwrap().iter();
                let same = same.clone().find(|one| one["iscc_id"] == matched["iscc_id"]);
                assert_eq!(same, Some(matched), "{number}");
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn changes_respond_as_those_of_the_local_engine() {
    let (service, mut foreign) = both(&generated());
    let other_realm = iscc_codec::IsccId::from_body(1, 1 << 40).unwrap().text().to_string();
    let (asset, bad) = (twins::entry(3, 8), json!({ "iscc_id": id(400), "units": ["ISCC:AAA"] }));
    let mut moved = asset.clone();
    moved["iscc_id"] = json!(other_realm);
    let simprints = json!([{ "simprint": "AAAAAAAA", "offset": 3, "size": 4 }]);
    let mut short = asset.clone();
    short["simprints"] = json!({ "NEW": simprints, "ALFA": simprints });
    let mut removed = asset.clone();
    removed["simprints"] = json!({ "TEXT": [], "NEW": [] });
    let lines = [&asset, &bad, &moved, &json!("x")].map(|line| format!("{line}\n")).concat();
    let list = |ids: &[&str]| json!(ids).to_string().into_bytes();
    let requests = [
        (entries(), json!([asset, moved]).to_string().into_bytes()),
        (entries(), json!([bad]).to_string().into_bytes()),
        (entries(), b"{}".to_vec()),
        (entries(), b"[{\"iscc_id\":1}]".to_vec()),
        (entries(), json!([short]).to_string().into_bytes()),
        (entries(), json!([removed]).to_string().into_bytes()),
        (entries(), json!([asset, asset]).to_string().into_bytes()),
        (ChangeForm::Batch(BatchForm::Lines(7)), lines.into_bytes()),
        (ChangeForm::Batch(BatchForm::Deletions), list(&[&id(5), &id(900), &other_realm, &id(5)])),
        (ChangeForm::Batch(BatchForm::Deletions), list(&["ISCC:X"])),
        (ChangeForm::Deletion, id(7).into_bytes()),
        (ChangeForm::Deletion, id(7).into_bytes()),
        (ChangeForm::Deletion, other_realm.clone().into_bytes()),
        (ChangeForm::Deletion, b"x".to_vec()),
    ];
    for (form, body) in requests {
        let expected = local_change(&service, &form, &body);
        let text = String::from_utf8_lossy(&body).into_owned();
        assert_eq!(foreign.change(&form, &body), expected, "{text}");
    }
    let index = foreign.index();
    for id in [id(3), id(4), id(7), other_realm, "x".to_owned()] {
        let expected = service.engine.asset("ds", &id, &Fields::default());
        let rows = asset_key(&index, &id).map(|key| foreign.rows([&key]));
        let found = rows.clone().and_then(|rows| entry(&index, &id, &rows, &Fields::default()));
        assert_eq!(found, expected, "{id}");
        let found = rows.and_then(|rows| gateway(&index, &id, &rows));
        assert_eq!(found, service.engine.gateway("ds", &id), "{id}");
    }
}

#[test]
fn pages_are_those_of_the_local_engine() {
    let (service, foreign) = both(&generated());
    let index = foreign.index();
    for form in [Form::Array, Form::Lines] {
        let mut last = None;
        loop {
            let (from, limit) = after(&index, last.as_deref(), 70, &[]).unwrap();
            let rest: Vec<_> = foreign
                .rows
                .keys()
                .filter(|key| from.as_ref().is_none_or(|from| *key > from))
                .collect();
            let rows = foreign.rows(rest.iter().copied().take(limit));
            let found = page(&index, &rows, limit, form, rest.len() > limit);
            let expected = service.engine.assets("ds", last.as_deref(), 70, form, &[]);
            assert_eq!(found, expected);
            last = found.unwrap().next;
            if last.is_none() {
                break;
            }
        }
    }
    for (last, limit, filter) in [(None, 0, None), (Some("x"), 1, None), (None, 1, Some("a=1"))] {
        let filters: Vec<String> = filter.map(str::to_owned).into_iter().collect();
        let expected = service.engine.assets("ds", last, limit, Form::Array, &filters).unwrap_err();
        assert_eq!(after(&index, last, limit, &filters).unwrap_err(), expected);
    }
}

#[test]
fn a_missing_index_is_reported_after_violations_of_the_schema() {
    let index = ForeignIndex { name: "ds".to_owned(), state: None };
    let service = Service::new("usearch", Options::default());
    for (form, body) in [(entries(), &b"{}"[..]), (entries(), b"[]"), (ChangeForm::Deletion, b"x")]
    {
        let expected = local_change(&service, &form, body).unwrap_err();
        assert_eq!(keys(&index, &form, body).unwrap_err(), expected);
    }
    for body in ["{}", "[]", r#"{"iscc_id":"x"}"#, r#"{"units":["x"]}"#] {
        let body = body.as_bytes().to_vec();
        let expected = local_search(&service, body.clone(), 10.into()).unwrap_err();
        let options = Options::default();
        let (body, parameters) = (SearchBody::Json(body), 10.into());
        let search = Search { index: index.clone(), body, parameters, options: &options };
        assert_eq!(search.plan(None).unwrap_err(), expected);
    }
}
