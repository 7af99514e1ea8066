//! Media types and modes of the reference's table and files.

mod common;

use iscc_media::mediatype::{from_name, inspect};

#[test]
fn every_extension_of_the_reference() {
    let map = common::json("mediatype_map.json");
    for (extension, wanted) in map["by_extension"].as_object().unwrap() {
        let name = format!("file{extension}");
        assert_eq!(from_name(&name), wanted["mediatype"].as_str(), "{extension}");
        let mode = inspect(b"", &name).mode.map(|mode| mode.name());
        assert_eq!(mode, wanted["mode"].as_str(), "{extension}");
    }
    for (mediatype, wanted) in map["supported"].as_object().unwrap() {
        let mode = iscc_media::mediatype::mode(mediatype).map(|mode| mode.name());
        assert_eq!(mode, wanted["mode"].as_str(), "{mediatype}");
    }
}

/// Where the reference's signature library is wrong, and what is right.
const DEPARTURES: [(&str, &str, Option<&str>); 2] =
    [("arch_a.zip", "application/zip", None), ("plainnoext_a", "text/plain", Some("text"))];

#[test]
fn every_reference_file() {
    for case in common::cases() {
        let Some(wanted) = case.result("mediatype") else { continue };
        let mut wanted = (wanted, case.result("mode"));
        if let Some((_, mediatype, mode)) = DEPARTURES.iter().find(|(name, ..)| *name == case.name)
        {
            wanted = (mediatype, *mode);
        }
        let found = inspect(&case.bytes, &case.name);
        assert_eq!((found.mediatype, found.mode.map(|mode| mode.name())), wanted, "{}", case.name);
    }
}

/// Content alone leads to the same mode wherever content can tell.
#[test]
fn every_reference_file_without_its_name() {
    let text_only = ["text/plain", "text/markdown", "text/csv", "text/x-python"];
    for case in common::cases() {
        let (Some(mediatype), Some(mode)) = (case.result("mediatype"), case.result("mode")) else {
            continue;
        };
        if DEPARTURES.iter().any(|(name, ..)| *name == case.name) || case.name == "png-named_a.jpg"
        {
            continue;
        }
        let found = inspect(&case.bytes, "");
        assert_eq!(found.mode.map(|mode| mode.name()), Some(mode), "{}", case.name);
        if !text_only.contains(&mediatype) {
            assert_eq!(found.mediatype, mediatype, "{}", case.name);
        }
    }
}
