//! Memory that the allocator keeps for later, given back to the system.

/// Gives back what the allocator holds and nobody uses.
///
/// Reading large batches leaves holes between the rows that stay. glibc keeps them, and raises the
/// size from which on it maps memory apart; a service that has taken in a collection would hold
/// about twice of what its index needs until it ends. Takes some milliseconds, during which other
/// threads may wait for memory: for a quiet moment.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` has no preconditions and touches only memory that is free.
    unsafe {
        libc::malloc_trim(0);
    }
}
