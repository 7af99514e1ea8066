//! Texts that exercise normalisation.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Texts of up to `max` pieces from one to four kinds of characters, with pieces that affect lines,
/// compositions and words.
pub fn text(max: usize) -> impl Strategy<Value = String> {
    vec(0..KINDS.len(), 1..5).prop_flat_map(move |kinds| {
        let piece = prop_oneof![
            5 => select(kinds).prop_flat_map(character).prop_map(String::from),
            2 => select(SPECIAL_PIECES).prop_map(str::to_owned),
            1 => (character(0), 0usize..150).prop_map(|(c, n)| c.to_string().repeat(n)),
        ];
        let left_out = [CASED_UP_TO_16_0, MODIFIER_OF_IT];
        vec(piece, 0..max).prop_map(move |pieces| pieces.concat().replace(left_out, ""))
    })
}

/// A letter that is no longer cased after 16.0, so the standard library, the `reference` crate and
/// iscc-lib decide differently on the end of a word after it.
pub const CASED_UP_TO_16_0: char = '\u{295}';

/// The only character that NFKC replaces by that letter. Names of Meta-Codes are in NFKC.
const MODIFIER_OF_IT: char = '\u{2e4}';

/// First and last character of each kind.
const KINDS: &[(u32, u32)] = &[
    (0x20, 0x7E),       // printable ASCII
    (0x00, 0x7F),       // all of ASCII
    (0x80, 0x24F),      // accented Latin
    (0x250, 0x36F),     // phonetic, modifiers, combining marks
    (0x300, 0x345),     // combining marks
    (0x370, 0x3FF),     // Greek
    (0x400, 0x52F),     // Cyrillic
    (0x590, 0x6FF),     // Hebrew, Arabic with points
    (0x900, 0x9FF),     // Devanagari, Bengali
    (0xB80, 0xDFF),     // scripts with vowels that merge
    (0xE00, 0xFFF),     // Thai, Lao, Tibetan
    (0x1000, 0x10FF),   // Myanmar, Georgian
    (0x1100, 0x11FF),   // Hangul jamo
    (0x1E00, 0x1FFF),   // precomposed Latin and Greek
    (0x2000, 0x214F),   // spaces, punctuation, joiners, letterlike
    (0x2150, 0x2FFF),   // number forms, symbols, radicals
    (0x3000, 0x30FF),   // CJK punctuation, kana
    (0x3130, 0x33FF),   // compatibility jamo, squared words
    (0x4E00, 0x9FFF),   // ideographs
    (0xAC00, 0xD7A3),   // Hangul syllables
    (0xF900, 0xFAFF),   // compatibility ideographs
    (0xFB00, 0xFDFF),   // ligatures
    (0xFE00, 0xFFFF),   // variation selectors, half- and full-width
    (0x11080, 0x11200), // Kaithi, Chakma: composition in the supplementary planes
    (0x113C0, 0x113CF), // Tulu-Tigalari, new in 16.0
    (0x16D40, 0x16D79), // Kirat Rai, new in 16.0: starters that merge
    (0x1D100, 0x1D7FF), // musical symbols, mathematical letters
    (0x1F300, 0x1FAFF), // emoji
    (0x20000, 0x20100), // ideographs outside the BMP
    (0xE0000, 0xE01FF), // tags, more variation selectors
    (0x00000, 0x10FFFF),
];

fn character(kind: usize) -> impl Strategy<Value = char> {
    let (first, last) = KINDS[kind];
    (first..=last).prop_filter_map("surrogate", char::from_u32)
}

const SPECIAL_PIECES: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "\n \n",
    "\u{b}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\t",
    " ",
    "  ",
    "\u{1680}",
    "\u{3000}",
    "\u{a0}",
    "\u{200b}",
    "\u{200d}",
    "\u{ad}",
    "\u{fe0f}",
    "\u{301}",
    "\u{323}",
    "\u{345}",
    "\u{3099}",
    "\u{ff9e}",
    "\u{1161}",
    "\u{11a8}",
    "a",
    "A",
    "Σ",
    "σ",
    "'",
    "か",
    "ハ",
    "가",
    "中文字符",
    "\u{a7d2}",
    "\u{1f600}",
];
