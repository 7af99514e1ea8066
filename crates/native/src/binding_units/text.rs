//! Text: normalisation, Text- and Meta-Codes, simprints.
//!
//! Text is UTF-8 bytes or a string. Strings are read as UTF-16, because the engine's UTF-8 encoder
//! replaces a lone surrogate silently; here it is an `INVALID_ARGUMENT` that names its position.
//! Bytes must not change until the promise is settled.

use std::borrow::Cow;

use iscc_codec::{Kind, Mode};
use iscc_units::Compat;
use iscc_units::meta::{self, Meta, Metadata};
use iscc_units::simprint::{self, Simprint};
use iscc_units::text::{self, JsonTextError};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_units::unit;
use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::CPU;

/// UTF-8 bytes or a string.
pub(crate) type Text = Either<Uint8Array, Utf16String>;

/// A Text-Code.
#[napi(object)]
pub struct TextCode {
    /// With prefix.
    pub iscc: String,
    /// Code points of the collapsed text.
    pub characters: f64,
}

/// The simprints of a text's chunks, with their positions in the cleaned text.
#[napi(object)]
pub struct TextFeatures {
    /// Base64url, 43 characters each.
    pub simprints: Vec<String>,
    /// Start of each chunk.
    pub offsets: Uint32Array,
    /// Length of each chunk.
    pub sizes: Uint32Array,
}

/// How to compute features.
#[napi(object)]
pub struct TextFeatureOptions {
    /// Positions count UTF-8 bytes instead of code points.
    pub byte_offsets: Option<bool>,
    /// `0.9.7` (default) or `0.9.5`. Only the latter keeps a last chunk below 128 characters.
    pub compat: Option<String>,
}

/// The codes of a document's text.
#[napi(object)]
pub struct TextContent {
    /// Text-Code of the cleaned text, with prefix.
    pub iscc: String,
    /// Code points of the collapsed text.
    pub characters: f64,
    /// Present if the call passed options for them.
    pub features: Option<TextFeatures>,
}

/// The input of a Meta-Code.
#[napi(object)]
pub struct MetaInput {
    /// Name or title.
    #[napi(ts_type = "string")]
    pub name: Utf16String,
    /// Description.
    #[napi(ts_type = "string")]
    pub description: Option<Utf16String>,
    /// Further metadata as a base64 Data-URL.
    #[napi(ts_type = "string")]
    pub meta: Option<Utf16String>,
    /// Further metadata as the text of a JSON object. Excludes `meta`.
    #[napi(ts_type = "string")]
    pub meta_json: Option<Utf16String>,
}

/// A Meta-Code, with the normalised metadata that it covers.
#[napi(object)]
pub struct MetaCode {
    /// With prefix.
    pub iscc: String,
    /// One cleaned line of at most 128 bytes.
    pub name: String,
    /// Cleaned, at most 4096 bytes.
    pub description: Option<String>,
    /// A Data-URL.
    pub meta: Option<String>,
    /// Multihash in hexadecimal.
    pub metahash: String,
}

/// Text-Code of a text without cleaning. For the text of a document, see `textContent`.
#[napi(
    catch_unwind,
    ts_args_type = "text: Uint8Array | string, bits: number",
    ts_return_type = "Promise<TextCode>"
)]
pub fn text_code<'env>(env: &'env Env, text: Text, bits: u32) -> Result<Object<'env>> {
    CPU.run(env, move || code_of(&utf8(&text)?, bits))
}

/// Cleans the text of a document and computes its Text-Code and, with `features`, its simprints.
#[napi(
    catch_unwind,
    ts_args_type = "text: Uint8Array | string, bits: number, features?: TextFeatureOptions",
    ts_return_type = "Promise<TextContent>"
)]
pub fn text_content<'env>(
    env: &'env Env,
    text: Text,
    bits: u32,
    features: Option<TextFeatureOptions>,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let cleaned = text::clean(&utf8(&text)?);
        let TextCode { iscc, characters } = code_of(&cleaned, bits)?;
        let features = features.map(|options| features_of(&cleaned, &options)).transpose()?;
        Ok(TextContent { iscc, characters, features })
    })
}

/// Text for display: NFKC, no control characters, at most one empty line in a row.
#[napi(
    catch_unwind,
    ts_args_type = "text: Uint8Array | string",
    ts_return_type = "Promise<string>"
)]
pub fn text_clean<'env>(env: &'env Env, text: Text) -> Result<Object<'env>> {
    CPU.run(env, move || Ok(string(text::clean(&utf8(&text)?))))
}

/// Text for comparison: lower case, without whitespace, marks, punctuation and control characters.
#[napi(
    catch_unwind,
    ts_args_type = "text: Uint8Array | string",
    ts_return_type = "Promise<string>"
)]
pub fn text_collapse<'env>(env: &'env Env, text: Text) -> Result<Object<'env>> {
    CPU.run(env, move || Ok(string(text::collapse(&utf8(&text)?))))
}

/// Reads the member `text` of a JSON object. The object may be large and have any other members.
///
/// Resolves to UTF-8, except that escaped lone surrogates stay as three bytes each. Rejects with
/// `NOT_JSON`, or with `SCHEMA_VIOLATION` if it is not an object with a string `text`.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn json_text(env: &Env, body: Uint8Array) -> Result<Object<'_>> {
    CPU.run(env, move || match text::json_text(&body) {
        Ok(text) => Ok(Buffer::from(text.into_owned())),
        Err(JsonTextError::NotJson(reason)) => Err(NativeError::new(ErrorCode::NotJson, reason)),
        Err(JsonTextError::Invalid(reason)) => {
            Err(NativeError::new(ErrorCode::SchemaViolation, reason))
        }
    })
}

/// Cleans a text and computes its simprints: one per chunk, at least one.
#[napi(
    catch_unwind,
    ts_args_type = "text: Uint8Array | string",
    ts_return_type = "Promise<Array<string>>"
)]
pub fn simprints<'env>(env: &'env Env, text: Text) -> Result<Object<'env>> {
    CPU.run(env, move || Ok(encoded(&simprint::simprints(&text::clean(&utf8(&text)?)))))
}

/// Meta-Code. Errors name the field and the rule.
#[napi(catch_unwind, ts_return_type = "Promise<MetaCode>")]
pub fn meta_code<'env>(env: &'env Env, input: MetaInput, bits: u32) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let name = field("name", Some(&input.name))?;
        let description = field("description", input.description.as_ref())?;
        let url = field("meta", input.meta.as_ref())?;
        let json = field("metaJson", input.meta_json.as_ref())?;
        let meta = match (url.as_str(), json.as_str()) {
            (url, "") => Meta::DataUrl(url),
            ("", json) => Meta::Json(json),
            _ => {
                return Err(NativeError::invalid("metaJson: must not be given together with meta"));
            }
        };
        let metadata = Metadata { name: &name, description: &description, meta };
        let code = meta::code(metadata).map_err(NativeError::invalid)?;
        Ok(MetaCode {
            iscc: unit(Kind::META, &code.digest, bits)?,
            name: code.name,
            description: code.description,
            meta: code.meta,
            metahash: code.metahash,
        })
    })
}

fn code_of(text: &str, bits: u32) -> Result<TextCode> {
    let code = text::code(text);
    let iscc = unit(Kind::content(Mode::Text), &code.digest, bits)?;
    Ok(TextCode { iscc, characters: code.characters as f64 })
}

fn features_of(cleaned: &str, options: &TextFeatureOptions) -> Result<TextFeatures> {
    let compat = options.compat.as_deref().map_or(Ok(Compat::default()), str::parse);
    let unit = match options.byte_offsets {
        Some(true) => simprint::Unit::Utf8Bytes,
        _ => simprint::Unit::CodePoints,
    };
    let features = simprint::features(cleaned, unit, compat.map_err(NativeError::invalid)?);
    // Neither a Buffer nor a string can hold 4 GiB of text.
    let narrow =
        |positions: Vec<u64>| positions.into_iter().map(|at| at as u32).collect::<Vec<_>>();
    Ok(TextFeatures {
        simprints: encoded(&features.simprints),
        offsets: narrow(features.offsets).into(),
        sizes: narrow(features.sizes).into(),
    })
}

fn encoded(simprints: &[Simprint]) -> Vec<String> {
    simprints.iter().map(simprint::encode).collect()
}

pub(crate) fn utf8(text: &Text) -> Result<Cow<'_, str>> {
    match text {
        Either::A(bytes) => str::from_utf8(bytes).map(Cow::from).map_err(|error| {
            let valid = error.valid_up_to();
            NativeError::invalid(format_args!("text: not UTF-8 from byte {valid}"))
        }),
        Either::B(units) => field("text", Some(units)).map(Cow::from),
    }
}

/// The text of a field; empty if it is absent.
fn field(name: &str, value: Option<&Utf16String>) -> Result<String> {
    let units = value.map_or(&[][..], |units| &**units);
    let text = text::from_utf16(units);
    text.map_err(|error| NativeError::invalid(format_args!("{name}: {error}")))
}

/// A string for JavaScript. The engine accepts ASCII unchanged. All other text is several times
/// faster as UTF-16 than through the engine's UTF-8 decoder.
fn string(text: String) -> Either<String, Utf16String> {
    if text.is_ascii() { Either::A(text) } else { Either::B(text::to_utf16(&text).into()) }
}
