//! Metadata of Photoshop documents, stored as image resources.

use super::Blocks;

/// The EXIF, XMP and IPTC resources.
pub fn blocks(file: &[u8]) -> Blocks<'_> {
    const IPTC: u16 = 1028;
    const EXIF: u16 = 1058;
    const XMP: u16 = 1060;
    let mut blocks = Blocks::default();
    for (id, data) in resources(file).into_iter().flatten() {
        match id {
            IPTC => blocks.iptc = Some(data.into()),
            EXIF => blocks.exif = Some(data.into()),
            XMP => blocks.xmp = Some(data.into()),
            _ => {}
        }
    }
    blocks
}

/// Number and data of each resource, up to the first invalid one.
fn resources(file: &[u8]) -> Option<impl Iterator<Item = (u16, &[u8])>> {
    const HEADER_BYTES: usize = 26;
    let (_, after_palette) = section(file.get(HEADER_BYTES..)?)?;
    let (mut rest, _) = section(after_palette)?;
    Some(std::iter::from_fn(move || {
        let after_signature = rest.strip_prefix(b"8BIM")?;
        let (id, after_id) = after_signature.split_first_chunk()?;
        // The name: one length byte, then the text, padded to an even size.
        let name_bytes = (usize::from(*after_id.first()?) + 1).next_multiple_of(2);
        let (data, after) = section(after_id.get(name_bytes..)?)?;
        rest = after.get(data.len() % 2..).unwrap_or_default();
        Some((u16::from_be_bytes(*id), data))
    }))
}

/// Splits length-prefixed bytes from the rest.
fn section(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_be_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_blocks_among_other_resources() {
        let mut resources = b"8BIM\x03\xed\0\0\0\0\0\x01x\0".to_vec();
        resources.extend(b"8BIM\x04\x24\x03abc\0\0\0\x05<xmp>\0");
        resources.extend(b"8BIM\x04\x22\0\0\0\0\0\x02II");
        let mut file = vec![0; 26];
        file.extend([0; 4]);
        file.extend((resources.len() as u32).to_be_bytes());
        file.extend(&resources);
        let found = blocks(&file);
        assert_eq!(found.xmp.as_deref(), Some(&b"<xmp>"[..]));
        assert_eq!(found.exif.as_deref(), Some(&b"II"[..]));
        assert_eq!(found.iptc, None);
        for end in 0..file.len() {
            blocks(&file[..end]);
        }
    }
}
