//! ISCC-CODEs, compared with the slow codec.

use iscc_codec::{Code, IsccCode, Kind, Unit};
use proptest::prelude::*;
use reference::codec;

use super::{fields, mode, part_kind, unit_of};

/// Units that often form an ISCC-CODE: most sets include Data and Instance.
fn units() -> impl Strategy<Value = Vec<Unit>> {
    let some = prop::collection::vec(part_kind().prop_flat_map(|kind| unit_of(kind, 32)), 0..=3);
    let statics = (unit_of(Kind::DATA, 32), unit_of(Kind::INSTANCE, 32), 0..8);
    let mixed = (some, statics).prop_map(|(mut units, (data, instance, which))| {
        units.extend((which != 0).then_some(data));
        units.extend((which != 1).then_some(instance));
        units
    });
    prop_oneof![mixed, complete()].prop_flat_map(|units| Just(units).prop_shuffle())
}

/// Units that form an ISCC-CODE.
fn complete() -> impl Strategy<Value = Vec<Unit>> {
    (mode(), prop::array::uniform3(prop::bool::ANY)).prop_flat_map(|(mode, present)| {
        let optional = [Kind::META, Kind::semantic(mode), Kind::content(mode)];
        let kinds = optional.into_iter().zip(present).filter(|(_, present)| *present);
        let kinds = kinds.map(|(kind, _)| kind).chain([Kind::DATA, Kind::INSTANCE]);
        kinds.map(|kind| unit_of(kind, 64)).collect::<Vec<_>>()
    })
}

#[test]
fn debug_output_is_the_text() {
    let units = [Kind::DATA, Kind::INSTANCE]
        .map(|kind| Unit::new(kind, &[7; 8], 64).expect("a body of 64 bits"));
    let code = IsccCode::compose(&units, false).expect("units of one code");
    assert_eq!(format!("{code:?}"), format!("{:?}", code.to_string()));
    assert_eq!(Kind::DATA.main().to_string(), "DATA");
}

proptest! {
    #[test]
    fn composing_matches_the_slow_codec(units in units(), wide in prop::bool::ANY) {
        let mut sorted: Vec<_> = units.iter().map(fields).collect();
        sorted.sort_by_key(|unit| unit.0);
        let code = IsccCode::compose(&units, wide).ok();
        let text = code.map(|code| code.text().bare().to_owned());
        prop_assert_eq!(text, codec::compose(&sorted, wide));
    }

    #[test]
    fn a_code_consists_of_prefixes_of_its_units(units in complete(), wide in prop::bool::ANY) {
        let code = IsccCode::compose(&units, wide).expect("units of one code");
        prop_assert_eq!(code.units().len(), units.len());
        for (part, unit) in code.units().iter().zip(&units) {
            prop_assert_eq!(unit.truncated(part.bits()), Ok(*part));
        }
        prop_assert_eq!(IsccCode::compose(&code.units(), true).ok().filter(|_| wide), wide.then_some(code));
        prop_assert_eq!(code.text().parse(), Ok(Code::Composite(code)));
        prop_assert_eq!(Code::from_bytes(code.as_bytes()), Ok(Code::Composite(code)));
    }

    /// The concatenated texts of units of 64 bits parse as their code, in any order.
    #[test]
    fn concatenated_units_parse_as_a_code(
        units in complete().prop_flat_map(|units| Just(units).prop_shuffle()),
        separator in prop::sample::select(vec!["", "-"]),
    ) {
        let code = IsccCode::compose(&units, false).expect("units of one code");
        let short = units.iter().map(|unit| unit.truncated(64).expect("long enough"));
        let texts: Vec<_> = short.map(|unit| unit.text().bare().to_owned()).collect();
        prop_assert_eq!(texts.join(separator).parse(), Ok(Code::Composite(code)));
    }

    /// A code of another length is an error, never another code.
    #[test]
    fn another_length_is_an_error(units in complete(), wide in prop::bool::ANY, cut in 1usize..20) {
        let code = IsccCode::compose(&units, wide).expect("units of one code");
        let text = code.text();
        let shorter = &text[..text.len() - cut.min(text.len() - 5)];
        prop_assert!(shorter.parse::<Code>().is_err());
        let longer = format!("{text}{}", "A".repeat(cut));
        prop_assert!(longer.parse::<Code>().is_err());
        let bytes = code.as_bytes();
        prop_assert!(Code::from_bytes(&bytes[..bytes.len() - cut.min(bytes.len())]).is_err());
        prop_assert!(Code::from_bytes(&[bytes, &[0; 20][..cut]].concat()).is_err());
    }
}
