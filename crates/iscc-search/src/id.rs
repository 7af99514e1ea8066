//! ISCC-IDs as clients send them: read with the error texts of the reference service, of version 1 or 0.

use iscc_codec::{Header, MainType};

use crate::code::{self, SCHEME};

/// Size of an ISCC-ID in bytes: two of header, eight of body.
const ID_BYTES: usize = 10;
/// MainType of an ISCC-ID.
const ID: u8 = MainType::Id as u8;
/// Current version of ISCC-IDs.
const VERSION: u8 = 1;

/// An ISCC-ID. Unlike `iscc_codec::IsccId`, it may have version 0, which older clients still send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsccId {
    /// Microseconds since 1970 (52 bits), then the hub's number (12 bits).
    pub body: u64,
    /// 0 (test) or 1 (live).
    pub realm: u8,
    /// Version of the header, 0 or 1.
    pub version: u8,
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
        let (realm, version) = (kind.sub(), kind.version() as u8);
        Ok(Self { body: u64::from_be_bytes(body), realm, version })
    }

    /// An ID of the current version.
    pub fn current(body: u64, realm: u8) -> Self {
        Self { body, realm, version: VERSION }
    }

    /// `ISCC:` and 16 characters.
    pub fn text(&self) -> String {
        let [main, sub, version] = [ID, self.realm, self.version].map(u16::from);
        let header = Header { main, sub, version, length: 0 }.encode();
        let (header, count) = header.expect("a byte has an encoding");
        code::encode(&[&header[..count], &self.body.to_be_bytes()].concat())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parsing_reverses_text(body in any::<u64>(), realm in 0u8..2, version in 0u8..2) {
            let id = IsccId { body, realm, version };
            prop_assert_eq!(IsccId::parse(&id.text()), Ok(id));
            let current = iscc_codec::IsccId::from_body(realm, body).unwrap();
            prop_assert_eq!(IsccId::current(body, realm).text(), current.to_string());
        }
    }

    #[test]
    fn errors_have_the_texts_of_the_reference_service() {
        let error = |text: &str| IsccId::parse(text).unwrap_err();
        assert_eq!(error("foo"), "Invalid ISCC-ID format: 'foo' (must start with 'ISCC:')");
        assert_eq!(error("ISCC:AAAZUZUSBBBCTDWB"), "Invalid ISCC-ID main type: 0 (expected 6)");
        assert!(error("ISCC:7777777777777777").starts_with("Invalid prefix pattern '1111'"));
        assert!(IsccId::parse("ISCC:MAACAJINXFXA2SQX").is_ok_and(|id| id.version == 0));
    }
}
