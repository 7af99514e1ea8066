//! Any string and any bytes give an error or a canonical value.

use iscc_codec::{
    Code, Compat, Error, Header, IsccCode, IsccId, Unit, clean, explain, multiformat, normalize,
    seq, validate,
};
use proptest::prelude::*;

/// Calls every function that takes text.
fn check_text(text: &str) {
    let normalized = normalize(text);
    assert_eq!(validate(text), normalized.as_deref() == Ok(text));
    match text.parse::<Code>() {
        Ok(code) => {
            let canonical = code.to_string();
            assert_eq!(normalized.as_deref(), Ok(canonical.as_str()));
            assert!(validate(&canonical), "{text:?} became {canonical}");
            assert_eq!(canonical.parse(), Ok(code));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let _ = (clean(text), text.parse::<Unit>(), text.parse::<IsccCode>(), text.parse::<IsccId>());
    let _ = (multiformat::decode(text), seq::encode(&[text]));
    let _ = (explain(text, Compat::Sdk0_9_5), explain(text, Compat::Sdk0_9_7));
}

proptest! {
    #[test]
    fn any_string(text in any::<String>()) {
        check_text(&text);
    }

    #[test]
    fn any_text_that_looks_like_a_code(text in "( |ISCC:|iscc:|x:|urn:|:)?[fbvzu]?[ACEGIKMO][AIYEMQU4][A-Za-z0-9=_ -]{0,80}") {
        check_text(&text);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = (Header::decode(&bytes), Unit::from_bytes(&bytes), IsccCode::from_bytes(&bytes));
        let _ = (Unit::read(&bytes), Code::from_bytes(&bytes));
        for base in multiformat::Multibase::ALL {
            check_text(&multiformat::encode(&bytes, base));
        }
        if let Ok(units) = seq::decode(&bytes) {
            let whole: Vec<u8> = units.iter().flat_map(|unit| unit.bytes.to_vec()).collect();
            prop_assert_eq!(whole, bytes);
        }
    }

    /// Mostly valid headers with any body.
    #[test]
    fn any_body(main in 0u8..8, sub in 0u8..8, version in 0u8..2, length in 0u8..9, body in prop::collection::vec(any::<u8>(), 0..44)) {
        let bytes = [&[main << 4 | sub, version << 4 | length][..], &body].concat();
        if let Ok(code) = Code::from_bytes(&bytes) {
            prop_assert_eq!(code.to_string().parse(), Ok(code));
            prop_assert_eq!(code.body(), body.as_slice());
            prop_assert!(code.units().len() <= 5);
        }
    }
}

#[test]
fn errors_name_the_first_wrong_character() {
    let refusal = |text: &str| text.parse::<Code>().expect_err("not a code");
    for (text, character) in [("ISCC:KEC?!AAA", '?'), ("ISCC:KECYé", 'é'), ("ISCC:1KEC", '1')] {
        assert_eq!(refusal(text), Error::Digit { base: "base32", character }, "{text}");
    }
    assert_eq!(refusal("ISCC:KEC"), Error::Padding { base: "base32" });
}

#[test]
fn errors_tell_a_wrong_scheme_from_too_many_colons() {
    assert_eq!(clean("urn:KECY"), Err(Error::Scheme("urn".to_owned())));
    assert_eq!(clean("urn:ISCC:KECY"), Err(Error::Colons("urn:ISCC:KECY".to_owned())));
    assert_eq!(clean("iscc:KECY").as_deref(), Ok("KECY"));
}

/// A composite whose header states more units than there are.
#[test]
fn composites_of_an_unknown_length_are_rejected() {
    const WIDE: u16 = 7;
    for sub in 0..=WIDE {
        let header = Header { main: 5, sub, version: 0, length: 8 };
        let (bytes, count) = header.encode().expect("in range");
        for body in 0..=33 {
            let bytes = [&bytes[..count], &vec![1; body]].concat();
            assert!(IsccCode::from_bytes(&bytes).is_err(), "{sub}, {body}");
        }
    }
}

#[test]
fn long_texts_are_rejected() {
    let long = "A".repeat(1 << 20);
    assert!(matches!(normalize(&long), Err(Error::TooLong(_))));
    assert!(matches!(explain(&format!("z{long}"), Compat::default()), Err(Error::TooLong(_))));
}
