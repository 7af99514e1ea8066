//! Parses the blocks of soft-binding assertions from CBOR.

use std::collections::HashSet;

use ciborium::Value;
use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD};
use iscc_codec::Code;

use crate::algorithm::ISCC;

/// The parts of a manifest with soft bindings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BindingSource {
    /// CBOR of its claim.
    pub claim: Option<Vec<u8>>,
    /// CBOR of its soft-binding assertions, in order.
    pub soft_bindings: Vec<Vec<u8>>,
    /// Label of the parent of an update manifest.
    pub parent: Option<String>,
}

/// One block of a soft-binding assertion.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Block {
    /// The algorithm from the assertion, otherwise from the claim; empty if neither names one.
    pub alg: String,
    /// The readings of its value: one for a byte string, one or more for a text. If the text is
    /// valid Base64, the decoded bytes come first. The UTF-8 bytes of the text come last. Before all
    /// of them come the units of ISCCs that are written as text, if the algorithm is [`ISCC`].
    pub readings: Vec<Vec<u8>>,
}

/// All blocks with a value, in the order of sources, assertions and blocks. Skips malformed
/// assertions: they are stored with their manifest, but bind nothing. Repetitions from a second
/// source are left out.
pub fn blocks(sources: &[BindingSource]) -> Vec<Block> {
    let [active, parents @ ..] = sources else { return Vec::new() };
    let mut found = blocks_of(active);
    let mut seen: HashSet<Block> = found.iter().cloned().collect();
    for block in parents.iter().flat_map(blocks_of) {
        if seen.insert(block.clone()) {
            found.push(block);
        }
    }
    found
}

fn blocks_of(source: &BindingSource) -> Vec<Block> {
    let claim = source.claim.as_deref().and_then(parse);
    let default = claim.as_ref().and_then(|claim| text(claim, "alg_soft")).unwrap_or_default();
    let mut found = Vec::new();
    for assertion in source.soft_bindings.iter().filter_map(|cbor| parse(cbor)) {
        let alg = text(&assertion, "alg").unwrap_or(default);
        let blocks = member(&assertion, "blocks").and_then(Value::as_array);
        for mut readings in blocks.into_iter().flatten().filter_map(readings) {
            let text = readings.last().filter(|_| alg == ISCC);
            if let Some(units) = text.and_then(|text| units_in_text(text)) {
                readings.insert(0, units);
            }
            found.push(Block { alg: alg.to_owned(), readings });
        }
    }
    found
}

/// Label of the manifest that an ingredient assertion names as the parent; `None` for other
/// ingredients.
pub fn parent_label(ingredient: &[u8]) -> Option<String> {
    let ingredient = parse(ingredient)?;
    if text(&ingredient, "relationship")? != "parentOf" {
        return None;
    }
    let names = ["activeManifest", "c2pa_manifest"];
    let reference = names.iter().find_map(|name| member(&ingredient, name))?;
    let path = text(reference, "url")?.strip_prefix("self#jumbf=")?;
    let path = path.trim_start_matches('/').strip_prefix("c2pa/")?;
    path.split('/').next().filter(|label| !label.is_empty()).map(str::to_owned)
}

/// The possible bytes of a block's value. c2pa-python writes text whose meaning depends on the
/// writer: c2pa-rs uses its UTF-8 bytes, other writers encode bytes in Base64. Nothing
/// distinguishes the two.
fn readings(block: &Value) -> Option<Vec<Vec<u8>>> {
    match member(block, "value")? {
        Value::Bytes(bytes) => Some(vec![bytes.clone()]),
        // c2patool and c2pa-python write an assertion that was given in JSON, as iscc-sdk and
        // `isccd code --soft-binding` print it, with its list of numbers.
        Value::Array(items) => Some(vec![items.iter().map(byte).collect::<Option<_>>()?]),
        Value::Text(text) => {
            Some(base64(text).into_iter().chain([text.clone().into_bytes()]).collect())
        }
        _ => None,
    }
}

/// ISCC-SEQ of the units of one or more ISCCs in text form, `ISCC:...`, with white space or commas
/// between them. `None` for any other text.
fn units_in_text(text: &[u8]) -> Option<Vec<u8>> {
    const SCHEME: &str = "iscc:";
    let text = std::str::from_utf8(text).ok()?;
    let mut units = Vec::new();
    for iscc in text.split([' ', '\t', '\r', '\n', ',']).filter(|part| !part.is_empty()) {
        let scheme = iscc.get(..SCHEME.len())?;
        if !scheme.eq_ignore_ascii_case(SCHEME) {
            return None;
        }
        let code: Code = iscc.parse().ok()?;
        for unit in code.units().iter() {
            units.extend_from_slice(unit.as_bytes());
        }
    }
    (!units.is_empty()).then_some(units)
}

fn byte(item: &Value) -> Option<u8> {
    item.as_integer().and_then(|number| u8::try_from(number).ok())
}

/// Strict Base64 of either alphabet, with or without padding: no spaces, and unused bits must be
/// zero. `None` for anything else.
fn base64(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() {
        return None;
    }
    [BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD]
        .iter()
        .find_map(|encoding| encoding.decode(text.as_bytes()).ok())
}

/// The first item of `cbor`; `None` also if it is nested too deeply for the parser.
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

    fn read(value: Value) -> Option<Vec<Vec<u8>>> {
        readings(&Value::Map(vec![(Value::Text("value".to_owned()), value)]))
    }

    #[test]
    fn base64_of_either_alphabet_has_two_readings() {
        for text in ["+/8B", "-_8B", "AA==", "AA"] {
            let found = read(Value::Text(text.to_owned())).unwrap();
            assert_eq!(found.len(), 2, "{text}");
            assert_eq!(found[1], text.as_bytes());
        }
        assert_eq!(read(Value::Text("+/8B".to_owned())).unwrap()[0], [0xfb, 0xff, 0x01]);
        // 36 characters of the URL-safe alphabet.
        let uuid = "1ffe845b-1e6f-4d3b-8c5a-6b7c8d9e0f10";
        assert_eq!(read(Value::Text(uuid.to_owned())).unwrap().len(), 2);
    }

    #[test]
    fn isccs_in_text_are_read_as_their_units() {
        let unit = [&[0x21, 0x07][..], &[7; 32]].concat();
        let other = [&[0x40, 0x07][..], &[9; 32]].concat();
        let text = |bytes: &[u8]| Code::from_bytes(bytes).unwrap().to_string();
        let both = format!("{}, {}", text(&unit), text(&other).to_lowercase());
        assert_eq!(units_in_text(text(&unit).as_bytes()), Some(unit.clone()));
        assert_eq!(units_in_text(both.as_bytes()), Some([unit, other].concat()));
        // The units of an ISCC-CODE have 64 bits.
        let code = b"ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY";
        assert_eq!(units_in_text(code).unwrap().len(), 4 * 10);
        for text in ["", " ", "ISCC:", "ISCC:?", "AAAQRLWHM2YFGCWG", "ISCC:AAAQRLWHM2YFGCWG x"] {
            assert_eq!(units_in_text(text.as_bytes()), None, "{text}");
        }
        assert_eq!(units_in_text(b"\xffISCC:AAAQRLWHM2YFGCWG"), None);
    }

    #[test]
    fn a_list_of_numbers_is_read_as_bytes() {
        let list = |numbers: &[i64]| Value::Array(numbers.iter().map(|&n| n.into()).collect());
        assert_eq!(read(list(&[33, 7, 0, 255])), Some(vec![vec![33, 7, 0, 255]]));
        assert_eq!(read(list(&[33, 256])), None);
        assert_eq!(read(list(&[-1])), None);
        assert_eq!(read(Value::Array(vec![Value::Float(1.0)])), None);
    }

    #[test]
    fn a_parent_has_a_label() {
        let cbor = |relationship: &str, name: &str, url: &str| {
            let text = |value: &str| Value::Text(value.to_owned());
            let reference = Value::Map(vec![(text("url"), text(url))]);
            let members = vec![(text("relationship"), text(relationship)), (text(name), reference)];
            let mut bytes = Vec::new();
            ciborium::into_writer(&Value::Map(members), &mut bytes).unwrap();
            bytes
        };
        let label = |bytes: Vec<u8>| parent_label(&bytes);
        let url = "self#jumbf=/c2pa/urn:c2pa:1";
        assert_eq!(label(cbor("parentOf", "activeManifest", url)).unwrap(), "urn:c2pa:1");
        let claim = "self#jumbf=c2pa/urn:c2pa:1/c2pa.claim";
        assert_eq!(label(cbor("parentOf", "c2pa_manifest", claim)).unwrap(), "urn:c2pa:1");
        assert_eq!(label(cbor("componentOf", "activeManifest", url)), None);
        assert_eq!(label(cbor("parentOf", "activeManifest", "https://example/c2pa/a")), None);
        assert_eq!(label(cbor("parentOf", "activeManifest", "self#jumbf=/c2pa/")), None);
        assert_eq!(label(b"\xff".to_vec()), None);
    }

    #[test]
    fn other_text_and_bytes_have_one_reading() {
        // A space, both alphabets, unused bits that are not zero, an impossible length, wrong
        // padding, empty.
        for text in [" +/8B", "+_8B", "AB", "A", "A*==", "AA=", ""] {
            let found = read(Value::Text(text.to_owned())).unwrap();
            assert_eq!(found, [text.as_bytes()], "{text}");
        }
        assert_eq!(read(Value::Bytes(b"+/8B".to_vec())).unwrap(), [b"+/8B"]);
        assert_eq!(read(Value::Null), None);
    }
}
