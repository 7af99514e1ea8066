//! Where several threads read from.

use std::convert::Infallible;
use std::ops::Range;

/// Data that can be read at any place by several threads.
pub trait Source: Sync {
    /// Why reading failed.
    type Error: Send;

    /// Bytes of the data; the same during the whole work.
    fn len(&self) -> u64;

    /// Whether there is no byte.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Exactly the bytes of `range`, which lies within the data; where they are, or in `buffer`.
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
