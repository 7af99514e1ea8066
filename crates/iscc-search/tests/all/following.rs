//! Following a database: rehearsed changes leave nothing behind, and their rows give the same state.

use crate::common;
use std::sync::mpsc::channel;

use crate::common::{Service, value};
use iscc_search::{
    BatchForm, ChangeForm, ChangeRequest, FailureKind, Options, Rehearsal, Reply, Rows,
    SearchParameters, SelectionParameters,
};
use serde_json::{Value, json};

fn request(form: ChangeForm, body: &Value) -> ChangeRequest<Vec<u8>> {
    ChangeRequest { form, body: body.to_string().into_bytes() }
}

fn entries(body: &Value) -> ChangeRequest<Vec<u8>> {
    request(ChangeForm::Batch(BatchForm::Entries), body)
}

fn rehearse(service: &Service, requests: &[ChangeRequest<Vec<u8>>]) -> Rehearsal {
    service.engine.rehearse("main", requests).unwrap().1
}

fn apply(service: &Service, done: Rehearsal, position: Option<&str>) {
    let Rehearsal { rows, deleted, state, .. } = done;
    let rows =
        Rows { rows, deleted, log: Vec::new(), state, position: position.map(str::to_owned) };
    let (sender, receiver) = channel();
    let reply = Reply::new(move |answer| sender.send(answer).unwrap());
    service.engine.apply_rows("main", rows, reply);
    assert_eq!(receiver.recv().unwrap(), Ok(Vec::new()));
}

fn recorded() -> Vec<Value> {
    let simprint = json!([{ "simprint": "AAAAAAAAAAAAAAAAAAAAAA", "offset": 3, "size": 4 }]);
    let mut assets = common::rows("assets.jsonl");
    assets.truncate(40);
    assets[3]["simprints"] = json!({ "ZULU": simprint, "ALFA": simprint });
    assets[4]["metadata"] = json!({ "text": "\u{0}\"é", "n": 1.50 });
    assets
}

#[test]
fn a_rehearsal_answers_like_the_change_and_changes_nothing() {
    for scheme in ["usearch", "lmdb"] {
        let (service, other) =
            (Service::new(scheme, Options::default()), Service::new(scheme, Options::default()));
        service.create("main");
        other.create("main");
        let assets = recorded();
        let id = assets[0]["iscc_id"].as_str().unwrap();
        let requests = [
            entries(&json!(assets)),
            entries(&json!([{ "iscc_id": id }])),
            request(ChangeForm::Batch(BatchForm::Deletions), &json!([id])),
            ChangeRequest { form: ChangeForm::Deletion, body: id.as_bytes().to_vec() },
        ];
        let done = rehearse(&service, &requests);
        assert_eq!((service.assets("main"), done.count), (0, 40), "{scheme}");
        let [added, refused, deleted, missing] =
            <[_; 4]>::try_from(done.outcomes.clone().into_iter().map(value).collect::<Vec<_>>())
                .unwrap();
        assert_eq!(added, other.add("main", &json!(assets)));
        assert_eq!(refused, other.add("main", &json!([{ "iscc_id": id }])));
        assert_eq!(deleted, Ok(json!([{ "iscc_id": id, "status": "deleted" }])));
        other.delete("main", id).unwrap();
        assert_eq!(missing.err(), other.delete("main", id).err());
        assert_eq!(done.deleted.len(), 1);

        apply(&service, done, Some("here"));
        assert_eq!(service.engine.position("main").unwrap().as_deref(), Some("here"));
        for asset in &assets[1..] {
            let id = asset["iscc_id"].as_str().unwrap();
            assert_eq!(service.get("main", id), other.get("main", id));
        }
        let query = json!({ "simprints": { "ZULU": ["AAAAAAAAAAAAAAAAAAAAAA"] } });
        assert_eq!(service.search("main", &query, 10), other.search("main", &query, 10));
        assert_eq!(service.get("main", id).err(), other.get("main", id).err());
    }
}

#[test]
fn rows_replace_assets_completely_and_the_position_survives_a_restart() {
    let mut service = Service::new("usearch", Options::default());
    service.create("main");
    let assets = recorded();
    let whole = rehearse(&service, &[entries(&json!(assets))]);
    apply(&service, whole, None);
    assert_eq!(service.engine.position("main").unwrap(), None);
    let id = assets[3]["iscc_id"].as_str().unwrap();
    let update =
        json!([{ "iscc_id": id, "units": assets[3]["units"], "simprints": { "ALFA": null } }]);
    let done = rehearse(&service, &[entries(&update)]);
    apply(&service, done, Some("a/1/2"));
    let stored = service.get("main", id).unwrap();
    assert_eq!(stored["simprints"].as_object().unwrap().len(), 1);
    service.restart("usearch", Options::default());
    assert_eq!(service.get("main", id).unwrap(), stored);
    assert_eq!(service.engine.position("main").unwrap().as_deref(), Some("a/1/2"));
}

#[test]
fn changes_of_a_missing_index_fail_one_by_one() {
    let service = Service::new("usearch", Options::default());
    let done = rehearse(&service, &[entries(&json!([])), entries(&json!({}))]);
    let kinds: Vec<_> = done.outcomes.iter().map(|one| one.as_ref().unwrap_err().kind).collect();
    // A body that breaks the schema is refused first, as for a change.
    assert_eq!(kinds, [FailureKind::NotFound, FailureKind::Invalid]);
}

#[test]
fn similar_to_any_finds_what_searches_with_each_row_find() {
    let (service, changes) =
        (Service::new("usearch", Options::default()), Service::new("usearch", Options::default()));
    service.create("main");
    changes.create("main");
    let stored = recorded();
    apply(&service, rehearse(&service, &[entries(&json!(stored))]), None);
    let mut others = common::rows("assets.jsonl").split_off(30);
    others[0]["simprints"] = stored[3]["simprints"].clone();
    let rows = rehearse(&changes, &[entries(&json!(others))]).rows;
    for threshold in [None, Some(0.9)] {
        let mut expected = std::collections::BTreeSet::new();
        for other in &others {
            let mut query = other.clone();
            query.as_object_mut().unwrap().retain(|name, _| name != "iscc_id");
            let selection = SelectionParameters {
                threshold,
                threshold_simprints: threshold,
                ..SelectionParameters::default()
            };
            let parameters = SearchParameters {
                limit: 1000,
                skip_featureless: Some(false),
                selection: Some(selection.into()),
            };
            let body = query.to_string().into_bytes();
            let found =
                common::wait_found(|reply| service.engine.search("main", body, parameters, reply));
            let found = found.unwrap();
            for list in ["global_matches", "chunk_matches"] {
                for matched in found[list].as_array().unwrap() {
                    expected.insert(matched["iscc_id"].as_str().unwrap().to_owned());
                }
            }
        }
        let found = service.engine.similar_to_any("main", &rows, (threshold, threshold)).unwrap();
        let text = |body| iscc_codec::IsccId::from_body(0, body).unwrap().text().to_string();
        let found: std::collections::BTreeSet<String> = found.into_iter().map(text).collect();
        assert!(found.len() > 9, "{threshold:?}: {}", found.len());
        assert_eq!(found, expected, "{threshold:?}");
    }
}
