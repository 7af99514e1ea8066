//! The rule for manifest ids.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// Maximum length of an id in code points.
const ID_CHARS_MAX: usize = 255;

/// Whether `text` is a valid manifest id: 1 to 255 printable code points. Not printable are control
/// and format characters, surrogates, private use, code points unassigned in Unicode 16, and all
/// separators except the space.
pub fn is_manifest_id(text: &str) -> bool {
    // A code point has at most four bytes, so longer texts need not be scanned.
    !text.is_empty()
        && text.len() <= 4 * ID_CHARS_MAX
        && text.chars().count() <= ID_CHARS_MAX
        && text.chars().all(is_printable)
}

fn is_printable(c: char) -> bool {
    let category = get_general_category(c);
    c == ' '
        || !matches!(
            category,
            Category::Control
                | Category::Format
                | Category::Surrogate
                | Category::PrivateUse
                | Category::Unassigned
                | Category::LineSeparator
                | Category::ParagraphSeparator
                | Category::SpaceSeparator
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_in_code_points() {
        for letter in ["a", "\u{e9}", "\u{1d49c}"] {
            assert!(is_manifest_id(&letter.repeat(255)), "{letter}");
            assert!(!is_manifest_id(&letter.repeat(256)), "{letter}");
        }
        assert!(!is_manifest_id(""));
    }

    #[test]
    fn of_separators_only_the_space_is_printable() {
        assert!(is_manifest_id("a b") && is_manifest_id(" "));
        for text in ["\u{a0}", "\u{2028}", "\u{2029}", "\n", "\u{200b}", "\u{e000}", "\u{378}"] {
            assert!(!is_manifest_id(text), "{text:?}");
        }
    }
}
