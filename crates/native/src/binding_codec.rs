//! JavaScript face of `iscc-codec`. Every function takes microseconds at most, so all of them run
//! where they are called. An error's `message` is a sentence part, fit to follow "Invalid ISCC - ".

use iscc_codec::{Code, Compat, Error as CodecError, IsccCode, IsccId, Unit, seq};
use napi::JsString;
use napi::bindgen_prelude::*;
use napi_derive::napi;

/// A code in all its forms.
#[napi(object)]
pub struct Explanation {
    /// Canonical code.
    pub iscc: String,
    /// Type, length and body, for people.
    pub readable: String,
    /// Multiformat in base64url.
    pub multiformat: String,
    /// The units without `ISCC:`, joined by hyphens.
    pub decomposed: String,
    /// The units in body order; a single unit is its own.
    pub units: Vec<UnitExplanation>,
}

/// A unit in all its forms.
#[napi(object)]
pub struct UnitExplanation {
    /// Canonical unit.
    #[napi(js_name = "iscc_unit")]
    pub iscc_unit: String,
    /// Type, length and body, for people.
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
}

/// Takes a code in any accepted form apart. `compat` is `0.9.7` (default) or `0.9.5`: the readable
/// form of an ISCC-IDv1.
#[napi(catch_unwind)]
pub fn explain(code: String, compat: Option<String>) -> Result<Explanation> {
    let explained = iscc_codec::explain(&code, profile(compat)?).map_err(refused)?;
    let unit = |unit: iscc_codec::UnitExplanation| UnitExplanation {
        iscc_unit: unit.iscc_unit,
        readable: unit.readable,
        hash_hex: unit.hash_hex,
        hash_uint: unit.hash_uint,
        hash_bits: unit.hash_bits,
    };
    Ok(Explanation {
        iscc: explained.iscc,
        readable: explained.readable,
        multiformat: explained.multiformat,
        decomposed: explained.decomposed,
        units: explained.units.into_iter().map(unit).collect(),
    })
}

/// As `explain`, but as compact JSON: a third of the time, for an answer that is sent as it is.
#[napi(catch_unwind)]
pub fn explain_json(env: &Env, code: String, compat: Option<String>) -> Result<JsString<'_>> {
    let json = iscc_codec::explain_json(&code, profile(compat)?).map_err(refused)?;
    // All of it is ASCII: V8 need not look for longer characters.
    env.create_string_latin1(json)
}

/// The canonical text of a code in any accepted form.
#[napi(catch_unwind)]
pub fn normalize_code(code: String) -> Result<String> {
    iscc_codec::normalize(&code).map_err(refused)
}

/// Whether a text is a code in canonical form.
#[napi(catch_unwind)]
pub fn validate_code(code: String) -> bool {
    iscc_codec::validate(&code)
}

/// The units of a code in body order, without `ISCC:`, joined by newlines. A single unit is its own.
#[napi(catch_unwind)]
pub fn decompose_code(env: &Env, code: String) -> Result<JsString<'_>> {
    let code: Code = code.parse().map_err(refused)?;
    let mut joined = String::new();
    for unit in code.units().iter() {
        joined.push_str(if joined.is_empty() { "" } else { "\n" });
        joined.push_str(unit.text().bare());
    }
    env.create_string_latin1(joined)
}

/// The ISCC-CODE of two to five units in any order, which are joined by newlines. `wide` keeps 128
/// bits of Data and of Instance where there is nothing else.
#[napi(catch_unwind)]
pub fn compose_code(env: &Env, units: String, wide: Option<bool>) -> Result<JsString<'_>> {
    let units: Vec<&str> = units.lines().collect();
    let code = IsccCode::compose_text(&units, wide.unwrap_or(false)).map_err(refused)?;
    env.create_string_latin1(&*code.text())
}

/// A unit of the numbers in its header, with the first `bits` of a digest.
#[napi(catch_unwind)]
pub fn encode_unit<'a>(
    env: &'a Env,
    main: u16,
    sub: u16,
    version: u16,
    bits: u32,
    digest: &[u8],
) -> Result<JsString<'a>> {
    let kind = iscc_codec::Kind::new(main, sub, version).map_err(refused)?;
    let unit = Unit::new(kind, digest, bits as usize).map_err(refused)?;
    env.create_string_latin1(&*unit.text())
}

/// Writes a code's body to the start of `out` (40 bytes are enough for every code).
///
/// Returns its header in one number: MainType + SubType * 16 + version * 256 + bytes * 4096, where
/// `bytes` is the length of the body.
#[napi(catch_unwind)]
pub fn decode_code_into(
    code: String,
    #[napi(ts_arg_type = "Uint8Array")] mut out: BufferSlice,
) -> Result<u32> {
    let code: Code = code.parse().map_err(refused)?;
    let body = code.body();
    let place = out.get_mut(..body.len());
    place.ok_or_else(|| too_small(body.len()))?.copy_from_slice(body);
    let (kind, bytes) = (code.kind(), body.len() as u32);
    let fields = kind.main() as u32 | u32::from(kind.sub()) << 4 | (kind.version() as u32) << 8;
    Ok(fields | bytes << 12)
}

/// Bytes of the record of the longest code in `decodeCodes`.
const RECORD_BYTES_MAX: usize = 1 + 42;

/// Decodes codes that are joined by newlines. Returns how many there are.
///
/// The record of line i starts at i * `stride` in `out`: one byte with the number of bytes that
/// follow, then header (two bytes) and body. A line that is no code has the number 0. `stride` is
/// at least 43; the bytes between records are left as they are.
#[napi(catch_unwind)]
pub fn decode_codes(
    codes: String,
    #[napi(ts_arg_type = "Uint8Array")] mut out: BufferSlice,
    stride: u32,
) -> Result<u32> {
    let stride = stride as usize;
    if stride < RECORD_BYTES_MAX {
        return Err(Error::from_reason(format!("stride must be at least {RECORD_BYTES_MAX}")));
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

/// An ISCC-ID of version 1. `realm` is 0 (test) or 1 (live), `timestampUs` microseconds since 1970,
/// `hub` below 4096.
#[napi(catch_unwind)]
pub fn iscc_id(realm: u32, timestamp_us: f64, hub: u32) -> Result<String> {
    let timestamp_us = whole("timestampUs", timestamp_us)?;
    // What does not fit its field saturates to a value that is refused by name.
    let (realm, hub) = (realm.min(u8::MAX.into()) as u8, hub.min(u16::MAX.into()) as u16);
    IsccId::new(realm, timestamp_us, hub).map(|id| id.to_string()).map_err(refused)
}

/// What an ISCC-ID of version 1 says.
#[napi(object)]
pub struct IsccIdParts {
    /// 0 (test) or 1 (live).
    pub realm: u32,
    /// Microseconds since 1970; below 2^52, so exact.
    pub timestamp_us: f64,
    /// Number of the hub that gave the id out.
    pub hub: u32,
}

/// Takes an ISCC-ID of version 1 apart.
#[napi(catch_unwind)]
pub fn parse_iscc_id(id: String) -> Result<IsccIdParts> {
    let id: IsccId = id.parse().map_err(refused)?;
    let timestamp_us = id.timestamp_us() as f64;
    Ok(IsccIdParts { realm: id.realm().into(), timestamp_us, hub: id.hub().into() })
}

/// Makes media ids, each of which sorts after the one before.
#[napi]
#[derive(Default)]
pub struct MediaIdMaker {
    flakes: iscc_codec::FlakeMaker,
}

#[napi]
impl MediaIdMaker {
    /// A maker that has made nothing yet.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next media id, 13 characters `0-9a-v`: `nowMs` milliseconds since 1970, and a random
    /// number of 16 bits with which the counter of a new millisecond starts.
    #[napi(catch_unwind)]
    pub fn next(&mut self, now_ms: f64, random: u32) -> Result<String> {
        let flake = self.flakes.next(whole("nowMs", now_ms)?, random as u16).map_err(refused)?;
        Ok(flake.media_id().to_string())
    }
}

/// The ISCC-SEQ of units in their order. With `c2pa`, each must have version 0 and 256 bits.
#[napi(catch_unwind)]
pub fn encode_seq(units: Vec<String>, c2pa: Option<bool>) -> Result<Buffer> {
    let encode = if c2pa.unwrap_or(false) { seq::encode_c2pa } else { seq::encode };
    encode(&units).map(Buffer::from).map_err(refused)
}

/// The units of an ISCC-SEQ in their order, with `ISCC:`. Unknown SubTypes and versions are kept.
/// With `c2pa`, each unit must have version 0 and 256 bits.
#[napi(catch_unwind)]
pub fn decode_seq(bytes: &[u8], c2pa: Option<bool>) -> Result<Vec<String>> {
    let decode = if c2pa.unwrap_or(false) { seq::decode_c2pa } else { seq::decode };
    Ok(decode(bytes).map_err(refused)?.iter().map(ToString::to_string).collect())
}

/// Two units of the same type side by side.
#[napi(object)]
pub struct UnitComparison {
    /// Name of the type: `CONTENT_TEXT_V0`.
    pub kind: String,
    /// Bits that were compared: those of the shorter unit.
    pub bits: u32,
    /// How many of them differ.
    pub distance: u32,
    /// 1 for equal, about a half for unrelated content. Of an Instance-Code or an ISCC-ID, 1 or 0.
    pub similarity: f64,
}

/// Compares the units that both codes have, in body order.
#[napi(catch_unwind)]
pub fn compare_codes(a: String, b: String) -> Result<Vec<UnitComparison>> {
    let parse = |text: &str, name| {
        text.parse::<Code>().map_err(|error| Error::from_reason(format!("{name} code: {error}")))
    };
    let (a, b) = (parse(&a, "first")?, parse(&b, "second")?);
    let compared = iscc_codec::compare(&a, &b).into_iter().map(|unit| UnitComparison {
        kind: unit.kind.to_string(),
        bits: unit.bits as u32,
        distance: unit.distance as u32,
        similarity: unit.similarity,
    });
    Ok(compared.collect())
}

fn refused(error: CodecError) -> Error {
    Error::new(Status::InvalidArg, error.to_string())
}

fn too_small(needed: usize) -> Error {
    Error::new(Status::InvalidArg, format!("out must have at least {needed} bytes"))
}

/// A number that counts something, from JavaScript's only number type.
fn whole(name: &str, value: f64) -> Result<u64> {
    /// From here on, a double no longer holds every whole number.
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && (0.0..LIMIT).contains(&value) {
        return Ok(value as u64);
    }
    Err(Error::new(Status::InvalidArg, format!("{name} must be a whole number from 0 to 2^53")))
}

fn profile(compat: Option<String>) -> Result<Compat> {
    match compat.as_deref() {
        None | Some("0.9.7") => Ok(Compat::Sdk097),
        Some("0.9.5") => Ok(Compat::Sdk095),
        Some(other) => {
            let message = format!("compat must be 0.9.7 or 0.9.5, not {other}");
            Err(Error::new(Status::InvalidArg, message))
        }
    }
}
