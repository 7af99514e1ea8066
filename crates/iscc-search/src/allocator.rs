//! Returns free heap memory to the operating system.

/// Returns the allocator's free memory to the operating system.
///
/// Reading large batches leaves free blocks between rows that stay allocated. glibc keeps these blocks and raises its
/// mmap threshold, so that after an import a service would hold about twice the memory of its index. The call takes a
/// few milliseconds and may block other threads that allocate: use it when the engine is idle.
pub fn release_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` has no preconditions and touches only memory that is free.
    unsafe {
        libc::malloc_trim(0);
    }
}
