//! The recorded vectors of `test/fixtures/network`.

use std::fs;
use std::path::PathBuf;

use data_encoding::{BASE64, HEXLOWER};
use iscc_log::entry::{self, Asset, Log, Reason};
use iscc_log::gateway::{self, Variables};
use iscc_log::judge::{Judge, Nothing};
use iscc_log::key::PublicKey;
use iscc_log::tree::{self, Hash};
use iscc_log::{bundle, checkpoint, path};
use serde_json::{Value, json};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/fixtures/network")
}

fn read(name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder().join(name)).unwrap()).unwrap()
}

/// The bytes of a vector: `text`, or `base64` where it is not UTF-8.
fn raw(vector: &Value) -> Vec<u8> {
    vector["text"].as_str().map_or_else(|| base64(&vector["base64"]), |text| text.into())
}

fn base64(text: &Value) -> Vec<u8> {
    BASE64.decode(text.as_str().unwrap().as_bytes()).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn hash(text: &Value) -> Hash {
    HEXLOWER.decode(text.as_str().unwrap().as_bytes()).unwrap().try_into().unwrap()
}

fn as_json(asset: &Asset) -> Value {
    serde_json::from_str(&asset.json()).unwrap()
}

#[test]
fn keys() {
    let vectors = read("keys.json");
    for vector in list(&vectors["keys"]) {
        let text = vector["multibase"].as_str().unwrap();
        let origin = vector["origin"].as_str().unwrap();
        let key = PublicKey::from_multibase(text).unwrap();
        assert_eq!(HEXLOWER.encode(&key.0), vector["publicKeyHex"]);
        assert_eq!(HEXLOWER.encode(&key.id(origin)), vector["keyId"]);
        assert_eq!(key.verifier(origin), vector["vkey"]);
        assert_eq!(key.multibase(), text);
    }
    for vector in list(&vectors["refused"]) {
        assert_eq!(
            PublicKey::from_multibase(vector["multibase"].as_str().unwrap()),
            None,
            "{vector}"
        );
    }
}

#[test]
fn checkpoints() {
    for vector in list(&read("checkpoints.json")) {
        let keys: Vec<_> = list(&vector["keys"])
            .iter()
            .map(|key| PublicKey::from_multibase(key.as_str().unwrap()).unwrap())
            .collect();
        let origin = vector["origin"].as_str().unwrap();
        let verdict = match checkpoint::judge(&raw(vector), origin, &keys) {
            Ok(head) => json!({
                "verdict": "ok",
                "size": head.size,
                "root": BASE64.encode(&head.root),
                "keyId": HEXLOWER.encode(&head.key.id(origin)),
            }),
            Err(refusal) => json!({ "verdict": "refused", "reason": refusal.name() }),
        };
        assert_eq!(verdict, vector["expect"], "{}", vector["name"]);
    }
}

#[test]
fn paths() {
    for vector in list(&read("paths.json")["valid"]) {
        let index = vector["index"].as_u64().unwrap();
        let width = vector["width"].as_u64().unwrap() as usize;
        let made = match vector["level"].as_u64() {
            None => path::entries(index, width),
            Some(level) => path::tile(level as u8, index, width),
        };
        assert_eq!(made, vector["path"]);
    }
}

#[test]
fn bundles() {
    for vector in list(&read("bundles.json")) {
        let bytes = base64(&vector["base64"]);
        let records = bundle::records(&bytes, vector["count"].as_u64().unwrap() as usize);
        let leaves: Option<Vec<_>> = records
            .map(|records| records.iter().map(|each| HEXLOWER.encode(&tree::leaf(each))).collect());
        match leaves {
            Some(leaves) => assert_eq!(json!(leaves), vector["leaves"], "{}", vector["name"]),
            None => assert_eq!(vector["error"], true, "{}", vector["name"]),
        }
    }
}

#[test]
fn trees_and_proofs() {
    let vectors = read("merkle.json");
    let leaves: Vec<Hash> =
        (0..70_000).map(|i| tree::leaf(format!("iscc-log-entry-{i}").as_bytes())).collect();
    for (size, root) in vectors["roots"].as_object().unwrap() {
        let size: usize = size.parse().unwrap();
        assert_eq!(tree::root(&leaves[..size]), hash(root), "{size}");
        let mut head = tree::Head::default();
        let (blocks, tail) = leaves[..size].as_chunks::<256>();
        blocks.iter().for_each(|block| head.push_block(tree::root(block)));
        tail.iter().for_each(|&leaf| head.push_leaf(leaf));
        assert_eq!((head.root(), head.size()), (hash(root), size as u64));
    }
    for (block, root) in vectors["blockRoots"].as_object().unwrap() {
        let start = 256 * block.parse::<usize>().unwrap();
        assert_eq!(tree::root(&leaves[start..start + 256]), hash(root), "block {block}");
    }
    let pair = |name: &str| -> (u64, u64) {
        let (a, b) = name.split_once('-').unwrap();
        (a.parse().unwrap(), b.parse().unwrap())
    };
    let hashes = |proof: &Value| list(proof).iter().map(hash).collect::<Vec<_>>();
    for (name, proof) in vectors["consistency"].as_object().unwrap() {
        let (old, new) = pair(name);
        let made = tree::consistency_proof(&leaves[..], old, new);
        assert_eq!(made, Some(hashes(proof)), "consistency {name}");
    }
    for (name, proof) in vectors["inclusion"].as_object().unwrap() {
        let (index, size) = pair(name);
        assert_eq!(tree::inclusion_proof(&leaves[..], index, size), Some(hashes(proof)), "{name}");
        let found = tree::inclusion_root(leaves[index as usize], index, size, &hashes(proof));
        assert_eq!(found, Some(tree::root(&leaves[..size as usize])), "{name}");
    }
}

#[test]
fn gateways() {
    for vector in list(&read("gateways.json")) {
        let text = |name: &str| vector[name].as_str().unwrap();
        let variables = Variables {
            iscc_id: text("iscc_id"),
            iscc_code: text("iscc_code"),
            datahash: text("datahash"),
        };
        assert_eq!(gateway::expand(text("template"), &variables), text("url"));
    }
}

#[test]
fn single_entries() {
    for vector in list(&read("entries.json")["single"]) {
        let mut judge = Judge::new(Nothing);
        let Ok(reason) = judge.take(0, entry::parse(&raw(vector), Log { realm: 0, hub: 1 }));
        assert_eq!(reason.name(), vector["reason"], "{}", vector["name"]);
        let asset = judge.assets.values().flatten().next();
        assert_eq!(asset.map(as_json).as_ref(), vector.get("asset"), "{}", vector["name"]);
    }
}

#[test]
fn logs_of_entries() {
    for log in list(&read("entries.json")["logs"]) {
        let realm = u8::from(log["network"] == "mainnet");
        let place = Log { realm, hub: log["hubId"].as_u64().unwrap() as u16 };
        let mut judge = Judge::new(Nothing);
        for (leaf, record) in list(&log["records"]).iter().enumerate() {
            let Ok(reason) = judge.take(leaf as u64, entry::parse(&raw(record), place));
            assert_eq!(reason.name(), record["reason"], "entry {leaf} of hub {}", place.hub);
        }
        for (reason, count) in Reason::ALL.iter().zip(judge.counts) {
            assert_eq!(count, log["counts"][reason.name()].as_u64().unwrap_or(0), "{reason:?}");
        }
        let mut left: Vec<_> =
            judge.assets.values().flatten().map(|asset| asset.iscc_id.as_str()).collect();
        left.sort_unstable();
        assert_eq!(json!(left), log["left"]);
    }
}
