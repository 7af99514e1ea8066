//! The action for each character, for each of the two passes.

use std::collections::HashSet;

use crate::character::{self, WordPosition};

/// What a pass does with one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Keep it.
    Keep,
    /// Remove it.
    Drop,
    /// Always replace it with the same text.
    Map(String),
    /// Replace it with a text that may merge or swap with its neighbours in NFKC.
    Compose(String),
    /// A mark that never merges, but may swap with other marks.
    Mark,
    /// Line break or capital sigma: the pass handles it.
    Special,
}

/// `text_collapse`: NFD, lower case, without white space, C*, M* and P*, NFKC.
pub fn collapse(seconds: &HashSet<char>) -> Vec<Entry> {
    per_code_point(|c| {
        if c == 'Σ' {
            return Entry::Special;
        }
        let before = character::collapsed_before_nfkc(c);
        let after = character::nfkc(&before);
        if after.is_empty() {
            Entry::Drop
        } else if merges_backwards(&after, seconds) {
            Entry::Compose(before)
        } else {
            settled(c, after)
        }
    })
}

/// `text_clean` without its handling of lines: NFKC, without C* except line breaks.
pub fn clean(seconds: &HashSet<char>) -> Vec<Entry> {
    per_code_point(|c| {
        if character::is_newline(c) {
            return Entry::Special;
        }
        let after = character::nfkc(c.encode_utf8(&mut [0; 4]));
        if character::is_other(c) {
            // NFKC comes first, so a removed character separates its neighbours.
            let inert = !seconds.contains(&c) && !character::is_non_starter(c);
            assert!(inert && after.chars().eq([c]), "{c:?} is removed but takes part in NFKC");
            return Entry::Drop;
        }
        assert!(!after.chars().any(character::is_other), "{c:?} decomposes into a removed one");
        if !merges_backwards(&after, seconds) {
            settled(c, after)
        } else if character::is_non_starter(c) && after.chars().eq([c]) && !seconds.contains(&c) {
            Entry::Mark
        } else {
            Entry::Compose(c.to_string())
        }
    })
}

/// The roles of all characters in the final sigma rule.
pub fn word_positions() -> Vec<WordPosition> {
    let mut positions = vec![WordPosition::Break; CODE_POINTS];
    for c in character::all() {
        positions[c as usize] = character::word_position(c);
    }
    positions
}

const CODE_POINTS: usize = char::MAX as usize + 1;

/// Both passes remove characters without properties.
fn per_code_point(entry: impl Fn(char) -> Entry) -> Vec<Entry> {
    let mut entries = vec![Entry::Drop; CODE_POINTS];
    for c in character::all() {
        entries[c as usize] = entry(c);
    }
    entries
}

fn settled(c: char, after: String) -> Entry {
    if after.chars().eq([c]) { Entry::Keep } else { Entry::Map(after) }
}

/// Whether the start of `text` can merge or swap with preceding characters.
///
/// Tests the decomposed text: U+113C7 merges with nothing, but its first half does.
fn merges_backwards(text: &str, seconds: &HashSet<char>) -> bool {
    let first = character::first_decomposed(text);
    seconds.contains(&first) || character::is_non_starter(first)
}
