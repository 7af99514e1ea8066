//! Canonical texts of ISCC-IDs, ISCC-CODEs and ISCC-UNITs, as log entries must write them.

use iscc_codec::base::base32::BASE32;
use iscc_codec::{Code, IsccCode, IsccId, MainType, Unit};

const PREFIX: &str = "ISCC:";
/// MainType ID in the upper nibble; version 1 and length nibble 0.
const ID_MAIN: u8 = 6;
const ID_SECOND_BYTE: u8 = 0x10;
const ID_BYTES: usize = 10;
/// Fields of 8 and more take more than one nibble; no hub issues such ids.
const NIBBLE_MAX: u8 = 7;

/// An ISCC-ID of any realm that one nibble can express.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogId {
    /// 0 test network, 1 main network; others are not in use.
    pub realm: u8,
    /// Microseconds since 1970 (52 bits), hub id (12 bits).
    pub body: u64,
}

impl LogId {
    /// The hub that issued the id.
    pub fn hub(self) -> u16 {
        (self.body & 0xFFF) as u16
    }

    /// Canonical text; `None` for realms above 1.
    pub fn text(self) -> Option<String> {
        IsccId::from_body(self.realm, self.body).ok().map(|id| id.text().to_string())
    }
}

/// Parses the canonical text of an ISCC-ID of version 1 with length nibble 0.
pub fn iscc_id(text: &str) -> Option<LogId> {
    let bytes = canonical_bytes(text)?;
    let [first, ID_SECOND_BYTE, body @ ..] = &*bytes else { return None };
    let realm = first & 0xF;
    if bytes.len() != ID_BYTES || first >> 4 != ID_MAIN || realm > NIBBLE_MAX {
        return None;
    }
    Some(LogId { realm, body: u64::from_be_bytes(body.try_into().ok()?) })
}

/// Parses the canonical text of an ISCC-CODE of version 0.
pub fn iscc_code(text: &str) -> Option<IsccCode> {
    match Code::from_bytes(&canonical_bytes(text)?).ok()? {
        Code::Composite(code) if *code.text() == *text => Some(code),
        _ => None,
    }
}

/// Parses the canonical text of an ISCC-UNIT of version 0 (Meta, Semantic, Content, Data or Instance).
pub fn iscc_unit(text: &str) -> Option<Unit> {
    const UNITS: [MainType; 5] =
        [MainType::Meta, MainType::Semantic, MainType::Content, MainType::Data, MainType::Instance];
    let unit = Unit::from_bytes(&canonical_bytes(text)?).ok()?;
    (UNITS.contains(&unit.kind().main()) && *unit.text() == *text).then_some(unit)
}

/// Bytes behind the prefix, if the text is the one way to write them.
fn canonical_bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix(PREFIX)?;
    let bytes = BASE32.decode(digits.as_bytes()).ok()?;
    (BASE32.encode(&bytes) == digits).then_some(bytes)
}
