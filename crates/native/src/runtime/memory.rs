//! A hard limit for the memory of this process, for spikes that are faster than a watcher.

use napi_derive::napi;

use crate::error::{ErrorCode, NativeError, Result};

/// Limits the writable private memory of this process, whether used or not (`RLIMIT_DATA`): beyond it
/// an allocation fails. The address space is not limited, because engines reserve much of it. Does
/// nothing outside of Linux. Throws `INVALID_ARGUMENT` if `bytes` is not a positive safe integer.
#[napi(catch_unwind)]
pub fn limit_memory(bytes: f64) -> Result<()> {
    if !(1.0..=9_007_199_254_740_991.0).contains(&bytes) || bytes.fract() != 0.0 {
        let message = "bytes must be a positive safe integer";
        return Err(NativeError::new(ErrorCode::InvalidArgument, message));
    }
    set(bytes as u64)
}

#[cfg(target_os = "linux")]
fn set(bytes: u64) -> Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let known = getrlimit(Resource::Data).maximum.unwrap_or(u64::MAX);
    let limit = Some(bytes.min(known));
    setrlimit(Resource::Data, Rlimit { current: limit, maximum: limit })
        .map_err(NativeError::internal)
}

#[cfg(not(target_os = "linux"))]
fn set(_bytes: u64) -> Result<()> {
    Ok(())
}
