//! ISCC-IDs of both versions.

use iscc_codec::{Compat, Error, IsccId, LegacyIsccId, Unit, explain};

use super::{cases, number, text};

#[test]
fn version_1() {
    for case in cases("iscc_id_v1") {
        let [time, hub, realm] = ["timestamp", "hub_id", "realm"].map(|field| number(&case[field]));
        let id = IsccId::new(realm as u8, time, hub as u16).expect("in range");
        assert_eq!(id.to_string(), text(&case["iscc"]));
        let parsed: IsccId = text(&case["iscc"]).parse().expect("an ISCC-ID");
        assert_eq!((parsed.timestamp_us(), parsed.hub().into()), (time, hub));
        assert_eq!(u64::from(parsed.realm()), realm);
        assert_eq!(IsccId::from_body(realm as u8, parsed.body()), Ok(id));
        for (compat, field) in [
            (Compat::Sdk0_9_7, "readable_iscc_core_1_5"),
            (Compat::Sdk0_9_5, "readable_iscc_core_1_3"),
        ] {
            let explained = explain(text(&case["iscc"]), compat).expect("an ISCC-ID");
            assert_eq!(explained.readable, text(&case[field]));
            assert_eq!(explained.units[0].readable, text(&case[field]));
            assert_eq!(explained.units[0].hash_uint, text(&case["hash_uint"]));
        }
    }
}

/// Some hubs write 1 into the length field. These IDs are read, and become those of the standard, which
/// has 0 there. As codes they are invalid.
#[test]
fn version_1_as_hubs_write_it() {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/c2pa/vectors/declaration.json");
    let vectors: serde_json::Value =
        serde_json::from_slice(&std::fs::read(path).expect("a fixture")).expect("JSON");
    let ids = vectors["isccIds"].as_array().expect("ids").iter();
    let valid: Vec<_> = ids.filter(|case| case["valid"] == true).collect();
    assert!(valid.iter().any(|case| text(&case["isccId"]).starts_with("ISCC:MAIW")));
    for case in valid {
        let id: IsccId = text(&case["isccId"]).parse().expect("an ISCC-ID");
        assert_eq!(id.timestamp_us(), number(&case["timestampMicros"]));
        assert_eq!(u64::from(id.hub()), number(&case["hubId"]));
        assert_eq!(u64::from(id.realm()), number(&case["realm"]));
        let explained = explain(&id.to_string(), Compat::default()).expect("an ISCC-ID");
        assert_eq!(explained.iscc, id.to_string());
        let written = text(&case["isccId"]);
        let is_canonical = written == explained.iscc;
        assert_eq!(explain(written, Compat::default()).is_ok(), is_canonical, "{written}");
        assert_eq!(written.parse::<Unit>().is_ok(), is_canonical, "{written}");
    }
}

#[test]
fn version_1_out_of_range() {
    assert!(matches!(IsccId::new(2, 0, 0), Err(Error::OutOfRange { field: "realm", .. })));
    assert!(
        matches!(IsccId::new(0, 1 << 52, 0), Err(Error::OutOfRange { limit, .. }) if limit == 1 << 52)
    );
    assert!(matches!(IsccId::new(0, 0, 4096), Err(Error::OutOfRange { limit: 4096, .. })));
    assert!(IsccId::new(1, (1 << 52) - 1, 4095).is_ok());
    assert!(matches!(IsccId::from_body(2, 0), Err(Error::OutOfRange { .. })));
}

#[test]
fn version_0() {
    for case in cases("iscc_id_v0_legacy") {
        let unit: Unit = text(&case["iscc"]).parse().expect("an ISCC-ID");
        let id = LegacyIsccId::try_from(&unit).expect("version 0");
        assert_eq!(u64::from(id.chain), number(&case["chain"]));
        assert_eq!(u64::from(id.counter.unwrap_or(0)), number(&case["uc"]));
        let explained = explain(text(&case["iscc"]), Compat::default()).expect("an ISCC-ID");
        assert_eq!(explained.readable, text(&case["readable"]));
        assert_eq!(IsccId::try_from(&unit), Err(Error::NotAnId(1)));
    }
}

#[test]
fn version_0_with_a_malformed_counter() {
    let with_counter = |length: u8, counter: &[u8]| {
        let bytes = [&[0x60, length, 1, 2, 3, 4, 5, 6, 7, 8], counter].concat();
        LegacyIsccId::try_from(&Unit::from_bytes(&bytes).expect("a valid length"))
    };
    assert_eq!(with_counter(2, &[0xAC, 0x02]).expect("a number").counter, Some(300));
    assert_eq!(with_counter(2, &[0xAC, 0x82]), Err(Error::Counter));
    assert_eq!(with_counter(2, &[0x2C, 0x02]), Err(Error::Counter));
    assert_eq!(
        with_counter(4, &[0xFF, 0xFF, 0xFF, 0x7F]).expect("a number").counter,
        Some((1 << 28) - 1)
    );
}

#[test]
fn invalid_lengths() {
    // 88 bits of an ISCC-ID of version 0, and a counter after one of version 1.
    for bytes in [&[0x60, 0x03][..], &[0x60, 0x05], &[0x60, 0x11], &[0x60, 0x12]] {
        for count in [8, 9, 13] {
            let bytes = [bytes, &vec![0; count]].concat();
            assert!(matches!(Unit::from_bytes(&bytes), Err(Error::Length { .. })), "{bytes:?}");
        }
    }
    // The form of some hubs has eight bytes of body, too.
    assert!("ISCC:MAIQAAAAAAAAAAAA".parse::<IsccId>().is_ok());
    assert!("ISCC:MAIQAAAAAAAAAAAAAA".parse::<IsccId>().is_err());
    assert!("ISCC:MAIQAAAAAAAAAA".parse::<IsccId>().is_err());
}
