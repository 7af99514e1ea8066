//! The single context-dependent case of lower-casing: capital sigma at the end of a word.

use crate::kernels::table::{WORD_POSITION, WordPosition};

/// Whether the capital sigma at byte `at` is final (The Unicode Standard, 3.13, Final_Sigma):
/// a cased letter is before it and none after it, ignoring ignorable characters.
pub(super) fn is_final(text: &str, at: usize) -> bool {
    is_cased(text[..at].chars().rev()) && !is_cased(text[at + 'Σ'.len_utf8()..].chars())
}

fn is_cased(characters: impl Iterator<Item = char>) -> bool {
    let mut positions = characters.map(|c| WORD_POSITION.of(c));
    positions.find(|position| *position != WordPosition::Ignorable) == Some(WordPosition::Cased)
}
