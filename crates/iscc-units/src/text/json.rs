//! Extracts the text from a JSON object of any size and depth. Only the text takes memory.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::error::Category;

/// The reason that there is no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonTextError {
    /// Not JSON; names the place.
    #[error("{0}")]
    NotJson(String),
    /// Not an object with a string `text`; names the field and the rule.
    #[error("{0}")]
    Invalid(String),
}

impl From<serde_json::Error> for JsonTextError {
    fn from(error: serde_json::Error) -> Self {
        match error.classify() {
            Category::Data => Self::Invalid(error.to_string()),
            Category::Syntax | Category::Eof | Category::Io => Self::NotJson(error.to_string()),
        }
    }
}

/// The value of `text` in a JSON object, the last one if there are several. Ignores other keys.
///
/// The result is UTF-8, except that escapes of lone surrogates become three bytes each.
///
/// # Errors
/// If `body` is not UTF-8, not JSON, not an object, or has no string `text`.
pub fn json_text(body: &[u8]) -> Result<Cow<'_, [u8]>, JsonTextError> {
    let body = str::from_utf8(body)
        .map_err(|_| JsonTextError::NotJson("not valid UTF-8".into()))?
        .trim_start_matches('\u{feff}');
    let mut json = serde_json::Deserializer::from_str(body);
    let text = json.deserialize_map(Object)?;
    json.end()?;
    Ok(text)
}

struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = Cow<'de, [u8]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut text = None;
        while let Some(is_text) = map.next_key_seed(Key)? {
            if is_text {
                text = Some(map.next_value_seed(Text)?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        text.ok_or_else(|| A::Error::missing_field("text"))
    }
}

/// Whether a key is `text`.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<bool, D::Error> {
        key.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Key {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_bytes<E>(self, key: &[u8]) -> Result<bool, E> {
        Ok(key == b"text")
    }

    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(key == "text")
    }
}

struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, [u8]>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        // Strings with lone surrogates only deserialise as bytes.
        value.deserialize_bytes(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, [u8]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string for `text`")
    }

    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(bytes))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(bytes.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid(body: &str) -> String {
        match json_text(body.as_bytes()) {
            Err(JsonTextError::Invalid(message)) => message,
            other => panic!("{body}: {other:?}"),
        }
    }

    #[test]
    fn text_of_an_object() {
        for (body, text) in [
            (r#"{"text": "plain"}"#, "plain".as_bytes()),
            (
                "\u{feff} {\"a\": [{}, {\"text\": 1}], \"text\": \"ü\\n\\u0041\"} \n",
                "ü\nA".as_bytes(),
            ),
            (r#"{"text": "first", "text": "last"}"#, b"last"),
            (r#"{"t\u0065xt": ""}"#, b""),
            (r#"{"\ud800": 1, "text": "a\ud800b"}"#, b"a\xed\xa0\x80b"),
        ] {
            assert_eq!(json_text(body.as_bytes()).as_deref(), Ok(text), "{body}");
        }
        assert!(matches!(json_text(br#"{"text": "plain"}"#), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn anything_else_is_rejected_with_a_reason() {
        assert!(invalid("[]").contains("expected an object"));
        assert!(invalid("null").contains("expected an object"));
        assert!(invalid("{}").contains("missing field `text`"));
        for value in ["5", "null", "true", "[1]", "{}"] {
            assert!(invalid(&format!("{{\"text\": {value}}}")).contains("`text`"), "{value}");
        }
        for body in
            [&b""[..], b"{\"text\": ", b"{\"text\": \"a\"} x", b"{\"text\": \"a\", }", b"\"\xff\""]
        {
            assert!(matches!(json_text(body), Err(JsonTextError::NotJson(_))), "{body:?}");
        }
    }

    #[test]
    fn depth_and_number_of_other_values_do_not_matter() {
        let deep =
            format!("{{\"a\": {}1{}, \"text\": \"t\"}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(json_text(deep.as_bytes()).as_deref(), Ok(&b"t"[..]));
        let wide = format!("{{\"a\": [{}0], \"text\": \"t\"}}", "{},".repeat(1_000_000));
        assert_eq!(json_text(wide.as_bytes()).as_deref(), Ok(&b"t"[..]));
    }
}
