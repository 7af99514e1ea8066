//! Content-Code Text (ISO 24138): MinHash over the windows of 13 characters of the collapsed text.

use super::collapse_at;
use crate::kernels::minhash::Minhash;
use crate::kernels::ngram::{self, WINDOW};
use crate::simd::{self, Level};

/// A Text-Code digest and the length of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextCode {
    /// 256 bits; a shorter code uses the first ones.
    pub digest: [u8; 32],
    /// Code points of the collapsed text.
    pub characters: usize,
}

/// The Text-Code of `text`. Text from documents should be [cleaned](super::clean) first.
///
/// Any text has a code, including the empty text.
pub fn code(text: &str) -> TextCode {
    code_at(simd::level(), text)
}

/// [`code`] at a given SIMD level.
pub fn code_at(level: Level, text: &str) -> TextCode {
    let collapsed = collapse_at(level, text);
    let (digest, features) = soft_hash_at(level, &collapsed);
    let characters = if features > 1 { features + WINDOW - 1 } else { collapsed.chars().count() };
    TextCode { digest, characters }
}

/// The digest of collapsed text, and the number of its features.
pub(crate) fn soft_hash_at(level: Level, collapsed: &str) -> ([u8; 32], usize) {
    let mut minhash = Minhash::new_at(level);
    let features = ngram::features_at(level, collapsed, |features| minhash.update(features));
    (minhash.digest(), features)
}
