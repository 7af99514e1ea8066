//! iscc-lib as a Node.js addon with the signatures of iscc-lib's own binding. Only for benchmarks.

use napi::bindgen_prelude::*;
use napi_derive::napi;

fn rejected(error: impl std::fmt::Display) -> Error {
    Error::from_reason(error.to_string())
}

/// Parts of a unit.
#[napi(object)]
pub struct Decoded {
    /// MainType.
    pub maintype: u8,
    /// SubType.
    pub subtype: u8,
    /// Version.
    pub version: u8,
    /// Length field.
    pub length: u8,
    /// Body.
    pub digest: Buffer,
}

/// `iscc_decode`.
#[napi]
pub fn decode(code: String) -> Result<Decoded> {
    let (maintype, subtype, version, length, digest) =
        iscc_lib::iscc_decode(&code).map_err(rejected)?;
    Ok(Decoded { maintype, subtype, version, length, digest: digest.into() })
}

/// `encode_component`.
#[napi]
pub fn encode(main: u8, sub: u8, version: u8, bits: u32, digest: Buffer) -> Result<String> {
    iscc_lib::encode_component(main, sub, version, bits, &digest).map_err(rejected)
}

/// `iscc_decompose`.
#[napi]
pub fn decompose(code: String) -> Result<Vec<String>> {
    iscc_lib::codec::iscc_decompose(&code).map_err(rejected)
}

/// `gen_iscc_code_v0`.
#[napi]
pub fn compose(units: Vec<String>) -> Result<String> {
    let units: Vec<_> = units.iter().map(String::as_str).collect();
    iscc_lib::gen_iscc_code_v0(&units, false).map(|it| it.iscc).map_err(rejected)
}

/// `text_clean`.
#[napi]
pub fn clean(text: String) -> String {
    iscc_lib::text_clean(&text)
}

/// `text_collapse`.
#[napi]
pub fn collapse(text: String) -> String {
    iscc_lib::text_collapse(&text)
}

/// `gen_video_code_v0`.
#[napi]
pub fn video(frames: Vec<Vec<i32>>, bits: u32) -> Result<String> {
    iscc_lib::gen_video_code_v0(&frames, bits).map(|it| it.iscc).map_err(rejected)
}
