//! ISCC-IDs: realm and 64-bit body.

use iscc_codec::MainType;

use crate::code::{self, SCHEME};

/// Bytes of an ISCC-ID: two of header, eight of body.
const ID_BYTES: usize = 10;
/// Number of the main type of an ISCC-ID.
const ID: u8 = MainType::Id as u8;
/// Version that ISCC-IDs have today.
const VERSION: u8 = 1;

/// An ISCC-ID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsccId {
    /// Microseconds since 1970 (52 bits), then a server's number (12 bits).
    pub body: u64,
    /// Namespace, 0 or 1.
    pub realm: u8,
    /// Version of the header; 0 is accepted for older IDs.
    pub version: u8,
}

impl IsccId {
    /// Reads `ISCC:` and 16 characters; the error is a sentence for the client.
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
        let (realm, version) = (kind.sub(), kind.version() as u8);
        Ok(Self { body: u64::from_be_bytes(body), realm, version })
    }

    /// The ID with today's header.
    pub fn current(body: u64, realm: u8) -> Self {
        Self { body, realm, version: VERSION }
    }

    /// `ISCC:` and 16 characters.
    pub fn text(&self) -> String {
        let mut bytes = [0; ID_BYTES];
        bytes[0] = ID << 4 | self.realm;
        bytes[1] = self.version << 4;
        bytes[2..].copy_from_slice(&self.body.to_be_bytes());
        code::encode(&bytes)
    }
}

/// A number that orders the bodies of one realm as their texts are ordered.
///
/// In base32 the digits, which stand for 26 to 31, come before the letters.
pub fn text_order(body: u64) -> u128 {
    // Sixteen characters of five bits hold the two header bytes and the body. The header is the
    // same for all and ends one bit before the first character that the body shares.
    let mut order = 0u128;
    for index in 3..16 {
        let shift = (15 - index) * 5;
        let value = (body >> shift & 31) as u128;
        order = (order << 5) | ((value + 6) % 32);
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn order_is_that_of_the_texts(a in any::<u64>(), b in any::<u64>(), realm in 0u8..2) {
            let text = |body| IsccId::current(body, realm).text();
            prop_assert_eq!(text_order(a).cmp(&text_order(b)), text(a).cmp(&text(b)));
            prop_assert_eq!(IsccId::parse(&text(a)), Ok(IsccId::current(a, realm)));
        }
    }

    #[test]
    fn errors_are_worded_as_known() {
        let error = |text: &str| IsccId::parse(text).unwrap_err();
        assert_eq!(error("foo"), "Invalid ISCC-ID format: 'foo' (must start with 'ISCC:')");
        assert_eq!(error("ISCC:AAAZUZUSBBBCTDWB"), "Invalid ISCC-ID main type: 0 (expected 6)");
        assert!(error("ISCC:7777777777777777").starts_with("Invalid prefix pattern '1111'"));
        assert!(IsccId::parse("ISCC:MAACAJINXFXA2SQX").is_ok_and(|id| id.version == 0));
    }
}
