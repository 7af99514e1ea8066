//! Text and metadata of the reference's documents.

mod common;

use common::Case;
use iscc_media::MediaError;
use iscc_media::text::{self, Extracted, TEXT_CHARACTERS_MAX};

fn extract(bytes: &[u8], mediatype: &str) -> Result<Extracted, iscc_media::MediaError> {
    text::extract(bytes, mediatype, TEXT_CHARACTERS_MAX)
}

/// What a Text-Code sees, more or less: neither white space nor punctuation.
fn essence(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric() || !character.is_ascii()).collect()
}

/// The reference's extractor turns each character beyond U+FFFF into six replacement characters.
fn with_the_references_damage(text: &str) -> String {
    text.chars().flat_map(|c| if c > '\u{ffff}' { vec!['\u{fffd}'; 6] } else { vec![c] }).collect()
}

/// Documents that this crate does not read, and two that the reference reads wrong.
fn is_compared(case: &Case) -> bool {
    let name = case.name.as_str();
    case.record["text_extracted"].is_string()
        && !name.ends_with(".pdf")
        && !["arch_a.zip", "latin1_a.txt"].contains(&name)
}

#[test]
fn texts_are_the_references() {
    let mut compared = 0;
    for case in common::cases().iter().filter(|case| is_compared(case)) {
        let mediatype = case.result("mediatype").unwrap();
        let extracted = extract(&case.bytes, mediatype);
        let extracted = extracted.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let found = with_the_references_damage(&extracted.text);
        let wanted = case.record["text_extracted"].as_str().unwrap();
        assert!(essence(&found) == essence(wanted), "{}:\n{found:?}\n{wanted:?}", case.name);
        compared += 1;
    }
    assert_eq!(compared, 22);
}

#[test]
fn latin_1_is_read_right() {
    let case = common::cases().into_iter().find(|case| case.name == "latin1_a.txt").unwrap();
    let text = extract(&case.bytes, "text/plain").unwrap().text;
    let wanted: String = case.bytes.iter().copied().map(char::from).collect();
    assert_eq!(text, wanted);
}

#[test]
fn metadata_is_the_references() {
    for case in common::cases().iter().filter(|case| is_compared(case)) {
        let found = extract(&case.bytes, case.result("mediatype").unwrap()).unwrap().metadata;
        let wanted = |key: &str| case.record["extract_metadata"][key].as_str().map(str::to_owned);
        assert_eq!(found.name, wanted("name"), "{}", case.name);
        assert_eq!(found.description, wanted("description"), "{}", case.name);
        assert_eq!(found.creator, wanted("creator"), "{}", case.name);
        assert_eq!(found.rights, wanted("rights"), "{}", case.name);
        assert_eq!(found.keywords, wanted("keywords"), "{}", case.name);
    }
}

#[test]
fn documents_without_text_are_refused() {
    for (name, mediatype) in [("blank_a.txt", "text/plain"), ("wav-named_a.txt", "text/plain")] {
        let case = common::cases().into_iter().find(|case| case.name == name).unwrap();
        let error = extract(&case.bytes, mediatype).unwrap_err();
        assert!(matches!(error, MediaError::NoText), "{name}: {error}");
    }
}
