//! Requests about whole files: what `crates/native` computes of them, without thumbnails.

use iscc_codec::{Kind, Mode};
use iscc_content::text::{TextContent, TextOptions};
use iscc_content::{UNIT_BITS, picture as pictures, text as texts, unit};
use iscc_image::{self as image, Options};
use iscc_media::mediatype::{self, Sniffed};
use iscc_media::metadata::Metadata;
use iscc_units::{Compat, simprint};
use serde_json::{Map, Value, json};

use crate::error::{Failure, Result};

/// Media type of a file by its name and first bytes, and the mode of its content.
pub fn inspect(name: &str, head: &[u8]) -> Value {
    let found = mediatype::inspect(head, name);
    json!({ "mediatype": found.mediatype, "mode": found.mode.map(|mode| mode.name()) })
}

/// Text-Code and simprints of a text document.
pub fn text(file: &[u8], mediatype: &str) -> Result<Value> {
    let options = TextOptions { granular: true, ..TextOptions::default() };
    let content = texts::content(file, mediatype, &options)?;
    let TextContent { digest, characters, features, metadata, pdfs, .. } = content;
    if !pdfs.is_empty() {
        return Err(Failure::new("NO_DECODER", "the document holds a PDF"));
    }
    let features = features.unwrap_or_default();
    Ok(json!({
        "unit": unit(Kind::content(Mode::Text), &digest, UNIT_BITS)?,
        "characters": characters,
        "simprints": features.simprints.iter().map(simprint::encode).collect::<Vec<_>>(),
        "offsets": features.offsets,
        "sizes": features.sizes,
        "metadata": fields(metadata),
    }))
}

/// Image-Code of a picture.
pub fn picture(file: &[u8]) -> Result<Value> {
    let file = Sniffed::new(file);
    let raster = image::decode(&file, &Options::default())?;
    let picture = pictures::content(&raster, &file, Compat::default());
    Ok(json!({
        "unit": unit(Kind::content(Mode::Image), &picture.digest, UNIT_BITS)?,
        "width": picture.width,
        "height": picture.height,
        "metadata": fields(picture.metadata),
    }))
}

/// Absent fields are left out.
fn fields(metadata: Metadata) -> Value {
    let present = metadata.into_fields().map(|(name, value)| (name.to_owned(), value.into()));
    Value::Object(present.collect::<Map<_, _>>())
}
