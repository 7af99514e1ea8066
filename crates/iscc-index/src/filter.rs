//! Conditions on the metadata of assets.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::{Node, Text, push_string};

/// Root of all paths.
const ROOT: &str = "metadata";

/// A condition: a path, and what must be there.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    pub(crate) path: Path,
    pub(crate) condition: Condition,
}

/// Names of members, from the outermost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path(Vec<String>);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Condition {
    Exists,
    Equals(Value),
    /// A string that ends with this one.
    EndsWith(String),
}

/// A JSON value that is neither an object nor an array.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(String),
    String(String),
}

impl Path {
    /// Parses `metadata.lang`. Names with other characters than letters, digits, `_` and `-` are JSON strings.
    pub fn parse(text: &str) -> Option<Self> {
        Self::read(text).filter(|(_, rest)| rest.is_empty()).map(|(path, _)| path)
    }

    /// The path at the start of a text, and the rest.
    fn read(text: &str) -> Option<(Self, &str)> {
        let mut rest = text.trim().strip_prefix(ROOT)?;
        let mut path = Vec::new();
        while let Some(after) = rest.strip_prefix('.') {
            let (name, after) = name(after)?;
            path.push(name);
            rest = after;
        }
        (!path.is_empty()).then_some((Self(path), rest))
    }

    /// The text form with the fewest quotes.
    pub fn text(&self) -> String {
        let mut text = ROOT.as_bytes().to_vec();
        for name in &self.0 {
            text.push(b'.');
            if !name.is_empty() && name.bytes().all(is_plain) {
                text.extend_from_slice(name.as_bytes());
            } else {
                push_string(&mut text, name);
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The value at the path in a JSON text.
    pub(crate) fn find<'a>(&self, metadata: Option<&'a [u8]>) -> Option<&'a RawValue> {
        let mut raw: &RawValue = serde_json::from_slice(metadata?).ok()?;
        for name in &self.0 {
            let Ok(Node::Object(members)) = Node::read(raw) else { return None };
            // The last member of a name counts, as in most JSON parsers.
            (_, raw) = members.into_iter().rfind(|(known, _)| known == name)?;
        }
        Some(raw)
    }
}

impl Filter {
    /// Parses `metadata.lang = "de"`, `metadata.url ends_with "/a"` or `metadata.lang exists`; the path as in
    /// [`Path::parse`]. The error says what is expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (path, rest) = Path::read(text).ok_or(FORM)?;
        let rest = rest.trim();
        let condition = if rest == "exists" {
            Condition::Exists
        } else if let Some(end) = rest.strip_prefix("ends_with") {
            let text: Text<'_> = serde_json::from_str(end).map_err(|_| FORM)?;
            Condition::EndsWith(text.0.into_owned())
        } else {
            let value = rest.strip_prefix('=').ok_or(FORM)?.trim();
            let raw: &RawValue = serde_json::from_str(value).map_err(|_| FORM)?;
            Condition::Equals(Value::read(raw).ok_or(FORM)?)
        };
        Ok(Self { path, condition })
    }

    /// Whether the metadata of an asset meets the condition.
    pub fn accepts(&self, metadata: Option<&[u8]>) -> bool {
        self.path.find(metadata).is_some_and(|raw| match &self.condition {
            Condition::Exists => true,
            Condition::Equals(value) => any(raw, |item| value.equals(item)),
            Condition::EndsWith(end) => any(
                raw,
                |item| matches!(Value::read(item), Some(Value::String(text)) if text.ends_with(end)),
            ),
        })
    }
}

/// Whether a value, or an item of an array, meets a condition.
fn any(raw: &RawValue, is_met: impl Fn(&RawValue) -> bool) -> bool {
    match Node::read(raw) {
        Ok(Node::Array(items)) => items.iter().any(|item| is_met(item)),
        _ => is_met(raw),
    }
}

const FORM: &str = "must have the form metadata.PATH = VALUE, with a JSON string, number, boolean or null, \
                    metadata.PATH ends_with STRING, or metadata.PATH exists";

/// A name at the start of a text, and the rest.
fn name(text: &str) -> Option<(String, &str)> {
    if text.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Text<'_>>();
        let name = values.next()?.ok()?.0.into_owned();
        return Some((name, &text[values.byte_offset()..]));
    }
    let end = text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_owned(), &text[end..]))
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

impl Value {
    pub(crate) fn read(raw: &RawValue) -> Option<Self> {
        Some(match Node::read(raw).ok()? {
            Node::Null => Self::Null,
            Node::Bool(value) => Self::Bool(value),
            // Equal as numbers, but not as texts.
            Node::Number("-0") => Self::Number("0".to_owned()),
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
        let metadata = r#"{"lang":"de","n":1.0,"big":9007199254740993,"zero":0,"minus":-0,"tags":["a","b"],"in":{"x.y":null,"t":true}}"#;
        for filter in [
            r#"metadata.lang = "de""#,
            r#" metadata.lang="\u0064e" "#,
            "metadata.n = 1",
            "metadata.big = 9007199254740993",
            "metadata.zero = 0",
            "metadata.zero = -0",
            "metadata.zero = -0.0",
            "metadata.minus = 0",
            "metadata.minus = -0",
            "metadata.minus = 0e0",
            r#"metadata.tags = "b""#,
            r#"metadata.in."x.y" = null"#,
            r#"metadata."in".t = true"#,
            "metadata.in exists",
            r#"metadata.in."x.y" exists"#,
            r#"metadata.lang ends_with "e""#,
            r#"metadata.tags ends_with"b""#,
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
            r#"metadata.lang ends_with "d""#,
            r#"metadata.n ends_with "0""#,
        ] {
            assert!(!accepts(filter, metadata), "{filter}");
        }
        assert!(accepts("metadata.a = 2", r#"{"a":1,"a":2}"#));
        assert!(!Filter::parse("metadata.a exists").unwrap().accepts(None));
    }

    #[test]
    fn a_path_has_one_text() {
        for (text, wanted) in [
            (" metadata.a-1.b_2", "metadata.a-1.b_2"),
            (r#"metadata."a""#, "metadata.a"),
            (r#"metadata."x.y".ä"#, ""),
            (r#"metadata."x.\u0079"."\"""#, r#"metadata."x.y"."\"""#),
            ("metadata", ""),
            ("metadata.a exists", ""),
        ] {
            assert_eq!(
                Path::parse(text).map_or(String::new(), |path| path.text()),
                wanted,
                "{text}"
            );
        }
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
            "metadata.a ends_with 1",
            "metadata.a ends_with",
        ] {
            assert_eq!(Filter::parse(text), Err(FORM.to_owned()), "{text}");
        }
    }
}
