//! Text and metadata of the reference files, compared with the reference's results.

use crate::common;
use crate::common::Case;
use iscc_media::MediaError;
use iscc_text::extraction::{self, TEXT_CHARACTERS_MAX};
use iscc_text::text::Extracted;

fn extract(bytes: &[u8], mediatype: &str) -> Result<Extracted, iscc_media::MediaError> {
    extraction::extract(bytes, mediatype, TEXT_CHARACTERS_MAX, &[])
}

/// Roughly the input of a Text-Code: without white space and punctuation.
fn collapsed(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric() || !character.is_ascii()).collect()
}

/// The reference's extractor replaces each character above U+FFFF by six replacement characters.
fn with_replacement_characters(text: &str) -> String {
    text.chars().flat_map(|c| if c > '\u{ffff}' { vec!['\u{fffd}'; 6] } else { vec![c] }).collect()
}

/// Excludes documents that this crate does not read, and two that the reference misreads.
fn is_compared(case: &Case) -> bool {
    let name = case.name.as_str();
    case.record["text_extracted"].is_string()
        && !name.ends_with(".pdf")
        && !["arch_a.zip", "latin1_a.txt"].contains(&name)
}

#[test]
fn texts_equal_the_reference() {
    let mut compared = 0;
    for case in common::cases().iter().filter(|case| is_compared(case)) {
        let mediatype = case.result("mediatype").unwrap();
        let extracted = extract(&case.bytes, mediatype);
        let extracted = extracted.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let found = with_replacement_characters(&extracted.text);
        let expected = case.record["text_extracted"].as_str().unwrap();
        let is_equal = collapsed(&found) == collapsed(expected);
        assert!(is_equal, "{}:\n{found:?}\n{expected:?}", case.name);
        compared += 1;
    }
    assert_eq!(compared, 22);
}

#[test]
fn latin_1_is_detected() {
    let case = common::cases().into_iter().find(|case| case.name == "latin1_a.txt").unwrap();
    let text = extract(&case.bytes, "text/plain").unwrap().text;
    let expected: String = case.bytes.iter().copied().map(char::from).collect();
    assert_eq!(text, expected);
}

#[test]
fn metadata_equals_the_reference() {
    for case in common::cases().iter().filter(|case| is_compared(case)) {
        let found = extract(&case.bytes, case.result("mediatype").unwrap()).unwrap().metadata;
        let expected = |key: &str| case.record["extract_metadata"][key].as_str().map(str::to_owned);
        assert_eq!(found.name, expected("name"), "{}", case.name);
        assert_eq!(found.description, expected("description"), "{}", case.name);
        assert_eq!(found.creator, expected("creator"), "{}", case.name);
        assert_eq!(found.rights, expected("rights"), "{}", case.name);
        assert_eq!(found.keywords, expected("keywords"), "{}", case.name);
    }
}

#[test]
fn documents_without_text_are_rejected() {
    for (name, mediatype) in [("blank_a.txt", "text/plain"), ("wav-named_a.txt", "text/plain")] {
        let case = common::cases().into_iter().find(|case| case.name == name).unwrap();
        let error = extract(&case.bytes, mediatype).unwrap_err();
        assert!(matches!(error, MediaError::NoText), "{name}: {error}");
    }
}
