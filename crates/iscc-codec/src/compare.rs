//! Similarity of two codes, unit by unit.

use crate::any_code::Code;
use crate::kind::Kind;
use crate::tables::MainType;
use crate::unit::Unit;

/// The comparison of two units of the same kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Kind of both units.
    pub kind: Kind,
    /// Number of bits compared: the length of the shorter unit.
    pub bits: usize,
    /// Number of compared bits that differ.
    pub distance: usize,
    /// 1 for equal, 0 for opposite; about 0.5 for unrelated content. Either 1 or 0 for an
    /// Instance-Code or an ISCC-ID, whose bits do not measure similarity.
    pub similarity: f64,
    /// Whether the similarity means nothing, because one of the units is featureless: see [`Unit::is_featureless`].
    pub featureless: bool,
}

/// Compares the units that both codes have, in body order.
pub fn compare(a: &Code, b: &Code) -> Vec<Comparison> {
    let others = b.units();
    let pairs = a.units().to_vec();
    pairs.iter().flat_map(|a| others.iter().filter_map(move |b| compare_units(a, b))).collect()
}

/// Compares two units of the same kind; `None` for different kinds.
///
/// Normalised prefix Hamming similarity: one minus the share of differing bits within the common
/// length, so units of different lengths are comparable.
pub fn compare_units(a: &Unit, b: &Unit) -> Option<Comparison> {
    if a.kind() != b.kind() {
        return None;
    }
    let bits = a.bits().min(b.bits());
    let distance = a.body().iter().zip(b.body()).map(|(a, b)| (a ^ b).count_ones() as usize).sum();
    let all_or_nothing =
        matches!(a.kind().main(), MainType::Instance | MainType::Id | MainType::Flake);
    let similarity = match distance {
        0 => 1.0,
        _ if all_or_nothing => 0.0,
        _ => 1.0 - distance as f64 / bits as f64,
    };
    let featureless = a.is_featureless() || b.is_featureless();
    Some(Comparison { kind: a.kind(), bits, distance, similarity, featureless })
}
