//! Data-Code (ISO 24138): MinHash over the hashes of content-defined chunks.

use crate::segments::{self, Wanted};
use crate::simd::{self, Level};
use crate::stream::{self, Stream};

/// The Data-Code digest of `data`.
pub fn digest(data: &[u8]) -> [u8; 32] {
    digest_at(simd::level(), data)
}

/// [`digest`] at a given SIMD level.
pub fn digest_at(level: Level, data: &[u8]) -> [u8; 32] {
    stream::run_whole(level, (), data).0.digest()
}

/// [`digest`] on `threads` threads including the current one. Pays off from some MiB.
pub fn digest_parallel(data: &[u8], threads: usize) -> [u8; 32] {
    let Ok(sum) = segments::run(simd::level(), data, threads, Wanted::Data);
    sum.data
}

/// Data-Code of data that arrives in pieces of any size. Uses less than 1 MiB of memory.
#[derive(Clone, Debug)]
pub struct DataHasher {
    stream: Stream<()>,
}

impl DataHasher {
    /// A hasher at the SIMD level of this machine.
    pub fn new() -> Self {
        Self::new_at(simd::level())
    }

    /// A hasher at a given SIMD level.
    pub fn new_at(level: Level) -> Self {
        Self { stream: Stream::new(level, ()) }
    }

    /// Adds the next piece. Buffers pieces below 512 KiB; mostly processes larger ones in place.
    pub fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }

    /// The digest of all pieces.
    pub fn finish(self) -> [u8; 32] {
        self.stream.finish().0.digest()
    }
}

impl Default for DataHasher {
    fn default() -> Self {
        Self::new()
    }
}
