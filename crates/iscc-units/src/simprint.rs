//! Simprints: one soft hash per part of a content (iscc-sdk, granular features). Those of texts are here, those of films
//! and sounds in modules of their own.
//!
//! Chunk boundaries of a text depend on the content, 512 characters apart on average. So if two texts share a passage, most
//! simprints of the passage are equal.

pub mod film;
pub mod sound;

use crate::Compat;
use crate::kernels::collapse;
use crate::simd::{self, Level};
use crate::text::{self, chunks};

/// A 256-bit simprint.
pub type Simprint = [u8; 32];

/// The simprints of a content with their positions, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// One per part.
    pub simprints: Vec<Simprint>,
    /// Starts of the parts.
    pub offsets: Vec<u64>,
    /// Lengths of the parts.
    pub sizes: Vec<u64>,
}

/// The unit of offsets and sizes in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Unicode code points.
    CodePoints,
    /// Bytes of the text in UTF-8.
    Utf8Bytes,
}

/// The simprints of [clean](text::clean) `text`: one per chunk, at least one.
pub fn simprints(text: &str) -> Vec<Simprint> {
    simprints_at(simd::level(), text)
}

/// [`simprints`] at a given SIMD level.
pub fn simprints_at(level: Level, text: &str) -> Vec<Simprint> {
    chunks::chunks(text).map(|chunk| simprint(level, chunk)).collect()
}

/// The simprints of [clean](text::clean) `text`, at least one, with offsets and sizes. The chunks have no gaps or overlaps.
///
/// iscc-sdk 0.9.7 omits a last chunk of fewer than 128 characters unless it is the only one.
pub fn features(text: &str, unit: Unit, compat: Compat) -> Features {
    let level = simd::level();
    let mut features = Features::default();
    let mut offset = 0;
    let mut chunks = chunks::chunks(text).peekable();
    while let Some(chunk) = chunks.next() {
        let is_only = features.simprints.is_empty();
        if chunks.peek().is_none() && !is_only && is_too_short(chunk, compat) {
            break;
        }
        let size = match unit {
            Unit::CodePoints => chunk.chars().count(),
            Unit::Utf8Bytes => chunk.len(),
        } as u64;
        features.simprints.push(simprint(level, chunk));
        features.offsets.push(offset);
        features.sizes.push(size);
        offset += size;
    }
    features
}

/// Releases from 0.9.6 on omit a last chunk with fewer characters.
const LAST_CHUNK_MIN_CHARACTERS: usize = 128;

fn is_too_short(last_chunk: &str, compat: Compat) -> bool {
    match compat {
        Compat::Sdk0_9_5 => false,
        Compat::Sdk0_9_7 => last_chunk.chars().count() < LAST_CHUNK_MIN_CHARACTERS,
    }
}

fn simprint(level: Level, chunk: &str) -> Simprint {
    text::soft_hash_at(level, &collapse::collapse_at(level, chunk)).0
}

/// Encodes a simprint as base64url without padding, 43 characters.
pub fn encode(simprint: &Simprint) -> String {
    data_encoding::BASE64URL_NOPAD.encode(simprint)
}
