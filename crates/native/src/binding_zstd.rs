//! Decodes zstd streams: Node.js cannot before version 22.15.

use std::sync::{Arc, Mutex, PoisonError};

use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::{CPU, Serial};

/// Frames may refer to at most this many bytes before: 8 MiB, the limit of RFC 9659 for content codings.
const WINDOW_LOG_MAX: u32 = 23;
/// Output of one call. A small input may stand for very many bytes.
const OUTPUT_BYTES: usize = 256 * 1024;

/// Decodes a stream of zstd frames piece by piece.
#[napi]
pub struct ZstdDecoder {
    state: Arc<Mutex<State>>,
    serial: Serial,
}

struct State {
    decoder: Decoder<'static>,
    /// Whether the input so far ends with a whole frame.
    is_complete: bool,
}

/// The bytes of a part of the input.
#[napi(object)]
pub struct ZstdOutput {
    /// Decoded bytes, at most 256 KiB.
    pub bytes: Buffer,
    /// Number of input bytes that were read. Pass the rest again.
    pub consumed: u32,
    /// Whether more output may follow without more input.
    pub more: bool,
}

#[napi]
impl ZstdDecoder {
    /// A decoder at the start of a stream.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Result<Self> {
        let mut decoder = Decoder::new().map_err(NativeError::internal)?;
        decoder
            .set_parameter(zstd::zstd_safe::DParameter::WindowLogMax(WINDOW_LOG_MAX))
            .map_err(NativeError::internal)?;
        let state = Arc::new(Mutex::new(State { decoder, is_complete: true }));
        Ok(Self { state, serial: Serial::new(&CPU) })
    }

    /// Decodes the start of `input`. Rejects with `DAMAGED` if it is not zstd. The input must not
    /// change until the promise settles.
    #[napi(catch_unwind, ts_return_type = "Promise<ZstdOutput>")]
    pub fn decode<'env>(&self, env: &'env Env, input: Uint8Array) -> Result<Object<'env>> {
        let state = Arc::clone(&self.state);
        self.serial.run(env, move || {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let mut bytes = vec![0; OUTPUT_BYTES];
            let mut output = OutBuffer::around(&mut bytes[..]);
            let mut input = InBuffer::around(&input[..]);
            let damaged =
                |error| NativeError::new(ErrorCode::Damaged, format!("not zstd: {error}"));
            loop {
                let hint = state.decoder.run(&mut input, &mut output).map_err(damaged)?;
                state.is_complete = hint == 0;
                if input.pos() == input.src.len() || output.pos() == OUTPUT_BYTES {
                    break;
                }
            }
            let (written, consumed) = (output.pos(), input.pos() as u32);
            bytes.truncate(written);
            Ok(ZstdOutput { bytes: bytes.into(), consumed, more: written == OUTPUT_BYTES })
        })
    }

    /// Whether the input so far ends with a whole frame.
    #[napi(getter, catch_unwind)]
    pub fn is_complete(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_complete
    }
}
