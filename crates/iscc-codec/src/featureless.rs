//! Featureless Image-Codes: codes of plain pictures, whose matches mean nothing.

use crate::kind::Kind;
use crate::tables::Mode;
use crate::unit::Unit;

/// Fewest one-bits of a 64-bit segment with features.
///
/// A segment is a median split of 64 DCT coefficients, so regularly 32 bits are set. Fewer than 8 mean at least 26
/// coefficients that are equal, as in uniform colours, gradients along one axis and plain stripes.
const SEGMENT_ONES_MIN: u32 = 8;

const SEGMENT_BYTES: usize = 8;

impl Unit {
    /// Whether this is an Image-Code without features: see [`is_featureless`].
    pub fn is_featureless(&self) -> bool {
        is_featureless(self.kind(), self.body())
    }
}

/// Whether a unit is an Image-Code without features: any complete 64-bit segment of its body has fewer than 8 ones. Plain
/// pictures get nearly equal codes of this kind, whatever they show. The rule is that of iscc-sdk 0.9.7.
///
/// False for other units, and for an Image-Code of 32 bits, which is too short to judge.
pub fn is_featureless(kind: Kind, body: &[u8]) -> bool {
    kind == Kind::content(Mode::Image)
        && body.chunks_exact(SEGMENT_BYTES).any(|segment| ones(segment) < SEGMENT_ONES_MIN)
}

fn ones(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| byte.count_ones()).sum()
}
