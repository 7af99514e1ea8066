//! JavaScript face of `iscc-semantic`: what a sentence or image model is given, and what is made of its answer.

use std::fs;
use std::sync::{Arc, LazyLock};

use iscc_codec::{Kind, Mode, Unit};
use iscc_media::image::{self, Orientation};
use iscc_media::mediatype::Sniffed;
use iscc_media::metadata::image::Blocks;
use iscc_semantic::{Digest, Tokenizer, digest, split};
use iscc_units::simprint;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_media::image::{RawPixels, raster_of, trim};
use crate::binding_media::{parse, read, refused};
use crate::binding_units::text::{Text, utf8};
use crate::runtime::Pool;

/// A worker process has one file at a time.
static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new("semantic", 1));

/// A text in pieces that fit into the model's window.
#[napi(object)]
pub struct SemanticChunks {
    /// Where each chunk begins, in bytes of UTF-8.
    pub offsets: Uint32Array,
    /// Lengths in bytes of UTF-8; chunks overlap.
    pub sizes: Uint32Array,
    /// Token ids of all chunks, special tokens included.
    pub ids: BigInt64Array,
    /// How many of them each chunk has.
    pub tokens: Uint32Array,
}

/// A Semantic-Code with its simprints.
#[napi(object)]
pub struct SemanticText {
    /// 256 bits, with prefix.
    pub unit: String,
    /// Base64url, 43 characters each.
    pub simprints: Vec<String>,
}

/// The tokenizer of a sentence model.
#[napi]
pub struct SentenceTokenizer(Arc<Tokenizer>);

#[napi]
impl SentenceTokenizer {
    /// Splits a text and gives the tokens of its chunks; none for an empty text. Text as UTF-8 bytes must not change
    /// until the promise is settled.
    #[napi(
        catch_unwind,
        ts_args_type = "text: Uint8Array | string",
        ts_return_type = "Promise<SemanticChunks>"
    )]
    pub fn split<'env>(&self, env: &'env Env, text: Text) -> Result<Object<'env>> {
        let tokenizer = Arc::clone(&self.0);
        POOL.run(env, move || {
            let text = utf8(&text)?;
            let chunks = split(&tokenizer, &text).map_err(reason)?;
            let ids = chunks.iter().map(|chunk| tokenizer.ids(chunk.text));
            let ids = ids.collect::<std::result::Result<Vec<_>, _>>().map_err(reason)?;
            let narrow =
                |numbers: Vec<usize>| numbers.iter().map(|n| *n as u32).collect::<Vec<_>>();
            Ok(SemanticChunks {
                offsets: narrow(chunks.iter().map(|chunk| chunk.offset).collect()).into(),
                sizes: narrow(chunks.iter().map(|chunk| chunk.text.len()).collect()).into(),
                tokens: narrow(ids.iter().map(Vec::len).collect()).into(),
                ids: ids.concat().into_iter().map(i64::from).collect::<Vec<_>>().into(),
            })
        })
    }
}

/// Reads a `tokenizer.json`. Rejects for anything else.
#[napi(catch_unwind, ts_return_type = "Promise<SentenceTokenizer>")]
pub fn load_tokenizer<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let json =
            fs::read(&path).map_err(|error| Error::from_reason(format!("{path}: {error}")))?;
        let tokenizer = Tokenizer::from_json(&json);
        Ok(SentenceTokenizer(Arc::new(tokenizer.map_err(reason)?)))
    })
}

/// The embedding of a text, chunk by chunk.
#[napi]
#[derive(Default)]
pub struct TextEmbedding(iscc_semantic::TextEmbedding);

#[napi]
impl TextEmbedding {
    /// Of no chunk.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a chunk: the model's states of so many tokens, one after the other. Some 50 000 numbers: not worth a thread.
    #[napi(catch_unwind)]
    pub fn push(&mut self, states: &[f32], tokens: u32) -> Result<()> {
        self.0.push(states, tokens as usize).map(drop).map_err(reason)
    }

    /// Semantic-Code and simprints. Throws if there was no chunk.
    #[napi(catch_unwind)]
    pub fn finish(&self) -> Result<SemanticText> {
        Ok(SemanticText {
            unit: unit(Mode::Text, &self.0.digest().map_err(reason)?)?,
            simprints: self.0.simprints().iter().map(simprint::encode).collect(),
        })
    }
}

/// An image as an image model takes it: red, green and blue planes of 512 x 512 levels from -1 to 1. Rejects like
/// `imageContent`.
#[napi(catch_unwind, ts_return_type = "Promise<Float32Array>")]
pub fn semantic_image<'env>(env: &'env Env, path: String, compat: String) -> Result<Object<'env>> {
    let compat = parse(&compat)?;
    POOL.run(env, move || {
        let file = read(&path)?;
        let file = Sniffed::new(&file);
        let raster = image::decode(&file, image::IMAGE_PIXELS_MAX).map_err(refused)?;
        let orientation = Orientation::from_blocks(&Blocks::read(&file));
        Ok(Float32Array::from(image::semantic_input(&raster, orientation, trim(compat))))
    })
}

/// Like `semanticImage`, with pixels that another decoder made of the file.
#[napi(catch_unwind, ts_return_type = "Promise<Float32Array>")]
pub fn semantic_image_of_pixels<'env>(
    env: &'env Env,
    path: String,
    pixels: RawPixels,
    compat: String,
) -> Result<Object<'env>> {
    let compat = parse(&compat)?;
    POOL.run(env, move || {
        let raster = raster_of(&pixels)?;
        let orientation = Orientation::from_blocks(&Blocks::read(&Sniffed::new(&read(&path)?)));
        Ok(Float32Array::from(image::semantic_input(&raster, orientation, trim(compat))))
    })
}

/// Semantic-Code of an image model's vector: 256 bits, with prefix.
#[napi(catch_unwind)]
pub fn semantic_image_code(vector: &[f32]) -> Result<String> {
    unit(Mode::Image, &digest(vector).map_err(reason)?)
}

fn unit(mode: Mode, digest: &Digest) -> Result<String> {
    let unit = Unit::new(Kind::semantic(mode), digest, iscc_semantic::BITS);
    unit.map(|unit| unit.to_string()).map_err(reason)
}

fn reason(error: impl std::fmt::Display) -> Error {
    Error::from_reason(error.to_string())
}
