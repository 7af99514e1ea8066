//! The one place where lower case depends on context: capital sigma at the end of a word.

use crate::text::table::{WORD_POSITION, WordPosition};

/// Is the capital sigma at byte `at` of `text` final (The Unicode Standard, 3.13, Final_Sigma)?
///
/// It is when a cased letter is before it and none is after it, passing over ignorable characters.
pub(super) fn is_final(text: &str, at: usize) -> bool {
    is_cased(text[..at].chars().rev()) && !is_cased(text[at + 'Σ'.len_utf8()..].chars())
}

fn is_cased(characters: impl Iterator<Item = char>) -> bool {
    let mut positions = characters.map(|c| WORD_POSITION.of(c));
    positions.find(|position| *position != WordPosition::Ignorable) == Some(WordPosition::Cased)
}
