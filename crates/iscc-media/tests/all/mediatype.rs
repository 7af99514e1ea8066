//! Media types and modes, compared with the reference's table and results.

use crate::common;
use iscc_media::mediatype::{from_name, inspect};

/// Types of text documents that the reference does not code.
const MORE_TEXTS: [&str; 7] = [
    "application/vnd.ms-outlook",
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.sun.xml.calc",
    "application/vnd.sun.xml.impress",
    "application/vnd.sun.xml.writer",
    "message/rfc822",
];

#[test]
fn types_by_extension_equal_the_reference() {
    let map = common::json("mediatype_map.json");
    for (extension, expected) in map["by_extension"].as_object().unwrap() {
        // The table of Debian 12 takes these subtitles for sound; their content decides.
        if extension == ".ass" {
            assert_eq!(from_name("file.ass"), None);
            continue;
        }
        let name = format!("file{extension}");
        assert_eq!(from_name(&name), expected["mediatype"].as_str(), "{extension}");
        let found = inspect(b"", &name);
        let mode = found.mode.map(|mode| mode.name());
        let is_more = MORE_TEXTS.contains(&found.mediatype);
        let expected = if is_more { Some("text") } else { expected["mode"].as_str() };
        assert_eq!(mode, expected, "{extension}");
    }
    for (mediatype, expected) in map["supported"].as_object().unwrap() {
        let mode = iscc_media::mediatype::mode(mediatype).map(|mode| mode.name());
        assert_eq!(mode, expected["mode"].as_str(), "{mediatype}");
    }
}

/// Files that the reference's signature library misdetects, with the correct type and mode.
const CORRECTIONS: [(&str, &str, Option<&str>); 2] =
    [("arch_a.zip", "application/zip", None), ("plainnoext_a", "text/plain", Some("text"))];

#[test]
fn types_of_files_equal_the_reference() {
    for case in common::cases() {
        let Some(expected) = case.result("mediatype") else { continue };
        let mut expected = (expected, case.result("mode"));
        if let Some((_, mediatype, mode)) = CORRECTIONS.iter().find(|(name, ..)| *name == case.name)
        {
            expected = (mediatype, *mode);
        }
        let found = inspect(&case.bytes, &case.name);
        assert_eq!(
            (found.mediatype, found.mode.map(|mode| mode.name())),
            expected,
            "{}",
            case.name
        );
    }
}

/// Files with a signature have the same mode without their name.
#[test]
fn modes_by_content_equal_the_reference() {
    let text_only = ["text/plain", "text/markdown", "text/csv", "text/x-python"];
    for case in common::cases() {
        let (Some(mediatype), Some(mode)) = (case.result("mediatype"), case.result("mode")) else {
            continue;
        };
        if CORRECTIONS.iter().any(|(name, ..)| *name == case.name) || case.name == "png-named_a.jpg"
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
