//! Manifest stores are read from the media files that embed them.

use crate::common;
use std::io::Cursor;

use c2pa::jumbf_io::save_jumbf_to_memory;
use c2pa_manifest::embedded;

/// A small picture of a type, made by the `image` tools of the fixtures.
const JPEG: &str = "../codes/files/photo-q85_a.jpg";

fn store() -> Vec<u8> {
    let index = common::json("manifests/index.json");
    let accepted = index["items"].as_array().unwrap();
    let first = accepted.iter().find(|item| item["expect"]["status"] == 200).unwrap();
    std::fs::read(common::path(first["file"].as_str().unwrap())).unwrap()
}

#[test]
fn a_store_is_read_from_the_file_that_embeds_it() {
    let asset = std::fs::read(common::path(JPEG)).unwrap();
    let signed = save_jumbf_to_memory("image/jpeg", &asset, &store()).unwrap();
    assert_eq!(embedded("image/jpeg", Cursor::new(signed)), Some(store()));
}

#[test]
fn files_without_a_store_have_none() {
    let asset = std::fs::read(common::path(JPEG)).unwrap();
    assert_eq!(embedded("image/jpeg", Cursor::new(&asset)), None);
    assert_eq!(embedded("image/png", Cursor::new(&asset)), None);
    assert_eq!(embedded("text/plain", Cursor::new(b"words")), None);
    assert_eq!(embedded("image/jpeg", Cursor::new(&asset[..asset.len() / 2])), None);
}

#[test]
fn a_store_of_more_than_10_mib_counts_as_absent() {
    // A sidecar is its own store, whatever it contains.
    let read = |bytes: usize| embedded("application/c2pa", Cursor::new(vec![0; bytes]));
    assert_eq!(read(10 << 20).map(|store| store.len()), Some(10 << 20));
    assert_eq!(read((10 << 20) + 1), None);
}
