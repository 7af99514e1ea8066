//! SVG, rendered at its intrinsic size.

#[cfg(feature = "native")]
use super::raster::{Channels, Raster};
#[cfg(feature = "native")]
use super::transparency::rgb_on_white;
use crate::svg;
#[cfg(feature = "native")]
use crate::svg::{SVG_BYTES_MAX, SvgError};
#[cfg(feature = "native")]
use iscc_media::MediaError;
use iscc_media::metadata::{Field, Metadata};

/// Renders a document on white. [`svg::rasterize`] limits the size.
#[cfg(feature = "native")]
pub fn decode(file: &[u8]) -> Result<Raster, MediaError> {
    let drawn = svg::rasterize(file).map_err(|error| match error {
        SvgError::TooLarge => {
            MediaError::TooLarge { what: "SVG bytes", limit: SVG_BYTES_MAX as u64 }
        }
        SvgError::TooCostly => MediaError::TooCostly("filters, layers and references of an SVG"),
        other => MediaError::damaged("SVG", other),
    })?;
    let samples = rgb_on_white(&drawn.rgba);
    Raster::new(drawn.width as usize, drawn.height as usize, Channels::Rgb, samples)
        .ok_or_else(|| MediaError::damaged("SVG", "the image has no pixels"))
}

/// Title, description and RDF as metadata.
pub fn metadata(file: &[u8]) -> Metadata {
    let drawing = svg::read(file);
    let mut metadata = Metadata::default();
    for (name, field) in [
        ("name", Field::Name),
        ("description", Field::Description),
        ("meta", Field::Meta),
        ("creator", Field::Creator),
        ("rights", Field::Rights),
        ("identifier", Field::Identifier),
        ("language", Field::Language),
        ("license", Field::License),
        ("acquire", Field::Acquire),
        ("credit", Field::Credit),
        ("keywords", Field::Keywords),
    ] {
        if let Some(value) = drawing.field(name) {
            metadata.offer(field, value);
        }
    }
    metadata
}
