//! Requests about whole files: what `crates/native` computes of them, without thumbnails.

use iscc_codec::{Kind, Mode};
use iscc_image::{self as image, Options, Orientation};
use iscc_media::mediatype::{self, Sniffed};
use iscc_media::metadata::Metadata;
use iscc_media::metadata::image::Blocks;
use iscc_text::extraction::{self, TEXT_CHARACTERS_MAX};
use iscc_units::{Compat, simprint};
use serde_json::{Map, Value, json};

use crate::error::{Failure, Result};
use crate::units::unit;

const UNIT_BITS: u32 = 256;

/// Media type of a file by its name and first bytes, and the mode of its content.
pub fn inspect(name: &str, head: &[u8]) -> Value {
    let found = mediatype::inspect(head, name);
    json!({ "mediatype": found.mediatype, "mode": found.mode.map(|mode| mode.name()) })
}

/// Text-Code and simprints of a text document.
pub fn text(file: &[u8], mediatype: &str) -> Result<Value> {
    let extracted = extraction::extract(file, mediatype, TEXT_CHARACTERS_MAX, &[])?;
    if !extracted.pdfs.is_empty() {
        return Err(Failure::new("NO_DECODER", "the document holds a PDF"));
    }
    let clean = iscc_units::text::clean(&extracted.text);
    let code = iscc_units::text::code(&clean);
    let features = simprint::features(&clean, simprint::Unit::Utf8Bytes, Compat::default());
    Ok(json!({
        "unit": unit(Kind::content(Mode::Text), &code.digest, UNIT_BITS)?,
        "characters": code.characters,
        "simprints": features.simprints.iter().map(simprint::encode).collect::<Vec<_>>(),
        "offsets": features.offsets,
        "sizes": features.sizes,
        "metadata": fields(extracted.metadata),
    }))
}

/// Image-Code of a picture.
pub fn picture(file: &[u8]) -> Result<Value> {
    let file = Sniffed::new(file);
    let raster = image::decode(&file, &Options::default())?;
    let blocks = Blocks::read(&file);
    let orientation = Orientation::of_file(&file, &blocks);
    let prepared = image::prepare_raster(&raster, orientation, &Options::default());
    let digest = iscc_units::image::digest(&prepared.pixels, UNIT_BITS as usize, Compat::default());
    let (width, height) = image::stored_size(&file, prepared.width, prepared.height);
    Ok(json!({
        "unit": unit(Kind::content(Mode::Image), &digest, UNIT_BITS)?,
        "width": width,
        "height": height,
        "metadata": fields(image::metadata(&file, &blocks)),
    }))
}

/// Absent fields are left out.
fn fields(metadata: Metadata) -> Value {
    let Metadata {
        name,
        description,
        meta,
        creator,
        license,
        acquire,
        rights,
        credit,
        identifier,
        language,
        keywords,
    } = metadata;
    let fields = [
        ("name", name),
        ("description", description),
        ("meta", meta),
        ("creator", creator),
        ("license", license),
        ("acquire", acquire),
        ("rights", rights),
        ("credit", credit),
        ("identifier", identifier),
        ("language", language),
        ("keywords", keywords),
    ];
    let present =
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
    Value::Object(present.collect::<Map<_, _>>())
}
