//! Scalable Vector Graphics: drawn to pixels, described, and with metadata written into a copy.

mod embed;
mod metadata;
mod raster;
mod units;

pub use embed::{Fields, embed};
pub use metadata::{SvgMetadata, read};
pub use raster::{Raster, rasterize};

/// Longer side of a drawing in pixels.
pub const SVG_SIDE_PIXELS_MAX: u32 = 4096;

/// Bytes of an SVG file that is read at all.
pub const SVG_BYTES_MAX: usize = 64 << 20;

/// Why an SVG can not be drawn or changed.
#[derive(Debug, thiserror::Error)]
pub enum SvgError {
    /// Larger than [`SVG_BYTES_MAX`].
    #[error("an SVG may have at most {SVG_BYTES_MAX} bytes")]
    TooLarge,
    /// Declares entities: they can grow without bound, or name other files.
    #[error("SVG documents with entity declarations are refused")]
    Entities,
    /// Not well-formed, or without a drawable size.
    #[error("not a drawable SVG: {0}")]
    Invalid(String),
}

/// What is refused before any parser sees it.
fn guard(bytes: &[u8]) -> Result<&str, SvgError> {
    const ENTITY: &[u8] = b"<!entity";
    if bytes.len() > SVG_BYTES_MAX {
        return Err(SvgError::TooLarge);
    }
    if bytes.windows(ENTITY.len()).any(|window| window.eq_ignore_ascii_case(ENTITY)) {
        return Err(SvgError::Entities);
    }
    let text = str::from_utf8(bytes).map_err(|error| SvgError::Invalid(error.to_string()))?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}
