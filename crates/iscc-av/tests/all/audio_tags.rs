//! Audio tags compared with the reference, and read back after embedding.

use std::io::{Cursor, Seek};
use std::path::PathBuf;

use iscc_av::audio::tags::{self, Property};
use serde_json::Value;

fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes"))
}

/// Recorded cases of audio files with a result.
fn cases() -> Vec<(String, Vec<u8>, Value)> {
    let file = fixtures().join("files_sdk_0_9_7.json");
    let data: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let files = data["files"].as_array().unwrap().clone();
    let audio = files.into_iter().filter(|case| case["result"]["mode"] == "audio");
    let found: Vec<_> = audio
        .map(|case| {
            let name = case["file"].as_str().unwrap().to_owned();
            let bytes = std::fs::read(fixtures().join("files").join(&name)).unwrap();
            (name, bytes, case)
        })
        .collect();
    assert!(found.len() >= 8, "only {} audio files", found.len());
    found
}

#[test]
fn tags_cover_and_duration_equal_the_reference() {
    for (name, bytes, case) in cases() {
        let tags = tags::read(Cursor::new(&bytes)).unwrap();
        let expected = &case["extract_metadata"];
        assert_eq!(tags.get("TITLE"), expected["name"].as_str(), "{name}");
        assert_eq!(tags.get("ARTIST"), expected["creator"].as_str(), "{name}");
        assert_eq!(tags.get("COPYRIGHT"), expected["rights"].as_str(), "{name}");
        let duration = expected["duration"].as_f64().unwrap();
        assert!((tags.duration_seconds - duration).abs() <= 0.51, "{name}");
        assert_eq!(tags.cover.is_some(), !case["thumbnail_info"].is_null(), "{name}");
    }
}

fn property<'a>(name: &'a str, value: &'a str) -> Property<'a> {
    Property { name, value, only_existing: false }
}

#[test]
fn embedded_properties_replace_old_ones_and_others_are_kept() {
    let values = [
        ("TITLE", "Embedded Name ü中😀"),
        ("COPYRIGHT", "(c) New"),
        ("KEYWORDS", "k1, k2"),
        ("ISCC:META", "data:application/json;base64,e30="),
        ("ISCC:LICENSE", "https://example.com/license"),
    ];
    // Vorbis comments have another writer.
    let has_comments = |name: &str| [".ogg", ".opus", ".flac"].iter().any(|it| name.ends_with(it));
    for (name, bytes, _) in cases().into_iter().filter(|(name, ..)| !has_comments(name)) {
        let before = tags::read(Cursor::new(&bytes)).unwrap();
        let mut copy = Cursor::new(bytes.clone());
        let absent = Property { name: "COMPOSER", value: "New", only_existing: true };
        let old: Vec<_> = values.iter().map(|(name, _)| property(name, "Old")).collect();
        tags::embed(&mut copy, &old).unwrap();
        let mut new: Vec<_> = values.iter().map(|(name, value)| property(name, value)).collect();
        new.push(absent);
        let mut written = Vec::new();
        for _ in 0..3 {
            copy.rewind().unwrap();
            tags::embed(&mut copy, &new).unwrap();
            written.push(copy.get_ref().clone());
        }
        assert!(
            written.iter().all(|bytes| *bytes == written[0]),
            "{name}: the same file each time"
        );
        copy.rewind().unwrap();
        let after = tags::read(&mut copy).unwrap();
        for (key, value) in values {
            assert_eq!(after.get(key), Some(value), "{name}");
        }
        let has_old = after.properties.iter().any(|(_, value)| value == "Old");
        assert!(!has_old, "{name}: {:?}", after.properties);
        assert_eq!(after.get("COMPOSER"), before.get("COMPOSER").map(|_| "New"), "{name}");
        assert_eq!(after.get("ARTIST"), before.get("ARTIST"), "{name}");
        assert_eq!(after.cover, before.cover, "{name}");
        assert!((after.duration_seconds - before.duration_seconds).abs() < 0.01, "{name}");
    }
}

#[test]
fn other_files_are_rejected() {
    for bytes in [&b""[..], b"RIFF", b"hello, this is text", b"ID3\x04\0\0\x7f\x7f\x7f\x7f"] {
        assert!(tags::read(Cursor::new(bytes)).is_err());
        assert!(tags::embed(&mut Cursor::new(bytes.to_vec()), &[property("TITLE", "x")]).is_err());
    }
}
