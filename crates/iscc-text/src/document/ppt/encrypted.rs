//! Presentations that are encrypted with the default password ([MS-PPT] 2.3.7).

use std::collections::{BTreeMap, BTreeSet};

use rc4::StreamCipher;

use super::{ENCRYPTED, HEADER_TOKEN, Record, kind, persisted};
use crate::document::DocumentError;
use crate::document::encryption::binary::Keys;
use crate::document::ole::{u16_at, u32_at};

/// Bytes of a record's header.
const HEADER: usize = 8;

/// The keys of a presentation; `None` if it is not encrypted.
///
/// # Errors
/// [`DocumentError::Encrypted`] if it has another password
pub fn keys(stream: &[u8], user: &[u8]) -> Result<Option<Keys>, DocumentError> {
    if u32_at(user, HEADER_TOKEN) != Some(ENCRYPTED) {
        return Ok(None);
    }
    let places = persisted(stream, user).unwrap_or_default();
    let records = places.values().filter_map(|at| Record::at(stream, *at));
    let session = records.into_iter().find(|record| record.kind == kind::CRYPT_SESSION);
    let keys = session.and_then(|record| Keys::read(record.data));
    keys.map(Some).ok_or(DocumentError::Encrypted)
}

/// Decrypts the persistent objects, each of which has its number as the number of its block. The directory of objects and
/// the saved versions are not encrypted.
pub fn decrypt(keys: &Keys, stream: &mut [u8], places: &BTreeMap<u32, usize>) -> Option<()> {
    // Damaged directories let objects overlap.
    let mut bytes_left = stream.len();
    let mut decrypted = BTreeSet::new();
    for (number, at) in places {
        let is_session = Record::at(stream, *at).is_some_and(|it| it.kind == kind::CRYPT_SESSION);
        if is_session || !decrypted.insert(*at) {
            continue;
        }
        let mut cipher = keys.cipher(*number)?;
        let Some(header) = stream.get_mut(*at..).and_then(|it| it.get_mut(..HEADER)) else {
            continue;
        };
        cipher.apply_keystream(header);
        let length = u32_at(header, 4)? as usize;
        let rest = &mut stream[*at + HEADER..];
        let length = length.min(rest.len());
        bytes_left = bytes_left.checked_sub(length)?;
        cipher.apply_keystream(&mut rest[..length]);
    }
    Some(())
}

/// Decrypts a series of pictures. Each of their parts is encrypted from the start of the first block.
pub fn decrypt_pictures(keys: &Keys, pictures: &mut [u8]) -> Option<()> {
    const METAFILES: std::ops::RangeInclusive<u16> = 0xF01A..=0xF01C;
    const ID_BYTES: usize = 16;
    const INFO_BYTES: usize = 34;
    const TAG_BYTES: usize = 1;
    /// Instances with two identifiers ([MS-ODRAW] 2.2.23).
    const WITH_TWO_IDS: [u16; 7] = [0x217, 0x3D5, 0x543, 0x46B, 0x6E3, 0x6E1, 0x6E5];
    let mut rest = pictures;
    while rest.len() > HEADER {
        let (header, data) = std::mem::take(&mut rest).split_at_mut(HEADER);
        keys.cipher(0)?.apply_keystream(header);
        let (instance, kind) = (u16_at(header, 0)? >> 4, u16_at(header, 2)?);
        let length = (u32_at(header, 4)? as usize).min(data.len());
        let (mut picture, next) = data.split_at_mut(length);
        let ids = if WITH_TWO_IDS.contains(&instance) { 2 } else { 1 };
        let info = if METAFILES.contains(&kind) { INFO_BYTES } else { TAG_BYTES };
        for bytes in std::iter::repeat_n(ID_BYTES, ids).chain([info]) {
            let (part, others) = picture.split_at_mut(bytes.min(picture.len()));
            keys.cipher(0)?.apply_keystream(part);
            picture = others;
        }
        keys.cipher(0)?.apply_keystream(picture);
        rest = next;
    }
    Some(())
}
