//! Binding of `iscc-semantic`: the input of a sentence or image model, and Semantic-Codes from the
//! model's output.

use std::sync::Arc;

use iscc_codec::{Kind, Mode};
use iscc_content::picture::trim;
use iscc_image::{self as image, Options, Orientation};
use iscc_media::mediatype::Sniffed;
use iscc_media::metadata::image::Blocks;
use iscc_semantic::{Digest, SemanticError, Tokenizer, digest, split};
use iscc_units::simprint;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_media::image::{RawPixels, raster_of};
use crate::binding_media::{read, release};
use crate::binding_units::text::{Text, utf8};
use crate::binding_units::unit;
use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::{CPU, IO};

/// A text in chunks that fit into the model's window.
#[napi(object)]
pub struct SemanticChunks {
    /// Start of each chunk, in bytes of UTF-8.
    pub offsets: Uint32Array,
    /// Length of each chunk in bytes of UTF-8. Chunks overlap.
    pub sizes: Uint32Array,
    /// Token ids of all chunks, special tokens included.
    pub ids: BigInt64Array,
    /// Number of tokens of each chunk.
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
    /// Splits a text and returns the tokens of its chunks; an empty text has no chunks. UTF-8 bytes
    /// must not change until the promise is settled.
    #[napi(
        catch_unwind,
        ts_args_type = "text: Uint8Array | string",
        ts_return_type = "Promise<SemanticChunks>"
    )]
    pub fn split<'env>(&self, env: &'env Env, text: Text) -> Result<Object<'env>> {
        let tokenizer = Arc::clone(&self.0);
        CPU.run(env, move || {
            let text = utf8(&text)?;
            let chunks = split(&tokenizer, &text)?;
            let ids = chunks.iter().map(|chunk| tokenizer.ids(chunk.text));
            let ids = ids.collect::<std::result::Result<Vec<_>, _>>()?;
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

/// Reads a `tokenizer.json`. Rejects with `DAMAGED` for any other file.
#[napi(catch_unwind, ts_return_type = "Promise<SentenceTokenizer>")]
pub fn load_tokenizer<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    IO.run(env, move || {
        let json = std::fs::read(&path).map_err(|error| NativeError::io(&path, &error))?;
        Ok(SentenceTokenizer(Arc::new(Tokenizer::from_json(&json)?)))
    })
}

/// The embedding of a text, chunk by chunk.
#[napi]
#[derive(Default)]
pub struct TextEmbedding(iscc_semantic::TextEmbedding);

#[napi]
impl TextEmbedding {
    /// An embedding without chunks.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a chunk: the model's states of `tokens` tokens, one after the other. Runs on the calling
    /// thread: some 50,000 numbers.
    #[napi(catch_unwind)]
    pub fn push(&mut self, states: &[f32], tokens: u32) -> Result<()> {
        Ok(self.0.push(states, tokens as usize).map(drop)?)
    }

    /// Semantic-Code and simprints. Fails with `NO_TEXT` if there are no chunks.
    #[napi(catch_unwind)]
    pub fn finish(&self) -> Result<SemanticText> {
        Ok(SemanticText {
            unit: semantic_code(Mode::Text, &self.0.digest()?)?,
            simprints: self.0.simprints().iter().map(simprint::encode).collect(),
        })
    }
}

/// The input of an image model: red, green and blue planes of 512 x 512 levels from -1 to 1. Rejects
/// like `imageContent`.
#[napi(catch_unwind, ts_return_type = "Promise<Float32Array>")]
pub fn semantic_image<'env>(env: &'env Env, path: String, compat: String) -> Result<Object<'env>> {
    let compat = release(&compat)?;
    CPU.run(env, move || {
        let file = read(&path)?;
        let file = Sniffed::new(&file);
        let raster = image::decode(&file, &Options::default())?;
        let orientation = Orientation::of_file(&file, &Blocks::read(&file));
        Ok(Float32Array::from(image::semantic_input(&raster, orientation, trim(compat))))
    })
}

/// Like `semanticImage`, with pixels that another decoder read from the file.
#[napi(catch_unwind, ts_return_type = "Promise<Float32Array>")]
pub fn semantic_image_of_pixels<'env>(
    env: &'env Env,
    path: String,
    pixels: RawPixels,
    compat: String,
) -> Result<Object<'env>> {
    let compat = release(&compat)?;
    CPU.run(env, move || {
        let raster = raster_of(&pixels)?;
        let orientation = Orientation::from_blocks(&Blocks::read(&Sniffed::new(&read(&path)?)));
        Ok(Float32Array::from(image::semantic_input(&raster, orientation, trim(compat))))
    })
}

/// Semantic-Code of an image model's vector: 256 bits, with prefix.
#[napi(catch_unwind)]
pub fn semantic_image_code(vector: &[f32]) -> Result<String> {
    semantic_code(Mode::Image, &digest(vector)?)
}

impl From<SemanticError> for NativeError {
    fn from(error: SemanticError) -> Self {
        let code = match error {
            SemanticError::Tokenizer(_) => ErrorCode::Damaged,
            SemanticError::NoText => ErrorCode::NoText,
            SemanticError::Encoding(_) | SemanticError::Output(_) => ErrorCode::InvalidArgument,
        };
        Self::new(code, error)
    }
}

fn semantic_code(mode: Mode, digest: &Digest) -> Result<String> {
    unit(Kind::semantic(mode), digest, iscc_semantic::BITS as u32)
}
