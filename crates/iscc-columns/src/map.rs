//! The mapping of a sealed segment's file into memory.

use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::{Mmap, MmapOptions};

/// A mapped file. It is unmapped when the last range of it is dropped.
#[derive(Debug)]
pub struct FileMap(Mmap);

impl FileMap {
    /// Maps the first `bytes` bytes of a file, which must have them.
    pub fn open(file: &File, bytes: u64) -> io::Result<Arc<Self>> {
        if file.metadata()?.len() < bytes {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file is cut"));
        }
        let length = usize::try_from(bytes).map_err(io::Error::other)?;
        // SAFETY: nothing writes to a sealed file or cuts it: it is complete before it gets its name, and later only
        // its name is removed. The engine's lock on the folder excludes other engines. All content is valid for the
        // types that are read from it (`Pod`). Each number from the file is checked before it is used as a position.
        let map = unsafe { MmapOptions::new().len(length).map(file)? };
        // Large pages make random access faster where the file system has them. Without them nothing is wrong.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Arc::new(Self(map)))
    }

    /// Reads a range of bytes from the disk into memory, if the system has a call for it. Damage is found later, by the
    /// hashes.
    pub fn populate(&self, bytes: &Range<usize>) {
        #[cfg(target_os = "linux")]
        if self.0.advise_range(memmap2::Advice::PopulateRead, bytes.start, bytes.len()).is_ok() {
            return;
        }
        #[cfg(unix)]
        let _ = self.0.advise_range(memmap2::Advice::WillNeed, bytes.start, bytes.len());
    }
}

/// A list of numbers in a mapped file.
pub struct MappedRange<T> {
    map: Arc<FileMap>,
    bytes: Range<usize>,
    item: PhantomData<T>,
}

impl<T: Pod> MappedRange<T> {
    /// The numbers in a range of bytes. `None` if it is not in the file, not aligned, or not a multiple of the size.
    pub fn new(map: &Arc<FileMap>, bytes: Range<usize>) -> Option<Self> {
        bytemuck::try_cast_slice::<u8, T>(map.0.get(bytes.clone())?).ok()?;
        Some(Self { map: Arc::clone(map), bytes, item: PhantomData })
    }

    /// A part of the numbers. `None` if it is not within them.
    pub fn part(&self, items: Range<usize>) -> Option<Self> {
        self.get(items.clone())?;
        let at = |item: usize| self.bytes.start + item * size_of::<T>();
        Self::new(&self.map, at(items.start)..at(items.end))
    }
}

impl<T: Pod> Deref for MappedRange<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.map.0[self.bytes.clone()])
    }
}

impl<T> std::fmt::Debug for MappedRange<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "MappedRange({:?})", self.bytes)
    }
}

impl<T> Clone for MappedRange<T> {
    fn clone(&self) -> Self {
        let (map, bytes) = (Arc::clone(&self.map), self.bytes.clone());
        Self { map, bytes, item: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn ranges_outside_the_file_and_unaligned_ones_are_refused() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 64]).unwrap();
        assert!(FileMap::open(&file, 65).is_err());
        let map = FileMap::open(&file, 64).unwrap();
        let numbers = MappedRange::<u32>::new(&map, 8..24).unwrap();
        assert_eq!(numbers[..], [0x0101_0101; 4]);
        for bad in [0..65, 60..68, 2..6, 0..7, 70..78] {
            assert!(MappedRange::<u32>::new(&map, bad.clone()).is_none(), "{bad:?}");
        }
        assert!(MappedRange::<u64>::new(&map, 4..12).is_none());
    }
}
