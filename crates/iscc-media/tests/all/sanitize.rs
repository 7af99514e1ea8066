//! Properties of plain text from arbitrary values.

use iscc_media::sanitize::plain_text;
use proptest::prelude::*;

proptest! {
    #[test]
    fn plain_text_is_trimmed_and_never_longer(value in ".*") {
        let plain = plain_text(&value);
        prop_assert!(plain.len() <= value.len());
        prop_assert_eq!(plain.trim(), &plain);
        prop_assert!(!plain.contains("  "));
    }

    #[test]
    fn any_sequence_of_markup_is_accepted(value in "(<|>|/|!|-|'|=|&|;|#|x|a|script|style| ){0,60}") {
        let plain = plain_text(&value);
        prop_assert!(plain.len() <= value.len());
    }

    #[test]
    fn text_without_markup_is_unchanged(words in proptest::collection::vec("[^<&\\s\\x1c-\\x1f\\x85]{1,8}", 0..20)) {
        let value = words.join(" ");
        prop_assert_eq!(plain_text(&value), value);
    }
}
