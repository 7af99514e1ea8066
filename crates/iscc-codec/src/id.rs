//! ISCC-ID: an identifier issued by a hub (version 1) or derived on a chain (version 0).

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::kind::Kind;
use crate::parse;
use crate::tables::{MainType, Version};
use crate::unit::Unit;
use crate::{CodeText, Error};

/// Timestamps have 52 bits of microseconds since 1970: enough until the year 2112.
const TIMESTAMP_US_LIMIT: u64 = 1 << 52;
/// Hub ids have 12 bits.
const HUB_LIMIT: u16 = 1 << 12;
const REALM_LIMIT: u8 = 2;

/// ISCC-ID of version 1: a timestamp and the hub that issued it. It does not measure similarity;
/// compare for equality.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IsccId {
    realm: u8,
    /// Timestamp in the upper 52 bits, hub in the lower 12.
    body: u64,
}

impl IsccId {
    /// An ID with a timestamp in microseconds since 1970 (below 2^52), issued by `hub` (below 4096)
    /// in realm 0 (test) or 1 (live).
    pub fn new(realm: u8, timestamp_us: u64, hub: u16) -> Result<Self, Error> {
        check("realm", realm.into(), REALM_LIMIT.into())?;
        check("timestamp", timestamp_us, TIMESTAMP_US_LIMIT)?;
        check("hub id", hub.into(), HUB_LIMIT.into())?;
        Ok(Self { realm, body: timestamp_us << 12 | u64::from(hub) })
    }

    /// An ID from its realm (0 or 1) and its body as a number, as search indexes store it.
    pub fn from_body(realm: u8, body: u64) -> Result<Self, Error> {
        check("realm", realm.into(), REALM_LIMIT.into())?;
        Ok(Self { realm, body })
    }

    /// 0 (test) or 1 (live).
    pub fn realm(self) -> u8 {
        self.realm
    }

    /// Microseconds since 1970.
    pub fn timestamp_us(self) -> u64 {
        self.body >> 12
    }

    /// Number of the hub that issued the ID.
    pub fn hub(self) -> u16 {
        (self.body & 0xFFF) as u16
    }

    /// The 64 bits of the body as a number. Within a realm, IDs sort by it and by time alike.
    pub fn body(self) -> u64 {
        self.body
    }

    /// Canonical text, without allocation.
    pub fn text(self) -> CodeText {
        Unit::from(self).text()
    }

    /// A number by which IDs of one realm sort as their texts do. This differs from the order of the bodies: base32
    /// digits, which stand for 26 to 31, sort before letters.
    pub fn text_order(body: u64) -> u128 {
        // Sixteen characters of five bits encode two header bytes and the body. The header is the same for all IDs, and
        // its last bit is in the fourth character.
        (3..16).fold(0, |order, index| {
            let value = u128::from(body >> ((15 - index) * 5) & 31);
            order << 5 | ((value + 6) % 32)
        })
    }
}

fn check(field: &'static str, value: u64, limit: u64) -> Result<(), Error> {
    if value < limit { Ok(()) } else { Err(Error::OutOfRange { field, limit }) }
}

impl From<IsccId> for Unit {
    fn from(id: IsccId) -> Self {
        Self::filled(Kind::realm(id.realm), &id.body.to_be_bytes())
    }
}

impl TryFrom<&Unit> for IsccId {
    type Error = Error;

    fn try_from(unit: &Unit) -> Result<Self, Error> {
        match (unit.kind().main(), unit.kind().version(), unit.body().as_array()) {
            (MainType::Id, Version::V1, Some(body)) => {
                Ok(Self { realm: unit.kind().sub(), body: u64::from_be_bytes(*body) })
            }
            _ => Err(Error::NotAnId(1)),
        }
    }
}

/// Reads also the form of some hubs, whose header has length field 1. As a [`Unit`] it is invalid,
/// because the standard has one text for each ISCC-ID, with length field 0.
impl FromStr for IsccId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        const HUB_VERSION_LENGTH: u8 = 0x11;
        const VERSION_LENGTH: u8 = 0x10;
        let mut bytes = match parse::tidy(text) {
            Some(padded) => padded.as_slice().to_vec(),
            None => parse::untidy(text)?,
        };
        if let [first, second @ HUB_VERSION_LENGTH, ..] = &mut bytes[..]
            && *first >> 4 == MainType::Id as u8
        {
            *second = VERSION_LENGTH;
        }
        Self::try_from(&Unit::from_bytes(&bytes)?)
    }
}

impl Display for IsccId {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Display::fmt(&self.text(), out)
    }
}

/// ISCC-ID of version 0, no longer issued: a similarity hash of a code's units, combined with a
/// wallet address, and a counter that distinguishes equal hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LegacyIsccId {
    /// Number of the chain: 0 private, 1 Bitcoin, 2 Ethereum, 3 Polygon.
    pub chain: u8,
    /// The 64 bits of the hash.
    pub hash: [u8; 8],
    /// The counter; `None` for the first ID with this hash.
    pub counter: Option<u32>,
}

impl TryFrom<&Unit> for LegacyIsccId {
    type Error = Error;

    fn try_from(unit: &Unit) -> Result<Self, Error> {
        let kind = unit.kind();
        match (kind.main(), kind.version(), unit.body().split_first_chunk()) {
            (MainType::Id, Version::V0, Some((hash, counter))) => {
                Ok(Self { chain: kind.sub(), hash: *hash, counter: leb128(counter)? })
            }
            _ => Err(Error::NotAnId(0)),
        }
    }
}

/// Decodes all of `bytes` as one LEB128 number (seven bits per byte, least significant first).
/// `None` if `bytes` is empty. At most four bytes, so 28 bits.
fn leb128(bytes: &[u8]) -> Result<Option<u32>, Error> {
    let Some((last, others)) = bytes.split_last() else { return Ok(None) };
    let continues = |byte: &u8| byte & 0x80 != 0;
    if continues(last) || !others.iter().all(continues) || bytes.len() > 4 {
        return Err(Error::Counter);
    }
    Ok(Some(bytes.iter().rev().fold(0, |number, byte| number << 7 | u32::from(byte & 0x7F))))
}
