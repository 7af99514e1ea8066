//! Plain text of arbitrary values.

use iscc_media::sanitize::plain_text;
use proptest::prelude::*;

proptest! {
    #[test]
    fn any_value_gives_trimmed_text_that_is_no_longer(value in ".*") {
        let plain = plain_text(&value);
        prop_assert!(plain.len() <= value.len());
        prop_assert_eq!(plain.trim(), &plain);
        prop_assert!(!plain.contains("  "));
    }

    #[test]
    fn markup_in_any_disorder_is_read_to_its_end(value in "(<|>|/|!|-|'|=|&|;|#|x|a|script|style| ){0,60}") {
        let plain = plain_text(&value);
        prop_assert!(plain.len() <= value.len());
    }

    #[test]
    fn text_without_markup_stays(words in proptest::collection::vec("[^<&\\s\\x1c-\\x1f\\x85]{1,8}", 0..20)) {
        let value = words.join(" ");
        prop_assert_eq!(plain_text(&value), value);
    }
}
