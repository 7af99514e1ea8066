//! Adding, replacing and deleting assets and indexes, and restarts.

use std::sync::mpsc::channel;

use crate::common::{Random, Service, id, rows, unit, value};
use iscc_codec::{Kind, Mode};
use iscc_search::{
    Engine, FailureKind, Fields, OpenError, Options, Reply, Sealing, SegmentSizes, StoreOptions,
};
use serde_json::{Value, json};

const SCHEMES: [&str; 2] = ["usearch", "lmdb"];

/// Units of two types from a seed.
fn units(seed: u64) -> Vec<String> {
    let mut random = Random(seed + 1);
    vec![
        unit(Kind::content(Mode::Text), &random.bytes(32)),
        unit(Kind::INSTANCE, &random.bytes(32)),
    ]
}

fn found(service: &Service, units: &[String]) -> Vec<Value> {
    let response = service.search("main", &json!({ "units": units }), 100).unwrap();
    response["global_matches"].as_array().unwrap().clone()
}

fn ids(found: &[Value]) -> Vec<&str> {
    found.iter().map(|found| found["iscc_id"].as_str().unwrap()).collect()
}

#[test]
fn replacing_an_asset_removes_its_old_units() {
    for scheme in SCHEMES {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let simprint = json!([{ "simprint": "AAAAAAAAAAAAAAAAAAAAAA", "offset": 3, "size": 4 }]);
        let first = json!({ "iscc_id": id(1), "units": units(1), "metadata": { "v": 1 },
            "simprints": { "CONTENT_TEXT_V0": simprint } });
        let response = service.add("main", &json!([first])).unwrap();
        assert_eq!(response, json!([{ "iscc_id": id(1), "status": "created" }]));
        assert_eq!(ids(&found(&service, &units(1))), [id(1)]);

        let second = json!({ "iscc_id": id(1), "units": units(2) });
        let response = service.add("main", &json!([second])).unwrap();
        assert_eq!(response, json!([{ "iscc_id": id(1), "status": "updated" }]));
        assert!(found(&service, &units(1)).is_empty(), "{scheme}");
        let matches = found(&service, &units(2));
        assert_eq!((ids(&matches), &matches[0]["metadata"]), (vec![&id(1)[..]], &Value::Null));
        // An update keeps the simprint types that it does not name; `null` removes one.
        let chunks = |service: &Service| {
            let query = json!({ "simprints": { "CONTENT_TEXT_V0": ["AAAAAAAAAAAAAAAAAAAAAA"] } });
            let response = service.search("main", &query, 10).unwrap();
            response["chunk_matches"].as_array().unwrap().len()
        };
        assert_eq!(chunks(&service), 1);
        assert_eq!(service.get("main", &id(1)).unwrap()["simprints"]["CONTENT_TEXT_V0"], simprint);
        for (simprints, expected) in [
            (json!({}), 1),
            (json!({ "OTHER_V0": simprint }), 1),
            (json!({ "CONTENT_TEXT_V0": null }), 0),
        ] {
            let entry = json!({ "iscc_id": id(1), "units": units(2), "simprints": simprints });
            service.add("main", &json!([entry])).unwrap();
            assert_eq!(chunks(&service), expected, "{scheme} {simprints}");
        }
        assert_eq!(service.assets("main"), 1);
    }
}

#[test]
fn the_last_of_equal_ids_in_a_batch_counts() {
    for scheme in SCHEMES {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let batch = json!([
            { "iscc_id": id(1), "units": units(1) },
            { "iscc_id": id(1), "units": units(2) },
        ]);
        let response = service.add("main", &batch).unwrap();
        assert_eq!(
            (&response[0]["status"], &response[1]["status"]),
            (&json!("created"), &json!("updated"))
        );
        assert!(found(&service, &units(1)).is_empty());
        assert_eq!(ids(&found(&service, &units(2))), [id(1)]);
        assert_eq!(service.assets("main"), 1);
    }
}

#[test]
fn a_rejected_batch_has_no_effect() {
    let other_realm = iscc_codec::IsccId::from_body(1, 7).unwrap().text().to_string();
    for scheme in SCHEMES {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let batch = json!([
            { "iscc_id": id(1), "units": units(1) },
            { "iscc_id": other_realm, "units": units(2) },
        ]);
        let (status, detail) = service.add("main", &batch).unwrap_err();
        assert_eq!(status, 400);
        assert!(detail.as_str().unwrap().starts_with("Realm ID mismatch: index has realm=0"));
        assert!(found(&service, &units(1)).is_empty());
        assert_eq!((service.get("main", &id(1)).unwrap_err().0, service.assets("main")), (404, 0));
        // The rejected batch does not set the realm.
        let batch = json!([{ "iscc_id": other_realm, "units": units(2) }]);
        service.add("main", &batch).unwrap();
        assert_eq!(
            service.add("main", &json!([{ "iscc_id": id(1), "units": units(1) }])).unwrap_err().0,
            400
        );
    }
}

#[test]
fn an_emptied_index_accepts_another_realm() {
    let other_realm = iscc_codec::IsccId::from_body(1, 7).unwrap().text().to_string();
    for scheme in ["usearch", "lmdb", "memory"] {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let first = json!([{ "iscc_id": id(1), "units": units(1) }]);
        let other = json!([{ "iscc_id": other_realm, "units": units(2) }]);
        service.add("main", &first).unwrap();
        assert_eq!(service.add("main", &other).unwrap_err().0, 400);
        service.delete("main", &id(1)).unwrap();
        service.add("main", &other).unwrap();
        assert_eq!(service.add("main", &first).unwrap_err().0, 400);
        assert!(service.get("main", &other_realm).is_ok());
    }
}

#[test]
fn violations_echo_at_most_4096_bytes() {
    let service = Service::new("memory", Options::default());
    service.create("main");
    let long = "x".repeat(100_000);
    let entry = json!({ "iscc_id": long, "iscc_code": long, "units": [1, 2], &long: 1 });
    let (status, detail) = service.add("main", &json!([entry, entry, entry])).unwrap_err();
    assert_eq!(status, 422);
    assert!(detail.to_string().len() < 4096 + 4096);
    let query = json!({ "iscc_code": units(1)[0], &long: long });
    let (status, detail) = service.search("main", &query, 1).unwrap_err();
    assert_eq!((status, &detail[0]["type"]), (422, &json!("extra_forbidden")));
    assert!(detail.to_string().len() < 4096 + 512);
}

#[test]
fn simprints_of_a_wrong_length_reject_the_whole_batch() {
    let service = Service::new("usearch", Options::default());
    service.create("main");
    let entry = |number: u64, simprint: &str| {
        let simprints = json!({ "T": [{ "simprint": simprint, "offset": 0, "size": 1 }] });
        json!({ "iscc_id": id(number), "simprints": simprints })
    };
    service.add("main", &json!([entry(1, "AAAAAAAAAAAAAAAAAAAAAA")])).unwrap();
    let mixed = json!([entry(2, "AAAAAAAAAAAAAAAAAAAAAA"), entry(3, "AAAAAAAAAAA")]);
    let (status, detail) = service.add("main", &mixed).unwrap_err();
    let text = format!(
        "The number of vector dimensions doesn't match! A simprint of type 'T' of asset '{}' has 64 bits, others have 128",
        id(3)
    );
    assert_eq!((status, detail), (400, json!(text)));
    assert_eq!((service.get("main", &id(2)).unwrap_err().0, service.assets("main")), (404, 1));
}

#[test]
fn a_deleted_asset_is_not_found() {
    for scheme in ["usearch", "lmdb", "memory"] {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let entries = [1, 2].map(|number| json!({ "iscc_id": id(number), "units": units(number) }));
        service.add("main", &json!(entries)).unwrap();
        service.delete("main", &id(1)).unwrap();
        assert_eq!(service.delete("main", &id(1)).unwrap_err().0, 404);
        assert_eq!(service.get("main", &id(1)).unwrap_err().0, 404);
        assert!(found(&service, &units(1)).is_empty());
        assert_eq!(service.assets("main"), 1);
    }
}

#[test]
fn metadata_is_returned_byte_for_byte() {
    let metadata = r#"{ "b":1.50,"a" : [ 1e3, "\u00e9é" ],
        "source":"not a url", "name":5, "n":null }"#;
    for scheme in ["usearch", "lmdb", "memory"] {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let body =
            format!(r#"[{{"iscc_id":"{}","iscc_code":"{CODE}","metadata":{metadata}}}]"#, id(1));
        let (sender, receiver) = channel();
        service.engine.add("main", body.into_bytes(), Reply::new(move |a| sender.send(a).unwrap()));
        receiver.recv().unwrap().unwrap();
        let stored = service.engine.asset("main", &id(1), &Fields::default()).unwrap();
        let (sender, receiver) = channel();
        let reply = Reply::new(move |response| sender.send(response).unwrap());
        service.engine.search_code("main", CODE.to_owned(), 10, reply);
        for response in [stored, receiver.recv().unwrap().unwrap().json] {
            let text = String::from_utf8(response).unwrap();
            assert!(text.contains(&format!(r#""metadata":{metadata}"#)), "{scheme}: {text}");
        }
    }
}

const CODE: &str = "ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI";

#[test]
fn a_restart_changes_no_result() {
    for scheme in SCHEMES {
        let options = || Options {
            sizes: SegmentSizes::early(256),
            sealing: Sealing::early(),
            ..Options::default()
        };
        let service = Service::new(scheme, options());
        service.create("main");
        service.create("empty");
        service.create("deleted");
        for batch in rows("assets.jsonl").chunks(500) {
            service.add("main", &Value::from(batch.to_vec())).unwrap();
        }
        let asset = rows("assets.jsonl")[7].clone();
        service.delete("main", asset["iscc_id"].as_str().unwrap()).unwrap();
        service.engine.delete_index("deleted").unwrap();
        let queries: Vec<Value> = rows("queries.jsonl").into_iter().step_by(5).collect();
        let results = |service: &Service| -> Vec<Value> {
            let search = |query: &Value| match query["method"].as_str() {
                Some("GET") => {
                    service.search_code("main", query["body"]["iscc_code"].as_str().unwrap(), 50)
                }
                _ => service.search("main", &query["body"], 50),
            };
            queries
                .iter()
                .map(|query| search(query).unwrap_or_else(|e| json!([e.0, e.1])))
                .collect()
        };
        let before = (results(&service), value(service.engine.list_indexes()).unwrap());
        let folder = service.folder.unwrap();
        drop(service.engine);
        let location = format!("{scheme}://{}", folder.path().display());
        let engine = Engine::open(&location, options()).unwrap();
        let service = Service { engine, folder: Some(folder) };
        let list = value(service.engine.list_indexes()).unwrap();
        let names = |list: &Value| -> Vec<(Value, Value)> {
            let indexes = list.as_array().unwrap().iter();
            indexes.map(|index| (index["name"].clone(), index["assets"].clone())).collect()
        };
        assert_eq!(names(&list), names(&before.1));
        assert_eq!(results(&service), before.0, "{scheme}");
    }
}

#[test]
fn a_second_engine_cannot_open_the_folder() {
    let service = Service::new("usearch", Options::default());
    let path = service.folder.as_ref().unwrap().path().display().to_string();
    for scheme in SCHEMES {
        let second = Engine::open(&format!("{scheme}://{path}"), Options::default());
        assert!(matches!(second, Err(OpenError::InUse(_))));
    }
}

#[test]
fn the_memory_map_grows_with_the_index() {
    let store = StoreOptions { map_bytes: 1 << 20, sync: false };
    let service = Service::new("usearch", Options { store, ..Options::default() });
    service.create("main");
    let filler = "x".repeat(4000);
    for batch in 0..10u64 {
        let entry = |number| json!({ "iscc_id": id(number), "units": units(number), "metadata": { "x": filler } });
        let entries: Vec<Value> = (batch * 100..(batch + 1) * 100).map(entry).collect();
        service.add("main", &json!(entries)).unwrap();
    }
    assert_eq!(service.assets("main"), 1000);
    assert_eq!(ids(&found(&service, &units(555))), [id(555)]);
}

#[test]
fn concurrent_batches_are_all_acknowledged_and_stored() {
    let service = Service::new("usearch", Options::default());
    service.create("main");
    std::thread::scope(|scope| {
        for client in 0..8u64 {
            let service = &service;
            scope.spawn(move || {
                for batch in 0..10u64 {
                    let first = client * 1000 + batch * 10;
                    let entry = |n| json!({ "iscc_id": id(n), "units": units(n) });
                    let entries: Vec<Value> = (first..first + 10).map(entry).collect();
                    service.add("main", &json!(entries)).unwrap();
                    // An acknowledged batch is visible immediately.
                    assert_eq!(ids(&found(service, &units(first))), [id(first)]);
                }
            });
        }
    });
    assert_eq!(service.assets("main"), 800);
}

#[test]
fn an_index_can_be_created_and_deleted_only_once() {
    for scheme in ["usearch", "lmdb", "memory"] {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let again = service.engine.create_index(br#"{"name":"main"}"#).unwrap_err();
        assert_eq!(again.kind, FailureKind::Conflict);
        assert_eq!(again.to_string(), "Index 'main' already exists");
        service.add("main", &json!([{ "iscc_id": id(1), "units": units(1) }])).unwrap();
        service.engine.delete_index("main").unwrap();
        assert_eq!(service.engine.delete_index("main").unwrap_err().kind, FailureKind::NotFound);
        assert_eq!(service.search("main", &json!({ "units": units(1) }), 1).unwrap_err().0, 404);
        service.create("main");
        assert_eq!(service.assets("main"), 0);
    }
}

#[test]
fn an_index_can_be_recreated_during_searches() {
    let service = Service::new("usearch", Options::default());
    std::thread::scope(|scope| {
        let searching = scope.spawn(|| {
            for number in 0..2000 {
                let _ = service.search("main", &json!({ "units": units(number) }), 1);
            }
        });
        while !searching.is_finished() {
            service.create("main");
            service.add("main", &json!([{ "iscc_id": id(1), "units": units(1) }])).unwrap();
            service.engine.delete_index("main").unwrap();
        }
    });
}

#[test]
fn an_id_of_another_realm_does_not_match_an_asset() {
    for scheme in SCHEMES {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        service.add("main", &json!([{ "iscc_id": id(1), "units": units(1) }])).unwrap();
        let other = iscc_codec::IsccId::from_body(1, (1 << 40) + 1).unwrap().text().to_string();
        let (status, detail) = service.delete("main", &other).unwrap_err();
        assert_eq!(status, 400);
        assert!(detail.as_str().unwrap().starts_with("Realm mismatch"), "{detail}");
        assert_eq!(service.get("main", &other).unwrap_err(), (400, detail));
        assert_eq!(service.assets("main"), 1);
    }
}

#[test]
fn folders_that_are_not_indexes_are_not_touched() {
    for scheme in SCHEMES {
        let home = tempfile::tempdir().unwrap();
        let documents = ["documents/a.txt", "photos/sub/b.jpg", "old.deleted1/c", "half/lock.mdb"];
        let documents = documents.map(|name| home.path().join(name));
        for path in &documents {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, b"mine").unwrap();
        }
        std::fs::write(home.path().join("half/data.mdb"), b"").unwrap();
        let location = format!("{scheme}://{}", home.path().display());
        let open = || Engine::open(&location, Options::default()).unwrap();
        let engine = open();
        assert_eq!(engine.list_indexes().unwrap(), b"[]");
        // Deleting an index with the name of such a folder keeps the folder's files.
        engine.create_index(br#"{"name":"documents"}"#).unwrap();
        engine.delete_index("documents").unwrap();
        engine.create_index(br#"{"name":"half"}"#).unwrap();
        drop(engine);
        assert!(String::from_utf8(open().list_indexes().unwrap()).unwrap().contains("half"));
        let left = files_below(home.path());
        for text in ["a.txt", "b.jpg", "old.deleted1/c"] {
            assert!(left.iter().any(|path| path.ends_with(text)), "{text} of {left:?}");
        }
    }
}

#[test]
fn a_blank_file_of_a_power_loss_at_the_creation_counts_as_no_index() {
    for bytes in [0, 100, 4096, 8192, 1 << 16] {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("main/data.mdb");
        std::fs::create_dir(home.path().join("main")).unwrap();
        std::fs::write(&file, vec![0; bytes]).unwrap();
        let location = format!("lmdb://{}", home.path().display());
        let open = || Engine::open(&location, Options::default()).unwrap();
        let engine = open();
        assert_eq!(engine.list_indexes().unwrap(), b"[]", "{bytes}");
        engine.create_index(br#"{"name":"main"}"#).unwrap();
        drop(engine);
        assert!(
            String::from_utf8(open().list_indexes().unwrap()).unwrap().contains("main"),
            "{bytes}"
        );
    }
}

#[test]
fn a_large_file_of_zeros_is_a_damaged_index() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("main")).unwrap();
    std::fs::write(home.path().join("main/data.mdb"), vec![0; (1 << 20) + 1]).unwrap();
    let engine =
        Engine::open(&format!("lmdb://{}", home.path().display()), Options::default()).unwrap();
    let listed = String::from_utf8(engine.list_indexes().unwrap()).unwrap();
    assert!(listed.contains(r#""main""#) && listed.contains("damaged"), "{listed}");
}

/// All files below a folder.
fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn an_index_accepts_at_most_64_simprint_types() {
    for scheme in SCHEMES {
        let service = Service::new(scheme, Options::default());
        service.create("main");
        let asset = |number: u64| {
            let simprint =
                json!([{ "simprint": "AAAAAAAAAAAAAAAAAAAAAA", "offset": 0, "size": 1 }]);
            let types = json!({ format!("TYPE{number}"): simprint, "TYPE0": simprint });
            json!([{ "iscc_id": id(number), "units": units(number), "simprints": types }])
        };
        (1..64).for_each(|number| drop(service.add("main", &asset(number)).unwrap()));
        let (status, detail) = service.add("main", &asset(64)).unwrap_err();
        let expected = "simprint type 'TYPE64': an index takes at most 64 types";
        assert_eq!((status, detail.as_str()), (400, Some(expected)));
        service.add("main", &asset(7)).unwrap();
        assert_eq!(service.assets("main"), 63);
    }
}

#[test]
fn finds_the_last_unit_of_a_very_long_query() {
    let service = Service::new("usearch", Options::default());
    service.create("main");
    service.add("main", &json!([{ "iscc_id": id(1), "units": units(1) }])).unwrap();
    let kind = Kind::content(Mode::Text);
    let mut random = Random(99);
    let mut many: Vec<String> = (0..70_000).map(|_| unit(kind, &random.bytes(32))).collect();
    many.push(units(1)[0].clone());
    let response = service.search("main", &json!({ "units": many }), 10).unwrap();
    assert_eq!(response["global_matches"][0]["score"], 1.0);
}

#[test]
fn a_validation_error_has_a_bounded_size() {
    let service = Service::new("usearch", Options::default());
    service.create("main");
    let wrong = Value::from(vec![1; 200_000]);
    let (status, detail) = service.add("main", &wrong).unwrap_err();
    assert_eq!((status, detail.as_array().unwrap().len()), (422, 100));
    let long = json!([{ "iscc_id": "x".repeat(1 << 20), "units": ["y".repeat(1 << 20)] }]);
    let (status, detail) = service.add("main", &long).unwrap_err();
    assert_eq!(status, 422);
    assert!(detail.to_string().len() < 20_000, "{}", detail.to_string().len());
}

#[test]
fn metadata_with_very_many_members_is_read_fast() {
    let service = Service::new("usearch", Options::default());
    service.create("main");
    let names = (0..100_000).map(|number| (format!("name {number}"), json!(number)));
    let mut metadata: serde_json::Map<String, Value> = names.collect();
    metadata.insert("source".to_owned(), json!("file:///a"));
    let simprint = json!([{ "simprint": "AAAAAAAAAAAAAAAAAAAAAA", "offset": 0, "size": 1 }]);
    let asset = json!([{ "iscc_id": id(1), "units": units(1), "metadata": metadata,
        "simprints": { "CONTENT_TEXT_V0": simprint } }]);
    let query = json!({ "simprints": { "CONTENT_TEXT_V0": ["AAAAAAAAAAAAAAAAAAAAAA"] } });
    let start = std::time::Instant::now();
    service.add("main", &asset).unwrap();
    let response = service.search("main", &query, 10).unwrap();
    assert_eq!(response["chunk_matches"][0]["source"], "file:///a");
    // It takes 20 s if each name is compared with all others.
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn rejects_arrays_where_objects_are_required() {
    let service = Service::new("usearch", Options::default());
    service.create("main");
    let simprints = json!({ "CONTENT_TEXT_V0": [["AAAAAAAAAAAAAAAAAAAAAA", 1, 2]] });
    let inner = json!([{ "iscc_id": id(1), "units": units(1), "simprints": simprints }]);
    for wrong in [json!([[id(1), null, units(1)]]), inner] {
        assert_eq!(service.add("main", &wrong).unwrap_err().0, 422, "{wrong}");
    }
    assert_eq!(service.assets("main"), 0);
}
