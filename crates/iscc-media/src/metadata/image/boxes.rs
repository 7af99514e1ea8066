//! Metadata of image files made of boxes: HEIF and AVIF (ISO 14496-12), JPEG XL and JPEG 2000.

use std::borrow::Cow;

use super::Blocks;

/// The Exif and XMP items of a HEIF or AVIF file.
pub fn heif(file: &[u8]) -> Blocks<'_> {
    heif_items(file).unwrap_or_default()
}

fn heif_items(file: &[u8]) -> Option<Blocks<'_>> {
    const XMP_TYPE: &[u8] = b"application/rdf+xml";
    let meta = full(child(file, *b"meta")?)?.1;
    let locations = locations(child(meta, *b"iloc")?);
    let item_data = child(meta, *b"idat").unwrap_or_default();
    let mut blocks = Blocks::default();
    let (version, infos) = full(child(meta, *b"iinf")?)?;
    let infos = infos.get(if version == 0 { 2 } else { 4 }..)?;
    for (kind, info) in boxes(infos) {
        if kind != *b"infe" {
            continue;
        }
        let Some(item) = ItemInfo::read(info) else { continue };
        let data = || {
            let location = locations.iter().find(|location| location.id == item.id)?;
            location.data(file, item_data)
        };
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

/// Type and content of each box, up to the first invalid one.
fn boxes(bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (size, after) = rest.split_first_chunk::<4>()?;
        let (kind, after) = after.split_first_chunk::<4>()?;
        let (length, content) = match u32::from_be_bytes(*size) {
            0 => (after.len(), after),
            1 => {
                let (size, content) = after.split_first_chunk::<8>()?;
                (usize::try_from(u64::from_be_bytes(*size)).ok()?.checked_sub(16)?, content)
            }
            size => ((size as usize).checked_sub(8)?, after),
        };
        let (content, after) = content.split_at_checked(length)?;
        rest = after;
        Some((*kind, content))
    })
}

fn child(bytes: &[u8], kind: [u8; 4]) -> Option<&[u8]> {
    boxes(bytes).find(|(found, _)| *found == kind).map(|(_, content)| content)
}

/// Version and content of a full box.
fn full(content: &[u8]) -> Option<(u8, &[u8])> {
    let ([version, _, _, _], rest) = content.split_first_chunk()?;
    Some((*version, rest))
}

struct ItemInfo<'a> {
    id: u32,
    kind: [u8; 4],
    content_type: &'a [u8],
}

impl<'a> ItemInfo<'a> {
    /// Reads an item info entry of version 2 or 3; others have no types.
    fn read(content: &'a [u8]) -> Option<Self> {
        let (version, rest) = full(content)?;
        let (id, rest) = match version {
            2 => number(rest, 2)?,
            3 => number(rest, 4)?,
            _ => return None,
        };
        let (kind, rest) = rest.get(2..)?.split_first_chunk::<4>()?;
        let mut texts = rest.split(|byte| *byte == 0);
        let _name = texts.next();
        Some(Self {
            id: u32::try_from(id).ok()?,
            kind: *kind,
            content_type: texts.next().unwrap_or_default(),
        })
    }
}

struct Location {
    id: u32,
    /// Whether the extents are in the item data box instead of the file.
    is_item_data: bool,
    /// Offset and length; length 0 is up to the end.
    extents: Vec<(u64, u64)>,
}

impl Location {
    fn data<'a>(&self, file: &'a [u8], item_data: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let source = if self.is_item_data { item_data } else { file };
        let part = |(offset, length): &(u64, u64)| {
            let start = usize::try_from(*offset).ok()?;
            let rest = source.get(start..)?;
            if *length == 0 { Some(rest) } else { rest.get(..usize::try_from(*length).ok()?) }
        };
        match self.extents.as_slice() {
            [extent] => part(extent).map(Cow::Borrowed),
            extents => {
                let mut joined = Vec::new();
                for extent in extents {
                    let bytes = part(extent)?;
                    // Overlapping extents must not multiply the file's size.
                    if joined.len() + bytes.len() > file.len() {
                        return None;
                    }
                    joined.extend_from_slice(bytes);
                }
                Some(joined.into())
            }
        }
    }
}

/// The entries of an item location box, up to the first invalid one.
fn locations(content: &[u8]) -> Vec<Location> {
    let mut found = Vec::new();
    let _ = read_locations(content, &mut found);
    found
}

fn read_locations(content: &[u8], found: &mut Vec<Location>) -> Option<()> {
    let (version, rest) = full(content)?;
    let (&[sizes, base], mut rest) = rest.split_first_chunk::<2>()?;
    let (offset_size, length_size) = (usize::from(sizes >> 4), usize::from(sizes & 15));
    let base_size = usize::from(base >> 4);
    let index_size = if version == 0 { 0 } else { usize::from(base & 15) };
    let id_size = if version < 2 { 2 } else { 4 };
    let mut take = |size: usize| {
        let (value, after) = number(rest, size)?;
        rest = after;
        Some(value)
    };
    for _ in 0..take(id_size)? {
        let id = u32::try_from(take(id_size)?).ok()?;
        let method = if version == 0 { 0 } else { take(2)? & 15 };
        let _reference = take(2)?;
        let base = take(base_size)?;
        let mut extents = Vec::new();
        for _ in 0..take(2)? {
            let _index = take(index_size)?;
            let offset = take(offset_size)?;
            extents.push((base.checked_add(offset)?, take(length_size)?));
        }
        found.push(Location { id, is_item_data: method == 1, extents });
    }
    Some(())
}

/// A big-endian number of 0 to 8 bytes, and the rest.
fn number(bytes: &[u8], size: usize) -> Option<(u64, &[u8])> {
    let (digits, rest) = bytes.split_at_checked(size)?;
    (size <= 8).then(|| (digits.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)), rest))
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
