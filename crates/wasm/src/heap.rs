//! The heap of libjpeg-turbo. The C library's own takes all memory above its data, which Rust has taken as well.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr;

/// Before each block: its size. As large as the strictest alignment of C.
const HEADER_BYTES: usize = 16;

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER_BYTES)?, HEADER_BYTES).ok()
}

/// A block of `size` bytes; null without memory.
#[unsafe(no_mangle)]
pub extern "C" fn isccd_malloc(size: usize) -> *mut u8 {
    let Some(layout) = layout(size) else { return ptr::null_mut() };
    // SAFETY: the size is not 0, because of the header.
    let start = unsafe { alloc(layout) };
    if start.is_null() {
        return start;
    }
    // SAFETY: the header is inside of the block, and aligned.
    unsafe {
        start.cast::<usize>().write(size);
        start.add(HEADER_BYTES)
    }
}

/// A block of zeros for `count` elements of `size` bytes; null without memory.
#[unsafe(no_mangle)]
pub extern "C" fn isccd_calloc(count: usize, size: usize) -> *mut u8 {
    let Some(bytes) = count.checked_mul(size) else { return ptr::null_mut() };
    let block = isccd_malloc(bytes);
    if !block.is_null() {
        // SAFETY: the block has this many bytes.
        unsafe { block.write_bytes(0, bytes) };
    }
    block
}

/// Frees a block, unless it is null.
///
/// # Safety
/// The block comes from [`isccd_malloc`] and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn isccd_free(block: *mut u8) {
    if block.is_null() {
        return;
    }
    // SAFETY: the caller's promise: before the block is its header, with the size that was reserved.
    unsafe {
        let start = block.sub(HEADER_BYTES);
        let size = start.cast::<usize>().read();
        if let Some(layout) = layout(size) {
            dealloc(start, layout);
        }
    }
}
