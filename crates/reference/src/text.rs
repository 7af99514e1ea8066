//! Text normalisation, with one pass over the whole text per step (ISO 24138, annex on text).
//!
//! Unicode 16.0: characters of later versions count as unassigned and are removed, although the
//! standard library knows some of them.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

const NEWLINES: [char; 7] = ['\u{a}', '\u{b}', '\u{c}', '\u{d}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Text for display: NFKC, without control characters, with at most one consecutive empty line.
pub fn clean(text: &str) -> String {
    let composed: String = text.nfkc().collect();
    let kept: String = composed
        .chars()
        .filter(|c| NEWLINES.contains(c) || !category_letter(*c).contains('C'))
        .collect();
    let lines = kept.replace("\r\n", "\n");
    let mut result: Vec<&str> = vec![];
    for line in lines.split(NEWLINES) {
        if !line.trim().is_empty() {
            result.push(line);
        } else if result.last() != Some(&"") {
            result.push("");
        }
    }
    result.join("\n").trim().to_owned()
}

/// Text for comparison: without case, white space, marks, punctuation and control characters.
pub fn collapse(text: &str) -> String {
    let decomposed: String = text.nfd().map(hide_unassigned).collect();
    let lower = decomposed.to_lowercase();
    let kept: String = lower
        .chars()
        .filter(|c| !c.is_whitespace() && !"CMP".contains(category_letter(*c)))
        .collect();
    kept.nfkc().collect()
}

/// The longest prefix of `text` that fits into `max_bytes` bytes of UTF-8, trimmed.
pub fn trim(text: &str, max_bytes: usize) -> String {
    let mut kept = String::new();
    for c in text.chars() {
        if kept.len() + c.len_utf8() > max_bytes {
            break;
        }
        kept.push(c);
    }
    kept.trim_matches(is_space).to_owned()
}

/// The words of `text` with one space between them.
pub fn remove_newlines(text: &str) -> String {
    let words: Vec<&str> = text.split(is_space).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// White space as Python defines it, which includes four separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Maps characters that are unassigned in 16.0 to a noncharacter, which has no case and is removed
/// as well.
fn hide_unassigned(c: char) -> char {
    if get_general_category(c) == GeneralCategory::Unassigned { '\u{fffe}' } else { c }
}

/// First letter of the general category's short name for the three removed groups, otherwise `-`.
fn category_letter(c: char) -> &'static str {
    use GeneralCategory as G;
    match get_general_category(c) {
        G::Control | G::Format | G::Unassigned | G::PrivateUse | G::Surrogate => "C",
        G::NonspacingMark | G::SpacingMark | G::EnclosingMark => "M",
        G::ConnectorPunctuation
        | G::DashPunctuation
        | G::OpenPunctuation
        | G::ClosePunctuation
        | G::InitialPunctuation
        | G::FinalPunctuation
        | G::OtherPunctuation => "P",
        _ => "-",
    }
}
