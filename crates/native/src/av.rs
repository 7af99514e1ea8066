//! JavaScript face of `iscc-media`'s audio and video.

use std::cell::RefCell;
use std::sync::LazyLock;

use iscc_media::audio::Fingerprinter;
use iscc_media::video::signature;
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::task::Pool;

static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new("video", 1));

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

fn start() -> Result<Fingerprinter> {
    Fingerprinter::new().map_err(|error| Error::from_reason(error.to_string()))
}

/// Frame signatures, `n x 380` elements of 0, 1 or 2, from a binary MPEG-7 video signature.
#[napi(catch_unwind, ts_return_type = "Promise<Uint8Array>")]
pub fn parse_video_signature<'env>(env: &'env Env, bytes: Uint8Array) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let signature =
            signature::parse(&bytes).map_err(|error| Error::from_reason(error.to_string()))?;
        Ok(Uint8Array::new(signature.frames))
    })
}
