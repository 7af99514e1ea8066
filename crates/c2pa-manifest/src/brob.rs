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
