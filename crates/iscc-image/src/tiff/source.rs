//! The bytes of a TIFF file as the decoder reads them.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use super::directory::Change;

/// A file with changed tags of its first directory.
#[derive(Clone)]
pub struct Source<'a> {
    file: Cursor<&'a [u8]>,
    changes: Vec<Change>,
    /// Whether to reverse the bits of each byte.
    pub is_mirrored: bool,
}

impl<'a> Source<'a> {
    /// The file as it is.
    pub fn new(file: &'a [u8]) -> Self {
        Self { file: Cursor::new(file), changes: Vec::new(), is_mirrored: false }
    }

    /// The file with changed bytes.
    pub fn with(mut self, changes: impl IntoIterator<Item = Change>) -> Self {
        self.changes.extend(changes);
        self
    }
}

impl Read for Source<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let start = self.file.position();
        let count = self.file.read(bytes)?;
        for (at, change) in &self.changes {
            for (position, byte) in (*at..).zip(change) {
                let index =
                    position.checked_sub(start).and_then(|index| usize::try_from(index).ok());
                if let Some(target) = index.and_then(|index| bytes[..count].get_mut(index)) {
                    *target = *byte;
                }
            }
        }
        if self.is_mirrored {
            bytes[..count].iter_mut().for_each(|byte| *byte = byte.reverse_bits());
        }
        Ok(count)
    }
}

impl Seek for Source<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}
