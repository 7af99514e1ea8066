//! Data-Code (ISO 24138): MinHash over the hashes of content-defined chunks.

use crate::segments::{self, Wanted};
use crate::simd::{self, Level};
use crate::stream::{self, Stream};

/// The Data-Code digest of `data`.
pub fn digest(data: &[u8]) -> [u8; 32] {
    digest_at(simd::level(), data)
}

/// [`digest`] with the kernels of a level.
pub fn digest_at(level: Level, data: &[u8]) -> [u8; 32] {
    stream::run_whole(level, (), data).0.digest()
}

/// [`digest`] on `threads` threads, this one among them. Worth it from some megabytes on.
pub fn digest_parallel(data: &[u8], threads: usize) -> [u8; 32] {
    let Ok(sum) = segments::run(simd::level(), data, threads, Wanted::Data);
    sum.data
}

/// Data-Code of data that arrives in pieces of any size, in constant memory (below 1 MiB).
#[derive(Clone, Debug)]
pub struct DataHasher {
    stream: Stream<()>,
}

impl DataHasher {
    /// No data yet, with the machine's best kernels.
    pub fn new() -> Self {
        Self::new_at(simd::level())
    }

    /// No data yet, with the kernels of a level.
    pub fn new_at(level: Level) -> Self {
        Self { stream: Stream::new(level, ()) }
    }

    /// Adds the next piece. Pieces below 512 KiB are gathered, larger ones mostly read in place.
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
