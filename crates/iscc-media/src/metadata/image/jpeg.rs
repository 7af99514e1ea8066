//! Metadata segments of JPEG files.

use super::super::iptc::in_photoshop_resources;
use super::Blocks;

const EXIF: &[u8] = b"Exif\0\0";
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";
const PHOTOSHOP: &[u8] = b"Photoshop 3.0\0";

/// EXIF and XMP from the first segment with each; IPTC from all Photoshop segments concatenated.
pub fn blocks(file: &[u8]) -> Blocks<'_> {
    const APP1: u8 = 0xe1;
    const APP13: u8 = 0xed;
    let mut blocks = Blocks::default();
    let mut resources = Vec::new();
    for (marker, payload) in segments(file) {
        match marker {
            APP1 => {
                if let Some(exif) = payload.strip_prefix(EXIF) {
                    blocks.exif.get_or_insert_with(|| exif.into());
                } else if let Some(xmp) = payload.strip_prefix(XMP) {
                    blocks.xmp.get_or_insert_with(|| xmp.into());
                }
            }
            APP13 => resources.extend_from_slice(payload.strip_prefix(PHOTOSHOP).unwrap_or(&[])),
            _ => {}
        }
    }
    blocks.iptc = in_photoshop_resources(&resources).map(|iptc| iptc.to_vec().into());
    blocks
}

/// Markers and payloads of the segments before the first scan.
fn segments(file: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    const START_OF_SCAN: u8 = 0xda;
    const END: u8 = 0xd9;
    let mut rest = file.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        let at = rest.iter().position(|byte| *byte == 0xff)?;
        let filled = rest[at..].iter().position(|byte| *byte != 0xff)?;
        let (&[marker, high, low], _) = rest[at + filled..].split_first_chunk()?;
        if matches!(marker, START_OF_SCAN | END) {
            return None;
        }
        let length = usize::from(u16::from_be_bytes([high, low]));
        let segment = rest.get(at + filled + 1..)?;
        let payload = segment.get(2..length)?;
        rest = &segment[length..];
        Some((marker, payload))
    })
}
