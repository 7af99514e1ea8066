//! The requests, as the package's TypeScript sends them.

use iscc_codec::{Kind, Mode};
use iscc_content::unit;
use iscc_units::meta::Metadata;
use iscc_units::video;
use serde::Deserialize;
use serde_json::Value;

use crate::error::{Failure, Result};
use crate::{codec, file, units};

#[derive(Deserialize)]
#[serde(tag = "call", rename_all = "camelCase", deny_unknown_fields)]
enum Request {
    Explain {
        code: String,
    },
    Normalize {
        code: String,
    },
    Decode {
        code: String,
    },
    Decompose {
        code: String,
    },
    Compose {
        units: Vec<String>,
        wide: bool,
    },
    Compare {
        a: String,
        b: String,
    },
    MetaCode(MetaInput),
    /// The bytes are a text in UTF-8, also in the next three.
    TextCode {
        bits: u32,
    },
    TextClean {},
    TextCollapse {},
    Simprints {},
    /// The bytes are 1024 grey values.
    ImageCode {
        bits: u32,
    },
    AudioCode {
        fingerprint: Vec<i32>,
        bits: u32,
    },
    VideoCode {
        frames: Vec<i32>,
        bits: u32,
    },
    MixedCode {
        codes: Vec<String>,
        bits: u32,
    },
    /// The bytes are the first of a file.
    Inspect {
        name: String,
    },
    /// The bytes are a file, also in the next one.
    TextFile {
        mediatype: String,
    },
    Picture {},
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MetaInput {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    meta: String,
    #[serde(default)]
    meta_json: String,
    bits: u32,
}

/// Runs a request on bytes.
pub fn run(request: &[u8], bytes: Box<[u8]>) -> Result<Value> {
    match serde_json::from_slice(request).map_err(Failure::invalid)? {
        Request::Explain { code } => codec::explain(&code),
        Request::Normalize { code } => codec::normalize(&code),
        Request::Decode { code } => codec::decode(&code),
        Request::Decompose { code } => codec::decompose(&code),
        Request::Compose { units, wide } => codec::compose(&units, wide),
        Request::Compare { a, b } => codec::compare(&a, &b),
        Request::MetaCode(input) => meta_code(&input),
        Request::TextCode { bits } => units::text_code(&bytes, bits),
        Request::TextClean {} => units::text_clean(&bytes),
        Request::TextCollapse {} => units::text_collapse(&bytes),
        Request::Simprints {} => units::simprints(&bytes),
        Request::ImageCode { bits } => units::image_code(&bytes, bits),
        Request::AudioCode { fingerprint, bits } => units::audio_code(&fingerprint, bits),
        Request::VideoCode { frames, bits } => video_code(&frames, bits),
        Request::MixedCode { codes, bits } => units::mixed_code(&codes, bits),
        Request::Inspect { name } => Ok(file::inspect(&name, &bytes)),
        Request::TextFile { mediatype } => file::text(&bytes, &mediatype),
        Request::Picture {} => file::picture(&bytes),
    }
}

fn meta_code(input: &MetaInput) -> Result<Value> {
    let MetaInput { name, description, meta, meta_json, bits } = input;
    let meta = units::further(meta, meta_json)?;
    units::meta_code(Metadata { name, description, meta }, *bits)
}

fn video_code(frames: &[i32], bits: u32) -> Result<Value> {
    let digest = video::digest(frames).map_err(Failure::invalid)?;
    Ok(unit(Kind::content(Mode::Video), &digest, bits)?.into())
}
