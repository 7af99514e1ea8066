//! BLAKE3 of many short messages (O'Connor et al. 2020), for the windows of the Meta-Code.
//!
//! A message of at most 16 bytes is one block in which twelve words are zero. Several messages are
//! compressed in parallel, one per lane, without the additions of the zero words.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod compress;

use std::ops::Range;

use crate::simd::{InstructionSet, Level};

/// Maximum length of a short message in bytes.
pub const SHORT_MAX_BYTES: usize = 16;

/// Number of messages hashed together.
const BATCH: usize = 16;

/// Passes the hashes of the parts `messages` of `bytes` to `sink`, in order and in batches.
///
/// # Panics
/// If a message is longer than [`SHORT_MAX_BYTES`] or not within `bytes`.
pub fn hash_each_at(
    level: Level,
    bytes: &[u8],
    messages: impl Iterator<Item = Range<usize>>,
    mut sink: impl FnMut(&[[u8; 32]]),
) {
    let mut batch = Batch::default();
    for message in messages {
        batch.add(bytes, message);
        if batch.len == BATCH {
            sink(&batch.hash(level));
            batch = Batch::default();
        }
    }
    let len = batch.len;
    if len > 0 {
        sink(&batch.hash(level)[..len]);
    }
}

/// Up to 16 messages, stored word by word.
#[derive(Default)]
struct Batch {
    /// `words[w][m]` is word w of message m.
    words: [[u32; BATCH]; SHORT_MAX_BYTES / 4],
    lengths: [u32; BATCH],
    len: usize,
}

impl Batch {
    #[inline(always)]
    fn add(&mut self, bytes: &[u8], message: Range<usize>) {
        let length = message.len();
        assert!(length <= SHORT_MAX_BYTES, "message of {length} bytes: at most {SHORT_MAX_BYTES}");
        let mut block = [0; SHORT_MAX_BYTES];
        match bytes[message.start..].first_chunk::<SHORT_MAX_BYTES>() {
            Some(bytes) => {
                let kept = u128::MAX.checked_shr(8 * (SHORT_MAX_BYTES - length) as u32);
                block = (u128::from_le_bytes(*bytes) & kept.unwrap_or(0)).to_le_bytes();
            }
            None => block[..length].copy_from_slice(&bytes[message]),
        }
        for (words, word) in self.words.iter_mut().zip(block.as_chunks::<4>().0) {
            words[self.len] = u32::from_le_bytes(*word);
        }
        self.lengths[self.len] = length as u32;
        self.len += 1;
    }

    /// The hashes of the messages, followed by unused ones.
    #[inline(always)]
    fn hash(&self, level: Level) -> [[u8; 32]; BATCH] {
        match level.set() {
            // SAFETY: a level proves that this machine has its instructions.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => unsafe { avx512::hash(self) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => unsafe { avx2::hash(self) },
            _ => self.hash_one_by_one(),
        }
    }

    fn hash_one_by_one(&self) -> [[u8; 32]; BATCH] {
        let mut hashes = [[0; 32]; BATCH];
        for (m, hash) in hashes[..self.len].iter_mut().enumerate() {
            let mut block = [0; SHORT_MAX_BYTES];
            for (bytes, words) in block.as_chunks_mut::<4>().0.iter_mut().zip(&self.words) {
                *bytes = words[m].to_le_bytes();
            }
            *hash = *blake3::hash(&block[..self.lengths[m] as usize]).as_bytes();
        }
        hashes
    }
}
