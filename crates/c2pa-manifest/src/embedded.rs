//! Reads the manifest store that a media file embeds.

use std::io::{Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

use c2pa::jumbf_io::load_jumbf_from_stream;

/// Maximum size of an embedded store, in bytes. A larger one counts as absent.
const EMBEDDED_BYTES_MAX: usize = 10 << 20;

/// The bytes of the manifest store in a media file, not validated. `None` if the file embeds none,
/// is damaged, or is of a type that cannot embed one.
pub fn embedded(mediatype: &str, mut asset: impl Read + Seek + Send) -> Option<Vec<u8>> {
    // The file is untrusted, and other crates parse it.
    let load = AssertUnwindSafe(|| load_jumbf_from_stream(mediatype, &mut asset).ok());
    let store = catch_unwind(load).ok().flatten()?;
    (store.len() <= EMBEDDED_BYTES_MAX).then_some(store)
}
