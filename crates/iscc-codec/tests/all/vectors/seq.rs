//! Strict decoding of ISCC-SEQs.

use iscc_codec::seq::QueryError;
use iscc_codec::{Error, seq};

use super::{cases, flag, hex, text, texts};

#[test]
fn sequences() {
    for case in cases("seq") {
        let units = texts(&case["units"]);
        let expected = hex(&case["seq_hex"]);
        assert_eq!(seq::encode(&units), Ok(expected.clone()));
        let decoded = seq::decode(&expected).expect("a sequence");
        let decoded: Vec<String> = decoded.iter().map(ToString::to_string).collect();
        assert_eq!(decoded, units);
        assert_eq!(seq::display(&expected).as_deref(), Ok(text(&case["display"])));
    }
}

#[test]
fn strict_decoding() {
    for case in cases("seq_decode_cases") {
        let bytes = hex(&case["seq_hex"]);
        let decoded = seq::decode(&bytes);
        assert_eq!(decoded.is_ok(), flag(&case["ok"]), "{}", case["case"]);
        if let Ok(units) = decoded {
            let decoded: Vec<String> = units.iter().map(ToString::to_string).collect();
            assert_eq!(decoded, texts(&case["value"]));
            assert_eq!(seq::encode(&decoded), Ok(bytes), "{}", case["case"]);
        }
    }
}

#[test]
fn errors_name_the_reason() {
    assert_eq!(seq::decode(&[]), Err(Error::SeqEmpty));
    assert_eq!(seq::encode::<&str>(&[]), Err(Error::SeqEmpty));
    let reason = |bytes: &[u8]| match seq::decode(bytes) {
        Err(Error::SeqUnit { offset, reason }) => (offset, *reason),
        other => panic!("{other:?}"),
    };
    let valid = [0x30, 0x00, 1, 2, 3, 4];
    assert_eq!(reason(&[&valid[..], &[0]].concat()), (6, Error::HeaderTruncated));
    assert_eq!(reason(&valid[..5]), (0, Error::BodyLength { expected: 4, actual: 3 }));
    assert_eq!(reason(&[0x50, 0, 0, 0]), (0, Error::SeqMainType(5)));
    assert_eq!(reason(&[0x00, 0x08, 0x00]), (0, Error::SeqLength(8)));
    let longer = seq::encode(&["GAARLDA46RGP3AQI", "IAATLBPYL7B7XTANIAATLBPYL7B7XTAN"]);
    let error = Box::new(Error::BodyLength { expected: 8, actual: 18 });
    assert_eq!(longer, Err(Error::SeqUnit { offset: 10, reason: error }));
}

#[test]
fn c2pa_values_have_version_0_and_256_bits() {
    let long = "GAD2J3IQNG3IJ2E3OYQ5QBHUHQH7AQD4IJFQGJQKVV7SL2G6UYZ5DCI";
    let value = seq::encode_c2pa(&[long]).expect("256 bits");
    assert_eq!(seq::decode_c2pa(&value).map(|units| units.len()), Ok(1));
    assert_eq!(seq::encode_c2pa(&[long, "GAARLDA46RGP3AQI"]), Err(Error::SeqNotForC2pa));
    let later_version = [&[0x30, 0x17][..], &[0; 32]].concat();
    assert!(seq::decode(&later_version).is_ok());
    assert_eq!(seq::decode_c2pa(&later_version), Err(Error::SeqNotForC2pa));
    let unknown_sub_type = [&[0x26, 0x07][..], &[0; 32]].concat();
    assert!(seq::decode_c2pa(&unknown_sub_type).is_ok());
    assert_eq!(seq::decode(&unknown_sub_type).expect("well-formed")[0].known(), None);
}

fn data_unit(byte: u8) -> Vec<u8> {
    [&[0x30, 0x07][..], &[byte; 32]].concat()
}

#[test]
fn query_units_are_searchable_and_distinct() {
    let vectors =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/c2pa/vectors/iscc-seq.json");
    let vectors: serde_json::Value =
        serde_json::from_slice(&std::fs::read(vectors).expect("a fixture")).expect("JSON");
    for case in vectors["valid"].as_array().expect("cases") {
        let expected = texts(&case["searchable"]);
        let value = hex(&case["hex"]);
        let units = seq::query_units(&value)
            .map(|units| units.iter().map(ToString::to_string).collect::<Vec<_>>());
        let expected = match expected.len() {
            0 => Err(QueryError::NoUnit),
            1..=seq::QUERY_UNITS_MAX => Ok(expected.iter().map(ToString::to_string).collect()),
            _ => Err(QueryError::TooManyUnits),
        };
        assert_eq!(units, expected, "{}", case["name"]);
    }
    for case in vectors["invalid"].as_array().expect("cases") {
        let error = seq::query_units(&hex(&case["hex"])).unwrap_err().to_string();
        assert!(error.starts_with("Value is not a valid ISCC-SEQ: "), "{error}");
    }
}

#[test]
fn a_query_has_1_to_32_distinct_units() {
    let full: Vec<u8> = (0..32).flat_map(data_unit).collect();
    assert_eq!(seq::query_units(&full.repeat(2)).map(|units| units.len()), Ok(32));
    let error = seq::query_units(&[full, data_unit(32)].concat()).unwrap_err();
    assert_eq!(error.to_string(), "Value holds more than 32 searchable ISCC-UNITs");
    let meta = [&[0x00, 0x07][..], &[0; 32]].concat();
    let error = seq::query_units(&meta).unwrap_err();
    assert_eq!(error.to_string(), "Value holds no searchable ISCC-UNIT");
}
