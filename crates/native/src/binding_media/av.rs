//! JavaScript face of audio and video, from samples and signatures to codes.

use std::cell::RefCell;
use std::fs::File;
use std::io::BufReader;
use std::sync::LazyLock;

use iscc_codec::{Kind, Mode, Unit};
use iscc_media::audio::{Fingerprinter, sound};
use iscc_media::video::signature;
use iscc_units::{audio, video};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::runtime::Pool;

static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new("av", 1));

thread_local! {
    /// The stream of the fingerprinter whose thread this is. It stays on its thread because the
    /// library's state is not `Send`.
    static STREAM: RefCell<Option<Fingerprinter>> = const { RefCell::new(None) };
}

/// Chromaprint's raw fingerprint of mono 16-bit samples at 11025 Hz, fed in chunks of any size.
#[napi]
pub struct AudioFingerprinter {
    /// One thread, which ends with this object.
    thread: Pool,
}

impl Default for AudioFingerprinter {
    fn default() -> Self {
        Self { thread: Pool::new("audio", 1) }
    }
}

#[napi]
impl AudioFingerprinter {
    /// An empty stream.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Little-endian samples; a chunk may end inside one. The bytes must not change until the
    /// promise is settled.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn push<'env>(&self, env: &'env Env, bytes: Uint8Array) -> Result<Object<'env>> {
        self.thread.run(env, move || {
            let mut stream = STREAM.take().map_or_else(start, Ok)?;
            stream.push_bytes(&bytes);
            STREAM.set(Some(stream));
            Ok(())
        })
    }

    /// The fingerprint of what was pushed, and an empty stream again. No items for less than
    /// about 2.6 s.
    #[napi(catch_unwind, ts_return_type = "Promise<Int32Array>")]
    pub fn finish<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        self.thread.run(env, || {
            let stream = STREAM.take().map_or_else(start, Ok)?;
            Ok(Int32Array::new(stream.finish()))
        })
    }
}

/// Chromaprint's raw fingerprint of a file that is decoded here: `null` for all that is to be left to FFmpeg. No items
/// for less than about 2.6 s.
#[napi(catch_unwind, ts_return_type = "Promise<Int32Array | null>")]
pub fn sound_fingerprint<'env>(env: &'env Env, path: String) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let file = File::open(&path).map(BufReader::new).map_err(reason)?;
        Ok(sound::fingerprint(file).map(Int32Array::new))
    })
}

fn start() -> Result<Fingerprinter> {
    Fingerprinter::new().map_err(reason)
}

/// The Audio-Code of a raw fingerprint, of so many bits and with prefix.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn audio_code<'env>(
    env: &'env Env,
    fingerprint: Int32Array,
    bits: u32,
) -> Result<Object<'env>> {
    POOL.run(env, move || content_code(Mode::Audio, &audio::digest(&fingerprint), bits))
}

/// The Video-Code of a binary MPEG-7 video signature, of so many bits and with prefix. Rejects for
/// bytes that are none, and for a signature without frames.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn video_code<'env>(env: &'env Env, signature: Uint8Array, bits: u32) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let frames = signature::parse(&signature).map_err(reason)?.frames;
        content_code(Mode::Video, &video::digest(&frames).map_err(reason)?, bits)
    })
}

fn content_code(mode: Mode, digest: &[u8], bits: u32) -> Result<String> {
    let unit = Unit::new(Kind::content(mode), digest, bits as usize).map_err(reason)?;
    Ok(unit.text().to_string())
}

fn reason(error: impl std::error::Error) -> Error {
    Error::from_reason(error.to_string())
}
