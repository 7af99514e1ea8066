//! Featureless Content-Codes: codes of plain pictures and of documents without text, whose matches mean
//! nothing.

use crate::kind::Kind;
use crate::tables::Mode;
use crate::unit::Unit;

/// Fewest one-bits of a 64-bit segment with features.
///
/// A segment is a median split of 64 DCT coefficients, so regularly 32 bits are set. Fewer than 8 mean at least 26
/// coefficients that are equal, as in uniform colours, gradients along one axis and plain stripes.
const SEGMENT_ONES_MIN: u32 = 8;

const SEGMENT_BYTES: usize = 8;

/// The body of the Text-Code of an empty text, as all scans without text and all empty forms have it.
const EMPTY_TEXT: [u8; 32] = [
    0x25, 0xf0, 0xba, 0xb6, 0x71, 0xf5, 0x06, 0xe1, 0xc5, 0x32, 0xf8, 0x92, 0xd9, 0xd7, 0x91, 0x7a,
    0x25, 0x2e, 0x7a, 0x52, 0x08, 0x32, 0xf5, 0x96, 0x3a, 0x8c, 0xd4, 0xe9, 0xa7, 0xe3, 0x12, 0xb5,
];

impl Unit {
    /// Whether this is a Content-Code without features: see [`is_featureless`].
    pub fn is_featureless(&self) -> bool {
        is_featureless(self.kind(), self.body())
    }
}

/// Whether a unit is a Content-Code without features.
///
/// An Image-Code has none if any complete 64-bit segment of its body has fewer than 8 ones. Plain pictures get nearly equal
/// codes of this kind, whatever they show. The rule is that of iscc-sdk 0.9.7. A Text-Code has none if it is that of an empty
/// text.
///
/// False for other units, and for codes of 32 bits, which are too short to judge.
pub fn is_featureless(kind: Kind, body: &[u8]) -> bool {
    if kind == Kind::content(Mode::Text) {
        return body.len() >= SEGMENT_BYTES && EMPTY_TEXT.starts_with(body);
    }
    kind == Kind::content(Mode::Image)
        && body.chunks_exact(SEGMENT_BYTES).any(|segment| ones(segment) < SEGMENT_ONES_MIN)
}

fn ones(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| byte.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_without_text_are_featureless_in_all_lengths() {
        let text = Kind::content(Mode::Text);
        for bytes in [8, 16, 24, 32] {
            assert!(is_featureless(text, &EMPTY_TEXT[..bytes]), "{bytes}");
        }
        assert!(!is_featureless(text, &EMPTY_TEXT[..4]));
        assert!(!is_featureless(Kind::content(Mode::Image), &EMPTY_TEXT));
        let mut other = EMPTY_TEXT;
        other[7] ^= 1;
        assert!(!is_featureless(text, &other[..8]));
    }
}
