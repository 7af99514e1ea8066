//! Metadata chunks of WebP files.

use super::Blocks;

/// The first `EXIF` and `XMP ` chunks.
pub fn blocks(file: &[u8]) -> Blocks<'_> {
    const HEADER_BYTES: usize = 12;
    let mut blocks = Blocks::default();
    let mut rest = file.get(HEADER_BYTES..).unwrap_or_default();
    while let Some((kind, data, after)) = chunk(rest) {
        match kind {
            b"EXIF" => {
                let exif = data.strip_prefix(b"Exif\0\0").unwrap_or(data);
                blocks.exif.get_or_insert_with(|| exif.into());
            }
            b"XMP " => {
                blocks.xmp.get_or_insert_with(|| data.into());
            }
            _ => {}
        }
        rest = after;
    }
    blocks
}

/// Splits the first chunk into type, data and the rest. Data is padded to an even length.
fn chunk(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (kind, after) = bytes.split_first_chunk()?;
    let (length, after) = after.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    let data = after.get(..length)?;
    Some((kind, data, after.get(length + (length & 1)..).unwrap_or_default()))
}
