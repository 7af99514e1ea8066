//! Memory that direct writes read from.

/// Asks the system for huge pages behind this memory, which begins at a page. A direct write then has one segment instead of
/// one per 4 KiB, and needs fewer requests to the disk. Returns whether the system accepts that: it may still have none.
#[cfg(target_os = "linux")]
pub fn prefer_huge_pages(memory: &mut [u8]) -> bool {
    // SAFETY: the range is that of a slice, and the advice changes neither its bytes nor its validity.
    unsafe { libc::madvise(memory.as_mut_ptr().cast(), memory.len(), libc::MADV_HUGEPAGE) == 0 }
}

/// Other systems choose by themselves.
#[cfg(not(target_os = "linux"))]
pub fn prefer_huge_pages(_memory: &mut [u8]) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUGE_PAGE: usize = 2 * 1024 * 1024;

    #[test]
    fn memory_keeps_its_bytes() {
        let mut memory: Vec<u8> = (0..2 * HUGE_PAGE).map(|at| (at / 4096) as u8).collect();
        let expected = memory.clone();
        let start = memory.as_ptr().align_offset(HUGE_PAGE);
        let is_supported = std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists();
        assert_eq!(prefer_huge_pages(&mut memory[start..][..HUGE_PAGE]), is_supported);
        assert!(memory == expected);
        memory.fill(7);
        assert!(memory.iter().all(|&byte| byte == 7));
    }

    #[test]
    fn memory_that_begins_within_a_page_is_refused() {
        let mut memory = vec![0; HUGE_PAGE];
        let start = memory.as_ptr().align_offset(4096);
        assert!(!prefer_huge_pages(&mut memory[start + 16..]));
    }
}
