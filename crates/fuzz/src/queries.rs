//! Request bodies of the search service.

use std::sync::mpsc::channel;

use iscc_search::{Engine, Failure, FailureKind, Options, Reply, split_queries};

use crate::Target;

pub const TARGETS: &[Target] = &[
    Target {
        name: "search-assets",
        run: assets,
        seeds: &[],
        examples: &[
            r#"[{"iscc_id":"ISCC:MAIFWLLNFLOEEXMW","units":["ISCC:EAAW4BQTJSTJSHAI"],"metadata":{"a":[1,"\u00e9"]},"simprints":{"CONTENT_TEXT_V0":[{"simprint":"s_FuovQcnA1hnUUp9WBAC8HC87QKDGHNi-s7wI2UHvE","offset":0,"size":8}]}}]"#,
            "[{\"iscc_id\":\"ISCC:MAIFWLLNFLOEEXMW\",\"iscc_code\":\"ISCC:KACT4EBWK27737D2AYCJRAL5Z36G76RFRMO4554RU26HZ4ORJGIVHDI\"}]",
        ],
    },
    Target {
        name: "search-query",
        run: query,
        seeds: &[],
        examples: &[
            r#"{"iscc_code":"ISCC:KACT4EBWK27737D2AYCJRAL5Z36G76RFRMO4554RU26HZ4ORJGIVHDI"}"#,
            r#"{"units":["ISCC:EAAW4BQTJSTJSHAI"],"simprints":{"CONTENT_TEXT_V0":["s_FuovQcnA1hnUUp9WBAC8HC87QKDGHNi-s7wI2UHvE"]}}"#,
            r#"{"iscc_id":"ISCC:MAIFWLLNFLOEEXMW","skip_featureless":true}"#,
        ],
    },
    Target {
        name: "search-administration",
        run: administration,
        seeds: &[],
        examples: &[
            r#"{"name":"b"}"#,
            r#"{"paths":["metadata.a","metadata.\"x y\".b"]}"#,
            r#"{"index":"a"}"#,
        ],
    },
];

/// A new engine in memory with the index `a`.
fn engine() -> Engine {
    let engine = Engine::open("memory://", Options::default()).expect("memory is there");
    engine.create_index(br#"{"name":"a"}"#).expect("a valid name");
    engine
}

/// A response is JSON, and a failure is the client's.
fn check(result: Result<Vec<u8>, Failure>) {
    let json = match &result {
        Ok(json) => json,
        Err(failure) => {
            assert!(failure.kind != FailureKind::Broken, "{failure}");
            &failure.detail
        }
    };
    // Numbers of clients come back as they were sent, also those that no type of Rust holds.
    serde_json::from_slice::<serde::de::IgnoredAny>(json).expect("JSON");
}

fn wait(send: impl FnOnce(Reply)) {
    let (sender, receiver) = channel();
    send(Reply::new(move |result| sender.send(result).expect("the receiver waits")));
    check(receiver.recv().expect("every request gets a reply"));
}

fn assets(input: &[u8]) {
    let engine = engine();
    wait(|reply| engine.add("a", input.to_vec(), reply));
    wait(|reply| engine.add_lines("a", input.to_vec(), 1, reply));
    wait(|reply| engine.delete_assets("a", input.to_vec(), reply));
}

fn query(input: &[u8]) {
    let engine = engine();
    let (sender, receiver) = channel();
    let reply = Reply::new(move |result| sender.send(result).expect("the receiver waits"));
    engine.search("a", input.to_vec(), 10, reply);
    check(receiver.recv().expect("every request gets a reply").map(|found| found.json));
    for is_lines in [false, true] {
        let _ = split_queries(input, is_lines);
    }
}

fn administration(input: &[u8]) {
    let engine = engine();
    check(engine.put_paths("a", input));
    check(engine.put_alias("c", input));
    check(engine.rename_index("a", input));
    check(engine.create_index(input));
}
