//! Features of text: xxHash32 of every window of 13 characters (ISO 24138, Text-Code).
//!
//! Windows of characters with the same UTF-8 width start at equal distances and have equal lengths,
//! so several are hashed in parallel lanes. Texts in one script consist mostly of such runs.
//! Windows that extend beyond a run are hashed one by one.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod block;
mod lanes;
mod runs;

use block::Block;
use runs::Run;

use super::utf8;
use super::xxh32;
use crate::simd::{InstructionSet, Level};

/// Characters per window.
pub const WINDOW: usize = 13;

/// Passes the features of `text` to `sink` in blocks; returns their number.
///
/// A text of n characters has n - 12 features. A text of fewer than 13 characters has one feature.
pub fn features_at(level: Level, text: &str, sink: impl FnMut(&[u32])) -> usize {
    match level.set() {
        InstructionSet::Portable => features_with(text, sink, |_, _, _| 0),
        // SAFETY: a level proves that this machine has its instructions.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx2 => unsafe { avx2::features(text, sink) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        InstructionSet::Avx512 => unsafe { avx512::features(text, sink) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => features_with(text, sink, |_, _, _| 0),
    }
}

/// The loop over the windows. `hash_run` is the instruction set's function: it may hash the first
/// windows within the run at the start of its text, and returns their number.
#[inline(always)]
fn features_with<S: FnMut(&[u32])>(
    text: &str,
    sink: S,
    hash_run: impl Fn(&[u8], Run, &mut Block<S>) -> usize,
) -> usize {
    let bytes = text.as_bytes();
    let mut block = Block::new(sink);
    let Some((mut end, _)) = text.char_indices().nth(WINDOW) else {
        block.push(xxh32::hash(bytes));
        return block.finish();
    };
    let mut start = 0;
    let mut run_end = 0;
    loop {
        if start >= run_end {
            let run = Run::at(bytes, start);
            run_end = start + run.bytes();
            if run.characters > WINDOW {
                let hashed = hash_run(&bytes[start..], run, &mut block);
                start += hashed * run.width;
                end += hashed * run.width;
                // The step below hashes the last window of the run, because it knows the next
                // character.
            }
        }
        block.push(xxh32::hash(&bytes[start..end]));
        if end >= bytes.len() {
            return block.finish();
        }
        start += utf8::width(bytes[start]);
        end += utf8::width(bytes[end]);
    }
}
