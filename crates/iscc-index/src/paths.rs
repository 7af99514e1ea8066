//! Declared metadata paths of an index: the rows of the path index that an asset has, and those that a condition needs.
//!
//! A row is a key without a value: number of the path ‖ kind ‖ hash, in two kinds ‖ ISCC-ID body (big-endian). Rows only
//! narrow a search: their assets are checked against the condition, so equal hashes do no harm.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::filter::{Condition, Filter, Path, Value};
use crate::json::Node;

/// Maximum number of declared paths of an index.
pub const PATHS_MAX: usize = 16;
/// Maximum length of a declared path in bytes.
pub const PATH_BYTES_MAX: usize = 256;
/// Key of the declared paths in the index's metadata.
pub const DECLARED: &str = "paths";
/// Arrays with more different values have one row for all of them.
const VALUES_MAX: usize = 256;
const HASH_BYTES: usize = 16;

/// Kind of a row: a value is at the path.
const EXISTS: u8 = 0;
/// Kind of a row: hash of a value.
const VALUE: u8 = 1;
/// Kind of a row: hash of what follows the last `/` of a string.
const TAIL: u8 = 2;
/// Kind of a row: an array with many values.
const MANY: u8 = 3;

/// A declared path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredPath {
    /// First byte of its rows.
    pub number: u8,
    /// The path as text.
    pub path: String,
    /// Whether its rows are complete.
    pub state: PathState,
}

/// Whether the rows of a path are complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PathState {
    /// All assets have their rows.
    Ready,
    /// Assets below this ISCC-ID body, and all changed since the declaration, have their rows.
    Building(u64),
    /// No longer declared. The rows are being removed.
    Dropping,
}

/// The declared paths of an index. By default, it has no path.
#[derive(Debug, Clone, Default)]
pub struct Paths(Vec<(DeclaredPath, Option<Path>)>);

impl Paths {
    /// Paths with their states.
    pub fn new(declared: Vec<DeclaredPath>) -> Self {
        let parsed = |one: DeclaredPath| {
            let path = Path::parse(&one.path);
            (one, path)
        };
        Self(declared.into_iter().map(parsed).collect())
    }

    /// Reads what [`Paths::json`] has written.
    pub fn read(json: &[u8]) -> Option<Self> {
        serde_json::from_slice(json).ok().map(Self::new)
    }

    /// The stored form.
    pub fn json(&self) -> Vec<u8> {
        serde_json::to_vec(&self.all().collect::<Vec<_>>()).unwrap_or_default()
    }

    /// All paths, with those whose rows are being removed.
    pub fn all(&self) -> impl Iterator<Item = &DeclaredPath> {
        self.0.iter().map(|(declared, _)| declared)
    }

    /// The texts of the declared paths that are valid.
    pub fn texts(&self) -> Vec<String> {
        let valid = self.0.iter().filter(|(_, path)| path.is_some());
        let declared = valid.filter(|(one, _)| one.state != PathState::Dropping);
        declared.map(|(one, _)| one.path.clone()).collect()
    }

    /// The paths that are declared.
    pub fn declared(&self) -> impl Iterator<Item = &DeclaredPath> {
        self.all().filter(|one| one.state != PathState::Dropping)
    }

    /// Declares these paths instead. Known ones keep their rows; `is_empty` says that the index has no assets.
    #[must_use]
    pub fn replaced(&self, wanted: &[String], is_empty: bool) -> Self {
        let mut next: Vec<DeclaredPath> = self.all().cloned().collect();
        for one in &mut next {
            if !wanted.contains(&one.path) {
                one.state = PathState::Dropping;
            }
        }
        for path in wanted {
            let is_known =
                |one: &DeclaredPath| one.path == *path && one.state != PathState::Dropping;
            if next.iter().any(is_known) {
                continue;
            }
            let is_free = |number: &u8| next.iter().all(|one| one.number != *number);
            let Some(number) = (0..=u8::MAX).find(is_free) else { continue };
            let state = if is_empty { PathState::Ready } else { PathState::Building(0) };
            next.push(DeclaredPath { number, path: path.clone(), state });
        }
        Self::new(next)
    }

    /// The same paths with all rows to be built again.
    #[must_use]
    pub fn restarted(&self) -> Self {
        let wanted: Vec<String> = self.declared().map(|one| one.path.clone()).collect();
        self.replaced(&[], false).replaced(&wanted, false)
    }

    /// Rows of an asset for all declared paths.
    pub fn rows(&self, id: u64, metadata: Option<&[u8]>) -> BTreeSet<Vec<u8>> {
        let mut rows = BTreeSet::new();
        for (declared, path) in &self.0 {
            let found = path.as_ref().and_then(|path| path.find(metadata));
            if let Some(raw) = found.filter(|_| declared.state != PathState::Dropping) {
                rows.extend(
                    prefixes(declared.number, raw).into_iter().map(|prefix| row(prefix, id)),
                );
            }
        }
        rows
    }

    /// Prefixes of the rows of all assets that may meet a condition. `None` if the path index cannot say.
    pub fn prefixes_of(&self, filter: &Filter) -> Option<Vec<Vec<u8>>> {
        let is_ready = |(declared, path): &&(DeclaredPath, Option<Path>)| {
            declared.state == PathState::Ready && path.as_ref() == Some(&filter.path)
        };
        let number = self.0.iter().find(is_ready)?.0.number;
        let wanted = match &filter.condition {
            Condition::Exists => return Some(vec![vec![number, EXISTS]]),
            Condition::Equals(value) => hashed(number, VALUE, &canonical(value)),
            Condition::EndsWith(end) => hashed(number, TAIL, end.rsplit_once('/')?.1.as_bytes()),
        };
        Some(vec![wanted, vec![number, MANY]])
    }
}

/// The ISCC-ID body in a row. `None` if the row is damaged.
pub fn id_of(row: &[u8]) -> Option<u64> {
    let (_, id) = row.split_at_checked(row.len().checked_sub(8)?)?;
    Some(u64::from_be_bytes(id.try_into().ok()?))
}

/// A row: prefix and ISCC-ID body.
pub fn row(mut prefix: Vec<u8>, id: u64) -> Vec<u8> {
    prefix.extend_from_slice(&id.to_be_bytes());
    prefix
}

fn prefixes(number: u8, raw: &RawValue) -> BTreeSet<Vec<u8>> {
    let items = match Node::read(raw) {
        Ok(Node::Array(items)) => items,
        _ => vec![raw],
    };
    let mut values = BTreeSet::new();
    for value in items.into_iter().filter_map(Value::read) {
        values.insert(hashed(number, VALUE, &canonical(&value)));
        if let Value::String(text) = &value
            && let Some((_, tail)) = text.rsplit_once('/')
        {
            values.insert(hashed(number, TAIL, tail.as_bytes()));
        }
        if values.len() > VALUES_MAX {
            values = BTreeSet::from([vec![number, MANY]]);
            break;
        }
    }
    values.insert(vec![number, EXISTS]);
    values
}

fn hashed(number: u8, kind: u8, content: &[u8]) -> Vec<u8> {
    let hash = blake3::hash(content);
    [&[number, kind], &hash.as_bytes()[..HASH_BYTES]].concat()
}

/// Bytes that are the same for all values that are equal in a condition.
fn canonical(value: &Value) -> Vec<u8> {
    match value {
        Value::Null => b"n".to_vec(),
        Value::Bool(value) => vec![b'b', u8::from(*value)],
        Value::Number(text) => {
            // Adding zero turns -0 into 0, which are equal.
            let number = text.parse::<f64>().unwrap_or(f64::NAN) + 0.0;
            [&b"f"[..], &number.to_bits().to_be_bytes()].concat()
        }
        Value::String(text) => [b"s", text.as_bytes()].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(wanted: &[&str]) -> Paths {
        let wanted: Vec<String> = wanted.iter().map(|&path| path.to_owned()).collect();
        Paths::default().replaced(&wanted, true)
    }

    /// Whether the rows of an asset are among those that a filter needs.
    fn is_candidate(paths: &Paths, filter: &str, metadata: &str) -> bool {
        let needed = paths.prefixes_of(&Filter::parse(filter).unwrap()).unwrap();
        let rows = paths.rows(7, Some(metadata.as_bytes()));
        rows.iter().any(|row| {
            needed.iter().any(|prefix| row.len() == prefix.len() + 8 && row.starts_with(prefix))
        })
    }

    #[test]
    fn every_accepted_asset_has_a_row_that_its_filter_needs() {
        let paths = paths(&["metadata.a", "metadata.b.c"]);
        let values = [
            "null",
            "true",
            "false",
            "0",
            "-0",
            "0.0",
            "-0.0",
            "1",
            "1.0",
            "1e0",
            "1e999",
            "2e999",
            "9007199254740993",
            "9007199254740992",
            r#""""#,
            r#""x""#,
            r#""\u0078""#,
            r#""a/x""#,
            r#""b/a/x""#,
            r#""/""#,
            "[]",
            "[1]",
            r#"["x",[1],{"a":1}]"#,
            r#"{"d":1}"#,
        ];
        let mut accepted = 0;
        for path in ["a", "b.c"] {
            for wanted in values {
                let conditions =
                    [format!("= {wanted}"), format!("ends_with {wanted}"), "exists".into()];
                for filter in conditions.map(|condition| format!("metadata.{path} {condition}")) {
                    let Ok(parsed) = Filter::parse(&filter) else { continue };
                    if paths.prefixes_of(&parsed).is_none() {
                        continue;
                    }
                    for stored in values {
                        for metadata in
                            [format!(r#"{{"a":{stored}}}"#), format!(r#"{{"b":{{"c":{stored}}}}}"#)]
                        {
                            if parsed.accepts(Some(metadata.as_bytes())) {
                                accepted += 1;
                                assert!(
                                    is_candidate(&paths, &filter, &metadata),
                                    "{filter} {metadata}"
                                );
                            }
                        }
                    }
                }
            }
        }
        assert!(accepted > 100, "{accepted}");
        assert!(!is_candidate(&paths, "metadata.a = 1", r#"{"a":2}"#));
        assert!(!is_candidate(&paths, "metadata.a exists", r#"{"b":{"c":1}}"#));
    }

    #[test]
    fn long_arrays_are_candidates_of_every_value() {
        let paths = paths(&["metadata.a"]);
        let many: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        let metadata = format!(r#"{{"a":[{}]}}"#, many.join(","));
        assert!(is_candidate(&paths, "metadata.a = 999", &metadata));
        assert_eq!(paths.rows(7, Some(metadata.as_bytes())).len(), 2);
    }

    #[test]
    fn a_path_declared_again_gets_a_new_number() {
        let first = paths(&["metadata.a", "metadata.b"]);
        let next = first.replaced(&["metadata.b".to_owned(), "metadata.c".to_owned()], false);
        let all: Vec<_> = next.all().map(|one| (one.number, &one.path[..], one.state)).collect();
        let (drop, build) = (PathState::Dropping, PathState::Building(0));
        let wanted = [
            (0, "metadata.a", drop),
            (1, "metadata.b", PathState::Ready),
            (2, "metadata.c", build),
        ];
        assert_eq!(all, wanted);
        let restarted = next.restarted();
        assert_eq!(restarted.declared().map(|one| one.number).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(Paths::read(&restarted.json()).unwrap().json(), restarted.json());
        let filter = Filter::parse("metadata.c exists").unwrap();
        assert_eq!(next.prefixes_of(&filter), None);
    }
}
