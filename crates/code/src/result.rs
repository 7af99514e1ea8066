//! The result of a file: the fields and their order are those of `src/services/codes/result.ts`.

use iscc_content::sum::SumCodes;
use iscc_content::title::Fields;
use iscc_media::mediatype::Mode;
use iscc_units::simprint::{self, Features};
use serde::Serialize;

use crate::number;

const CONTEXT: &str = "http://purl.org/iscc/context/0.8.0.jsonld";
const SCHEMA: &str = "http://purl.org/iscc/schema/0.8.0.json";
const GENERATOR: &str = concat!("isccd - v", env!("CARGO_PKG_VERSION"));

/// Simprints of a text.
#[derive(Debug, Serialize)]
pub struct FeatureSet {
    maintype: &'static str,
    subtype: &'static str,
    version: u8,
    byte_offsets: bool,
    simprints: Vec<String>,
    offsets: Vec<u64>,
    sizes: Vec<u64>,
}

impl From<Features> for FeatureSet {
    fn from(features: Features) -> Self {
        Self {
            maintype: "content",
            subtype: "text",
            version: 0,
            byte_offsets: true,
            simprints: features.simprints.iter().map(simprint::encode).collect(),
            offsets: features.offsets,
            sizes: features.sizes,
        }
    }
}

/// Properties of the content.
#[derive(Debug, Default)]
pub struct Facts {
    /// Seconds
    pub duration: Option<f64>,
    pub fps: Option<f64>,
    /// Pixels, before rotation
    pub width: Option<u32>,
    pub height: Option<u32>,
    /// Code points that the code covers
    pub characters: Option<usize>,
    pub language: Option<String>,
}

/// The fields of a result, without its path.
#[derive(Debug, Serialize)]
pub struct Result {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "$schema")]
    schema: &'static str,
    pub iscc: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creator: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    license: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    acquire: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rights: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    identifier: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keywords: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    pub filename: String,
    filesize: u64,
    mediatype: &'static str,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "number::optional::serialize"
    )]
    duration: Option<f64>,
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "number::optional::serialize"
    )]
    fps: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    characters: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    features: Vec<FeatureSet>,
    pub units: Vec<String>,
    generator: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metahash: Option<String>,
    datahash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

/// What a result shows of a file's content.
#[derive(Debug, Default)]
pub struct Shown {
    pub metadata: Fields,
    pub facts: Facts,
    pub features: Option<FeatureSet>,
    /// A Data-URL
    pub thumbnail: Option<String>,
    pub metahash: Option<String>,
    pub note: Option<&'static str>,
}

/// A file of known type.
#[derive(Debug, Clone)]
pub struct TypedFile {
    pub filename: String,
    pub mediatype: &'static str,
    pub mode: Option<Mode>,
}

impl Result {
    /// `iscc` and `units` are those of bytes and content together.
    pub fn new(
        file: TypedFile,
        iscc: String,
        units: Vec<String>,
        sum: SumCodes,
        shown: Shown,
    ) -> Self {
        let Shown { mut metadata, facts, features, thumbnail, metahash, note } = shown;
        let mut field = |name| metadata.remove(name);
        Self {
            context: CONTEXT,
            kind: type_of(file.mode),
            schema: SCHEMA,
            iscc,
            name: field("name"),
            description: field("description"),
            meta: field("meta"),
            creator: field("creator"),
            license: field("license"),
            acquire: field("acquire"),
            credit: field("credit"),
            rights: field("rights"),
            identifier: field("identifier"),
            keywords: field("keywords"),
            mode: file.mode.map(Mode::name),
            filename: file.filename,
            filesize: sum.filesize,
            mediatype: file.mediatype,
            duration: facts.duration,
            fps: facts.fps,
            width: facts.width,
            height: facts.height,
            characters: facts.characters,
            language: facts.language,
            features: features.filter(|set| !set.simprints.is_empty()).into_iter().collect(),
            units,
            generator: GENERATOR,
            thumbnail,
            metahash,
            datahash: sum.datahash,
            note,
        }
    }
}

fn type_of(mode: Option<Mode>) -> &'static str {
    match mode {
        Some(Mode::Text) => "TextDigitalDocument",
        Some(Mode::Image) => "ImageObject",
        Some(Mode::Audio) => "AudioObject",
        Some(Mode::Video) => "VideoObject",
        None => "CreativeWork",
    }
}
