//! Metadata of image files made of boxes: HEIF and AVIF (ISO 14496-12), JPEG XL and JPEG 2000.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Blocks;
use crate::boxes::{ItemInfo, boxes, child, full, locations};

/// The Exif and XMP items of a HEIF or AVIF file.
pub fn heif(file: &[u8]) -> Blocks<'_> {
    heif_items(file).unwrap_or_default()
}

fn heif_items(file: &[u8]) -> Option<Blocks<'_>> {
    const XMP_TYPE: &[u8] = b"application/rdf+xml";
    let meta = full(child(file, *b"meta")?)?.1;
    // The first one counts, as in other readers.
    let mut places = HashMap::new();
    for location in locations(child(meta, *b"iloc")?) {
        places.entry(location.id).or_insert(location);
    }
    let item_data = child(meta, *b"idat").unwrap_or_default();
    let mut blocks = Blocks::default();
    let (version, infos) = full(child(meta, *b"iinf")?)?;
    let infos = infos.get(if version == 0 { 2 } else { 4 }..)?;
    for (kind, info) in boxes(infos) {
        if kind != *b"infe" {
            continue;
        }
        let Some(item) = ItemInfo::read(info) else { continue };
        let data = || places.get(&item.id)?.data(file, item_data);
        if item.kind == *b"Exif" && blocks.exif.is_none() {
            // The first four bytes are the offset of the TIFF header.
            blocks.exif = data().and_then(|data| {
                let (offset, rest) = data.split_first_chunk::<4>()?;
                let exif = rest.get(u32::from_be_bytes(*offset) as usize..)?;
                Some(Cow::Owned(exif.to_vec()))
            });
        } else if item.kind == *b"mime" && item.content_type == XMP_TYPE && blocks.xmp.is_none() {
            blocks.xmp = data();
        }
    }
    Some(blocks)
}

/// The Exif and XMP boxes of a JPEG XL or JPEG 2000 file.
pub fn top_level(file: &[u8]) -> Blocks<'_> {
    const XMP_ID: &[u8] = b"\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac";
    const EXIF_ID: &[u8] = b"JpgTiffExif->JP2";
    let mut blocks = Blocks::default();
    for (kind, content) in boxes(file) {
        match &kind {
            b"xml " if is_xmp(content) => {
                blocks.xmp.get_or_insert(content.into());
            }
            b"uuid" => {
                if let Some(packet) = content.strip_prefix(XMP_ID) {
                    blocks.xmp.get_or_insert(packet.into());
                } else if let Some(exif) = content.strip_prefix(EXIF_ID) {
                    blocks.exif.get_or_insert(exif.into());
                }
            }
            b"Exif" => {
                if let Some(exif) = content.get(4..) {
                    blocks.exif.get_or_insert(exif.into());
                }
            }
            _ => {}
        }
    }
    blocks
}

fn is_xmp(content: &[u8]) -> bool {
    const MARKS: [&[u8]; 2] = [b"<?xpacket", b"x:xmpmeta"];
    let head = &content[..content.len().min(1024)];
    MARKS.iter().any(|mark| head.windows(mark.len()).any(|window| window == *mark))
}

#[cfg(test)]
mod tests {
    use super::{heif, top_level};

    fn a_box(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
        [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
    }

    #[test]
    fn finds_the_items_of_heif() {
        let infe = a_box(b"infe", b"\x02\0\0\0\0\x07\0\0mime\0application/rdf+xml\0");
        let iinf = a_box(b"iinf", &[&b"\0\0\0\0\0\x01"[..], &infe].concat());
        let iloc = |offset: u8| {
            let entry = [0, 7, 0, 0, 0, 1, 0, 0, 0, offset, 0, 0, 0, 5];
            a_box(b"iloc", &[&b"\0\0\0\0\x44\0\0\x01"[..], &entry].concat())
        };
        let file = |offset: u8| {
            let meta = a_box(b"meta", &[&b"\0\0\0\0"[..], &iinf, &iloc(offset)].concat());
            [a_box(b"ftyp", b"heic\0\0\0\0"), meta, a_box(b"mdat", b"<xmp>")].concat()
        };
        let offset = file(0).len() - 5;
        let file = file(offset as u8);
        assert_eq!(heif(&file).xmp.as_deref(), Some(&b"<xmp>"[..]));
        for end in 0..file.len() {
            heif(&file[..end]);
        }
    }

    #[test]
    fn finds_boxes_at_the_top_level() {
        let file = [
            a_box(b"JXL ", b"\r\n\x87\n"),
            a_box(b"Exif", b"\0\0\0\0II"),
            a_box(b"xml ", b"<?xpacket begin"),
        ]
        .concat();
        let found = top_level(&file);
        assert_eq!(found.exif.as_deref(), Some(&b"II"[..]));
        assert_eq!(found.xmp.as_deref(), Some(&b"<?xpacket begin"[..]));
    }
}
