//! What decoders read from files, and their Content-Codes and thumbnails.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use iscc_codec::Kind;
use iscc_content::title::Fields;
use iscc_content::{UNIT_BITS, unit};
use iscc_image::{Depth, Options as ImageOptions};
use iscc_media::mediatype::Sniffed;

use crate::failure::{Refusal, internal};
use crate::result::{Facts, FeatureSet};

/// Longer side of a thumbnail
pub const THUMBNAIL_SIDE_PIXELS: usize = 128;

/// What a decoder has read from a file.
pub struct Content {
    /// Content-Code
    pub unit: String,
    pub metadata: Fields,
    pub facts: Facts,
    pub features: Option<FeatureSet>,
    pub thumbnail: Option<String>,
    pub note: Option<&'static str>,
}

impl Content {
    /// Content with nothing but its unit.
    pub fn of_unit(unit: String) -> Self {
        let (metadata, facts) = (Fields::new(), Facts::default());
        Self { unit, metadata, facts, features: None, thumbnail: None, note: None }
    }
}

/// The thumbnail of an image file; `None` if it can't be decoded.
pub fn thumbnail_of_file(file: &[u8]) -> Option<String> {
    let options = ImageOptions { depth: Depth::Scaled, ..ImageOptions::default() };
    let raster = iscc_image::decode(&Sniffed::new(file), &options).ok()?;
    iscc_image::thumbnail(&raster, THUMBNAIL_SIDE_PIXELS).map(|webp| data_url(&webp))
}

pub fn data_url(webp: &[u8]) -> String {
    format!("data:image/webp;base64,{}", STANDARD.encode(webp))
}

/// The Content-Code of a digest.
pub fn content_unit(mode: iscc_codec::Mode, digest: &[u8]) -> Result<String, Refusal> {
    unit(Kind::content(mode), digest, UNIT_BITS).map_err(internal)
}
