//! Encrypted streams of binary documents ([MS-OFFCRYPTO] 2.3.5 to 2.3.7): RC4 and XOR obfuscation.

use rc4::{KeyInit, Rc4, StreamCipher};

use super::{Hash, PASSWORD};
use crate::document::ole::{slice, u16_at, u32_at};

/// Keys of RC4 encryption. Each block of a stream has its own.
pub struct Keys {
    hash: Hash,
    base: Vec<u8>,
    /// Bytes of a block's hash that are its key, and bytes of the key.
    used: usize,
    length: usize,
}

impl Keys {
    /// Reads an encryption header; `None` if the default password is wrong, or for another encryption.
    pub fn read(header: &[u8]) -> Option<Self> {
        match (u16_at(header, 0)?, u16_at(header, 2)?) {
            (1, 1) => Self::rc4(header.get(4..)?),
            (2..=4, 2) => Self::crypto_api(header.get(4..)?),
            _ => None,
        }
    }

    /// RC4 with 40 bits (2.3.6.2).
    fn rc4(header: &[u8]) -> Option<Self> {
        const BITS_40: usize = 5;
        const REPETITIONS: usize = 16;
        let salt = slice(header, 0, 16)?;
        let password = Hash::Md5.of(&super::password(), &[]);
        let salted = [&password[..BITS_40], salt].concat().repeat(REPETITIONS);
        let base = Hash::Md5.of(&salted, &[])[..BITS_40].to_vec();
        let keys = Self { hash: Hash::Md5, base, used: 16, length: 16 };
        keys.verified(slice(header, 16, 16)?, slice(header, 32, 16)?)
    }

    /// RC4 of the CryptoAPI (2.3.5.2).
    fn crypto_api(header: &[u8]) -> Option<Self> {
        const RC4: u32 = 0x6801;
        const BITS_40: u32 = 40;
        let length = u32_at(header, 4)? as usize;
        let (algorithm, bits) = (u32_at(header, 16)?, u32_at(header, 24)?);
        let bits = if bits == 0 { BITS_40 } else { bits };
        let verifier = header.get(length.checked_add(8)?..)?;
        let base = Hash::Sha1.of(slice(verifier, 4, 16)?, &super::password());
        let used = (bits / 8) as usize;
        // Keys of 40 bits are filled up with zeros.
        let length = if bits == BITS_40 { 16 } else { used };
        if algorithm != RC4 || used > base.len() {
            return None;
        }
        let keys = Self { hash: Hash::Sha1, base, used, length };
        keys.verified(slice(verifier, 20, 16)?, slice(verifier, 40, 20)?)
    }

    fn verified(self, verifier: &[u8], hash: &[u8]) -> Option<Self> {
        let mut both = [verifier, hash].concat();
        self.cipher(0)?.apply_keystream(&mut both);
        let (verifier, hash) = both.split_at(verifier.len());
        (self.hash.of(verifier, &[]) == hash).then_some(self)
    }

    /// The cipher of a block.
    pub fn cipher(&self, block: u32) -> Option<Rc4> {
        let mut key = self.hash.of(&self.base, &block.to_le_bytes());
        key.truncate(self.used);
        key.resize(self.length, 0);
        Rc4::new_from_slice(&key).ok()
    }

    /// Decrypts a stream whose key changes after each `block_bytes`.
    pub fn decrypt(&self, stream: &mut [u8], block_bytes: usize) -> Option<()> {
        stream.chunks_mut(block_bytes).zip(0_u32..).try_for_each(|(block, number)| {
            self.cipher(number)?.apply_keystream(block);
            Some(())
        })
    }
}

/// XOR obfuscation of workbooks (2.3.7.2).
pub struct Obfuscation {
    bytes: [u8; 16],
}

impl Obfuscation {
    /// The obfuscation with a key; `None` if the verifier is not that of the default password.
    pub fn new(key: u16, verifier: u16) -> Option<Self> {
        const VERIFIER: u16 = 0xCE4B;
        const PADDING: u8 = 0xBB;
        let rotated = |value: u16| (value >> 14 & 1) | (value << 1 & 0x7FFF);
        let own = PASSWORD.bytes().rev().fold(0, |value, byte| rotated(value) ^ u16::from(byte));
        if rotated(own) ^ PASSWORD.len() as u16 ^ VERIFIER != verifier {
            return None;
        }
        let mut bytes = [PADDING; 16];
        bytes[..PASSWORD.len()].copy_from_slice(PASSWORD.as_bytes());
        let key = key.to_le_bytes();
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = (*byte ^ key[index & 1]).rotate_left(2);
        }
        Some(Self { bytes })
    }

    /// Decrypts a part of a record's data. `first` is the place of the first byte plus the length of all data of
    /// the record.
    pub fn decrypt(&self, data: &mut [u8], first: usize) {
        for (index, byte) in data.iter_mut().enumerate() {
            *byte = byte.rotate_left(3) ^ self.bytes[(first + index) % self.bytes.len()];
        }
    }
}
