//! Requests for units of prepared input.

use iscc_codec::base::base32::BASE32;
use iscc_codec::{Kind, Mode};
use iscc_content::unit;
use iscc_units::meta::{self, Meta, Metadata};
use iscc_units::{Compat, audio, image, mixed, simprint, text};
use serde_json::{Value, json};

use crate::error::{Failure, Result};

pub fn meta_code(metadata: Metadata<'_>, bits: u32) -> Result<Value> {
    let code = meta::code(metadata).map_err(Failure::invalid)?;
    let mut result = json!({
        "iscc": unit(Kind::META, &code.digest, bits)?,
        "name": code.name,
        "metahash": code.metahash,
    });
    for (name, value) in [("description", code.description), ("meta", code.meta)] {
        if let Some(value) = value {
            result[name] = value.into();
        }
    }
    Ok(result)
}

/// `url` and `json` exclude each other.
pub fn further<'a>(url: &'a str, json: &'a str) -> Result<Meta<'a>> {
    match (url, json) {
        (url, "") => Ok(Meta::DataUrl(url)),
        ("", json) => Ok(Meta::Json(json)),
        _ => Err(Failure::invalid("metaJson: must not be given together with meta")),
    }
}

pub fn text_code(bytes: &[u8], bits: u32) -> Result<Value> {
    let code = text::code(utf8(bytes)?);
    let iscc = unit(Kind::content(Mode::Text), &code.digest, bits)?;
    Ok(json!({ "iscc": iscc, "characters": code.characters }))
}

pub fn text_clean(bytes: &[u8]) -> Result<Value> {
    Ok(text::clean(utf8(bytes)?).into())
}

pub fn text_collapse(bytes: &[u8]) -> Result<Value> {
    Ok(text::collapse(utf8(bytes)?).into())
}

pub fn simprints(bytes: &[u8]) -> Result<Value> {
    let simprints = simprint::simprints(&text::clean(utf8(bytes)?));
    Ok(simprints.iter().map(simprint::encode).collect())
}

pub fn image_code(pixels: &[u8], bits: u32) -> Result<Value> {
    let pixels = pixels
        .try_into()
        .map_err(|_| Failure::invalid("pixels: an Image-Code needs exactly 1024 grey values"))?;
    let digest = image::digest(pixels, bits as usize, Compat::default());
    Ok(unit(Kind::content(Mode::Image), &digest, bits)?.into())
}

pub fn audio_code(fingerprint: &[i32], bits: u32) -> Result<Value> {
    Ok(unit(Kind::content(Mode::Audio), &audio::digest(fingerprint), bits)?.into())
}

pub fn mixed_code(codes: &[String], bits: u32) -> Result<Value> {
    let mut decoded = Vec::with_capacity(codes.len());
    for code in codes {
        decoded.push(BASE32.decode(iscc_codec::clean(code)?.as_bytes())?);
    }
    let codes: Vec<&[u8]> = decoded.iter().map(Vec::as_slice).collect();
    let digest = mixed::digest(&codes, bits as usize).map_err(Failure::invalid)?;
    Ok(unit(Kind::content(Mode::Mixed), &digest, bits)?.into())
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    str::from_utf8(bytes).map_err(|error| {
        Failure::invalid(format_args!("text: not UTF-8 from byte {}", error.valid_up_to()))
    })
}
