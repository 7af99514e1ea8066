//! Metadata of TIFF files. The file itself is an EXIF structure.

use super::super::exif::{Directory, tag};
use super::super::iptc::in_photoshop_resources;
use super::Blocks;

/// XMP and IPTC from directory 0, else IPTC from its Photoshop resources; EXIF is the whole file.
pub fn blocks(file: &[u8]) -> Blocks<'_> {
    const PHOTOSHOP: u16 = 0x8649;
    let Some(directory) = Directory::first(file) else { return Blocks::default() };
    let bytes = |tag| directory.value(tag).map(|value| value.bytes());
    let in_resources = || bytes(PHOTOSHOP).and_then(in_photoshop_resources);
    Blocks {
        xmp: bytes(tag::XMP).map(Into::into),
        iptc: bytes(tag::IPTC).or_else(in_resources).map(Into::into),
        exif: Some(file.into()),
    }
}
