//! Units of every type and length, in every notation.

use iscc_codec::base::base32::BASE32HEX;
use iscc_codec::multiformat::{self, Multibase};
use iscc_codec::{Code, Compat, Kind, Unit, explain};

use super::{cases, hex, number, text};

#[test]
fn units_are_encoded_and_decoded() {
    for case in cases("units") {
        let [main, sub, version] =
            ["maintype", "subtype", "version"].map(|field| number(&case[field]) as u16);
        let kind = Kind::new(main, sub, version).expect("a known type");
        let bits = number(&case["bits"]) as usize;
        let unit = Unit::new(kind, &hex(&case["digest_hex"]), bits).expect("a valid length");
        assert_eq!(unit.to_string(), text(&case["unit"]));
        assert_eq!(text(&case["unit"]).parse(), Ok(unit));
        assert_eq!(unit.bits(), bits);
        let name = text(&case["type_id"]).replace('-', "_");
        assert_eq!(format!("{}_{bits}", unit.kind()), name);
        assert_eq!(Unit::from_bytes(unit.as_bytes()), Ok(unit));
        assert_eq!(BASE32HEX.encode(unit.as_bytes()), text(&case["base32hex"]));
    }
}

#[test]
fn units_in_multiformat() {
    let fields = ["mf_base16", "mf_base32", "mf_base32hex", "mf_base58btc", "mf_base64url"];
    for case in cases("units") {
        let unit: Unit = text(&case["unit"]).parse().expect("a unit");
        for (field, base) in fields.into_iter().zip(Multibase::ALL) {
            let expected = text(&case[field]);
            assert_eq!(multiformat::encode(unit.as_bytes(), base), expected);
            assert_eq!(multiformat::decode(expected), Ok(unit.as_bytes().to_vec()));
            assert_eq!(expected.parse(), Ok(Code::Unit(unit)), "{expected}");
        }
    }
}

#[test]
fn units_are_explained() {
    for case in cases("units") {
        let explained = explain(text(&case["unit"]), Compat::default()).expect("a unit");
        let [unit] = &explained.units[..] else { panic!("one unit") };
        assert_eq!(unit.readable, text(&case["readable"]));
        assert_eq!(unit.hash_hex, text(&case["hash_hex"]));
        assert_eq!(unit.hash_uint, text(&case["hash_uint"]));
        assert_eq!(unit.hash_bits, text(&case["hash_bits"]));
        assert_eq!(explained.multiformat, text(&case["mf_base64url"]));
    }
}

#[test]
fn a_shorter_unit_is_a_prefix() {
    for case in cases("units").iter().filter(|case| number(&case["bits"]) == 256) {
        let unit: Unit = text(&case["unit"]).parse().expect("a unit");
        for bits in (32..=256).step_by(32) {
            let shorter = unit.truncated(bits).expect("a valid length");
            assert_eq!(shorter.body(), &unit.body()[..bits / 8]);
        }
        assert!(unit.truncated(40).is_err());
        assert!(unit.truncated(288).is_err());
    }
}
