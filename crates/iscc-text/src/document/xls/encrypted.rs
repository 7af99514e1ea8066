//! Workbooks that are encrypted with the default password ([MS-XLS] 2.2.10): headers and some data of records are plain.

use super::kind;
use crate::document::DocumentError;
use crate::document::encryption::binary::{Keys, Obfuscation};
use crate::document::ole::{u16_at, u32_at};

/// Bytes with one key.
const BLOCK_BYTES: usize = 1024;

/// The kind of the record that took the place of the encryption's header: a reserved one.
const REPLACED: u16 = 0xFFFF;

/// The stream of a workbook without encryption.
///
/// # Errors
/// [`DocumentError::Encrypted`] if it has another password.
pub fn opened(stream: Vec<u8>) -> Result<Vec<u8>, DocumentError> {
    let header = {
        let mut places = records(&stream).map(|(start, ..)| start - 4);
        places.find(|at| u16_at(&stream, *at) == Some(kind::FILE_PASS))
    };
    match header {
        Some(at) => decrypted(&stream, at).ok_or(DocumentError::Encrypted),
        None => Ok(stream),
    }
}

/// `at` is the place of the record with the encryption's header.
fn decrypted(stream: &[u8], at: usize) -> Option<Vec<u8>> {
    const XOR: u16 = 0;
    let data = stream.get(at + 4..)?;
    let mut plain = stream.to_vec();
    if u16_at(data, 0)? == XOR {
        let obfuscation = Obfuscation::new(u16_at(data, 2)?, u16_at(data, 4)?)?;
        for (start, end, plain_bytes) in records(stream) {
            let from = (start + plain_bytes).min(end);
            obfuscation.decrypt(&mut plain[from..end], from + (end - start));
        }
    } else {
        Keys::read(&data[2..])?.decrypt(&mut plain, BLOCK_BYTES)?;
        for (start, end, plain_bytes) in records(stream) {
            let from = (start + plain_bytes).min(end);
            plain[start - 4..from].copy_from_slice(&stream[start - 4..from]);
        }
    }
    plain[at..at + 2].copy_from_slice(&REPLACED.to_le_bytes());
    Some(plain)
}

/// Start and end of the data of all records, and how many of its first bytes are not encrypted.
fn records(stream: &[u8]) -> impl Iterator<Item = (usize, usize, usize)> {
    /// Not encrypted: BOF, FilePass, UsrExcl, FileLock, InterfaceHdr, RRDInfo and RRDHead.
    const PLAIN: [u16; 7] = [kind::BOF, kind::FILE_PASS, 0x0194, 0x0195, 0x00E1, 0x0196, 0x0138];
    let mut at = 0;
    std::iter::from_fn(move || {
        let header = u32_at(stream, at)?;
        let (kind, length) = (header as u16, (header >> 16) as usize);
        let start = at + 4;
        at = (start + length).min(stream.len());
        let plain = match kind {
            kind if PLAIN.contains(&kind) => at - start,
            // Place of the sheet.
            kind::BOUND_SHEET => 4,
            _ => 0,
        };
        Some((start, at, plain))
    })
}
