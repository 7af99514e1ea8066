//! Multiformat: a multibase letter, then multicodec `0xCC01`, header and body in that base.

use crate::Error;
use crate::base::base32::{BASE32, BASE32HEX};
use crate::base::{base16, base58, base64url};

/// The multicodec of ISCC as two raw bytes. The reference does not write it as a varint.
const MULTICODEC: [u8; 2] = [0xCC, 0x01];

/// The bases of multiformat codes. Bases that ignore case are written in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multibase {
    /// Letter `f`.
    Base16,
    /// Letter `b`.
    Base32,
    /// Letter `v`.
    Base32Hex,
    /// Letter `z`, Bitcoin's alphabet.
    Base58,
    /// Letter `u`, no `=`.
    Base64Url,
}

impl Multibase {
    /// All five.
    pub const ALL: [Self; 5] =
        [Self::Base16, Self::Base32, Self::Base32Hex, Self::Base58, Self::Base64Url];

    /// The letter that identifies the base. Case-sensitive: `B` does not start a multiformat code.
    pub fn letter(self) -> char {
        match self {
            Self::Base16 => 'f',
            Self::Base32 => 'b',
            Self::Base32Hex => 'v',
            Self::Base58 => 'z',
            Self::Base64Url => 'u',
        }
    }
}

/// Whether a code that starts with this byte is in multiformat.
#[inline]
pub(crate) fn is_letter(byte: u8) -> bool {
    matches!(byte, b'f' | b'b' | b'v' | b'z' | b'u')
}

/// Header and body as multiformat text.
pub fn encode(bytes: &[u8], base: Multibase) -> String {
    let bytes = [&MULTICODEC[..], bytes].concat();
    let digits = match base {
        Multibase::Base16 => base16::encode(&bytes),
        Multibase::Base32 => BASE32.encode(&bytes).to_ascii_lowercase(),
        Multibase::Base32Hex => BASE32HEX.encode(&bytes).to_ascii_lowercase(),
        Multibase::Base58 => base58::encode(&bytes),
        Multibase::Base64Url => base64url::encode(&bytes),
    };
    format!("{}{digits}", base.letter())
}

/// Header and body from multiformat text.
pub fn decode(text: &str) -> Result<Vec<u8>, Error> {
    let base = Multibase::ALL.into_iter().find(|base| text.starts_with(base.letter()));
    let base = base.ok_or(Error::Multicodec)?;
    let digits = &text.as_bytes()[1..];
    let bytes = match base {
        Multibase::Base16 => base16::decode(digits),
        Multibase::Base32 => BASE32.decode(digits),
        Multibase::Base32Hex => BASE32HEX.decode(digits),
        Multibase::Base58 => base58::decode(digits),
        Multibase::Base64Url => base64url::decode(digits),
    }?;
    bytes.strip_prefix(&MULTICODEC).map(<[u8]>::to_vec).ok_or(Error::Multicodec)
}
