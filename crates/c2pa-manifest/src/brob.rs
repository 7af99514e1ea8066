//! Compressed manifests: Brotli with a limit on the unpacked size.

use std::io::Read;

use crate::Refusal;

/// Maximum unpacked size of all compressed manifests of a store together.
pub const UNPACKED_BYTES_MAX: usize = 8 << 20;

/// Unpacks `packed` to at most `budget` bytes and subtracts its size from `budget`.
pub fn unpack(packed: &[u8], budget: &mut usize) -> Result<Vec<u8>, Refusal> {
    const BUFFER_BYTES: usize = 64 << 10;
    let mut unpacked = Vec::new();
    let reader = brotli_decompressor::Decompressor::new(packed, BUFFER_BYTES);
    // Reading one byte more than allowed detects that the limit is exceeded.
    let read = reader.take(*budget as u64 + 1).read_to_end(&mut unpacked);
    if read.is_err() {
        return Err(Refusal::unreadable("a compressed manifest cannot be unpacked"));
    }
    *budget = budget
        .checked_sub(unpacked.len())
        .ok_or_else(|| Refusal::unreadable("compressed manifests unpack to more than 8 MiB"))?;
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1,000 zeros.
    const PACKED: [u8; 11] = *b"\x1b\xe7\x03\xf8\x27\x00\xa2\xb1\x40\x20\x34";

    #[test]
    fn the_budget_shrinks_by_what_is_unpacked() {
        let mut budget = 2500;
        assert_eq!(unpack(&PACKED, &mut budget).unwrap(), [0; 1000]);
        assert_eq!(unpack(&PACKED, &mut budget).unwrap().len(), 1000);
        assert_eq!(budget, 500);
        let text = unpack(&PACKED, &mut budget).unwrap_err().text;
        assert_eq!(text, "compressed manifests unpack to more than 8 MiB");
        assert_eq!(unpack(&PACKED, &mut 1000).unwrap().len(), 1000);
        assert!(unpack(&PACKED, &mut 999).is_err());
    }

    #[test]
    fn damage_is_an_error() {
        let text = unpack(&PACKED[..6], &mut 2000).unwrap_err().text;
        assert_eq!(text, "a compressed manifest cannot be unpacked");
    }
}
