//! What the reference's explain route answers, and normalisation and validation of its input.

use iscc_codec::{Compat, explain_json, normalize, validate};
use serde_json::Value;

use super::{cases, flag, number, text};

/// The reference cuts a composite that is too short or too long to some other code, and answers
/// 200. Here it is an error.
fn is_cut_by_the_reference(case: &Value) -> bool {
    let digits = |text: &str| text.to_uppercase().replace("ISCC:", "").replace(['-', ' ', '='], "");
    let (given, answered) = (digits(text(&case["input"])), digits(text(&case["body"]["iscc"])));
    // A header that starts with K is a composite's.
    given.starts_with('K') && given.len() != answered.len()
}

#[test]
fn explained_as_the_reference_does() {
    let mut cut = 0;
    for case in cases("explain") {
        let input = text(&case["input"]);
        let explained = explain_json(input, Compat::Sdk0_9_7);
        if number(&case["status"]) != 200 {
            assert!(explained.is_err(), "{input:?} should be refused: {}", case["error"]);
        } else if is_cut_by_the_reference(case) {
            cut += 1;
            assert!(
                explained.is_err(),
                "{input:?} has a body of another length than its header says"
            );
        } else {
            let explained = explained.unwrap_or_else(|error| panic!("{input:?}: {error}"));
            let json: Value = serde_json::from_str(&explained).expect("JSON");
            assert_eq!(json, case["body"], "{input:?}");
        }
    }
    assert!(cut > 0 && cut < cases("explain").len() / 20, "{cut} cases left out");
}

#[test]
fn normalised_as_the_reference_does() {
    for case in cases("explain") {
        let input = text(&case["input"]);
        // What explain refuses is refused here too; the reference sometimes cuts it first.
        if number(&case["status"]) != 200 || is_cut_by_the_reference(case) {
            assert!(normalize(input).is_err(), "{input:?}");
        } else {
            assert_eq!(normalize(input).as_deref(), Ok(text(&case["normalize"]["value"])));
        }
    }
}

#[test]
fn validated_as_the_reference_does() {
    for case in cases("explain") {
        let input = text(&case["input"]);
        assert_eq!(validate(input), flag(&case["validate"]["value"]), "{input:?}");
    }
}
