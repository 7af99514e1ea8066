//! Blocks of soft-binding assertions, read from their CBOR.

use std::sync::LazyLock;

use ciborium::Value;
use data_encoding::{BASE64_NOPAD, Encoding};

use crate::framing::ActiveManifest;

/// One value by which a manifest wants to be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The algorithm, as the assertion or else the claim names it; empty if neither does.
    pub alg: String,
    /// What the algorithm computed.
    pub value: Vec<u8>,
}

/// All blocks with a value, in the order of assertions and blocks. What has another shape than a
/// soft binding is passed over: such assertions are stored, and bind nothing.
pub fn blocks(manifest: &ActiveManifest) -> Vec<Block> {
    let claim = manifest.claim.as_deref().and_then(parse);
    let default = claim.as_ref().and_then(|claim| text(claim, "alg_soft")).unwrap_or_default();
    let mut found = Vec::new();
    for assertion in manifest.soft_bindings.iter().filter_map(|cbor| parse(cbor)) {
        let alg = text(&assertion, "alg").unwrap_or(default);
        let blocks = member(&assertion, "blocks").and_then(Value::as_array);
        for value in blocks.into_iter().flatten().filter_map(value) {
            found.push(Block { alg: alg.to_owned(), value });
        }
    }
    found
}

/// A block's value: bytes, or the text that older writers put there.
fn value(block: &Value) -> Option<Vec<u8>> {
    match member(block, "value")? {
        Value::Bytes(bytes) => Some(bytes.clone()),
        Value::Text(text) => Some(base64(text).unwrap_or_else(|| text.clone().into_bytes())),
        _ => None,
    }
}

/// Base64 of either alphabet, padded or not, as queries are read too: with blanks for `+` and any unused bits.
fn base64(text: &str) -> Option<Vec<u8>> {
    LENIENT_BASE64.decode(text.trim().trim_end_matches('=').as_bytes()).ok()
}

static LENIENT_BASE64: LazyLock<Encoding> = LazyLock::new(|| {
    let mut rules = BASE64_NOPAD.specification();
    rules.check_trailing_bits = false;
    rules.translate.from.push_str("-_ ");
    rules.translate.to.push_str("+/+");
    rules.encoding().expect("one letter for each")
});

/// The first item of `cbor`; `None` also for what is nested deeper than the parser goes.
fn parse(cbor: &[u8]) -> Option<Value> {
    ciborium::from_reader(cbor).ok()
}

fn member<'a>(map: &'a Value, name: &str) -> Option<&'a Value> {
    let (_, value) = map.as_map()?.iter().find(|(key, _)| key.as_text() == Some(name))?;
    Some(value)
}

fn text<'a>(map: &'a Value, name: &str) -> Option<&'a str> {
    member(map, name)?.as_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_as_a_query_is() {
        for text in ["+/8B", "-_8B", " +/8B ", "-/8B="] {
            assert_eq!(base64(text), Some(vec![0xfb, 0xff, 0x01]), "{text}");
        }
        // A blank that was a plus, and bits that the last byte has no use for.
        assert_eq!(base64("a 8B"), base64("a+8B"));
        assert_eq!(base64("AB"), Some(vec![0]));
        assert_eq!(base64("A"), None);
        assert_eq!(base64("A*=="), None);
    }
}
