//! Data that several threads read.

use std::convert::Infallible;
use std::ops::Range;

/// Data with random access from several threads.
pub trait Source: Sync {
    /// The reason of a failed read.
    type Error: Send;

    /// Length in bytes. Must not change.
    fn len(&self) -> u64;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of `range`, which must be within the data: in place, or read into `buffer`.
    fn read<'a>(
        &'a self,
        range: Range<u64>,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], Self::Error>;
}

impl Source for [u8] {
    type Error = Infallible;

    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read<'a>(&'a self, range: Range<u64>, _: &'a mut Vec<u8>) -> Result<&'a [u8], Infallible> {
        Ok(&self[range.start as usize..range.end as usize])
    }
}
