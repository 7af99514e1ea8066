//! The bytes of further metadata: those of a Data-URL, or of a JSON object in canonical form.

use data_encoding::BASE64;
use serde_json::{Map, Value};

use super::{Meta, MetaError};

/// Maximum length of the decoded metadata in bytes.
pub const PAYLOAD_MAX_BYTES: usize = 128_000;

pub(super) struct Payload {
    pub(super) bytes: Vec<u8>,
    pub(super) data_url: String,
}

impl Payload {
    /// `None` if `meta` is absent.
    pub(super) fn read(meta: Meta) -> Result<Option<Self>, MetaError> {
        match meta {
            Meta::None | Meta::DataUrl("") => Ok(None),
            Meta::DataUrl(url) => {
                let bytes = decode(base64_of(url).ok_or(MetaError::NotDataUrl)?)?;
                Ok(Some(Self { bytes, data_url: url.to_owned() }))
            }
            Meta::Json(json) => {
                let object: Map<String, Value> = serde_json::from_str(json)
                    .map_err(|error| MetaError::NotJson(error.to_string()))?;
                if object.is_empty() { Ok(None) } else { Self::of_object(&object).map(Some) }
            }
        }
    }

    fn of_object(object: &Map<String, Value>) -> Result<Self, MetaError> {
        let bytes = serde_json_canonicalizer::to_vec(object)
            .map_err(|error| MetaError::NotJson(error.to_string()))?;
        check_length(bytes.len())?;
        let kind = if object.contains_key("@context") { "ld+json" } else { "json" };
        let data_url = format!("data:application/{kind};base64,{}", BASE64.encode(&bytes));
        Ok(Self { bytes, data_url })
    }
}

/// The data of `data:[<type>/<subtype>](;<attribute>=<value>)*;base64,<data>` (RFC 2397).
///
/// Percent-encoded data is an error, because the reference only decodes Base64.
fn base64_of(url: &str) -> Option<&str> {
    let (header, data) = url.strip_prefix("data:")?.split_once(',')?;
    let mut parts = header.strip_suffix(";base64")?.split(';');
    let media_type = parts.next()?;
    let is_media_type = media_type.is_empty() || is_pair(media_type, '/');
    (is_media_type && parts.all(|parameter| is_pair(parameter, '='))).then_some(data)
}

/// Whether `text` is two tokens separated by `between`.
fn is_pair(text: &str, between: char) -> bool {
    // The tokens of RFC 2045 without the separators used here, and with `%` for encoded values.
    let is_token = |part: &str| {
        let fits = |c: u8| c.is_ascii_alphanumeric() || b"!#$&'*+-.^_`{|}~%".contains(&c);
        !part.is_empty() && part.bytes().all(fits)
    };
    text.split_once(between).is_some_and(|(left, right)| is_token(left) && is_token(right))
}

fn decode(data: &str) -> Result<Vec<u8>, MetaError> {
    let unpadded = data.trim_end_matches('=');
    // Checks the length before decoding.
    check_length(unpadded.len() * 3 / 4)?;
    if unpadded.contains('=') {
        // The decoder would accept concatenated Base64 texts.
        return Err(MetaError::NotBase64);
    }
    let bytes = BASE64.decode(data.as_bytes()).map_err(|_| MetaError::NotBase64)?;
    if bytes.is_empty() { Err(MetaError::NotBase64) } else { Ok(bytes) }
}

fn check_length(bytes: usize) -> Result<(), MetaError> {
    if bytes > PAYLOAD_MAX_BYTES { Err(MetaError::TooLong(bytes)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_base64_data_urls_only() {
        for (url, data) in [
            ("data:application/json;base64,eyJhIjoxfQ==", Some("eyJhIjoxfQ==")),
            ("data:application/json;charset=utf-8;base64,e30=", Some("e30=")),
            ("data:application/ld+json;base64,e30=", Some("e30=")),
            ("data:;base64,e30=", Some("e30=")),
            ("data:;a=b;base64,e30=", Some("e30=")),
            ("data:text/plain,hello", None),
            ("data:,x", None),
            ("data:base64,e30=", None),
            ("data:json;base64,e30=", None),
            ("data:application/json;charset;base64,e30=", None),
            ("data:application/ json;base64,e30=", None),
            ("DATA:application/json;base64,e30=", None),
            ("notadataurl", None),
            ("", None),
        ] {
            assert_eq!(base64_of(url), data, "{url}");
        }
    }

    #[test]
    fn rejects_invalid_empty_and_too_long_base64() {
        for data in ["", "@@@", "e30", "e3==", "e30=e30=", "e30\n", "e-_="] {
            assert_eq!(decode(data), Err(MetaError::NotBase64), "{data}");
        }
        let most = BASE64.encode(&vec![7; PAYLOAD_MAX_BYTES]);
        assert_eq!(decode(&most).map(|bytes| bytes.len()), Ok(PAYLOAD_MAX_BYTES));
        let more = BASE64.encode(&vec![7; PAYLOAD_MAX_BYTES + 1]);
        assert_eq!(decode(&more), Err(MetaError::TooLong(PAYLOAD_MAX_BYTES + 1)));
    }
}
