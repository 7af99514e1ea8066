//! Properties of single characters in Unicode 16.0.
//!
//! Decompositions, combining classes and categories come from crates pinned to releases with 16.0
//! data. Lower case comes from the standard library, which also knows characters that are
//! unassigned in 16.0, so it is only used for assigned ones.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// All characters with properties: neither unassigned nor private use.
pub fn all() -> impl Iterator<Item = char> {
    use GeneralCategory::{PrivateUse, Unassigned};
    ('\0'..=char::MAX).filter(|c| !matches!(category(*c), Unassigned | PrivateUse))
}

/// The general category, cached per character. Build scripts are compiled without optimisation, and
/// then each look-up of the crate copies its whole table.
fn category(c: char) -> GeneralCategory {
    static CATEGORIES: LazyLock<Vec<GeneralCategory>> = LazyLock::new(|| {
        let code_points = 0..=u32::from(char::MAX);
        let category = |code_point| {
            char::from_u32(code_point).map_or(GeneralCategory::Surrogate, get_general_category)
        };
        code_points.map(category).collect()
    });
    CATEGORIES[c as usize]
}

/// Line breaks of the standard: control characters that `text_clean` keeps.
pub fn is_newline(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// General category C*: control, format, unassigned, private use, surrogate.
pub fn is_other(c: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse, Surrogate, Unassigned};
    matches!(category(c), Control | Format | Unassigned | PrivateUse | Surrogate)
}

fn is_mark(c: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark, SpacingMark};
    matches!(category(c), NonspacingMark | SpacingMark | EnclosingMark)
}

fn is_punctuation(c: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    matches!(
        category(c),
        ConnectorPunctuation
            | DashPunctuation
            | OpenPunctuation
            | ClosePunctuation
            | InitialPunctuation
            | FinalPunctuation
            | OtherPunctuation
    )
}

/// The result of `text_collapse` for a character before the last step, NFKC.
///
/// For the capital sigma, the form inside a word; its final form depends on its neighbours.
pub fn collapsed_before_nfkc(c: char) -> String {
    let dropped = |c: &char| c.is_whitespace() || is_other(*c) || is_mark(*c) || is_punctuation(*c);
    let decomposed = decomposed(c);
    // Canonical ordering only moves characters with a class above 0. As all of these are removed,
    // the remaining text can be computed character by character.
    for d in &decomposed {
        assert!(!is_non_starter(*d) || dropped(d), "{d:?} has a class but is kept");
    }
    decomposed.into_iter().flat_map(char::to_lowercase).filter(|c| !dropped(c)).collect()
}

/// NFKC of a text.
pub fn nfkc(text: &str) -> String {
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => text.to_owned(),
        IsNormalized::No | IsNormalized::Maybe => text.nfkc().collect(),
    }
}

/// First character of the decomposition of a text, which must not be empty.
pub fn first_decomposed(text: &str) -> char {
    decomposed(text.chars().next().expect("text is not empty"))[0]
}

/// NFD of a character.
fn decomposed(c: char) -> Vec<char> {
    let mut decomposed = Vec::new();
    decompose_canonical(c, |d| decomposed.push(d));
    decomposed
}

/// Whether the canonical combining class is above 0, so that the character can swap with others.
pub fn is_non_starter(c: char) -> bool {
    canonical_combining_class(c) != 0
}

/// Characters that can merge with a preceding character.
pub fn composition_seconds() -> HashSet<char> {
    let mut seconds = HashSet::new();
    for c in all() {
        let decomposed = decomposed(c);
        if decomposed.len() > 1 && std::iter::once(c).nfc().eq([c]) {
            seconds.extend(&decomposed[1..]);
        }
    }
    seconds
}

/// The role of a character in the final sigma rule (The Unicode Standard, 3.13, Final_Sigma).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordPosition {
    /// Neither cased nor ignorable: ends the search for a letter.
    Break = 0,
    /// Case_Ignorable: ignored in the search.
    Ignorable = 1,
    /// Cased: ends the search with success.
    Cased = 2,
}

/// The role of a character of a text that is decomposed first.
pub fn word_position(c: char) -> WordPosition {
    let mut found: Vec<WordPosition> = decomposed(c)
        .into_iter()
        .map(undecomposed_word_position)
        .filter(|position| *position != WordPosition::Ignorable)
        .collect();
    found.dedup();
    assert!(found.len() < 2, "{c:?} has different roles on its two sides");
    found.pop().unwrap_or(WordPosition::Ignorable)
}

/// Cased letters have a category of their own; U+0295 is one in 16.0, but not in later versions.
/// The standard library does not export the properties of other characters, so examples detect
/// them.
fn undecomposed_word_position(c: char) -> WordPosition {
    use GeneralCategory::{LowercaseLetter, TitlecaseLetter, UppercaseLetter};
    if matches!(category(c), LowercaseLetter | UppercaseLetter | TitlecaseLetter) {
        return WordPosition::Cased;
    }
    let sigma_is_final_after = |before: &str| format!("{before}Σ").to_lowercase().ends_with('ς');
    if sigma_is_final_after(&c.to_string()) {
        WordPosition::Cased
    } else if sigma_is_final_after(&format!("a{c}")) {
        WordPosition::Ignorable
    } else {
        WordPosition::Break
    }
}
