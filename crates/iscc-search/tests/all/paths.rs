//! Declared metadata paths: listings and searches with conditions find the same assets as without.

use crate::common::{Random, Service, id, unit, value, wait_found};
use iscc_codec::{Kind, Mode};
use iscc_search::transfer::Form;
use iscc_search::{Engine, Options, SearchParameters, SelectionParameters};
use serde_json::{Value, json};

const FILTERS: [&str; 7] = [
    r#"metadata.lang = "de""#,
    "metadata.lang exists",
    "metadata.n = 3",
    "metadata.n = null",
    r#"metadata.url ends_with "/7""#,
    r#"metadata.url ends_with "a/7""#,
    r#"metadata.url ends_with "7""#,
];

fn metadata(random: &mut Random) -> Value {
    let lang = ["de", "en", "fr"][random.next() as usize % 3];
    let n = random.next() % 5;
    let url =
        format!("https://{}.example/{}/{}", random.next() % 3, ["a", "b"][n as usize % 2], n + 4);
    match random.next() % 6 {
        0 => json!({ "lang": lang, "n": n, "url": url }),
        1 => json!({ "lang": [lang, "xx"], "n": n as f64, "url": [url, "/7"] }),
        2 => json!({ "lang": { "in": lang }, "n": null }),
        3 => {
            json!({ "lang": (0..400).map(|n| n.to_string()).chain(["de".into()]).collect::<Vec<_>>() })
        }
        4 => json!({}),
        _ => json!({ "n": n.to_string(), "url": url }),
    }
}

fn entry(number: u64, metadata: &Value) -> Value {
    // All assets match each other.
    let units = [unit(Kind::content(Mode::Text), &[1; 32]), unit(Kind::DATA, &[2; 32])];
    json!({ "iscc_id": id(number), "units": units, "metadata": metadata })
}

fn paths(service: &Engine) -> Value {
    value(service.paths("main")).unwrap()["paths"].clone()
}

fn declare(engine: &Engine, paths: &[&str]) -> Value {
    let body = json!({ "paths": paths }).to_string();
    value(engine.put_paths("main", body.as_bytes())).unwrap()["paths"].clone()
}

/// IDs of all pages.
fn listed(engine: &Engine, filter: &str) -> Result<Vec<String>, String> {
    let (mut ids, mut after) = (Vec::new(), None::<String>);
    loop {
        let filters = [filter.to_owned()];
        let page = engine.assets("main", after.as_deref(), 3, Form::Array, &filters);
        let page = page.map_err(|failure| failure.to_string())?;
        let entries: Vec<Value> = serde_json::from_slice(&page.entries).unwrap();
        assert!(entries.len() <= 3 && entries.len() == page.count);
        ids.extend(entries.iter().map(|entry| entry["iscc_id"].as_str().unwrap().to_owned()));
        after = page.next;
        if after.is_none() {
            return Ok(ids);
        }
    }
}

fn searched(engine: &Engine, filter: &str) -> Value {
    let filters = vec![filter.to_owned()];
    let selection = SelectionParameters { filters, ..SelectionParameters::default() };
    let parameters = SearchParameters {
        limit: 1000,
        skip_featureless: None,
        selection: Some(Box::new(selection)),
    };
    let query = json!({ "units": entry(1, &json!({}))["units"] }).to_string().into_bytes();
    wait_found(|reply| engine.search("main", query, parameters, reply)).unwrap()
}

fn sorted(mut ids: Vec<String>) -> Vec<String> {
    ids.sort();
    ids
}

/// The indexed index answers as one without paths, and its listings as its searches.
fn assert_same(engine: &Engine, plain: &Engine) {
    for filter in FILTERS {
        let response = searched(engine, filter);
        assert_eq!(response, searched(plain, filter), "{filter}");
        let found = response["global_matches"].as_array().unwrap();
        let found = found.iter().map(|found| found["iscc_id"].as_str().unwrap().to_owned());
        match listed(engine, filter) {
            Ok(ids) => assert_eq!(sorted(ids), sorted(found.collect()), "{filter}"),
            Err(text) => {
                assert!(filter.ends_with(r#"with "7""#), "{filter}: {text}");
                assert!(text.contains("PUT /indexes/{name}/paths"), "{text}");
            }
        }
        assert!(listed(plain, filter).is_err());
    }
}

const PATHS: [&str; 3] = ["metadata.lang", "metadata.n", "metadata.url"];

#[test]
fn conditions_find_the_same_with_and_without_declared_paths() {
    for (scheme, declared_at) in [("usearch", 0), ("lmdb", 60), ("usearch", 200)] {
        let (service, plain) =
            (Service::new(scheme, Options::default()), Service::new(scheme, Options::default()));
        service.create("main");
        plain.create("main");
        let mut random = Random(declared_at + 1);
        for step in 0..200 {
            if step == declared_at {
                declare(&service.engine, &PATHS);
            }
            let number = random.next() % 80 + 1;
            if random.next().is_multiple_of(5) {
                assert_eq!(service.delete("main", &id(number)), plain.delete("main", &id(number)));
            } else {
                let batch = json!([entry(number, &metadata(&mut random))]);
                assert_eq!(service.add("main", &batch), plain.add("main", &batch));
            }
        }
        if declared_at == 200 {
            declare(&service.engine, &PATHS);
        }
        service.engine.wait_for_maintenance();
        assert_eq!(paths(&service.engine)[2], json!({ "path": "metadata.url", "state": "ready" }));
        assert_same(&service.engine, &plain.engine);

        // After a restart, and after one path was declared again.
        let folder = service.folder.unwrap();
        let location = format!("{scheme}://{}", folder.path().display());
        drop(service.engine);
        let engine = Engine::open(&location, Options::default()).unwrap();
        assert_same(&engine, &plain.engine);
        assert_eq!(declare(&engine, &["metadata.n"]).as_array().unwrap().len(), 1);
        assert!(listed(&engine, FILTERS[0]).is_err() && listed(&engine, FILTERS[2]).is_ok());
        declare(&engine, &PATHS);
        engine.wait_for_maintenance();
        assert_same(&engine, &plain.engine);
        drop(engine);
        let check = iscc_search::read_only::check(&folder.path().join("main")).unwrap();
        assert_eq!(check.problems, []);
    }
}
