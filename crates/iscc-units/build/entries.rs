//! What becomes of each character, for each of the two passes.

use std::collections::HashSet;

use crate::character::{self, WordPosition};

/// What a pass does with one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It stays as it is.
    Keep,
    /// It vanishes.
    Drop,
    /// It is always replaced by the same text.
    Map(String),
    /// It may merge or change places with characters around it: given is what takes part in NFKC.
    Compose(String),
    /// A mark that nothing merges with, though it may change places with other marks.
    Mark,
    /// Line break or capital sigma: the pass knows what to do.
    Special,
}

/// `text_collapse`: NFD, lower case, without whitespace, C*, M* and P*, NFKC.
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
            // A dropped character parts its neighbours, as NFKC comes first.
            let inert = !seconds.contains(&c) && !character::is_non_starter(c);
            assert!(inert && after.chars().eq([c]), "{c:?} is dropped and takes part in NFKC");
            return Entry::Drop;
        }
        assert!(!after.chars().any(character::is_other), "{c:?} decomposes into a dropped one");
        if !merges_backwards(&after, seconds) {
            settled(c, after)
        } else if character::is_non_starter(c) && after.chars().eq([c]) && !seconds.contains(&c) {
            Entry::Mark
        } else {
            Entry::Compose(c.to_string())
        }
    })
}

/// The final sigma rule's classes.
pub fn word_positions() -> Vec<WordPosition> {
    let mut positions = vec![WordPosition::Break; CODE_POINTS];
    for c in character::all() {
        positions[c as usize] = character::word_position(c);
    }
    positions
}

const CODE_POINTS: usize = char::MAX as usize + 1;

/// Characters without properties are dropped by both passes.
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

/// Can the start of `text` become one, or change places, with what stands before it?
///
/// Asked of the decomposed text: U+113C7 merges with nothing, but its first half does.
fn merges_backwards(text: &str, seconds: &HashSet<char>) -> bool {
    let first = character::first_decomposed(text);
    seconds.contains(&first) || character::is_non_starter(first)
}
