//! Results of a typed search, for callers in the same process.
use iscc_index::json::{Pairs, Text};
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::score::GlobalMatch;

/// Metadata of a matched asset. The outer `None` means that the asset was deleted.
pub type Metadata<'a> = Option<Option<&'a [u8]>>;

/// An asset that matches a query by its units. Has the values of the JSON response.
#[derive(Debug, Clone, PartialEq)]
pub struct AssetMatch {
    /// ISCC-ID with prefix.
    pub iscc_id: String,
    /// Score, 0 to 1.
    pub score: f64,
    /// Score of each matching unit type, for example of `CONTENT_TEXT_V0`, in the query's order.
    pub types: Vec<(String, f64)>,
    /// Member `gateway` of the asset's metadata, if it is a string.
    pub gateway: Option<String>,
}

impl AssetMatch {
    /// Converts matches. `id_text` and `metadata` return an asset's ISCC-ID and metadata, by the `id` of its match.
    pub fn list<'a>(
        id_text: impl Fn(u64) -> String,
        matches: &[GlobalMatch],
        metadata: impl Fn(u64) -> Result<Metadata<'a>, Failure>,
    ) -> Result<Vec<Self>, Failure> {
        let mut list = Vec::with_capacity(matches.len());
        for matched in matches {
            let Some(metadata) = metadata(matched.id)? else { continue };
            list.push(Self {
                iscc_id: id_text(matched.id),
                score: matched.score,
                types: matched
                    .types
                    .iter()
                    .map(|(kind, score)| (kind.to_string(), *score))
                    .collect(),
                gateway: metadata.and_then(gateway),
            });
        }
        Ok(list)
    }
}

/// Member `gateway` of a metadata object, if it is a string.
pub fn gateway(metadata: &[u8]) -> Option<String> {
    let text: Text<'_> = serde_json::from_str(string_member(metadata, "gateway")?).ok()?;
    Some(text.0.into_owned())
}

/// JSON text of a member of an object, if it is a string.
pub fn string_member<'a>(object: &'a [u8], name: &str) -> Option<&'a str> {
    let members: Pairs<'a, &RawValue> = serde_json::from_slice(object).ok()?;
    // The last member of a name counts, as in most JSON parsers.
    let (_, value) = members.0.into_iter().rfind(|(known, _)| known == name)?;
    Some(value.get()).filter(|text| text.starts_with('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_last_gateway_that_is_a_string() {
        assert_eq!(gateway(br#"{"a":1,"gateway":"x"}"#).as_deref(), Some("x"));
        assert_eq!(gateway(br#"{"gatew\u0061y":"\u00e9\n"}"#).as_deref(), Some("é\n"));
        assert_eq!(gateway(br#"{"gateway":"x","gateway":"y"}"#).as_deref(), Some("y"));
        assert_eq!(gateway(br#"{"gateway":"x","gateway":1}"#), None);
        assert_eq!(gateway(br#"{"nested":{"gateway":"x"}}"#), None);
    }
}
