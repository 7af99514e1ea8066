//! Units of bytes and of prepared pixels.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use iscc_codec::base::base32::BASE32;
use iscc_codec::{Kind, Mode};
use iscc_units::{Compat, data, image, instance, mixed, sum};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::binding_units::unit;
use crate::error::{ErrorCode, NativeError, Result};
use crate::runtime::{CPU, cores};

/// Bits of the units in a [`FileSum`]. Shorter units are prefixes of these.
const UNIT_BITS: u32 = 256;

/// The codes of a file's bytes.
#[napi(object)]
pub struct FileSum {
    /// Data- and Instance-Code of 256 bits, with prefix.
    pub units: Vec<String>,
    /// Multihash of the bytes: `1e20` and the BLAKE3 digest in hexadecimal.
    pub datahash: String,
    /// Number of bytes.
    pub filesize: f64,
}

/// Computes Data- and Instance-Code of bytes that arrive in pieces, in one pass and constant memory.
#[napi]
#[derive(Default)]
pub struct SumHasher {
    state: Arc<Mutex<State>>,
}

/// One task at a time owns the hasher, which keeps the pieces in order.
enum State {
    Idle(Box<sum::SumHasher>),
    Busy,
    Finished,
}

impl Default for State {
    fn default() -> Self {
        Self::Idle(Box::default())
    }
}

#[napi]
impl SumHasher {
    /// A hasher without input.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next piece, off the event loop. The piece must not change until the promise is
    /// settled. A call before that fails with `INVALID_STATE`.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn update<'env>(&self, env: &'env Env, piece: Uint8Array) -> Result<Object<'env>> {
        let mut hasher = self.take(State::Busy)?;
        let state = Arc::clone(&self.state);
        CPU.run(env, move || {
            hasher.update(&piece);
            *lock(&state) = State::Idle(hasher);
            Ok(())
        })
    }

    /// The codes of all pieces and of a last one, which must not change until the promise is settled.
    /// Later calls fail with `INVALID_STATE`.
    #[napi(catch_unwind, ts_return_type = "Promise<FileSum>")]
    pub fn finish<'env>(&self, env: &'env Env, last: Option<Uint8Array>) -> Result<Object<'env>> {
        let mut hasher = self.take(State::Finished)?;
        CPU.run(env, move || {
            if let Some(last) = last {
                hasher.update(&last);
            }
            file_sum(&hasher.finish())
        })
    }

    fn take(&self, next: State) -> Result<Box<sum::SumHasher>> {
        let mut state = lock(&self.state);
        let reason = match std::mem::replace(&mut *state, next) {
            State::Idle(hasher) => return Ok(hasher),
            State::Busy => {
                *state = State::Busy;
                "SumHasher: the previous piece is still being hashed"
            }
            State::Finished => {
                *state = State::Finished;
                "SumHasher: already finished"
            }
        };
        Err(NativeError::new(ErrorCode::InvalidState, reason))
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Data-Code of bytes, on all cores. The bytes must not change until the promise is settled.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn data_code<'env>(env: &'env Env, bytes: Uint8Array, bits: u32) -> Result<Object<'env>> {
    CPU.run(env, move || unit(Kind::DATA, &data::digest_parallel(&bytes, cores()), bits))
}

/// Instance-Code of bytes, on all cores. The bytes must not change until the promise is settled.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn instance_code<'env>(env: &'env Env, bytes: Uint8Array, bits: u32) -> Result<Object<'env>> {
    CPU.run(env, move || unit(Kind::INSTANCE, &instance::digest_parallel(&bytes, cores()), bits))
}

/// Image-Code of 1024 grey values, 32 rows of 32. `compat` is `0.9.7` or `0.9.5`.
#[napi(catch_unwind)]
pub fn image_code(pixels: &[u8], bits: u32, compat: String) -> Result<String> {
    let pixels = pixels.try_into().map_err(|_| {
        NativeError::invalid("pixels: an Image-Code needs exactly 1024 grey values")
    })?;
    let compat: Compat = compat.parse().map_err(NativeError::invalid)?;
    unit(Kind::content(Mode::Image), &image::digest(pixels, bits as usize, compat), bits)
}

/// The instruction set that the kernels use: `portable`, `avx2` or `avx512`.
#[napi(catch_unwind)]
pub fn kernels() -> String {
    iscc_units::simd::level().set().name().to_owned()
}

/// Mixed-Code of two or more Content-Codes of at least `bits` bits, with prefix. Their SubTypes are not checked.
#[napi(catch_unwind)]
pub fn mixed_code(codes: Vec<String>, bits: u32) -> Result<String> {
    let mut decoded = Vec::with_capacity(codes.len());
    for code in &codes {
        decoded.push(BASE32.decode(iscc_codec::clean(code)?.as_bytes())?);
    }
    let codes: Vec<&[u8]> = decoded.iter().map(Vec::as_slice).collect();
    let digest = mixed::digest(&codes, bits as usize).map_err(NativeError::invalid)?;
    unit(Kind::content(Mode::Mixed), &digest, bits)
}

pub(crate) fn file_sum(sum: &sum::Sum) -> Result<FileSum> {
    Ok(FileSum {
        units: vec![
            unit(Kind::DATA, &sum.data, UNIT_BITS)?,
            unit(Kind::INSTANCE, &sum.instance, UNIT_BITS)?,
        ],
        datahash: instance::multihash(&sum.instance),
        filesize: sum.size as f64,
    })
}
