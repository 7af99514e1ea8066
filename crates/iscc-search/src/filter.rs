//! Conditions on the metadata of assets.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::{Node, Text};

/// Root of all paths.
const ROOT: &str = "metadata";

/// A condition: a path, and what must be there.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Names of members, from the outermost.
    path: Vec<String>,
    condition: Condition,
}

#[derive(Debug, Clone, PartialEq)]
enum Condition {
    Exists,
    Equals(Value),
}

/// A JSON value that is neither an object nor an array.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Null,
    Bool(bool),
    Number(String),
    String(String),
}

impl Filter {
    /// Parses `metadata.lang = "de"` or `metadata.lang exists`. Names with other characters than letters, digits, `_` and
    /// `-` are JSON strings. The error says what is expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let rest = text.trim().strip_prefix(ROOT).ok_or(FORM)?;
        let mut path = Vec::new();
        let mut rest = rest;
        while let Some(after) = rest.strip_prefix('.') {
            let (name, after) = name(after).ok_or(FORM)?;
            path.push(name);
            rest = after;
        }
        if path.is_empty() {
            return Err(FORM.to_owned());
        }
        let rest = rest.trim();
        if rest == "exists" {
            return Ok(Self { path, condition: Condition::Exists });
        }
        let value = rest.strip_prefix('=').ok_or(FORM)?.trim();
        let raw: &RawValue = serde_json::from_str(value).map_err(|_| FORM)?;
        let value = Value::read(raw).ok_or(FORM)?;
        Ok(Self { path, condition: Condition::Equals(value) })
    }

    /// Whether the metadata of an asset meets the condition.
    pub fn accepts(&self, metadata: Option<&[u8]>) -> bool {
        let found = metadata.and_then(|json| serde_json::from_slice(json).ok());
        found.and_then(|raw| self.find(raw)).is_some_and(|raw| match &self.condition {
            Condition::Exists => true,
            Condition::Equals(value) => match Node::read(raw) {
                Ok(Node::Array(items)) => items.iter().any(|item| value.equals(item)),
                _ => value.equals(raw),
            },
        })
    }

    fn find<'a>(&self, mut raw: &'a RawValue) -> Option<&'a RawValue> {
        for name in &self.path {
            let Ok(Node::Object(members)) = Node::read(raw) else { return None };
            // The last member of a name counts, as in most JSON parsers.
            (_, raw) = members.into_iter().rfind(|(known, _)| known == name)?;
        }
        Some(raw)
    }
}

const FORM: &str = "must have the form metadata.PATH = VALUE, with a JSON string, number, boolean or null, or \
                    metadata.PATH exists";

/// A name at the start of a text, and the rest.
fn name(text: &str) -> Option<(String, &str)> {
    if text.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Text<'_>>();
        let name = values.next()?.ok()?.0.into_owned();
        return Some((name, &text[values.byte_offset()..]));
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let end = text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_owned(), &text[end..]))
}

impl Value {
    fn read(raw: &RawValue) -> Option<Self> {
        Some(match Node::read(raw).ok()? {
            Node::Null => Self::Null,
            Node::Bool(value) => Self::Bool(value),
            Node::Number(text) => Self::Number(text.to_owned()),
            Node::String(text) => Self::String(Cow::into_owned(text)),
            Node::Array(_) | Node::Object(_) => return None,
        })
    }

    fn equals(&self, raw: &RawValue) -> bool {
        match (self, Self::read(raw)) {
            (Self::Number(a), Some(Self::Number(b))) => {
                // Large integers differ as texts, but not as floating-point numbers.
                let is_whole =
                    |text: &str| text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
                let number = |text: &str| text.parse::<f64>().ok();
                *a == b || !(is_whole(a) && is_whole(&b)) && number(a) == number(&b)
            }
            (value, found) => found.as_ref() == Some(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(filter: &str, metadata: &str) -> bool {
        Filter::parse(filter).unwrap().accepts(Some(metadata.as_bytes()))
    }

    #[test]
    fn compares_values_by_path() {
        let metadata = r#"{"lang":"de","n":1.0,"big":9007199254740993,"tags":["a","b"],"in":{"x.y":null,"t":true}}"#;
        for filter in [
            r#"metadata.lang = "de""#,
            r#" metadata.lang="\u0064e" "#,
            "metadata.n = 1",
            "metadata.big = 9007199254740993",
            r#"metadata.tags = "b""#,
            r#"metadata.in."x.y" = null"#,
            r#"metadata."in".t = true"#,
            "metadata.in exists",
            r#"metadata.in."x.y" exists"#,
        ] {
            assert!(accepts(filter, metadata), "{filter}");
        }
        for filter in [
            r#"metadata.lang = "en""#,
            r#"metadata.n = "1""#,
            "metadata.big = 9007199254740992",
            r#"metadata.tags = "c""#,
            "metadata.in.t = false",
            "metadata.in.t.u exists",
            "metadata.language exists",
        ] {
            assert!(!accepts(filter, metadata), "{filter}");
        }
        assert!(accepts("metadata.a = 2", r#"{"a":1,"a":2}"#));
        assert!(!Filter::parse("metadata.a exists").unwrap().accepts(None));
    }

    #[test]
    fn refuses_other_forms() {
        for text in [
            "",
            "metadata",
            "metadata exists",
            "lang = 1",
            "metadata.a",
            "metadata.a == 1",
            "metadata.a = de",
            "metadata.a = [1]",
            "metadata.a = {}",
            "metadata..a = 1",
            "metadata.a b = 1",
            "metadata.\"a = 1",
            "metadata.a = 1 2",
        ] {
            assert_eq!(Filter::parse(text), Err(FORM.to_owned()), "{text}");
        }
    }
}
