//! The two units of an ISCC-SUM, Data and Instance, in one pass over the data.

use crate::segments::{self, Source, Wanted};
use crate::simd::{self, Level};
use crate::stream::{self, Stream};

pub use crate::stream::Sum;

/// Both digests of `data`.
pub fn digest(data: &[u8]) -> Sum {
    digest_at(simd::level(), data)
}

/// [`digest`] at a given SIMD level.
pub fn digest_at(level: Level, data: &[u8]) -> Sum {
    stream::sum(level, data)
}

/// [`digest`] of a source on `threads` threads including the current one. Each thread reads and
/// hashes its own segments. Pays off from some MiB.
pub fn digest_parallel<S: Source + ?Sized>(source: &S, threads: usize) -> Result<Sum, S::Error> {
    segments::run(simd::level(), source, threads, Wanted::Both)
}

/// Both digests of data that arrives in pieces of any size. Uses less than 1 MiB of memory.
#[derive(Clone, Debug)]
pub struct SumHasher {
    stream: Stream<blake3::Hasher>,
}

impl SumHasher {
    /// A hasher at the SIMD level of this machine.
    pub fn new() -> Self {
        Self::new_at(simd::level())
    }

    /// A hasher at a given SIMD level. BLAKE3 always chooses its own.
    pub fn new_at(level: Level) -> Self {
        Self { stream: Stream::new(level, blake3::Hasher::new()) }
    }

    /// Adds the next piece. Buffers pieces below 512 KiB; mostly processes larger ones in place.
    pub fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }

    /// Number of bytes so far.
    pub fn size(&self) -> u64 {
        self.stream.len()
    }

    /// Both digests of all pieces, and their size.
    pub fn finish(self) -> Sum {
        let size = self.size();
        let (features, instance) = self.stream.finish();
        Sum { data: features.digest(), instance: *instance.finalize().as_bytes(), size }
    }
}

impl Default for SumHasher {
    fn default() -> Self {
        Self::new()
    }
}
