//! What Unicode 16.0 says about single characters.
//!
//! Decompositions, combining classes and categories come from crates pinned to releases with 16.0
//! data. Lower case comes from the standard library, which is newer and knows lower case for
//! characters that 16.0 has not assigned: it is asked about assigned ones only.

use std::collections::HashSet;
use std::sync::LazyLock;

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::char::{canonical_combining_class, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// All characters with properties: neither unassigned nor for private use.
pub fn all() -> impl Iterator<Item = char> {
    use GeneralCategory::{PrivateUse, Unassigned};
    ('\0'..=char::MAX).filter(|c| !matches!(category(*c), Unassigned | PrivateUse))
}

/// The general category, looked up once per character: without optimisation, as build scripts are
/// compiled, the crate's look-up copies its whole table.
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

/// Line breaks of the standard: kept by `text_clean` though they are control characters.
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

/// What `text_collapse` makes of a character before its last step, NFKC.
///
/// For the capital sigma this is the form inside a word; its final form depends on its neighbours.
pub fn collapsed_before_nfkc(c: char) -> String {
    let dropped = |c: &char| c.is_whitespace() || is_other(*c) || is_mark(*c) || is_punctuation(*c);
    let decomposed = decomposed(c);
    // Canonical order moves characters of class > 0 only; as all of them are dropped, what is kept
    // of a text is what is kept of its characters one by one.
    for d in &decomposed {
        assert!(!is_non_starter(*d) || dropped(d), "{d:?} has a class and is kept");
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

/// First character of the decomposition of a text that is not empty.
pub fn first_decomposed(text: &str) -> char {
    decomposed(text.chars().next().expect("text is not empty"))[0]
}

/// NFD of a character.
fn decomposed(c: char) -> Vec<char> {
    let mut decomposed = Vec::new();
    decompose_canonical(c, |d| decomposed.push(d));
    decomposed
}

/// Has a canonical combining class above 0: it may change places with its neighbours.
pub fn is_non_starter(c: char) -> bool {
    canonical_combining_class(c) != 0
}

/// Characters that can become one with a character before them.
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

/// What a character is to the final sigma rule (The Unicode Standard, 3.13, Final_Sigma).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordPosition {
    /// Neither cased nor ignorable: ends the search for a letter.
    Break = 0,
    /// Case_Ignorable: passed over.
    Ignorable = 1,
    /// Cased: there is a letter.
    Cased = 2,
}

/// The class of a character of a text that is to be decomposed first.
pub fn word_position(c: char) -> WordPosition {
    let mut found: Vec<WordPosition> = decomposed(c)
        .into_iter()
        .map(undecomposed_word_position)
        .filter(|position| *position != WordPosition::Ignorable)
        .collect();
    found.dedup();
    assert!(found.len() < 2, "{c:?} looks different from its two sides");
    found.pop().unwrap_or(WordPosition::Ignorable)
}

/// Letters with case are known by their category; U+0295 is one in 16.0 and none in later versions.
/// For the rest the standard library, which keeps the two properties to itself, is asked by example.
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
