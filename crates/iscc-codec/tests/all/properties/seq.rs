//! ISCC-SEQs of any units.

use iscc_codec::{Unit, seq};
use proptest::prelude::*;

use super::{part_kind, unit_of};

fn units() -> impl Strategy<Value = Vec<Unit>> {
    prop::collection::vec(part_kind().prop_flat_map(|kind| unit_of(kind, 32)), 1..9)
}

proptest! {
    #[test]
    fn round_trip(units in units()) {
        let texts: Vec<String> = units.iter().map(ToString::to_string).collect();
        let encoded = seq::encode(&texts).expect("units");
        let whole: Vec<u8> = units.iter().flat_map(|unit| unit.as_bytes().to_vec()).collect();
        prop_assert_eq!(&encoded, &whole);
        let decoded = seq::decode(&encoded).expect("a sequence");
        prop_assert_eq!(decoded.iter().map(|unit| unit.known()).collect::<Vec<_>>(), units.iter().copied().map(Some).collect::<Vec<_>>());
        let all_long = units.iter().all(|unit| unit.bits() == 256);
        prop_assert_eq!(seq::decode_c2pa(&encoded).is_ok(), all_long);
        prop_assert_eq!(seq::encode_c2pa(&texts).is_ok(), all_long);
    }

    /// A truncated sequence is valid only if the cut is between two units.
    #[test]
    fn truncated_sequences_are_errors(units in units(), at in any::<prop::sample::Index>()) {
        let whole: Vec<u8> = units.iter().flat_map(|unit| unit.as_bytes().to_vec()).collect();
        let at = at.index(whole.len());
        let borders = units.iter().scan(0, |end, unit| {
            *end += unit.as_bytes().len();
            Some(*end)
        });
        prop_assert_eq!(seq::decode(&whole[..at]).is_ok(), borders.into_iter().any(|border| border == at));
    }

    /// Unknown SubTypes and versions do not change the bytes.
    #[test]
    fn unknown_fields_are_kept(
        main in 0u16..5, sub in 0u16..4680, version in 0u16..4680, length in 0u16..8,
        body in prop::array::uniform32(any::<u8>()),
    ) {
        let (header, count) = iscc_codec::Header { main, sub, version, length }.encode().expect("in range");
        let bytes = [&header[..count], &body[..4 * (usize::from(length) + 1)]].concat();
        let units = seq::decode(&bytes).expect("well-formed");
        prop_assert_eq!(units.len(), 1);
        prop_assert_eq!(seq::encode(&[units[0].to_string()]), Ok(bytes.clone()));
        prop_assert_eq!(units[0].header.sub, sub);
    }
}
