//! Audio and video: from samples and signatures to codes.

use std::fs::File;
use std::io::BufReader;

use iscc_av::audio::{Fingerprinter, sound};
use iscc_av::video::signature;
use iscc_codec::{Kind, Mode};
use iscc_units::simprint::{self, Features, film, sound as sound_parts};
use iscc_units::{audio, video};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_units::unit;
use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::CPU;

/// Computes Chromaprint's raw fingerprint of mono 16-bit samples at 11025 Hz.
///
/// All calls run on the JavaScript thread. Only worker processes use this class.
#[napi]
#[derive(Default)]
pub struct AudioFingerprinter(Option<Fingerprinter>);

#[napi]
impl AudioFingerprinter {
    /// An empty stream.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds little-endian samples, in pieces of any size. A piece may end inside a sample.
    #[napi(catch_unwind)]
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.get_or_insert_default().push_bytes(bytes);
        Ok(())
    }

    /// The fingerprint of all samples; the stream is empty afterwards. Less than about 2.6 s of
    /// sound gives no items.
    #[napi(catch_unwind)]
    pub fn finish(&mut self) -> Result<Int32Array> {
        Ok(Int32Array::new(self.0.take().unwrap_or_default().finish()))
    }
}

/// Chromaprint's raw fingerprint of a file in a format that this addon decodes; `null` for other
/// formats, which FFmpeg has to decode. Less than about 2.6 s of sound gives no items.
#[napi(catch_unwind, ts_return_type = "Promise<Int32Array | null>")]
pub fn sound_fingerprint<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let file = File::open(&path).map_err(|error| NativeError::io(&path, &error))?;
        Ok(sound::fingerprint(&mut BufReader::new(file)).map(Int32Array::new))
    })
}

/// The Audio-Code of a raw fingerprint, with prefix.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn audio_code<'env>(
    env: &'env Env,
    fingerprint: Int32Array,
    bits: u32,
) -> Result<Object<'env>> {
    CPU.run(env, move || unit(Kind::content(Mode::Audio), &audio::digest(&fingerprint), bits))
}

/// The Video-Code of a binary MPEG-7 video signature, with prefix. Rejects with `DAMAGED` if the
/// bytes are not a signature or have no frames.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn video_code<'env>(env: &'env Env, signature: Uint8Array, bits: u32) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let frames = signature::parse(&signature).map_err(damaged)?.frames;
        unit(Kind::content(Mode::Video), &video::digest(&frames).map_err(damaged)?, bits)
    })
}

/// The Video-Code of frame signatures of 380 values each, one after the other, with prefix. The numbers must not change
/// until the promise settles.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn video_code_of_frames<'env>(
    env: &'env Env,
    frames: Int32Array,
    bits: u32,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let digest = video::digest::<i32>(&frames).map_err(NativeError::invalid)?;
        unit(Kind::content(Mode::Video), &digest, bits)
    })
}

/// The simprints of the parts of a sound or a film, with their times.
#[napi(object)]
pub struct MediaFeatures {
    /// Base64url, 43 characters each.
    pub simprints: Vec<String>,
    /// Start of each part in milliseconds.
    pub offsets: Vec<f64>,
    /// Length of each part in milliseconds.
    pub sizes: Vec<f64>,
}

impl From<Features> for MediaFeatures {
    fn from(features: Features) -> Self {
        let numbers = |values: Vec<u64>| values.into_iter().map(|value| value as f64).collect();
        Self {
            simprints: features.simprints.iter().map(simprint::encode).collect(),
            offsets: numbers(features.offsets),
            sizes: numbers(features.sizes),
        }
    }
}

/// Experimental simprints of a raw fingerprint: windows that overlap. Silence and sounds of less than 4.5 s have none.
#[napi(catch_unwind, ts_return_type = "Promise<MediaFeatures>")]
pub fn audio_features<'env>(env: &'env Env, fingerprint: Int32Array) -> Result<Object<'env>> {
    CPU.run(env, move || Ok(MediaFeatures::from(sound_parts::features(&fingerprint))))
}

/// Experimental simprints of a binary MPEG-7 video signature: shots, and parts of long ones. Rejects with `DAMAGED` if the
/// bytes are not a signature.
#[napi(catch_unwind, ts_return_type = "Promise<MediaFeatures>")]
pub fn video_features<'env>(env: &'env Env, signature: Uint8Array) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let parsed = signature::parse(&signature).map_err(damaged)?;
        let frames = parsed.frames.as_chunks().0;
        Ok(MediaFeatures::from(film::features(frames, &parsed.milliseconds())))
    })
}

fn damaged(error: impl std::error::Error) -> NativeError {
    NativeError::new(ErrorCode::Damaged, error)
}
