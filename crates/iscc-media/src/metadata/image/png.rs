//! Metadata chunks of PNG files.

use std::io::Read;

use super::Blocks;

/// Maximum inflated bytes of a text chunk. Real chunks have a few KiB.
const PNG_TEXT_BYTES_MAX: u64 = 16 << 20;

/// EXIF from the `eXIf` chunk or an ImageMagick profile, XMP and IPTC from text chunks.
pub fn blocks(file: &[u8]) -> Blocks<'_> {
    let mut blocks = Blocks::default();
    for (kind, data) in chunks(file) {
        match kind {
            b"eXIf" => {
                blocks.exif.get_or_insert_with(|| data.into());
            }
            b"iTXt" => {
                if let Some(packet) = international_text(data) {
                    blocks.xmp.get_or_insert(packet.into());
                }
            }
            b"zTXt" => {
                if let Some((keyword, text)) = compressed_text(data) {
                    read_profile(keyword, &text, &mut blocks);
                }
            }
            b"tEXt" => {
                if let Some((keyword, text)) = split_at_nul(data) {
                    read_profile(keyword, text, &mut blocks);
                }
            }
            _ => {}
        }
    }
    blocks
}

/// Type and data of each complete chunk.
fn chunks(file: &[u8]) -> impl Iterator<Item = (&[u8; 4], &[u8])> {
    const SIGNATURE_BYTES: usize = 8;
    let mut rest = file.get(SIGNATURE_BYTES..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (length, after) = rest.split_first_chunk()?;
        let (kind, after) = after.split_first_chunk()?;
        let (data, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        // A checksum of 4 bytes follows the data.
        rest = after.get(4..)?;
        Some((kind, data))
    })
}

/// The XMP packet of an `iTXt` chunk: keyword, compression flag and method, language, translation.
fn international_text(data: &[u8]) -> Option<Vec<u8>> {
    let (keyword, rest) = split_at_nul(data)?;
    let (&[is_compressed, _method], rest) = rest.split_first_chunk()?;
    let (_language, rest) = split_at_nul(rest)?;
    let (_translation, text) = split_at_nul(rest)?;
    if keyword != b"XML:com.adobe.xmp" {
        return None;
    }
    if is_compressed == 0 { Some(text.to_vec()) } else { inflated(text) }
}

fn compressed_text(data: &[u8]) -> Option<(&[u8], Vec<u8>)> {
    let (keyword, rest) = split_at_nul(data)?;
    Some((keyword, inflated(rest.get(1..)?)?))
}

fn inflated(data: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    flate2::read::ZlibDecoder::new(data).take(PNG_TEXT_BYTES_MAX).read_to_end(&mut text).ok()?;
    Some(text)
}

/// Reads a block of another format that ImageMagick stored as text: name and length, then
/// hexadecimal lines.
fn read_profile(keyword: &[u8], text: &[u8], blocks: &mut Blocks<'_>) {
    let Some(kind) = keyword.strip_prefix(b"Raw profile type ") else { return };
    let Some(profile) = decode_profile(text) else { return };
    match kind {
        b"exif" | b"APP1" => {
            if let Some(exif) = profile.strip_prefix(b"Exif\0\0") {
                blocks.exif.get_or_insert_with(|| exif.to_vec().into());
            }
        }
        b"xmp" => {
            blocks.xmp.get_or_insert(profile.into());
        }
        b"iptc" => {
            let iptc = super::super::iptc::in_photoshop_resources(&profile);
            blocks.iptc.get_or_insert_with(|| iptc.unwrap_or(&profile).to_vec().into());
        }
        _ => {}
    }
}

fn decode_profile(text: &[u8]) -> Option<Vec<u8>> {
    let mut lines = text.trim_ascii_start().split(|byte| *byte == b'\n');
    let (_name, _length) = (lines.next()?, lines.next()?);
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let digits: Vec<u32> = lines.flatten().filter_map(digit).collect();
    Some(digits.as_chunks().0.iter().map(|[high, low]| (high << 4 | low) as u8).collect())
}

fn split_at_nul(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = data.iter().position(|byte| *byte == 0)?;
    Some((&data[..at], &data[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::decode_profile;

    #[test]
    fn decodes_hexadecimal_lines() {
        assert_eq!(decode_profile(b"\nexif\n     4\n4578\n6966\n").unwrap(), b"Exif");
        assert_eq!(decode_profile(b"exif"), None);
    }
}
