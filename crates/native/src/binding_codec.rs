//! Binding of `iscc-codec`. Every function takes microseconds at most, so all of them run on the
//! calling thread. The message of an `INVALID_ARGUMENT` can follow "Invalid ISCC - ".

use iscc_codec::{Code, Compat, IsccCode, IsccId, Unit, seq};
use iscc_content::compared::ComparedUnits;
use napi::bindgen_prelude::*;
use napi::{Env, JsString};
use napi_derive::napi;

use crate::error::{NativeError, Result};

/// A code in all its forms.
#[napi(object)]
pub struct Explanation {
    /// Canonical code.
    pub iscc: String,
    /// Type, length and body as readable text.
    pub readable: String,
    /// Multiformat in base64url.
    pub multiformat: String,
    /// The units without `ISCC:`, joined by hyphens.
    pub decomposed: String,
    /// The units in body order. A single unit contains itself.
    pub units: Vec<UnitExplanation>,
}

/// A unit in all its forms.
#[napi(object)]
pub struct UnitExplanation {
    /// Canonical unit.
    #[napi(js_name = "iscc_unit")]
    pub iscc_unit: String,
    /// Type, length and body as readable text.
    pub readable: String,
    /// The body in lower-case hexadecimal.
    #[napi(js_name = "hash_hex")]
    pub hash_hex: String,
    /// The body as an unsigned decimal number of up to 78 digits.
    #[napi(js_name = "hash_uint")]
    pub hash_uint: String,
    /// The body in binary digits, most significant first.
    #[napi(js_name = "hash_bits")]
    pub hash_bits: String,
    /// `true` for an Image-Code without features, whose matches mean nothing; otherwise absent.
    pub featureless: Option<bool>,
}

/// Decodes a code in any accepted form. `compat` is `0.9.7` (default) or `0.9.5`: it selects the
/// readable form of an ISCC-IDv1.
#[napi(catch_unwind)]
pub fn explain(code: String, compat: Option<String>) -> Result<Explanation> {
    let explained = iscc_codec::explain(&code, release(compat)?)?;
    let unit = |unit: iscc_codec::UnitExplanation| UnitExplanation {
        iscc_unit: unit.iscc_unit,
        readable: unit.readable,
        hash_hex: unit.hash_hex,
        hash_uint: unit.hash_uint,
        hash_bits: unit.hash_bits,
        featureless: unit.featureless.then_some(true),
    };
    Ok(Explanation {
        iscc: explained.iscc,
        readable: explained.readable,
        multiformat: explained.multiformat,
        decomposed: explained.decomposed,
        units: explained.units.into_iter().map(unit).collect(),
    })
}

/// The result of `explain` as compact JSON, for responses that send it unchanged. It takes a third
/// of the time.
#[napi(catch_unwind)]
pub fn explain_json(env: &Env, code: String, compat: Option<String>) -> Result<JsString<'_>> {
    let json = iscc_codec::explain_json(&code, release(compat)?)?;
    // The JSON is ASCII, so V8 can skip its search for wider characters.
    Ok(env.create_string_latin1(json)?)
}

/// The units of a code in body order, without `ISCC:`, joined by newlines. A single unit returns
/// itself.
#[napi(catch_unwind)]
pub fn decompose_code(env: &Env, code: String) -> Result<JsString<'_>> {
    let code: Code = code.parse()?;
    let mut joined = String::new();
    for unit in code.units().iter() {
        joined.push_str(if joined.is_empty() { "" } else { "\n" });
        joined.push_str(unit.text().bare());
    }
    Ok(env.create_string_latin1(joined)?)
}

/// The ISCC-CODE of two to five units in any order, joined by newlines. `wide` keeps 128 bits each
/// of Data- and Instance-Code if there are no other units.
#[napi(catch_unwind)]
pub fn compose_code(env: &Env, units: String, wide: Option<bool>) -> Result<JsString<'_>> {
    let units: Vec<&str> = units.lines().collect();
    let code = IsccCode::compose_text(&units, wide.unwrap_or(false))?;
    Ok(env.create_string_latin1(&*code.text())?)
}

/// The unit with these header fields and the first `bits` of a digest.
#[napi(catch_unwind)]
pub fn encode_unit<'a>(
    env: &'a Env,
    main: u16,
    sub: u16,
    version: u16,
    bits: u32,
    digest: &[u8],
) -> Result<JsString<'a>> {
    let kind = iscc_codec::Kind::new(main, sub, version)?;
    let unit = Unit::new(kind, digest, bits as usize)?;
    Ok(env.create_string_latin1(&*unit.text())?)
}

/// Writes the body of a code to the start of `out`. 40 bytes are enough for every code.
///
/// Returns the header in one number: MainType + SubType * 16 + version * 256 + bytes * 4096, where
/// `bytes` is the length of the body.
#[napi(catch_unwind)]
pub fn decode_code_into(
    code: String,
    #[napi(ts_arg_type = "Uint8Array")] mut out: BufferSlice,
) -> Result<u32> {
    let code: Code = code.parse()?;
    let body = code.body();
    let place = out.get_mut(..body.len());
    place.ok_or_else(|| too_small(body.len()))?.copy_from_slice(body);
    let (kind, bytes) = (code.kind(), body.len() as u32);
    let fields = kind.main() as u32 | u32::from(kind.sub()) << 4 | (kind.version() as u32) << 8;
    Ok(fields | bytes << 12)
}

/// Bytes of the longest record in `decodeCodes`.
const RECORD_BYTES_MAX: usize = 1 + 42;

/// Decodes codes that are joined by newlines. Returns their number.
///
/// The record of line i starts at i * `stride` in `out`: one byte with the number of bytes that
/// follow, then the header (two bytes) and the body. For a line that is not a code, the number is
/// 0. `stride` is at least 43; the bytes between records keep their values.
#[napi(catch_unwind)]
pub fn decode_codes(
    codes: String,
    #[napi(ts_arg_type = "Uint8Array")] mut out: BufferSlice,
    stride: u32,
) -> Result<u32> {
    let stride = stride as usize;
    if stride < RECORD_BYTES_MAX {
        let rule = format!("stride must be at least {RECORD_BYTES_MAX}");
        return Err(NativeError::invalid(rule));
    }
    let mut records = out.chunks_mut(stride).filter(|record| record.len() >= RECORD_BYTES_MAX);
    let mut count = 0;
    for line in codes.lines() {
        let record = records.next().ok_or_else(|| too_small((count as usize + 1) * stride))?;
        count += 1;
        record[0] = 0;
        if let Ok(code) = line.parse::<Code>() {
            let bytes = code.as_bytes();
            record[0] = bytes.len() as u8;
            record[1..=bytes.len()].copy_from_slice(bytes);
        }
    }
    Ok(count)
}

/// An ISCC-ID of version 1. `realm` is 0 (test) or 1 (live), `timestampUs` is in microseconds since
/// 1970, `hub` is below 4096.
#[napi(catch_unwind)]
pub fn iscc_id(realm: u32, timestamp_us: f64, hub: u32) -> Result<String> {
    let timestamp_us = whole("timestampUs", timestamp_us)?;
    // A value that is too large for its field saturates to one that the codec rejects by name.
    let (realm, hub) = (realm.min(u8::MAX.into()) as u8, hub.min(u16::MAX.into()) as u16);
    Ok(IsccId::new(realm, timestamp_us, hub)?.to_string())
}

/// The ISCC-SEQ of units in their order. With `c2pa`, each must have version 0 and 256 bits.
#[napi(catch_unwind)]
pub fn encode_seq(units: Vec<String>, c2pa: Option<bool>) -> Result<Buffer> {
    let encode = if c2pa.unwrap_or(false) { seq::encode_c2pa } else { seq::encode };
    Ok(encode(&units)?.into())
}

/// The units that a query with an `io.iscc.v0` value matches by: the searchable units of the
/// ISCC-SEQ in their order, each once, with `ISCC:`.
///
/// Throws `INVALID_ARGUMENT` unless there are 1 to 32. The message is fit for clients.
#[napi(catch_unwind)]
pub fn query_units(value: &[u8]) -> Result<Vec<String>> {
    let units = seq::query_units(value).map_err(NativeError::invalid)?;
    Ok(units.iter().map(ToString::to_string).collect())
}

/// Whether a code contains an Image-Code without features, whose matches mean nothing. An Image-Code of 32 bits is too
/// short to judge and counts as one with features.
#[napi(catch_unwind)]
pub fn is_featureless(code: String) -> Result<bool> {
    let code: Code = code.parse()?;
    Ok(code.units().iter().any(Unit::is_featureless))
}

/// The similarity of two units of the same type.
#[napi(object)]
pub struct UnitComparison {
    /// Name of the type: `CONTENT_TEXT_V0`.
    pub kind: String,
    /// Number of compared bits: the length of the shorter unit.
    pub bits: u32,
    /// Number of bits that differ.
    pub distance: u32,
    /// 1 for equal units, about 0.5 for unrelated content. Instance-Codes and ISCC-IDs have 1 or 0.
    pub similarity: f64,
    /// `true` if one of the units is an Image-Code without features, so that the similarity means nothing; otherwise
    /// absent.
    pub featureless: Option<bool>,
}

/// Compares the units that both codes contain, in body order.
#[napi(catch_unwind)]
pub fn compare_codes(a: String, b: String) -> Result<Vec<UnitComparison>> {
    let compared = iscc_content::compared::compare(&a, &b).map_err(NativeError::invalid)?;
    let unit = |unit: ComparedUnits| UnitComparison {
        kind: unit.kind,
        bits: unit.bits as u32,
        distance: unit.distance as u32,
        similarity: unit.similarity,
        featureless: unit.featureless,
    };
    Ok(compared.into_iter().map(unit).collect())
}

fn too_small(needed: usize) -> NativeError {
    NativeError::invalid(format_args!("out must have at least {needed} bytes"))
}

/// A whole number from a JavaScript number.
pub(crate) fn whole(name: &str, value: f64) -> Result<u64> {
    /// The smallest number from which a double no longer holds every whole number.
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && (0.0..LIMIT).contains(&value) {
        return Ok(value as u64);
    }
    let rule = format!("{name} must be an integer from 0 to 2^53 - 1, not {value}");
    Err(NativeError::invalid(rule))
}

fn release(compat: Option<String>) -> Result<Compat> {
    let parsed = compat.as_deref().map_or(Ok(Compat::default()), str::parse);
    parsed.map_err(NativeError::invalid)
}
