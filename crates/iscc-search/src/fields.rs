//! Members of the metadata in responses: metadata may be large, as with pictures in them.
use std::borrow::Cow;

use iscc_index::json::{Pairs, push_string};
use serde_json::value::RawValue;

/// Starts the names of members to leave out.
const WITHOUT: char = '-';

/// Which members of the metadata a response has. By default, all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(Option<Vec<String>>);

impl Fields {
    /// The members with these names, without those with `-` before their names. If all names have it, the other members.
    /// Without names, responses have no metadata.
    pub fn of_names(names: Vec<String>) -> Self {
        Self(Some(names))
    }

    /// The metadata for a response. Values and their order are those of the object.
    pub fn of<'a>(&self, metadata: Option<&'a [u8]>) -> Option<Cow<'a, [u8]>> {
        let metadata = metadata?;
        let Some(names) = &self.0 else { return Some(metadata.into()) };
        if names.is_empty() {
            return None;
        }
        let has_all = names.iter().all(|name| name.starts_with(WITHOUT));
        let is_shown = |member: &str| {
            let is_named = has_all || names.iter().any(|name| name == member);
            is_named && !names.iter().any(|name| name.strip_prefix(WITHOUT) == Some(member))
        };
        let members: Pairs<'a, &RawValue> = serde_json::from_slice(metadata).ok()?;
        let mut json = vec![b'{'];
        for (name, value) in members.0 {
            if !is_shown(&name) {
                continue;
            }
            if json.len() > 1 {
                json.push(b',');
            }
            push_string(&mut json, &name);
            json.push(b':');
            json.extend_from_slice(value.get().as_bytes());
        }
        json.push(b'}');
        Some(json.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: &str = r#"{ "b" : 1.50, "a" : {"b":[1, 2]}, "\u00e9":"x", "a":null }"#;

    fn of(names: &[&str]) -> Option<String> {
        let fields = Fields::of_names(names.iter().map(|&name| name.to_owned()).collect());
        let found = fields.of(Some(METADATA.as_bytes()))?;
        Some(String::from_utf8(found.into_owned()).unwrap())
    }

    #[test]
    fn members_keep_their_values_and_their_order() {
        assert_eq!(of(&["a", "b"]).unwrap(), r#"{"b":1.50,"a":{"b":[1, 2]},"a":null}"#);
        assert_eq!(of(&["é"]).unwrap(), r#"{"é":"x"}"#);
        assert_eq!(of(&["c"]).unwrap(), "{}");
        assert_eq!(of(&["-a"]).unwrap(), r#"{"b":1.50,"é":"x"}"#);
        assert_eq!(of(&["-a", "b", "a"]).unwrap(), r#"{"b":1.50}"#);
        assert_eq!(of(&["-a", "-b", "-é"]).unwrap(), "{}");
        assert_eq!(of(&[]), None);
        assert_eq!(Fields::default().of(Some(METADATA.as_bytes())).unwrap(), METADATA.as_bytes());
        assert_eq!(Fields::of_names(vec!["a".to_owned()]).of(None), None);
    }
}
