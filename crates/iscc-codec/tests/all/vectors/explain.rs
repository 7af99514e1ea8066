//! Recorded responses of the reference's explain route; normalisation and validation of its input.

use iscc_codec::{Compat, explain_json, normalize, validate};
use serde_json::Value;

use super::{cases, flag, number, text};

/// The reference truncates or pads a composite of the wrong length to another code and returns 200.
/// Here it is an error.
fn is_truncated_by_the_reference(case: &Value) -> bool {
    let digits = |text: &str| text.to_uppercase().replace("ISCC:", "").replace(['-', ' ', '='], "");
    let (given, answered) = (digits(text(&case["input"])), digits(text(&case["body"]["iscc"])));
    // A K starts the header of a composite.
    given.starts_with('K') && given.len() != answered.len()
}

#[test]
fn explains_like_the_reference() {
    let mut truncated = 0;
    for case in cases("explain") {
        let input = text(&case["input"]);
        let explained = explain_json(input, Compat::Sdk0_9_7);
        if number(&case["status"]) != 200 {
            assert!(explained.is_err(), "{input:?} should be an error: {}", case["error"]);
        } else if is_truncated_by_the_reference(case) {
            truncated += 1;
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
    assert!(truncated > 0 && truncated < cases("explain").len() / 20, "{truncated} cases skipped");
}

#[test]
fn normalises_like_the_reference() {
    for case in cases("explain") {
        let input = text(&case["input"]);
        // Input that explain rejects is rejected here too; the reference may truncate it first.
        if number(&case["status"]) != 200 || is_truncated_by_the_reference(case) {
            assert!(normalize(input).is_err(), "{input:?}");
        } else {
            assert_eq!(normalize(input).as_deref(), Ok(text(&case["normalize"]["value"])));
        }
    }
}

#[test]
fn validates_like_the_reference() {
    for case in cases("explain") {
        let input = text(&case["input"]);
        assert_eq!(validate(input), flag(&case["validate"]["value"]), "{input:?}");
    }
}
