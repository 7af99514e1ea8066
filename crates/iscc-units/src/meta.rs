//! Meta-Code (ISO 24138) from a name, a description and further metadata.

mod error;
mod payload;
mod soft_hash;

pub use error::MetaError;
pub use payload::PAYLOAD_MAX_BYTES;

use payload::Payload;

use crate::instance;
use crate::simd::{self, Level};
use crate::text;

/// The name is cut to this many bytes of UTF-8.
pub const NAME_MAX_BYTES: usize = 128;

/// The description is cut to this many bytes of UTF-8.
pub const DESCRIPTION_MAX_BYTES: usize = 4096;

/// What a Meta-Code is made from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Metadata<'a> {
    /// Name or title. May be of any length; what is left of it must not be empty.
    pub name: &'a str,
    /// Text that tells the work from others of that name; empty for none.
    pub description: &'a str,
    /// Further metadata, which then counts instead of the description.
    pub meta: Meta<'a>,
}

/// Metadata of a special kind or industry.
#[derive(Clone, Copy, Debug, Default)]
pub enum Meta<'a> {
    /// None.
    #[default]
    None,
    /// A Data-URL in Base64; empty for none.
    DataUrl(&'a str),
    /// A JSON object as text; an object without members for none.
    Json(&'a str),
}

/// A Meta-Code digest, and the metadata as it went into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaCode {
    /// 256 bits; a shorter code takes the first ones.
    pub digest: [u8; 32],
    /// The name: one clean line of at most [`NAME_MAX_BYTES`].
    pub name: String,
    /// The description, clean and of at most [`DESCRIPTION_MAX_BYTES`], unless it is empty.
    pub description: Option<String>,
    /// The further metadata as a Data-URL: as given, or made from the JSON object.
    pub meta: Option<String>,
    /// Multihash (BLAKE3) of the metadata's bytes, or of name and description where there is none.
    pub metahash: String,
}

/// The Meta-Code of `metadata`.
///
/// # Errors
/// An empty name, a `meta` that is no Base64 Data-URL or JSON object, or one that is too long.
pub fn code(metadata: Metadata) -> Result<MetaCode, MetaError> {
    code_at(simd::level(), metadata)
}

/// [`code`] with the kernels of a level.
pub fn code_at(level: Level, metadata: Metadata) -> Result<MetaCode, MetaError> {
    let name = text::remove_newlines(&text::clean_at(level, metadata.name));
    let name = text::trim(&name, NAME_MAX_BYTES).to_owned();
    if name.is_empty() {
        return Err(MetaError::NameEmpty);
    }
    let description = text::clean_at(level, metadata.description);
    let description = text::trim(&description, DESCRIPTION_MAX_BYTES);
    let payload = Payload::read(metadata.meta)?;

    let of_name = soft_hash::of_text(level, &name);
    let (digest, hash) = match &payload {
        Some(Payload { bytes, .. }) => {
            (soft_hash::interleave(of_name, soft_hash::of_bytes(level, bytes)), blake3::hash(bytes))
        }
        None if description.is_empty() => (of_name, blake3::hash(name.as_bytes())),
        None => (
            soft_hash::interleave(of_name, soft_hash::of_text(level, description)),
            blake3::hash(format!("{name} {description}").as_bytes()),
        ),
    };
    Ok(MetaCode {
        digest,
        name,
        description: (!description.is_empty()).then(|| description.to_owned()),
        meta: payload.map(|payload| payload.data_url),
        metahash: instance::multihash(hash.as_bytes()),
    })
}
