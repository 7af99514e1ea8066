//! HEIC and AVIF images whose pictures another program decodes.

use iscc_image::IMAGE_PIXELS_MAX;
use iscc_image::heif::{Chroma, Codec, CodedImage, Frames, Samples};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_media::image::RawPixels;
use crate::binding_media::read;
use crate::error::{NativeError, Result};
use crate::runtime::CPU;

/// The pictures of an image for a decoder: elementary streams with one frame per picture.
#[napi(object)]
pub struct CodedPictures {
    /// Format of the streams: `hevc` or `av1`
    pub codec: String,
    /// The visible pictures
    pub image: Buffer,
    /// The transparency, if the image has one
    pub alpha: Option<Buffer>,
    /// The most bytes that the frames of one stream can have
    pub frames_max_bytes: i64,
}

/// Frames that a decoder made of a stream, and what it tells of them.
#[napi(object)]
pub struct DecodedFrames {
    /// The planes of each frame, without gaps
    pub bytes: Uint8Array,
    /// Width of a frame, in pixels
    pub width: u32,
    /// Height of a frame, in pixels
    pub height: u32,
    /// Subsampling of the colour planes: `420`, `422` or `444`; `400` without colours
    pub chroma: u32,
    /// Bits per sample; samples of more than 8 bits are little-endian numbers of two bytes
    pub bits: u32,
    /// Matrix coefficients (ISO 23091-2)
    pub matrix: u32,
    /// Whether all values of a sample are used
    pub full_range: bool,
}

impl DecodedFrames {
    fn frames(&self) -> Result<Frames<'_>> {
        let chroma = match self.chroma {
            400 => Chroma::Gray,
            420 => Chroma::Yuv420,
            422 => Chroma::Yuv422,
            444 => Chroma::Yuv444,
            other => return Err(NativeError::internal(format!("unknown subsampling {other}"))),
        };
        let samples = Samples {
            width: self.width as usize,
            height: self.height as usize,
            chroma,
            bits: self.bits,
            matrix: u16::try_from(self.matrix).unwrap_or(u16::MAX),
            full_range: self.full_range,
        };
        Ok(Frames { bytes: &self.bytes, samples })
    }
}

/// The pictures of the primary image of a HEIC or AVIF file; `null` if it has features that only
/// other decoders read.
#[napi(catch_unwind, ts_return_type = "Promise<CodedPictures | null>")]
pub fn coded_pictures<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let file = read(&path)?;
        Ok(CodedImage::read(&file, IMAGE_PIXELS_MAX).and_then(|image| {
            let codec = match image.codec() {
                Codec::Hevc => "hevc",
                Codec::Av1 => "av1",
            };
            let alpha = match image.alpha() {
                Some(alpha) => Some(Buffer::from(alpha.stream()?)),
                None => None,
            };
            let frames_max_bytes = image.frames_max_bytes() as i64;
            let image = Buffer::from(image.stream()?);
            Some(CodedPictures { codec: codec.to_owned(), image, alpha, frames_max_bytes })
        }))
    })
}

/// The pixels of the same file from the frames of its streams; `null` if they do not match the file or
/// have a form that only other decoders convert. The frames must not change until the promise is
/// settled.
#[napi(catch_unwind, ts_return_type = "Promise<RawPixels | null>")]
pub fn pixels_of_frames<'env>(
    env: &'env Env,
    path: String,
    image: DecodedFrames,
    alpha: Option<DecodedFrames>,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let file = read(&path)?;
        let Some(coded) = CodedImage::read(&file, IMAGE_PIXELS_MAX) else { return Ok(None) };
        let alpha = alpha.as_ref().map(DecodedFrames::frames).transpose()?;
        Ok(coded.pixels(image.frames()?, alpha).map(|pixels| RawPixels {
            width: pixels.width as u32,
            height: pixels.height as u32,
            channels: pixels.channels as u32,
            bytes: Uint8Array::from(pixels.samples),
        }))
    })
}
