//! Featureless Image-Codes, by the rule of iscc-sdk 0.9.7.

use iscc_codec::{Code, Compat, Kind, Mode, Unit, compare, explain, explain_json};

/// An Image-Code whose 64-bit segments have these numbers of ones; a last segment of 32 bits may follow.
fn image(ones: &[u32], tail: &[u8]) -> Unit {
    let segment = |&ones: &u32| u64::MAX.checked_shr(64 - ones).unwrap_or(0).to_be_bytes();
    let mut body: Vec<u8> = ones.iter().flat_map(segment).collect();
    body.extend_from_slice(tail);
    Unit::new(Kind::content(Mode::Image), &body, 8 * body.len()).expect("a unit")
}

#[test]
fn any_whole_segment_with_fewer_than_eight_ones_is_featureless() {
    for (ones, tail, expected) in [
        (&[7][..], &[][..], true),
        (&[8], &[], false),
        (&[32, 32, 0, 32], &[], true),
        (&[32, 32, 32, 7], &[], true),
        (&[8, 8, 8, 8], &[], false),
        // An incomplete segment is not judged.
        (&[32], &[0; 4], false),
        (&[], &[0; 4], false),
    ] {
        assert_eq!(image(ones, tail).is_featureless(), expected, "{ones:?} {tail:?}");
    }
}

#[test]
fn other_units_have_features() {
    for kind in [
        Kind::META,
        Kind::DATA,
        Kind::INSTANCE,
        Kind::content(Mode::Text),
        Kind::semantic(Mode::Image),
    ] {
        assert!(!Unit::new(kind, &[0; 32], 256).expect("a unit").is_featureless(), "{kind}");
    }
}

#[test]
fn explanations_and_comparisons_mark_them() {
    let [plain, photo] = [image(&[0], &[]), image(&[32], &[])];
    for (unit, expected) in [(plain, true), (photo, false)] {
        let explained = explain(&unit.to_string(), Compat::default()).expect("a unit");
        assert_eq!(explained.units[0].featureless, expected);
        let json = explain_json(&unit.to_string(), Compat::default()).expect("a unit");
        assert_eq!(json.ends_with(r#","featureless":true}]}"#), expected, "{json}");
        assert_eq!(json.contains("featureless"), expected);
    }
    let marks = |a, b| compare(&Code::Unit(a), &Code::Unit(b))[0].featureless;
    assert_eq!(
        [marks(plain, plain), marks(photo, plain), marks(photo, photo)],
        [true, true, false]
    );
}
