//! JavaScript face of `iscc-media`.

use iscc_media::sanitize;
use napi_derive::napi;

/// A metadata value without markup, character references and superfluous white space.
#[napi(catch_unwind)]
pub fn plain_text(value: String) -> String {
    sanitize::plain_text(&value)
}
