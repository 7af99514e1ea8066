//! Chunks a stream that arrives in pieces of any size.

use crate::chunks::{BLOCK_BYTES, CHUNK_BYTES_MAX, Chunks};
use crate::kernels::minhash::Minhash;
use crate::simd::Level;

/// A stage that exceeds this size gets room for a whole block.
const SMALL_STAGE_BYTES: usize = 32 * 1024;

/// Pieces of at least this length are processed in place: on short runs, three cursors cost less
/// than a copy.
const RUN_BYTES: usize = 64 * 1024;

/// A second hash that processes the same bytes in the same pass. `()` means that there is no second hash.
pub(crate) trait Companion {
    /// Adds the next bytes: whole blocks at offsets of whole blocks, except at the end.
    fn update(&mut self, bytes: &[u8]);
}

impl Companion for () {
    fn update(&mut self, _: &[u8]) {}
}

impl Companion for blake3::Hasher {
    fn update(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
}

/// The results of one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Data-Code digest.
    pub data: [u8; 32],
    /// Instance-Code digest.
    pub instance: [u8; 32],
    /// Length of the data in bytes.
    pub size: u64,
}

/// Both digests of `data`.
pub(crate) fn sum(level: Level, data: &[u8]) -> Sum {
    let (features, instance) = run_whole(level, blake3::Hasher::new(), data);
    let instance = *instance.finalize().as_bytes();
    Sum { data: features.digest(), instance, size: data.len() as u64 }
}

/// The features of all chunks of `data`, and the companion after `data`.
pub(crate) fn run_whole<C: Companion>(level: Level, mut companion: C, data: &[u8]) -> (Minhash, C) {
    let mut chunks = Chunks::new(level);
    if data.is_empty() {
        chunks.take_empty();
    }
    let (mut end, mut at) = (0, 0);
    for block in data.chunks(BLOCK_BYTES) {
        companion.update(block);
        end += block.len();
        if at < end {
            at += chunks.take_until(&data[at..], end - at);
        }
    }
    (chunks.into_features(), companion)
}

/// The state of the chunker and its companion between pieces.
///
/// Three cursors need long runs, and BLAKE3 needs aligned runs to use SIMD. So whole blocks of
/// large pieces are processed in place, and smaller pieces are collected in `stage` up to a block.
/// The stage starts with the incomplete chunk, which the companion has processed; new bytes follow.
#[derive(Clone, Debug)]
pub(crate) struct Stream<C> {
    chunks: Chunks,
    companion: C,
    stage: Vec<u8>,
    open: usize,
    length: u64,
}

impl<C: Companion> Stream<C> {
    pub(crate) fn new(level: Level, companion: C) -> Self {
        Self { chunks: Chunks::new(level), companion, stage: Vec::new(), open: 0, length: 0 }
    }

    /// Number of bytes so far.
    pub(crate) fn len(&self) -> u64 {
        self.length
    }

    pub(crate) fn update(&mut self, mut piece: &[u8]) {
        self.length += piece.len() as u64;
        if self.stage.len() > self.open || piece.len() < RUN_BYTES {
            piece = self.gather(piece);
            if self.stage.len() < self.open + BLOCK_BYTES {
                return;
            }
            self.run_stage();
        }
        let (runs, rest) = piece.split_at(piece.len() / RUN_BYTES * RUN_BYTES);
        if !runs.is_empty() {
            self.run_in_place(runs);
        }
        self.gather(rest);
    }

    /// The features of all chunks, and the companion.
    pub(crate) fn finish(mut self) -> (Minhash, C) {
        self.companion.update(&self.stage[self.open..]);
        if self.length == 0 {
            self.chunks.take_empty();
        } else {
            self.chunks.take_until(&self.stage, self.stage.len());
        }
        (self.chunks.into_features(), self.companion)
    }

    /// Collects bytes until the stage has a block; returns the remaining ones.
    fn gather<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        let room = self.open + BLOCK_BYTES - self.stage.len();
        let (now, later) = piece.split_at(piece.len().min(room));
        if self.stage.len() + now.len() > SMALL_STAGE_BYTES {
            // Reserves once, because growing by doubling would copy the bytes several times.
            self.stage.reserve_exact(BLOCK_BYTES + CHUNK_BYTES_MAX - self.stage.len());
        }
        self.stage.extend_from_slice(now);
        later
    }

    fn run_stage(&mut self) {
        self.companion.update(&self.stage[self.open..]);
        let closed = self.chunks.take_closed(&self.stage);
        self.stage.drain(..closed);
        self.open = self.stage.len();
    }

    /// Processes whole runs. The stage must not have new bytes.
    fn run_in_place(&mut self, runs: &[u8]) {
        let mut at = self.close_open_chunk(runs);
        let mut end = 0;
        for block in runs.chunks(BLOCK_BYTES) {
            self.companion.update(block);
            end += block.len();
            at += if end < runs.len() {
                self.chunks.take_until(&runs[at..], end - at)
            } else {
                self.chunks.take_closed(&runs[at..])
            };
        }
        self.stage.clear();
        self.stage.extend_from_slice(&runs[at..]);
        self.open = self.stage.len();
    }

    /// Takes the chunk that started before `next`; returns its end in `next`.
    fn close_open_chunk(&mut self, next: &[u8]) -> usize {
        if self.open == 0 {
            return 0;
        }
        self.stage.extend_from_slice(&next[..CHUNK_BYTES_MAX]);
        self.chunks.take_until(&self.stage, 1) - self.open
    }
}
