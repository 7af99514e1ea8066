//! The C2PA's list of soft-binding algorithms.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The algorithm whose values are ISCC-SEQs (IEP-0020).
pub const ISCC: &str = "io.iscc.v0";

/// How an algorithm binds a manifest to an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AlgorithmKind {
    /// By data hidden in the asset.
    Watermark,
    /// By the content of the asset.
    Fingerprint,
}

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Algorithm {
    /// Identifier in manifests and queries, compared exactly.
    pub alg: String,
    /// Watermark or fingerprint.
    #[serde(rename = "type")]
    pub kind: AlgorithmKind,
}

/// The list as of 2026-04-15, in its order.
pub fn algorithms() -> &'static [Algorithm] {
    &LIST.algorithms
}

/// Whether the list contains the algorithm.
pub(crate) fn is_listed(alg: &str) -> bool {
    NAMES.contains_key(alg)
}

#[derive(Deserialize)]
struct List {
    algorithms: Vec<Algorithm>,
}

static LIST: LazyLock<List> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../data/alg-list.json"))
        .expect("a test checks the bundled list")
});

static NAMES: LazyLock<HashMap<&'static str, AlgorithmKind>> =
    LazyLock::new(|| algorithms().iter().map(|entry| (entry.alg.as_str(), entry.kind)).collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_list_is_complete() {
        let watermarks =
            algorithms().iter().filter(|entry| entry.kind == AlgorithmKind::Watermark).count();
        assert_eq!((algorithms().len(), watermarks), (32, 29));
        assert!(is_listed(ISCC) && !is_listed("IO.ISCC.V0") && !is_listed(""));
    }
}
