//! Composing and decomposing ISCC-CODEs.

use iscc_codec::{Code, Error, IsccCode};

use super::{cases, flag, text, texts};

#[test]
fn composed() {
    let (mut made, mut refused) = (0, 0);
    for case in cases("composites") {
        let units = texts(&case["units"]);
        let code = IsccCode::compose_text(&units, flag(&case["wide"]));
        match case.get("iscc") {
            Some(expected) => {
                made += 1;
                assert_eq!(code.expect("a code").to_string(), text(expected), "{units:?}");
            }
            None => {
                refused += 1;
                assert!(code.is_err(), "{units:?} should be an error: {}", case["error"]);
            }
        }
    }
    assert!(made > 0 && refused > 0);
}

#[test]
fn the_order_of_the_units_does_not_matter() {
    for case in cases("composites").iter().filter(|case| case.get("iscc").is_some()) {
        let mut units = texts(&case["units"]);
        for _ in 0..units.len() {
            units.rotate_left(1);
            let code = IsccCode::compose_text(&units, flag(&case["wide"])).expect("a code");
            assert_eq!(code.to_string(), text(&case["iscc"]), "{units:?}");
        }
    }
}

#[test]
fn decomposed() {
    for case in cases("decompose") {
        let code: Code = text(&case["input"]).parse().expect("a code");
        let units: Vec<_> = code.units().iter().map(|unit| unit.text().bare().to_owned()).collect();
        assert_eq!(units, texts(&case["units"]));
    }
}

#[test]
fn errors_name_the_reason() {
    let error_of = |units: &[&str]| IsccCode::compose_text(units, false).expect_err("refused");
    let [meta, text, image] = ["AAAQRLWHM2YFGCWG", "CAASH6VT7ORRIVQA", "EEATHX7Y6NL5MJTY"];
    let [data, instance, short] = ["GAARLDA46RGP3AQI", "IAATLBPYL7B7XTAN", "GAAE2UYDL4"];
    assert_eq!(error_of(&[data]), Error::TooFewUnits);
    assert_eq!(error_of(&[meta, data]), Error::DataOrInstanceMissing);
    assert_eq!(error_of(&[short, instance]), Error::UnitTooShort(short.to_owned()));
    assert_eq!(error_of(&[text, image, data, instance]), Error::SubTypesDiffer);
    assert!(matches!(error_of(&[meta, meta, data, instance]), Error::DuplicateUnit(_)));
    assert!(matches!(error_of(&[data, data, instance]), Error::DuplicateUnit(_)));
    assert_eq!(error_of(&["MAIGC5KN3I6TCWPP", data, instance]), Error::DataOrInstanceMissing);
    assert_eq!(error_of(&[meta, meta, meta, meta, data, instance]), Error::TooManyUnits);
    assert!(matches!(error_of(&["KUABLDA46RGP3AQIGWC7QX6D7PGA2", data]), Error::NotAUnit(_)));
}
