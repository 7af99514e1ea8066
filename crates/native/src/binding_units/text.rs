//! JavaScript face of `iscc-units`' text half: normalisation, Text- and Meta-Codes, simprints.
//!
//! Text comes as UTF-8 bytes or as a string. A string is read as UTF-16, for the engine would
//! replace a lone surrogate in silence; here it is an error that names its place.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use iscc_codec::{Kind, Mode, Unit};
use iscc_units::Compat;
use iscc_units::meta::{self, Meta, Metadata};
use iscc_units::simprint::{self, Simprint};
use iscc_units::text::{self, JsonTextError};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::runtime::Pool;

/// Text is bound by cores: as many threads as there are.
static POOL: LazyLock<Pool> =
    LazyLock::new(|| Pool::new("text", available_parallelism().map_or(1, Into::into)));

/// UTF-8 bytes, which must not change until the promise is settled, or a string.
pub(crate) type Text = Either<Uint8Array, Utf16String>;

/// A Text-Code.
#[napi(object)]
pub struct TextCode {
    /// With prefix.
    pub iscc: String,
    /// Code points of the collapsed text.
    pub characters: f64,
}

/// The simprints of a text's chunks, with their places in the cleaned text.
#[napi(object)]
pub struct TextFeatures {
    /// Base64url, 43 characters each.
    pub simprints: Vec<String>,
    /// Where the chunks start.
    pub offsets: Uint32Array,
    /// How long they are.
    pub sizes: Uint32Array,
}

/// How to make features.
#[napi(object)]
pub struct TextFeatureOptions {
    /// Count in UTF-8 bytes instead of code points.
    pub byte_offsets: Option<bool>,
    /// `0.9.7` (default) or `0.9.5`: only the latter keeps a last chunk below 128 characters.
    pub compat: Option<String>,
}

/// What the text of a document gives.
#[napi(object)]
pub struct TextContent {
    /// Text-Code of the cleaned text, with prefix.
    pub iscc: String,
    /// Code points of the collapsed text.
    pub characters: f64,
    /// If asked for.
    pub features: Option<TextFeatures>,
}

/// What a Meta-Code is made from.
#[napi(object)]
pub struct MetaInput {
    /// Name or title.
    #[napi(ts_type = "string")]
    pub name: Utf16String,
    /// Description, if there is one.
    #[napi(ts_type = "string")]
    pub description: Option<Utf16String>,
    /// Further metadata as a Data-URL in Base64.
    #[napi(ts_type = "string")]
    pub meta: Option<Utf16String>,
    /// Further metadata as a JSON object in text; not together with `meta`.
    #[napi(ts_type = "string")]
    pub meta_json: Option<Utf16String>,
}

/// A Meta-Code, with the metadata as it went into it.
#[napi(object)]
pub struct MetaCode {
    /// With prefix.
    pub iscc: String,
    /// One clean line of at most 128 bytes.
    pub name: String,
    /// Clean, at most 4096 bytes.
    pub description: Option<String>,
    /// A Data-URL.
    pub meta: Option<String>,
    /// Multihash in hexadecimal.
    pub metahash: String,
}

/// Text-Code of a text as it is; see `textContent` for the text of a document.
#[napi(
    catch_unwind,
    ts_args_type = "text: Uint8Array | string, bits: number",
    ts_return_type = "Promise<TextCode>"
)]
pub fn text_code<'env>(env: &'env Env, text: Text, bits: u32) -> Result<Object<'env>> {
    POOL.run(env, move || code_of(&utf8(&text)?, bits))
}

/// The text of a document, from its UTF-8 bytes: cleaned, coded and, given options, chunked.
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
    POOL.run(env, move || {
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
    POOL.run(env, move || Ok(string(text::clean(&utf8(&text)?))))
}

/// Text for comparison: no case, whitespace, marks, punctuation and control characters.
#[napi(
    catch_unwind,
    ts_args_type = "text: Uint8Array | string",
    ts_return_type = "Promise<string>"
)]
pub fn text_collapse<'env>(env: &'env Env, text: Text) -> Result<Object<'env>> {
    POOL.run(env, move || Ok(string(text::collapse(&utf8(&text)?))))
}

/// The text of a JSON object, or why there is none.
#[napi(object)]
pub struct JsonText {
    /// UTF-8 but for lone surrogates.
    pub text: Option<Buffer>,
    /// What is wrong with the JSON.
    pub not_json: Option<String>,
    /// What is wrong with the object.
    pub invalid: Option<String>,
}

/// Reads `text` out of a JSON object, which may be large and hold anything beside it.
#[napi(catch_unwind, ts_return_type = "Promise<JsonText>")]
pub fn json_text(env: &Env, body: Uint8Array) -> Result<Object<'_>> {
    POOL.run(env, move || {
        let (text, not_json, invalid) = match text::json_text(&body) {
            Ok(text) => (Some(text.into_owned().into()), None, None),
            Err(JsonTextError::NotJson(reason)) => (None, Some(reason), None),
            Err(JsonTextError::Invalid(reason)) => (None, None, Some(reason)),
        };
        Ok(JsonText { text, not_json, invalid })
    })
}

/// Content text simprints of a text, which is cleaned before: one per chunk, at least one.
#[napi(
    catch_unwind,
    ts_args_type = "text: Uint8Array | string",
    ts_return_type = "Promise<Array<string>>"
)]
pub fn simprints<'env>(env: &'env Env, text: Text) -> Result<Object<'env>> {
    POOL.run(env, move || Ok(encoded(&simprint::simprints(&text::clean(&utf8(&text)?)))))
}

/// Simprints of a text, which is cleaned before, with their places in the cleaned text.
#[napi(
    catch_unwind,
    ts_args_type = "text: Uint8Array | string, options?: TextFeatureOptions",
    ts_return_type = "Promise<TextFeatures>"
)]
pub fn text_features<'env>(
    env: &'env Env,
    text: Text,
    options: Option<TextFeatureOptions>,
) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let options = options.unwrap_or(TextFeatureOptions { byte_offsets: None, compat: None });
        features_of(&text::clean(&utf8(&text)?), &options)
    })
}

/// Meta-Code. Errors name the field and the rule.
#[napi(catch_unwind, ts_return_type = "Promise<MetaCode>")]
pub fn meta_code<'env>(env: &'env Env, input: MetaInput, bits: u32) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let name = field("name", Some(&input.name))?;
        let description = field("description", input.description.as_ref())?;
        let url = field("meta", input.meta.as_ref())?;
        let json = field("metaJson", input.meta_json.as_ref())?;
        let meta = match (url.as_str(), json.as_str()) {
            (url, "") => Meta::DataUrl(url),
            ("", json) => Meta::Json(json),
            _ => return Err(refused("metaJson: must not be given together with meta")),
        };
        let metadata = Metadata { name: &name, description: &description, meta };
        let code = meta::code(metadata).map_err(refused)?;
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
    let features = simprint::features(cleaned, unit, compat.map_err(refused)?);
    // A text of 4 GiB would not be here: neither a Buffer nor a string holds one.
    let narrow =
        |places: Vec<u64>| places.into_iter().map(|place| place as u32).collect::<Vec<_>>();
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
        Either::A(bytes) => str::from_utf8(bytes)
            .map(Cow::from)
            .map_err(|error| refused(format!("text: not UTF-8 from byte {}", error.valid_up_to()))),
        Either::B(units) => field("text", Some(units)).map(Cow::from),
    }
}

/// The text of a field; empty if it is absent.
fn field(name: &str, value: Option<&Utf16String>) -> Result<String> {
    let units = value.map_or(&[][..], |units| &**units);
    text::from_utf16(units).map_err(|error| refused(format!("{name}: {error}")))
}

/// A string for JavaScript. The engine takes ASCII as it is; all else is several times faster in
/// its own form than through its UTF-8 decoder.
fn string(text: String) -> Either<String, Utf16String> {
    if text.is_ascii() { Either::A(text) } else { Either::B(text::to_utf16(&text).into()) }
}

fn unit(kind: Kind, digest: &[u8; 32], bits: u32) -> Result<String> {
    Ok(Unit::new(kind, digest, bits as usize).map_err(refused)?.to_string())
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::new(Status::InvalidArg, error.to_string())
}
