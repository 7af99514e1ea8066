//! Data-Code and Instance-Code on several threads.
//!
//! The data is split into segments; each thread takes the next one. BLAKE3 is a tree, and a segment
//! is a subtree. Chunk boundaries depend on the previous ones, so each thread guesses that a chunk
//! starts at the start of its segment. Two chains of chunks soon reach a common boundary wherever
//! they start. So the segments are joined in order: the true chain continues into each segment
//! until it reaches a guessed boundary ([`chain`]); from there, the guess is correct.

mod chain;
mod source;
mod tree;

use crate::chunks::{BLOCK_BYTES, CHUNK_BYTES_MAX, Chunks};
use crate::simd::Level;
use crate::stream::{self, Sum};
use chain::{Chain, Guess, Phase};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tree::{Subtree, Tree};

pub use source::Source;

/// Bytes of a segment; a power of two, like the subtrees of BLAKE3.
pub(crate) const SEGMENT_BYTES: u64 = 1 << 20;

/// With fewer segments, starting threads does not pay off.
const SEGMENTS_MIN: u64 = 4;

/// The digests to compute; the others are zero.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    Data,
    Instance,
    Both,
}

/// Computes the wanted digests of a source.
pub(crate) fn run<S: Source + ?Sized>(
    level: Level,
    source: &S,
    threads: usize,
    wanted: Wanted,
) -> Result<Sum, S::Error> {
    let length = source.len();
    let segments = length.div_ceil(SEGMENT_BYTES);
    let mut buffer = Vec::new();
    if segments < SEGMENTS_MIN {
        return Ok(single_threaded(level, source.read(0..length, &mut buffer)?, wanted));
    }
    let phase = Phase::of(source.read(0..Phase::PROBE_BYTES, &mut buffer)?);
    let work = Work { level, source, wanted, phase, segments, next: AtomicU64::new(0) };
    let joined = Mutex::new(Joined {
        chain: Chain::new(level),
        tree: Tree::new(),
        next: 0,
        early: BTreeMap::new(),
    });
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(|| work.run(&joined))).collect();
        let own = work.run(&joined);
        helpers
            .into_iter()
            .map(|helper| helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .fold(own, Result::and)
    })?;
    let joined = joined.into_inner().unwrap_or_else(PoisonError::into_inner);
    let data = if wanted == Wanted::Instance { [0; 32] } else { joined.chain.digest() };
    let instance = if wanted == Wanted::Data { [0; 32] } else { joined.tree.root() };
    Ok(Sum { data, instance, size: length })
}

fn single_threaded(level: Level, data: &[u8], wanted: Wanted) -> Sum {
    let nothing = Sum { data: [0; 32], instance: [0; 32], size: data.len() as u64 };
    match wanted {
        Wanted::Data => Sum { data: stream::run_whole(level, (), data).0.digest(), ..nothing },
        Wanted::Instance => Sum { instance: *blake3::hash(data).as_bytes(), ..nothing },
        Wanted::Both => stream::sum(level, data),
    }
}

/// The state that the threads share while they take segments.
struct Work<'a, S: ?Sized> {
    level: Level,
    source: &'a S,
    wanted: Wanted,
    phase: Phase,
    segments: u64,
    next: AtomicU64,
}

/// The result of a thread for one segment.
struct Part {
    guess: Option<Guess>,
    subtree: Option<Subtree>,
}

/// The joined segments: those before `next`.
struct Joined {
    chain: Chain,
    tree: Tree,
    next: u64,
    /// Segments that are finished but not next: few, as threads take them in order.
    early: BTreeMap<u64, Part>,
}

impl<S: Source + ?Sized> Work<'_, S> {
    /// Processes segments until none is left. An error stops all threads.
    fn run(&self, joined: &Mutex<Joined>) -> Result<(), S::Error> {
        let mut buffer = Vec::new();
        loop {
            let i = self.next.fetch_add(1, Ordering::Relaxed);
            if i >= self.segments {
                return Ok(());
            }
            let done = self.segment(i, &mut buffer).and_then(|part| {
                let mut joined = joined.lock().unwrap_or_else(PoisonError::into_inner);
                joined.add(i, part, self.source, &mut buffer)
            });
            if done.is_err() {
                self.next.store(self.segments, Ordering::Relaxed);
                return done;
            }
        }
    }

    fn segment(&self, i: u64, buffer: &mut Vec<u8>) -> Result<Part, S::Error> {
        let length = self.source.len();
        let first = SEGMENT_BYTES * i;
        let last = (first + SEGMENT_BYTES).min(length);
        let start = self.phase.align(first);
        let until = if last == length { length } else { self.phase.align(last) };
        let view = self.source.read(start..(last + CHUNK_BYTES_MAX as u64).min(length), buffer)?;

        let at = |offset: u64| (offset - start) as usize;
        let mut guess = (self.wanted != Wanted::Instance).then(|| Guess::new(start, until));
        let mut chunks = Chunks::new(self.level);
        let mut subtree = (self.wanted != Wanted::Data).then(|| Subtree::at(first));
        for block in (first..last).step_by(BLOCK_BYTES) {
            let end = (block + BLOCK_BYTES as u64).min(last);
            if let Some(subtree) = &mut subtree {
                subtree.update(&view[at(block)..at(end)]);
            }
            if let Some(guess) = &mut guess {
                guess.walk(&mut chunks, view, end.min(until));
            }
        }
        if let Some(guess) = &mut guess {
            guess.finish(chunks);
        }
        Ok(Part { guess, subtree })
    }
}

impl Joined {
    /// Stores the result of segment `i` and joins all segments that are next.
    fn add<S: Source + ?Sized>(
        &mut self,
        i: u64,
        part: Part,
        source: &S,
        buffer: &mut Vec<u8>,
    ) -> Result<(), S::Error> {
        self.early.insert(i, part);
        while let Some(part) = self.early.remove(&self.next) {
            if let Some(guess) = part.guess {
                self.chain.join(guess, source, buffer)?;
            }
            if let Some(subtree) = part.subtree {
                self.tree.push(subtree);
            }
            self.next += 1;
        }
        Ok(())
    }
}
