//! All that a store contains, as the detailed JSON of a C2PA reader.

use std::collections::BTreeMap;

use c2pa::Reader;
use serde_json::{Map, Value};

/// Maximum size of a store in bytes. The JSON of its binary values is larger than the store.
const STORE_BYTES_MAX: usize = 10 << 20;

/// How the validation ended, in the reader's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// A trust anchor vouches for the signer.
    Trusted,
    /// Signature and hashes are valid.
    Valid,
    /// There are failures.
    Invalid,
}

/// Whether a store is small enough for [`details`].
pub fn fits(bytes: &[u8]) -> bool {
    bytes.len() <= STORE_BYTES_MAX
}

/// The reader's JSON in one line: `active_manifest`, `manifests` with claims, assertions and
/// signatures, `validation_results` and `validation_state`. Byte strings are Base64; pictures and
/// other binary assertions are omitted. The same store has the same text in every process.
///
/// `ignored`: status codes of failures that are left out. `state` replaces that of the reader,
/// which counts them. `None` if the JSON is nested too deeply.
pub fn details(reader: &Reader, ignored: &[&str], state: State) -> Option<String> {
    let mut json: Value = serde_json::from_str(&reader.detailed_json_checked().ok()?).ok()?;
    let manifests = json.get_mut("manifests").and_then(Value::as_object_mut)?;
    sort(manifests);
    for manifest in manifests.values_mut() {
        if let Some(assertions) = manifest["assertion_store"].as_object_mut() {
            sort(assertions);
        }
    }
    let failures = json.pointer_mut("/validation_results/activeManifest/failure");
    if let Some(failures) = failures.and_then(Value::as_array_mut) {
        failures
            .retain(|failure| !failure["code"].as_str().is_some_and(|it| ignored.contains(&it)));
    }
    json["validation_state"] = format!("{state:?}").into();
    serde_json::to_string(&json).ok()
}

/// The crate's maps have a random order.
fn sort(object: &mut Map<String, Value>) {
    let sorted: BTreeMap<_, _> = std::mem::take(object).into_iter().collect();
    object.extend(sorted);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_of_10_mib_fits() {
        let mut bytes = vec![0; 10 << 20];
        assert!(fits(&bytes));
        bytes.push(0);
        assert!(!fits(&bytes));
    }
}
