//! Which labels can be the id of a manifest.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// Longest id in code points.
const ID_CHARS_MAX: usize = 255;

/// Whether `text` can be the id of a manifest: 1 to 255 code points, all printable, which leaves out
/// controls, format characters, surrogates, private use, what Unicode 16 has not assigned, and every
/// separator but the plain space.
pub fn is_manifest_id(text: &str) -> bool {
    // A code point has at most four bytes: no need to walk what is longer.
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
