//! The similarity of two codes, in the fields of results.

use iscc_codec::{Code, Comparison};
use serde::Serialize;

/// The similarity of two units of the same kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedUnits {
    /// Name of the kind: `CONTENT_TEXT_V0`
    pub kind: String,
    /// Number of compared bits: the length of the shorter unit
    pub bits: usize,
    /// Number of bits that differ
    pub distance: usize,
    /// 1 for equal units, about 0.5 for unrelated content
    pub similarity: f64,
    /// `true` if the similarity means nothing, because a unit has no features; otherwise absent
    #[serde(skip_serializing_if = "Option::is_none")]
    pub featureless: Option<bool>,
}

impl From<Comparison> for ComparedUnits {
    fn from(unit: Comparison) -> Self {
        Self {
            kind: unit.kind.to_string(),
            bits: unit.bits,
            distance: unit.distance,
            similarity: unit.similarity,
            featureless: unit.featureless.then_some(true),
        }
    }
}

/// Compares the units that both codes have, in body order. Errors are messages that name the code.
pub fn compare(a: &str, b: &str) -> Result<Vec<ComparedUnits>, String> {
    let parse =
        |text: &str, name| text.parse::<Code>().map_err(|error| format!("{name} code: {error}"));
    let (a, b) = (parse(a, "first")?, parse(b, "second")?);
    Ok(iscc_codec::compare(&a, &b).into_iter().map(ComparedUnits::from).collect())
}
