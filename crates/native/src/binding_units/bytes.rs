//! JavaScript face of `iscc-units`, apart from text: hashes over bytes, and Image-Codes.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::available_parallelism;

use iscc_codec::{Kind, Mode, Unit};
use iscc_units::kernels::cdc::{self, Params};
use iscc_units::kernels::minhash;
use iscc_units::{Compat, data, image, instance, sum};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::runtime::Pool;

/// Hashing is bound by cores and memory: as many threads as there are cores.
pub(crate) static POOL: LazyLock<Pool> =
    LazyLock::new(|| Pool::new("hash", available_parallelism().map_or(1, Into::into)));

/// Bits of the units that hashing hands out; shorter ones are their prefixes.
const UNIT_BITS: usize = 256;

/// What one pass over a file's bytes gives.
#[napi(object)]
pub struct FileSum {
    /// Data- and Instance-Code of 256 bits, with prefix.
    pub units: Vec<String>,
    /// Multihash of the bytes: `1e20` and the BLAKE3 digest in hexadecimal.
    pub datahash: String,
    /// Bytes.
    pub filesize: f64,
}

/// Data- and Instance-Code of bytes that arrive in pieces, in one pass and constant memory.
#[napi]
#[derive(Default)]
pub struct SumHasher {
    state: Arc<Mutex<State>>,
}

/// A hasher is with one task at a time, or the order of the pieces would be lost.
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
    /// No bytes yet.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next piece, off the event loop. Until the promise is settled the piece must not
    /// change, and no other call be made: that is refused.
    #[napi(catch_unwind, ts_return_type = "Promise<void>")]
    pub fn update<'env>(&self, env: &'env Env, piece: Uint8Array) -> Result<Object<'env>> {
        let mut hasher = self.take(State::Busy)?;
        let state = Arc::clone(&self.state);
        POOL.run(env, move || {
            hasher.update(&piece);
            *lock(&state) = State::Idle(hasher);
            Ok(())
        })
    }

    /// The units of all pieces. The hasher can't be used any more.
    #[napi(catch_unwind, ts_return_type = "Promise<FileSum>")]
    pub fn finish<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        let hasher = self.take(State::Finished)?;
        POOL.run(env, move || file_sum(&hasher.finish()))
    }

    fn take(&self, next: State) -> Result<Box<sum::SumHasher>> {
        let mut state = lock(&self.state);
        match std::mem::replace(&mut *state, next) {
            State::Idle(hasher) => Ok(hasher),
            State::Busy => {
                *state = State::Busy;
                Err(Error::from_reason("SumHasher: a piece is still being hashed"))
            }
            State::Finished => {
                *state = State::Finished;
                Err(Error::from_reason("SumHasher: it is finished"))
            }
        }
    }
}

fn lock(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Data-Code of bytes, on all cores.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn data_code<'env>(env: &'env Env, bytes: Uint8Array, bits: u32) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let threads = available_parallelism().map_or(1, Into::into);
        unit(Kind::DATA, &data::digest_parallel(&bytes, threads), bits)
    })
}

/// Instance-Code of bytes, on all cores.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn instance_code<'env>(env: &'env Env, bytes: Uint8Array, bits: u32) -> Result<Object<'env>> {
    POOL.run(env, move || {
        let threads = available_parallelism().map_or(1, Into::into);
        unit(Kind::INSTANCE, &instance::digest_parallel(&bytes, threads), bits)
    })
}

/// Image-Code of 1024 gray values, 32 rows of 32. `compat` is `0.9.7` or `0.9.5`.
#[napi(catch_unwind)]
pub fn image_code(pixels: &[u8], bits: u32, compat: String) -> Result<String> {
    let pixels = pixels
        .try_into()
        .map_err(|_| Error::from_reason("pixels: an Image-Code takes exactly 1024 gray values"))?;
    let compat: Compat = compat.parse().map_err(refused)?;
    unit(Kind::content(Mode::Image), &image::digest(pixels, bits as usize, compat), bits)
}

/// MinHash of 32-bit features, 256 bits.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer>")]
pub fn minhash256<'env>(env: &'env Env, features: Uint32Array) -> Result<Object<'env>> {
    POOL.run(env, move || Ok(Buffer::from(minhash::digest(&features).to_vec())))
}

/// Where the chunks of some bytes (less than 4 GiB) end, in order, for chunks of `averageBytes`.
#[napi(catch_unwind, ts_return_type = "Promise<Uint32Array>")]
pub fn chunk_ends<'env>(
    env: &'env Env,
    bytes: Uint8Array,
    average_bytes: u32,
) -> Result<Object<'env>> {
    let (min, max) = (Params::AVERAGE_BYTES.start(), Params::AVERAGE_BYTES.end());
    let params = Params::new(average_bytes)
        .ok_or_else(|| refused(format!("averageBytes must be from {min} to {max}")))?;
    POOL.run(env, move || {
        let ends: std::result::Result<Vec<u32>, _> =
            cdc::boundaries(&bytes, params).map(u32::try_from).collect();
        Ok(Uint32Array::new(ends.map_err(|_| refused("bytes must be less than 4 GiB"))?))
    })
}

pub(crate) fn file_sum(sum: &sum::Sum) -> Result<FileSum> {
    Ok(FileSum {
        units: vec![text(Kind::DATA, &sum.data)?, text(Kind::INSTANCE, &sum.instance)?],
        datahash: instance::multihash(&sum.instance),
        filesize: sum.size as f64,
    })
}

fn text(kind: Kind, digest: &[u8; 32]) -> Result<String> {
    unit(kind, digest, UNIT_BITS as u32)
}

fn unit(kind: Kind, digest: &[u8; 32], bits: u32) -> Result<String> {
    Ok(Unit::new(kind, digest, bits as usize).map_err(refused)?.to_string())
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::from_reason(error.to_string())
}
