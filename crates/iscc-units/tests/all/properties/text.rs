//! Text normalisation at every level, compared with the `reference` crate.

use std::ops::Range;

use iscc_units::kernels::blake3_short::{self, SHORT_MAX_BYTES};
use iscc_units::kernels::{cdc, clean, collapse, ngram};
use iscc_units::text::LoneSurrogate;
use iscc_units::{Compat, simd, simprint, text};
use proptest::collection::vec;
use proptest::prelude::*;

use super::unicode;

fn assert_matches_the_reference_crate(text: &str) -> Result<(), TestCaseError> {
    let cleaned = reference::text::clean(text);
    let collapsed = reference::text::collapse(text);
    let shown = |text: &str| text.escape_unicode().to_string();
    for level in simd::levels() {
        let ours = clean::clean_at(level, text);
        prop_assert_eq!(shown(&ours), shown(&cleaned), "clean {:?} {}", level, shown(text));
        let ours = collapse::collapse_at(level, text);
        prop_assert_eq!(shown(&ours), shown(&collapsed), "collapse {:?} {}", level, shown(text));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normalised_text_matches_the_reference_crate(text in unicode::text(120)) {
        assert_matches_the_reference_crate(&text)?;
    }

    #[test]
    fn trimmed_text_matches_the_reference_crate(text in unicode::text(40), max_bytes in 0usize..60) {
        prop_assert_eq!(
            text::trim(&text, max_bytes),
            reference::text::trim(&text, max_bytes)
        );
        prop_assert_eq!(
            text::remove_newlines(&text),
            reference::text::remove_newlines(&text)
        );
    }
}

proptest! {
    #[test]
    fn features_match_the_reference_crate(text in unicode::text(150)) {
        for text in [&text, &reference::text::collapse(&text)] {
            let expected = reference::ngram::features(text);
            for level in simd::levels() {
                let mut features = Vec::<u32>::new();
                let count = ngram::features_at(level, text, |some| features.extend(some));
                prop_assert_eq!(&features, &expected, "{:?} of {:?}", level, text);
                prop_assert_eq!(count, expected.len());
            }
        }
    }

    #[test]
    fn chunk_ends_match_the_reference_crate(text in unicode::text(900)) {
        let mut ends = reference::simprint::chunk_ends(&text, &cdc::GEAR);
        let lengths = simprint::features(&text, simprint::Unit::Utf8Bytes, Compat::Sdk0_9_5).sizes;
        let ours: Vec<usize> = lengths
            .iter()
            .scan(0, |end, length| {
                *end += *length as usize;
                Some(*end)
            })
            .collect();
        prop_assert_eq!(&ours, &ends);
        // The simprint of a chunk equals its Text-Code.
        ends.insert(0, 0);
        let prints: Vec<_> = ends.windows(2).map(|w| text::code(&text[w[0]..w[1]]).digest).collect();
        prop_assert_eq!(simprint::simprints(&text), prints);
    }

    #[test]
    fn utf16_matches_the_standard_library(text in unicode::text(60)) {
        let units: Vec<u16> = text.encode_utf16().collect();
        prop_assert_eq!(&text::to_utf16(&text), &units);
        prop_assert_eq!(text::from_utf16(&units), Ok(text));
    }

    #[test]
    fn a_lone_surrogate_is_found_at_its_index(
        before in unicode::text(20),
        surrogate in 0xD800u16..0xE000,
        after in unicode::text(20),
    ) {
        let mut units: Vec<u16> = before.encode_utf16().collect();
        let index = units.len();
        units.push(surrogate);
        units.extend(after.encode_utf16());
        prop_assert_eq!(text::from_utf16(&units), Err(LoneSurrogate { index }));
    }

    #[test]
    fn short_messages_match_blake3(
        bytes in vec(any::<u8>(), 0..200),
        messages in vec((0usize..200, 0usize..=SHORT_MAX_BYTES), 0..70),
    ) {
        let inside = |(start, length): &(usize, usize)| {
            let start = *start.min(&bytes.len());
            start..(start + length).min(bytes.len())
        };
        let messages: Vec<_> = messages.iter().map(inside).collect();
        let hash = |message: &Range<usize>| *blake3::hash(&bytes[message.clone()]).as_bytes();
        let expected: Vec<[u8; 32]> = messages.iter().map(hash).collect();
        for level in simd::levels() {
            let mut hashes = vec![];
            blake3_short::hash_each_at(level, &bytes, messages.iter().cloned(), |some| {
                hashes.extend_from_slice(some);
            });
            prop_assert_eq!(&hashes, &expected, "{:?}", level);
        }
    }
}

/// Every code point after and before a character that it may merge with, and before a mark.
#[test]
fn every_code_point_matches_the_reference_crate() {
    // Planes 4 to 13 are unassigned, 15 and 16 private: one character in 251 represents them.
    let assigned = |c: &char| matches!(*c as u32, 0..0x4_0000 | 0xE_0000..0xE_0400);
    let known = ('\0'..=char::MAX).filter(|c| *c != unicode::CASED_UP_TO_16_0);
    for c in known.filter(|c| assigned(c) || (*c as u32).is_multiple_of(251)) {
        let text = format!(
            "か{c}a{c}\u{301}Σ \u{1100}{c}\u{1161}{c}\u{11a8}{c}\u{323} aΣ{c}Σa {c}Σ\n{c}\n{c}"
        );
        assert_matches_the_reference_crate(&text).unwrap();
    }
}

#[test]
fn final_sigma_follows_unicode_16_0() {
    let letter = unicode::CASED_UP_TO_16_0;
    assert_eq!(text::collapse(&format!("{letter}Σ")), format!("{letter}ς"));
    assert_eq!(text::collapse("aΣ aΣa Σ a'Σ' \u{a7d2}Σ"), "aςaσaσaςσ");
}

/// An algorithm that is quadratic in the length of a run would take hours here.
#[test]
fn long_runs_of_merging_characters_take_linear_time() {
    for unit in [
        "\u{301}",
        "\u{ff9e} ",
        "\u{301}\u{200b}",
        "\u{1161}",
        "Σ",
        "Σ\u{301}'",
        "\r\u{200b}",
        " \n",
        "\u{fdfa}",
    ] {
        let text = format!("a{}", unit.repeat(200_000));
        assert!(text::clean(&text).len() <= 11 * text.len());
        assert!(text::collapse(&text).len() <= 11 * text.len());
    }
}
