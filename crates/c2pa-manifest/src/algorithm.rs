//! The C2PA's list of soft-binding algorithms.

use std::collections::HashSet;

use serde::Deserialize;
use thiserror::Error;

/// The algorithm whose values are ISCC-SEQs (IEP-0020).
pub const ISCC: &str = "io.iscc.v0";
/// Longest name that a newer list may have. The longest so far has 42 bytes.
const NAME_BYTES_MAX: usize = 128;

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

/// A list of algorithms: the bundled one or an operator's.
#[derive(Debug, Clone)]
pub struct AlgorithmList {
    entries: Vec<Algorithm>,
    names: HashSet<String>,
    date: Option<String>,
}

impl AlgorithmList {
    /// The bundled list, in its order. Renamed algorithms also have their former name.
    pub fn bundled() -> Self {
        Self::parse(include_str!("../data/alg-list.json")).expect("a test checks the bundled list")
    }

    /// Parses the C2PA's public list, an array of entries with `alg` and `type`, or an object with
    /// this array as `algorithms` and possibly a `date`. Other members are ignored.
    ///
    /// # Errors
    /// The text is not such a list, or the list lacks [`ISCC`].
    pub fn parse(json: &str) -> Result<Self, AlgorithmListError> {
        let list =
            serde_json::from_str(json).map_err(|error| AlgorithmListError(error.to_string()))?;
        let (entries, date) = match list {
            List::Bare(entries) => (entries, None),
            List::Wrapped { algorithms, date } => (algorithms, date),
        };
        let names: HashSet<String> = entries.iter().map(|entry| entry.alg.clone()).collect();
        if !names.contains(ISCC) {
            return Err(AlgorithmListError(format!("it lacks the algorithm {ISCC}")));
        }
        Ok(Self { entries, names, date })
    }

    /// Its date as `2026-08-20`, if it has one. The list of the C2PA has none.
    pub fn date(&self) -> Option<&str> {
        self.date.as_deref()
    }

    /// The entries, in order.
    pub fn entries(&self) -> &[Algorithm] {
        &self.entries
    }

    /// Whether the list contains the algorithm.
    pub fn contains(&self, alg: &str) -> bool {
        self.names.contains(alg)
    }

    /// Whether the algorithm may be on a newer list: it has the form of the names there, and is not
    /// another spelling of one of them.
    pub fn may_gain(&self, alg: &str) -> bool {
        let is_part = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let has_form =
            alg.contains('.') && alg.len() <= NAME_BYTES_MAX && alg.split('.').all(is_part);
        let is_spelling = || self.names.iter().any(|name| name.eq_ignore_ascii_case(alg));
        has_form && !is_spelling()
    }
}

/// A text is not a list of algorithms; contains the reason.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the list of soft-binding algorithms is invalid: {0}")]
pub struct AlgorithmListError(String);

#[derive(Deserialize)]
#[serde(untagged, expecting = "it is not a JSON array of entries with `alg` and `type`")]
enum List {
    Bare(Vec<Algorithm>),
    Wrapped { algorithms: Vec<Algorithm>, date: Option<String> },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_list_is_complete() {
        let list = AlgorithmList::bundled();
        let is_watermark = |entry: &&Algorithm| entry.kind == AlgorithmKind::Watermark;
        let watermarks = list.entries().iter().filter(is_watermark).count();
        assert_eq!((list.entries().len(), watermarks), (55, 46));
        assert_eq!(list.date(), Some("2026-08-20"));
        assert!(list.contains(ISCC) && !list.contains("IO.ISCC.V0") && !list.contains(""));
    }

    #[test]
    fn names_of_the_reserved_form_may_be_on_a_newer_list() {
        let list = AlgorithmList::bundled();
        for alg in ["com.example.new.1", "io.iscc.v1", "a.b", "castLabs.zwc-mark.2"] {
            assert!(list.may_gain(alg), "{alg}");
        }
        let long = format!("com.{}", "a".repeat(NAME_BYTES_MAX - 3));
        for alg in ["", "words", ".", "a.", ".a", "a..b", "a b.c", "a.\u{e4}", "a.b_c", &long] {
            assert!(!list.may_gain(alg), "{alg}");
        }
        for alg in ["io.iscc.v0", "IO.ISCC.V0", "com.adobe.trustmark.p"] {
            assert!(!list.may_gain(alg), "{alg}");
        }
    }

    #[test]
    fn an_array_is_a_list() {
        let iscc = r#"{"alg":"io.iscc.v0","type":"fingerprint","identifier":3}"#;
        let list = AlgorithmList::parse(&format!("[{iscc}]")).unwrap();
        assert_eq!(list.entries().len(), 1);
        let wrapped = AlgorithmList::parse(&format!(r#"{{"algorithms":[{iscc}],"version":1}}"#));
        assert_eq!(wrapped.unwrap().entries(), list.entries());
        for text in ["", "[]", "{}", r#"[{"alg":"a","type":"watermark"}]"#, r#"[{"alg":"a"}]"#] {
            assert!(AlgorithmList::parse(text).is_err(), "{text}");
        }
    }
}
