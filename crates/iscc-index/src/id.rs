//! ISCC-IDs as clients send them: read with the error texts of the reference service, of version 1 or 0.
use iscc_codec::{MainType, Unit};
use iscc_columns::code::{self, SCHEME};

/// Size of an ISCC-ID in bytes: two of header, eight of body.
const ID_BYTES: usize = 10;
/// MainType of an ISCC-ID.
const ID: u8 = MainType::Id as u8;

/// An ISCC-ID. Older clients still send version 0. An index has one asset for both versions, whose name is that of
/// version 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsccId {
    /// Microseconds since 1970 (52 bits), then the hub's number (12 bits).
    pub body: u64,
    /// 0 (test) or 1 (live).
    pub realm: u8,
}

impl IsccId {
    /// Parses `ISCC:` and 16 characters. The error is a text for the client.
    pub fn parse(text: &str) -> Result<Self, String> {
        if !text.starts_with(SCHEME) {
            return Err(format!("Invalid ISCC-ID format: '{text}' (must start with '{SCHEME}')"));
        }
        let bytes = code::decode(text).map_err(|error| error.to_string())?;
        let (kind, _, body) = code::split(&bytes).map_err(|error| error.to_string())?;
        if kind.main() != MainType::Id {
            let main = kind.main() as u8;
            return Err(format!("Invalid ISCC-ID main type: {main} (expected {ID})"));
        }
        let Ok(body) = <[u8; 8]>::try_from(body) else {
            let count = bytes.len();
            return Err(format!("Invalid ISCC-ID length: {count} bytes (expected {ID_BYTES})"));
        };
        if kind.sub() > 1 {
            return Err(format!("Invalid ISCC-ID realm: {} (expected 0 or 1)", kind.sub()));
        }
        let id = Self { body: u64::from_be_bytes(body), realm: kind.sub() };
        // The header may say another length than the body has. Without this check, an asset would have several names.
        Unit::from_bytes(&bytes)
            .map_err(|error| format!("Invalid ISCC-ID: {error}; send {}", id.text()))?;
        Ok(id)
    }

    /// `ISCC:` and 16 characters, of version 1.
    pub fn text(&self) -> String {
        let id = iscc_codec::IsccId::from_body(self.realm, self.body);
        id.expect("a realm of 0 or 1").to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parsing_reverses_text(body in any::<u64>(), realm in 0u8..2) {
            let id = IsccId { body, realm };
            prop_assert_eq!(IsccId::parse(&id.text()), Ok(id));
        }

        #[test]
        fn an_asset_has_one_name(body in any::<u64>(), realm in 0u8..2, second in any::<u8>()) {
            let id = IsccId { body, realm };
            let text = code::encode(&[&[ID << 4 | realm, second][..], &body.to_be_bytes()].concat());
            match second {
                0x00 | 0x10 => {
                    prop_assert_eq!(IsccId::parse(&text), Ok(id));
                }
                _ => prop_assert!(IsccId::parse(&text).is_err()),
            }
        }
    }

    #[test]
    fn errors_have_the_texts_of_the_reference_service() {
        let error = |text: &str| IsccId::parse(text).unwrap_err();
        assert_eq!(error("foo"), "Invalid ISCC-ID format: 'foo' (must start with 'ISCC:')");
        assert_eq!(error("ISCC:AAAZUZUSBBBCTDWB"), "Invalid ISCC-ID main type: 0 (expected 6)");
        assert!(error("ISCC:7777777777777777").starts_with("Invalid prefix pattern '1111'"));
        assert!(IsccId::parse("ISCC:MAACAJINXFXA2SQX").is_ok());
    }

    #[test]
    fn an_id_whose_header_says_another_length_is_refused_with_the_right_one() {
        for (text, rule) in [
            ("ISCC:MAIQAAAAAAAAAAAA", "invalid length field 1 for MainType ID"),
            ("ISCC:MAAQAAAAAAAAAAAA", "the header says 9 bytes of body, but there are 8"),
        ] {
            let expected = format!("Invalid ISCC-ID: {rule}; send ISCC:MAIAAAAAAAAAAAAA");
            assert_eq!(IsccId::parse(text), Err(expected));
        }
    }
}
