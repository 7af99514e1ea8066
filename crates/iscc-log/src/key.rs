//! Ed25519 public keys as hub lists and did:web documents write them.

use data_encoding::BASE64;
use iscc_codec::base::base58;
use sha2::{Digest, Sha256};

/// Multicodec prefix of an Ed25519 public key.
const ED25519_PREFIX: [u8; 2] = [0xed, 0x01];
/// Signature type of signed notes: Ed25519.
const NOTE_ED25519: u8 = 0x01;
/// Base58 of a signature, 64 bytes, has at most 88 digits; far longer text is not decoded.
const MULTIBASE_CHARS_MAX: usize = 128;

/// A public key: 32 bytes, not yet checked to be a point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublicKey(pub [u8; 32]);

impl PublicKey {
    /// Parses `z` + base58btc(`ed 01` + 32 bytes). `None` for any other text.
    pub fn from_multibase(text: &str) -> Option<Self> {
        let bytes = multibase(text)?;
        bytes.strip_prefix(&ED25519_PREFIX)?.try_into().ok().map(Self)
    }

    /// The text that [`Self::from_multibase`] parses.
    pub fn multibase(&self) -> String {
        let bytes = [&ED25519_PREFIX[..], &self.0].concat();
        format!("z{}", base58::encode(&bytes))
    }

    /// Key id of signed notes: the first 4 bytes of SHA-256(`name` ‖ `0a` ‖ `01` ‖ key).
    pub fn id(&self, name: &str) -> [u8; 4] {
        let hash = Sha256::new()
            .chain_update(name)
            .chain_update([b'\n', NOTE_ED25519])
            .chain_update(self.0)
            .finalize();
        [hash[0], hash[1], hash[2], hash[3]]
    }

    /// Verifier key as command line tools accept it: `name+hex(key id)+base64(01 ‖ key)`.
    pub fn verifier(&self, name: &str) -> String {
        let [a, b, c, d] = self.id(name);
        let key = [&[NOTE_ED25519][..], &self.0].concat();
        format!("{name}+{a:02x}{b:02x}{c:02x}{d:02x}+{}", BASE64.encode(&key))
    }
}

/// Bytes of a base58btc multibase text; `None` if it is not one or is too long for a key or signature.
pub(crate) fn multibase(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix('z').filter(|digits| digits.len() <= MULTIBASE_CHARS_MAX)?;
    base58::decode(digits.as_bytes()).ok()
}
