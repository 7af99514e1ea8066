//! Describes a code: its units and its other notations.

use crate::Error;
use crate::any_code::Code;
use crate::base::base16;
use crate::compat::Compat;
use crate::id::{IsccId, LegacyIsccId};
use crate::multiformat::{self, Multibase};
use crate::numerals::{binary, decimal, iso_8601};
use crate::tables::{MainType, Version};
use crate::unit::Unit;
use crate::units::Units;

/// A code in all notations. Every value is ASCII.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Canonical code.
    pub iscc: String,
    /// Human-readable form: type, length and body.
    pub readable: String,
    /// Multiformat in base64url.
    pub multiformat: String,
    /// The units without `ISCC:`, joined by hyphens.
    pub decomposed: String,
    /// The units in body order; for a single unit, that unit.
    pub units: Vec<UnitExplanation>,
}

/// A unit in all notations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitExplanation {
    /// Canonical unit.
    pub iscc_unit: String,
    /// Human-readable form: type, length and body.
    pub readable: String,
    /// The body in lower-case hexadecimal.
    pub hash_hex: String,
    /// The body as an unsigned decimal number, up to 78 digits.
    pub hash_uint: String,
    /// The body in binary digits, most significant first.
    pub hash_bits: String,
    /// Whether matches of the unit mean nothing: see [`Unit::is_featureless`].
    pub featureless: bool,
}

/// Parses a code in any accepted form and describes it.
pub fn explain(text: &str, compat: Compat) -> Result<Explanation, Error> {
    let code: Code = text.parse()?;
    let units = code.units();
    let [mut readable, mut decomposed] = [Vec::new(), Vec::new()];
    push_readable(&mut readable, &code, compat)?;
    push_decomposed(&mut decomposed, &units);
    Ok(Explanation {
        iscc: code.to_string(),
        readable: ascii(readable),
        multiformat: multiformat::encode(code.as_bytes(), Multibase::Base64Url),
        decomposed: ascii(decomposed),
        units: units.iter().map(|unit| explain_unit(unit, compat)).collect::<Result<_, _>>()?,
    })
}

fn explain_unit(unit: &Unit, compat: Compat) -> Result<UnitExplanation, Error> {
    let [mut readable, mut hash_bits] = [Vec::new(), Vec::new()];
    push_readable_unit(&mut readable, unit, compat)?;
    push_binary(&mut hash_bits, unit.body());
    Ok(UnitExplanation {
        iscc_unit: unit.to_string(),
        readable: ascii(readable),
        hash_hex: base16::encode(unit.body()),
        hash_uint: decimal(unit.body()),
        hash_bits: ascii(hash_bits),
        featureless: unit.is_featureless(),
    })
}

/// The explanation as compact JSON, with the fields in the order of [`Explanation`]. Takes a
/// quarter of the time of [`explain`], because all notations are written into one buffer. Only
/// units without features have `featureless`, a member that the reference does not know.
pub fn explain_json(text: &str, compat: Compat) -> Result<String, Error> {
    let code: Code = text.parse()?;
    let units = code.units();
    let mut json = Vec::with_capacity(JSON_BYTES + units.len() * UNIT_JSON_BYTES);
    // All values are free of characters that need escaping.
    push_all(&mut json, &[r#"{"iscc":""#, &code.text(), r#"","readable":""#]);
    push_readable(&mut json, &code, compat)?;
    let multiformat = multiformat::encode(code.as_bytes(), Multibase::Base64Url);
    push_all(&mut json, &[r#"","multiformat":""#, &multiformat, r#"","decomposed":""#]);
    push_decomposed(&mut json, &units);
    push_all(&mut json, &[r#"","units":["#]);
    for (index, unit) in units.iter().enumerate() {
        push_all(&mut json, &[if index == 0 { "" } else { "," }]);
        push_unit_json(&mut json, unit, compat)?;
    }
    push_all(&mut json, &["]}"]);
    Ok(ascii(json))
}

/// Estimated size of the notations of an ISCC-CODE of four units, and of one unit of 64 bits.
const JSON_BYTES: usize = 512;
const UNIT_JSON_BYTES: usize = 256;

fn push_unit_json(json: &mut Vec<u8>, unit: &Unit, compat: Compat) -> Result<(), Error> {
    push_all(json, &[r#"{"iscc_unit":""#, &unit.text(), r#"","readable":""#]);
    push_readable_unit(json, unit, compat)?;
    push_all(json, &[r#"","hash_hex":""#]);
    base16::push(json, unit.body());
    push_all(json, &[r#"","hash_uint":""#, &decimal(unit.body()), r#"","hash_bits":""#]);
    push_binary(json, unit.body());
    let featureless = if unit.is_featureless() { r#","featureless":true"# } else { "" };
    push_all(json, &[r#"""#, featureless, "}"]);
    Ok(())
}

fn push_decomposed(out: &mut Vec<u8>, units: &Units) {
    for (index, unit) in units.iter().enumerate() {
        push_all(out, &[if index == 0 { "" } else { "-" }, unit.text().bare()]);
    }
}

fn push_readable(out: &mut Vec<u8>, code: &Code, compat: Compat) -> Result<(), Error> {
    match code {
        Code::Unit(unit) => push_readable_unit(out, unit, compat),
        Code::Composite(code) => {
            push_all(out, &["ISCC-", code.kind().sub_name(), "-V0-", code.letters(), "-"]);
            base16::push(out, code.body());
            Ok(())
        }
    }
}

fn push_readable_unit(out: &mut Vec<u8>, unit: &Unit, compat: Compat) -> Result<(), Error> {
    let kind = unit.kind();
    let bits = unit.bits().to_string();
    let (main, sub, version) = (kind.main().name(), kind.sub_name(), kind.version().name());
    push_all(out, &[main, "-", sub, "-", version, "-", &bits, "-"]);
    match (kind.main(), kind.version()) {
        (MainType::Id, Version::V1) => {
            let id = IsccId::try_from(unit)?;
            let (time, hub) = (id.timestamp_us(), id.hub());
            let detail = match compat {
                Compat::Sdk0_9_5 => format!("{time}-{hub}"),
                Compat::Sdk0_9_7 => format!("{}-HUB_{hub}", iso_8601(time)),
            };
            push_all(out, &[&detail]);
        }
        (MainType::Id, Version::V0) => {
            let id = LegacyIsccId::try_from(unit)?;
            base16::push(out, &id.hash);
            let counter = id.counter.map_or(String::new(), |counter| format!("-{counter}"));
            push_all(out, &[&counter]);
        }
        _ => base16::push(out, unit.body()),
    }
    Ok(())
}

fn push_binary(out: &mut Vec<u8>, bytes: &[u8]) {
    for &byte in bytes {
        out.extend_from_slice(&binary(byte));
    }
}

fn push_all(out: &mut Vec<u8>, parts: &[&str]) {
    for part in parts {
        out.extend_from_slice(part.as_bytes());
    }
}

/// All text here is ASCII, so the default is never used.
fn ascii(text: Vec<u8>) -> String {
    String::from_utf8(text).unwrap_or_default()
}
