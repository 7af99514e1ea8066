//! Encrypted Office Open XML packages ([MS-OFFCRYPTO] 2.3.4): standard and agile encryption.

use aes::cipher::block_padding::NoPadding;
use aes::cipher::{BlockModeDecrypt, KeyIvInit};
use aes::{Aes128, Aes192, Aes256};
use base64::Engine;

use super::Hash;
use crate::document::DocumentError;
use crate::document::ole::{Ole, slice, u16_at, u32_at};
use iscc_media::xml::{self, Attributes, Token};

/// Bytes before the encrypted package: its length.
const LENGTH_BYTES: usize = 8;

/// Bytes of the package that are encrypted together.
const SEGMENT_BYTES: usize = 4096;

/// Bytes of a block of AES.
const BLOCK_BYTES: usize = 16;

/// The package in a compound file.
///
/// # Errors
/// [`DocumentError::Encrypted`] if it has another password, or is encrypted in another way.
pub fn decrypted(ole: &mut Ole<'_>) -> Result<Vec<u8>, DocumentError> {
    let info = ole.stream("/EncryptionInfo")?;
    let stream = ole.stream("/EncryptedPackage")?;
    package(&info, &stream).ok_or(DocumentError::Encrypted)
}

fn package(info: &[u8], stream: &[u8]) -> Option<Vec<u8>> {
    const AGILE: (u16, u16) = (4, 4);
    const STANDARD_MINOR: u16 = 2;
    let length = usize::try_from(u64::from_le_bytes(slice(stream, 0, 8)?.try_into().ok()?)).ok()?;
    // Programs may leave out the padding of the last block.
    let mut content = stream[LENGTH_BYTES..].to_vec();
    content.truncate(length.next_multiple_of(BLOCK_BYTES));
    content.resize(content.len().next_multiple_of(BLOCK_BYTES), 0);
    match (u16_at(info, 0)?, u16_at(info, 2)?) {
        AGILE => Agile::read(info.get(8..)?)?.decrypt(&mut content)?,
        (2..=4, STANDARD_MINOR) => {
            let key = standard_key(info)?;
            content.chunks_exact_mut(BLOCK_BYTES).try_for_each(|block| ecb(&key, block))?;
        }
        _ => return None,
    }
    content.truncate(length);
    Some(content)
}

/// Decrypts whole blocks with AES in the mode CBC.
fn cbc(key: &[u8], vector: &[u8], data: &mut [u8]) -> Option<()> {
    match key.len() {
        16 => decrypt(cbc::Decryptor::<Aes128>::new_from_slices(key, vector).ok()?, data),
        24 => decrypt(cbc::Decryptor::<Aes192>::new_from_slices(key, vector).ok()?, data),
        32 => decrypt(cbc::Decryptor::<Aes256>::new_from_slices(key, vector).ok()?, data),
        _ => None,
    }
}

fn decrypt(mode: impl BlockModeDecrypt, data: &mut [u8]) -> Option<()> {
    mode.decrypt_padded::<NoPadding>(data).ok().map(|_| ())
}

/// Decrypts a block in the mode ECB, which is CBC of single blocks.
fn ecb(key: &[u8], block: &mut [u8]) -> Option<()> {
    cbc(key, &[0; BLOCK_BYTES], block)
}

/// The key of standard encryption (2.3.4.7), if the default password is right.
fn standard_key(info: &[u8]) -> Option<Vec<u8>> {
    const HEADER: usize = 12;
    const KEY_BITS: usize = HEADER + 16;
    const ROUNDS: u32 = 50_000;
    const HASH_BYTES: usize = 20;
    let key_bytes = u32_at(info, KEY_BITS)? as usize / 8;
    let verifier = info.get(HEADER.checked_add(u32_at(info, 8)? as usize)?..)?;
    let salt = slice(verifier, 4, 16)?;
    let hash = Hash::Sha1.of(&Hash::Sha1.of_password(salt, ROUNDS), &[0; 4]);
    let derived = [0x36, 0x5C].map(|filler: u8| {
        let mut mask = [filler; 64];
        mask.iter_mut().zip(&hash).for_each(|(mask, byte)| *mask ^= byte);
        Hash::Sha1.of(&mask, &[])
    });
    let key = derived.concat().get(..key_bytes)?.to_vec();
    let mut input = slice(verifier, 20, BLOCK_BYTES)?.to_vec();
    let mut expected = slice(verifier, 40, 2 * BLOCK_BYTES)?.to_vec();
    ecb(&key, &mut input)?;
    expected.chunks_exact_mut(BLOCK_BYTES).try_for_each(|block| ecb(&key, block))?;
    (Hash::Sha1.of(&input, &[]) == expected[..HASH_BYTES]).then_some(key)
}

/// Parameters of agile encryption (2.3.4.10).
struct Agile {
    data: Cipher,
    password: Cipher,
    rounds: u32,
    verifier: Vec<u8>,
    verifier_hash: Vec<u8>,
    key: Vec<u8>,
}

/// How a part is encrypted.
struct Cipher {
    salt: Vec<u8>,
    hash: Hash,
    key_bytes: usize,
}

impl Cipher {
    fn read(attributes: &Attributes<'_>) -> Option<Self> {
        let is_aes = attributes.get("cipherAlgorithm").is_some_and(|it| it == "AES");
        let is_cbc = attributes.get("cipherChaining").is_some_and(|it| it == "ChainingModeCBC");
        let key_bytes = attributes.get("keyBits")?.parse::<usize>().ok()? / 8;
        let hash = Hash::named(&attributes.get("hashAlgorithm")?)?;
        (is_aes && is_cbc).then_some(Self {
            salt: bytes(attributes, "saltValue")?,
            hash,
            key_bytes,
        })
    }
}

/// A hash with the length that a key or a vector needs.
fn fitted(mut hash: Vec<u8>, length: usize) -> Vec<u8> {
    const FILLER: u8 = 0x36;
    hash.resize(length, FILLER);
    hash
}

fn bytes(attributes: &Attributes<'_>, name: &str) -> Option<Vec<u8>> {
    base64::engine::general_purpose::STANDARD.decode(attributes.get(name)?.trim()).ok()
}

impl Agile {
    fn read(description: &[u8]) -> Option<Self> {
        /// More than programs write, and less than a second of work.
        const ROUNDS_MAX: u32 = 1_000_000;
        let (mut data, mut agile) = (None, None);
        xml::for_each_token("EncryptionInfo", description, |token| {
            let Token::Open { name, attributes } = token else { return };
            let mut key = || {
                Some(Self {
                    data: data.take()?,
                    password: Cipher::read(&attributes)?,
                    rounds: attributes.get("spinCount")?.parse().ok()?,
                    verifier: bytes(&attributes, "encryptedVerifierHashInput")?,
                    verifier_hash: bytes(&attributes, "encryptedVerifierHashValue")?,
                    key: bytes(&attributes, "encryptedKeyValue")?,
                })
            };
            match xml::local(name) {
                "encryptedKey" if agile.is_none() => agile = key(),
                "keyData" => data = Cipher::read(&attributes),
                _ => {}
            }
        })
        .ok()?;
        agile.filter(|agile| agile.rounds <= ROUNDS_MAX)
    }

    /// Decrypts the package, if the default password is right.
    fn decrypt(&self, content: &mut [u8]) -> Option<()> {
        const VERIFIER: [u8; 8] = [0xFE, 0xA7, 0xD2, 0x76, 0x3B, 0x4B, 0x9E, 0x79];
        const VERIFIER_HASH: [u8; 8] = [0xD7, 0xAA, 0x0F, 0x6D, 0x30, 0x61, 0x34, 0x4E];
        const KEY: [u8; 8] = [0x14, 0x6E, 0x0B, 0xE7, 0xAB, 0xAC, 0xD0, 0xD6];
        let Cipher { salt, hash, key_bytes } = &self.password;
        let derived = hash.of_password(salt, self.rounds);
        let opened = |purpose: [u8; 8], value: &[u8]| {
            let mut value = value.to_vec();
            let key = fitted(hash.of(&derived, &purpose), *key_bytes);
            cbc(&key, &fitted(salt.clone(), BLOCK_BYTES), &mut value)?;
            Some(value)
        };
        let verifier = opened(VERIFIER, &self.verifier)?;
        let expected = hash.of(verifier.get(..salt.len().min(verifier.len()))?, &[]);
        if !opened(VERIFIER_HASH, &self.verifier_hash)?.starts_with(&expected) {
            return None;
        }
        let key = opened(KEY, &self.key)?;
        let key = key.get(..self.data.key_bytes)?;
        content.chunks_mut(SEGMENT_BYTES).zip(0_u32..).try_for_each(|(segment, number)| {
            let vector = self.data.hash.of(&self.data.salt, &number.to_le_bytes());
            cbc(key, &fitted(vector, BLOCK_BYTES), segment)
        })
    }
}
