//! Reads manifest stores from media files.

use std::fs::File;
use std::io::{BufReader, Cursor};
use std::time::{Duration, Instant};

use c2pa_manifest::{Summary, TrustList, Validator};
use napi::Env;
use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::error::{NativeError, Result};
use crate::runtime::{C2PA, CPU};

/// Time limit of a summary, like that of a validation.
const SUMMARY_MS_MAX: u64 = 5000;

/// The bytes of the manifest store that a media file embeds, not validated. Resolves to `null` for
/// a file without one or with one above 10 MiB, and for a type that cannot embed one. Rejects with
/// `IO` if the file cannot be opened.
#[napi(catch_unwind, ts_return_type = "Promise<Buffer | null>")]
pub fn embedded_manifest<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let file = File::open(&path).map_err(|error| NativeError::io(&path, &error))?;
        Ok(c2pa_manifest::embedded(&mediatype, BufReader::new(file)).map(Buffer::from))
    })
}

/// What a manifest store says about its asset, as JSON; the text is for readers. No trust anchor
/// counts. Resolves to `null` for bytes that are not a readable store. The bytes must not change
/// until the promise settles.
#[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
pub fn describe_manifest(env: &Env, bytes: Uint8Array) -> Result<Object<'_>> {
    C2PA.run(env, move || {
        let validator =
            Validator::new(&[TrustList::bundled_time_stampers()]).map_err(NativeError::invalid)?;
        json(validator.describe(&bytes, None::<(&str, Cursor<Vec<u8>>)>, deadline()))
    })
}

/// Like `describeManifest`, for the store that a media file embeds. The hashes of the file count.
/// Resolves to `null` for a file without a readable store. Rejects with `IO` if the file cannot be
/// opened.
#[napi(catch_unwind, ts_return_type = "Promise<string | null>")]
pub fn describe_asset<'env>(
    env: &'env Env,
    path: String,
    mediatype: String,
) -> Result<Object<'env>> {
    CPU.run(env, move || {
        let open = || File::open(&path).map_err(|error| NativeError::io(&path, &error));
        let Some(store) = c2pa_manifest::embedded(&mediatype, BufReader::new(open()?)) else {
            return Ok(None);
        };
        let validator =
            Validator::new(&[TrustList::bundled_time_stampers()]).map_err(NativeError::invalid)?;
        let asset = Some((mediatype.as_str(), BufReader::new(open()?)));
        json(validator.describe(&store, asset, deadline()))
    })
}

fn deadline() -> Option<Instant> {
    Some(Instant::now() + Duration::from_millis(SUMMARY_MS_MAX))
}

fn json(summary: Option<Summary>) -> Result<Option<String>> {
    Ok(summary.as_ref().map(Summary::json))
}
