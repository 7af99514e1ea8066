//! The same code in all its notations.

use iscc_codec::base::base32::{BASE32, BASE32HEX};
use iscc_codec::base::{base16, base58, base64url};
use iscc_codec::multiformat::{self, Multibase};
use iscc_codec::{Code, Compat, IsccId, compare_units, explain, normalize, validate};
use proptest::prelude::*;

use super::unit;

proptest! {
    #[test]
    fn accepted_forms_parse_to_the_same_code(unit in unit(), every in 1usize..9) {
        let (text, bare) = (unit.text(), unit.text().bare().to_owned());
        let hyphens = bare.as_bytes().chunks(every).map(String::from_utf8_lossy);
        let hyphens = hyphens.collect::<Vec<_>>().join("-");
        let padding = "=".repeat(bare.len().next_multiple_of(8) - bare.len());
        let mut forms = vec![
            bare.to_lowercase(),
            text.to_lowercase(),
            format!(" iscc : {bare}\t\n"),
            hyphens.to_lowercase(),
            format!("ISCC:{hyphens}"),
            format!("{bare}{padding}"),
        ];
        forms.extend(Multibase::ALL.map(|base| multiformat::encode(unit.as_bytes(), base)));
        for form in forms {
            prop_assert_eq!(form.parse(), Ok(Code::Unit(unit)), "{}", form);
            prop_assert_eq!(normalize(&form), Ok(text.to_string()));
            prop_assert!(!validate(&form), "{}", form);
        }
        prop_assert!(validate(&text));
    }

    #[test]
    fn bases_round_trip(bytes in prop::collection::vec(any::<u8>(), 0..90)) {
        prop_assert_eq!(base16::decode(base16::encode(&bytes).as_bytes()), Ok(bytes.clone()));
        prop_assert_eq!(base58::decode(base58::encode(&bytes).as_bytes()), Ok(bytes.clone()));
        prop_assert_eq!(base64url::decode(base64url::encode(&bytes).as_bytes()), Ok(bytes.clone()));
        for alphabet in [&BASE32, &BASE32HEX] {
            let text = alphabet.encode(&bytes);
            prop_assert_eq!(alphabet.decode(text.as_bytes()), Ok(bytes.clone()));
            prop_assert_eq!(alphabet.decode(text.to_lowercase().as_bytes()), Ok(bytes.clone()));
        }
    }

    /// Text that a base accepts equals the text that it writes, except for letter case and `=`.
    #[test]
    fn bases_have_one_text_per_byte_sequence(text in "[A-Za-z0-9_=-]{0,24}") {
        let upper = text.to_uppercase();
        if let Ok(bytes) = BASE32.decode(text.as_bytes()) {
            prop_assert_eq!(BASE32.encode(&bytes), upper.trim_end_matches('='));
        }
        if let Ok(bytes) = BASE32HEX.decode(text.as_bytes()) {
            prop_assert_eq!(BASE32HEX.encode(&bytes), upper.trim_end_matches('='));
        }
        if let Ok(bytes) = base16::decode(text.as_bytes()) {
            prop_assert_eq!(base16::encode(&bytes), text.to_lowercase());
        }
        if let Ok(bytes) = base58::decode(text.as_bytes()) {
            prop_assert_eq!(base58::encode(&bytes), text.clone());
        }
        if let Ok(bytes) = base64url::decode(text.as_bytes()) {
            prop_assert_eq!(base64url::encode(&bytes), text);
        }
    }

    #[test]
    fn explanations_are_consistent(unit in unit()) {
        let explained = explain(&unit.text(), Compat::default()).expect("a unit");
        let [part] = &explained.units[..] else { panic!("one unit") };
        prop_assert_eq!(base16::decode(part.hash_hex.as_bytes()), Ok(unit.body().to_vec()));
        let from_bits = part.hash_bits.as_bytes().chunks(8).map(|bits| {
            bits.iter().fold(0u8, |byte, bit| byte << 1 | (bit - b'0'))
        });
        prop_assert_eq!(from_bits.collect::<Vec<_>>(), unit.body());
        prop_assert_eq!(times_and_plus(&part.hash_uint), significant(unit.body()));
    }

    #[test]
    fn iscc_ids_round_trip(realm in 0u8..2, time in 0u64..1 << 52, hub in 0u16..4096) {
        let id = IsccId::new(realm, time, hub).expect("in range");
        prop_assert_eq!(id.to_string().parse(), Ok(id));
        prop_assert_eq!((id.realm(), id.timestamp_us(), id.hub()), (realm, time, hub));
    }

    #[test]
    fn similarity_is_symmetric_and_one_for_equal(a in unit(), b in unit()) {
        prop_assert_eq!(compare_units(&a, &b), compare_units(&b, &a));
        let same = compare_units(&a, &a).expect("the same kind");
        prop_assert_eq!((same.distance, same.similarity, same.bits), (0, 1.0, a.bits()));
        let shorter = a.truncated(32).expect("a valid length");
        prop_assert_eq!(compare_units(&a, &shorter).map(|it| (it.distance, it.bits)), Some((0, 32)));
        if let Some(comparison) = compare_units(&a, &b) {
            prop_assert!((0.0..=1.0).contains(&comparison.similarity));
        }
    }
}

/// The bytes of a decimal number, most significant first, without leading zeros.
fn times_and_plus(decimal: &str) -> Vec<u8> {
    let mut number: Vec<u8> = Vec::new();
    for digit in decimal.bytes() {
        let mut carry = u32::from(digit - b'0');
        for byte in number.iter_mut().rev() {
            carry += u32::from(*byte) * 10;
            *byte = carry as u8;
            carry >>= 8;
        }
        if carry > 0 {
            number.insert(0, carry as u8);
        }
    }
    number
}

fn significant(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().skip_while(|&byte| byte == 0).collect()
}
