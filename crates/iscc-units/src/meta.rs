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

/// Maximum length of the name in bytes of UTF-8. Longer names are truncated.
pub const NAME_MAX_BYTES: usize = 128;

/// Maximum length of the description in bytes of UTF-8. Longer descriptions are truncated.
pub const DESCRIPTION_MAX_BYTES: usize = 4096;

/// The input of a Meta-Code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Metadata<'a> {
    /// Name or title, of any length. Must not be empty after normalisation.
    pub name: &'a str,
    /// Text that distinguishes works of the same name; may be empty.
    pub description: &'a str,
    /// Further metadata. If present, it replaces the description in the code.
    pub meta: Meta<'a>,
}

/// Metadata in a format of an industry or application.
#[derive(Clone, Copy, Debug, Default)]
pub enum Meta<'a> {
    /// Absent.
    #[default]
    None,
    /// A Data-URL in Base64; empty if absent.
    DataUrl(&'a str),
    /// A JSON object as text; an empty object if absent.
    Json(&'a str),
}

/// A Meta-Code digest and the normalised metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaCode {
    /// 256 bits; a shorter code uses the first ones.
    pub digest: [u8; 32],
    /// The name: one normalised line of at most [`NAME_MAX_BYTES`].
    pub name: String,
    /// The description: normalised, at most [`DESCRIPTION_MAX_BYTES`]; `None` if empty.
    pub description: Option<String>,
    /// The further metadata as a Data-URL: unchanged, or created from the JSON object.
    pub meta: Option<String>,
    /// Multihash (BLAKE3) of the further metadata, otherwise of name and description.
    pub metahash: String,
}

/// The Meta-Code of `metadata`.
///
/// # Errors
/// An empty name, or a `meta` that is not a Base64 Data-URL or JSON object, or is too long.
pub fn code(metadata: Metadata) -> Result<MetaCode, MetaError> {
    code_at(simd::level(), metadata)
}

/// [`code`] at a given SIMD level.
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
