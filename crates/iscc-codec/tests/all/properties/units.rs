//! Units, compared with the slow codec.

use iscc_codec::{Code, Header, Unit};
use proptest::prelude::*;
use reference::codec;

use super::{fields, unit};

proptest! {
    #[test]
    fn encoding_matches_the_slow_codec(unit in unit()) {
        let text = codec::base32(&codec::unit_bits(&fields(&unit)));
        prop_assert_eq!(unit.text().bare().to_owned(), text);
    }

    #[test]
    fn decoding_inverts_encoding(unit in unit()) {
        let text = unit.text();
        prop_assert_eq!(text.parse(), Ok(unit));
        prop_assert_eq!(text.bare().parse(), Ok(Code::Unit(unit)));
        prop_assert_eq!(Unit::from_bytes(unit.as_bytes()), Ok(unit));
        prop_assert_eq!(codec::decode_unit(text.bare()), Some(fields(&unit)));
    }

    /// Units with a changed digit, or with digits added or removed.
    #[test]
    fn decoding_rejects_what_the_slow_codec_rejects(
        unit in unit(),
        place in any::<prop::sample::Index>(),
        digits in "[A-Z2-7]",
        cut in 0usize..3,
        tail in "A{0,2}",
    ) {
        let mut text = unit.text().bare().to_owned();
        let place = place.index(text.len());
        text.replace_range(place..=place, &digits);
        text.truncate(text.len() - cut);
        text.push_str(&tail);
        // The slow codec has neither ISCC-CODEs nor ISCC-IDs.
        let known = text.parse().ok().filter(|unit: &Unit| unit.as_bytes()[0] >> 4 != 6);
        prop_assert_eq!(known.as_ref().map(fields), codec::decode_unit(&text));
    }

    #[test]
    fn headers_of_any_numbers_round_trip(numbers in prop::array::uniform4(0u16..=4679)) {
        let [main, sub, version, length] = numbers;
        let (bytes, count) = Header { main, sub, version, length }.encode().expect("in range");
        let bits = numbers.map(|number| codec::varnibble(number.into())).concat();
        let fill = "0".repeat(bits.len().next_multiple_of(8) - bits.len());
        prop_assert_eq!(codec::bits(&bytes[..count]), bits + &fill);
        let decoded = Header::decode(&bytes).expect("canonical");
        prop_assert_eq!(decoded, (Header { main, sub, version, length }, count));
    }
}
