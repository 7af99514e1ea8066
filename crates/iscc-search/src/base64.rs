//! Base64 as clients send simprints: standard or URL-safe alphabet, with or without padding.

use std::sync::LazyLock;

use data_encoding::{Encoding, Specification};

/// The URL-safe alphabet; `+` and `/` decode as `-` and `_`. Bits after the last byte are ignored.
static BASE64: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification
        .symbols
        .push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
    specification.translate.from.push_str("+/");
    specification.translate.to.push_str("-_");
    specification.check_trailing_bits = false;
    specification.encoding().expect("a valid specification of base64")
});

/// Decodes base64. Returns `None` if the text contains another character, `=` before its end, or
/// has an impossible length. Bits after the last byte are ignored.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text.trim_end_matches('=').as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use iscc_codec::base::base64url::encode;

    use super::*;

    #[test]
    fn decoding_reverses_encoding() {
        for length in 0..40 {
            let bytes: Vec<u8> = (0..length).map(|index| (index * 91 + 200) as u8).collect();
            assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }

    #[test]
    fn accepts_both_alphabets_any_padding_and_leftover_bits() {
        for same in ["-_8", "+/8", "-_8=", "+/8=", "-_9"] {
            assert_eq!(decode(same), Some(vec![0xfb, 0xff]));
        }
        assert_eq!(decode("AAAAA"), None);
        assert_eq!(decode("A=AA"), None);
        assert_eq!(decode("AA A"), None);
    }
}
