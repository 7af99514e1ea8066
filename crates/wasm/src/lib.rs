//! The pure crates for browsers, Deno, Bun and workers: argument conversion only.
//!
//! Requests are JSON and bytes, results are JSON; errors are values. A panic is a trap, after which the page makes a new
//! instance. Design: docs/design/wasm.md.

mod codec;
mod error;
mod file;
#[cfg(all(feature = "jpeg", target_family = "wasm"))]
mod heap;
mod request;
mod sum;
mod units;

use error::Result;
use serde_json::{Value, json};

/// Bytes of a hasher's piece: BLAKE3 and the chunker process it in place.
pub const PIECE_BYTES: usize = 1 << 20;

/// A buffer of `length` bytes for the arguments of [`call`], which frees it.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    leak(vec![0; length])
}

/// Frees a result of `length` bytes.
///
/// # Safety
/// `start` and `length` are those of one result of this module, which is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(start: *mut u8, length: usize) {
    // SAFETY: the caller's promise.
    drop(unsafe { owned(start, length) });
}

/// Runs a request, which is JSON, on bytes. Returns the place of the result, which is JSON: its start in the lower 32 bits,
/// its length in the upper ones.
///
/// # Safety
/// Both buffers come from [`reserve`] with these lengths. They belong to this call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn call(
    request: *mut u8,
    request_length: usize,
    bytes: *mut u8,
    bytes_length: usize,
) -> u64 {
    // SAFETY: the caller's promise.
    let (request, bytes) = unsafe { (owned(request, request_length), owned(bytes, bytes_length)) };
    placed(request::run(&request, bytes))
}

/// A hasher without input, to be ended with [`hasher_finish`] or [`hasher_drop`].
#[unsafe(no_mangle)]
pub extern "C" fn hasher_new() -> *mut sum::Hasher {
    Box::into_raw(Box::new(sum::Hasher::new()))
}

/// Where a hasher reads its next piece from: [`PIECE_BYTES`] bytes.
///
/// # Safety
/// The hasher comes from [`hasher_new`] and was not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hasher_piece(hasher: *mut sum::Hasher) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe { (*hasher).piece.as_mut_ptr() }
}

/// Adds the first `length` bytes of the piece.
///
/// # Safety
/// As [`hasher_piece`]; `length` is at most [`PIECE_BYTES`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hasher_update(hasher: *mut sum::Hasher, length: usize) {
    // SAFETY: the caller's promise.
    unsafe { (*hasher).update(length) }
}

/// The result as in [`call`]: units of `bits`, and their ISCC-CODE, wide if `wide` is not 0. Ends the hasher.
///
/// # Safety
/// As [`hasher_piece`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hasher_finish(hasher: *mut sum::Hasher, bits: u32, wide: u32) -> u64 {
    // SAFETY: the caller's promise.
    placed(unsafe { Box::from_raw(hasher) }.finish(bits, wide != 0))
}

/// Ends the hasher.
///
/// # Safety
/// As [`hasher_piece`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hasher_drop(hasher: *mut sum::Hasher) {
    // SAFETY: the caller's promise.
    drop(unsafe { Box::from_raw(hasher) });
}

fn leak(bytes: Vec<u8>) -> *mut u8 {
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// # Safety
/// The bytes were leaked by [`leak`] with this length.
unsafe fn owned(start: *mut u8, length: usize) -> Box<[u8]> {
    // SAFETY: the caller's promise.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, length)) }
}

fn placed(result: Result<Value>) -> u64 {
    let json = match result {
        Ok(value) => json!({ "ok": value }),
        Err(failure) => json!({ "error": failure }),
    };
    let bytes = json.to_string().into_bytes();
    let length = bytes.len() as u64;
    leak(bytes) as u64 | length << 32
}
