//! Boxes of the ISO base media file format (ISO 14496-12), and the items of a `meta` box.

use std::borrow::Cow;

/// Type and content of each box, up to the first invalid one.
pub fn boxes(bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
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

/// Content of the first box of a kind.
pub fn child(bytes: &[u8], kind: [u8; 4]) -> Option<&[u8]> {
    boxes(bytes).find(|(found, _)| *found == kind).map(|(_, content)| content)
}

/// Version and content of a full box.
pub fn full(content: &[u8]) -> Option<(u8, &[u8])> {
    let ([version, _, _, _], rest) = content.split_first_chunk()?;
    Some((*version, rest))
}

/// What an item of a meta box is.
pub struct ItemInfo<'a> {
    /// Number of the item.
    pub id: u32,
    /// Four-character code of its type.
    pub kind: [u8; 4],
    /// MIME type, for items of the type `mime`.
    pub content_type: &'a [u8],
}

impl<'a> ItemInfo<'a> {
    /// Reads an item info entry of version 2 or 3; others have no types.
    pub fn read(content: &'a [u8]) -> Option<Self> {
        let (version, rest) = full(content)?;
        let mut numbers = Numbers(rest);
        let id = match version {
            2 => numbers.take(2)?,
            3 => numbers.take(4)?,
            _ => return None,
        };
        let (kind, rest) = numbers.0.get(2..)?.split_first_chunk::<4>()?;
        let mut texts = rest.split(|byte| *byte == 0);
        let _name = texts.next();
        Some(Self {
            id: u32::try_from(id).ok()?,
            kind: *kind,
            content_type: texts.next().unwrap_or_default(),
        })
    }
}

/// Where the bytes of an item are.
pub struct Location {
    /// Number of the item.
    pub id: u32,
    /// Whether the extents are in the item data box instead of the file.
    is_item_data: bool,
    /// Offset and length; length 0 is up to the end.
    extents: Vec<(u64, u64)>,
}

impl Location {
    /// The bytes of the item; `None` if they are outside of the file.
    pub fn data<'a>(&self, file: &'a [u8], item_data: &'a [u8]) -> Option<Cow<'a, [u8]>> {
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
pub fn locations(content: &[u8]) -> Vec<Location> {
    let mut found = Vec::new();
    let _ = read_locations(content, &mut found);
    found
}

fn read_locations(content: &[u8], found: &mut Vec<Location>) -> Option<()> {
    let (version, rest) = full(content)?;
    let (&[sizes, base], rest) = rest.split_first_chunk::<2>()?;
    let (offset_size, length_size) = (usize::from(sizes >> 4), usize::from(sizes & 15));
    let base_size = usize::from(base >> 4);
    let index_size = if version == 0 { 0 } else { usize::from(base & 15) };
    let id_size = if version < 2 { 2 } else { 4 };
    let mut numbers = Numbers(rest);
    let mut take = |size: usize| numbers.take(size);
    for _ in 0..take(id_size)? {
        let id = u32::try_from(take(id_size)?).ok()?;
        let method = if version == 0 { 0 } else { take(2)? & 15 };
        let _reference = take(2)?;
        let base = take(base_size)?;
        let mut extents = Vec::new();
        let count = take(2)?;
        // Extents that take no bytes of the box would cost 16 bytes of memory each.
        if count > 1 && index_size + offset_size + length_size == 0 {
            return None;
        }
        for _ in 0..count {
            let _index = take(index_size)?;
            let offset = take(offset_size)?;
            extents.push((base.checked_add(offset)?, take(length_size)?));
        }
        found.push(Location { id, is_item_data: method == 1, extents });
    }
    Some(())
}

/// Big-endian numbers, one after the other, and the bytes after those that were taken.
pub struct Numbers<'a>(pub &'a [u8]);

impl Numbers<'_> {
    /// The next number, of 0 to 8 bytes.
    pub fn take(&mut self, size: usize) -> Option<u64> {
        let (digits, rest) = self.0.split_at_checked(size)?;
        self.0 = rest;
        (size <= 8).then(|| digits.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::locations;

    /// An item location box of version 1 whose numbers have no bytes, with extents of one item.
    fn of_no_bytes(extents: u16) -> Vec<u8> {
        let head = [1, 0, 0, 0, 0, 0, 0, 1];
        [&head[..], &[0, 7, 0, 0, 0, 0], &extents.to_be_bytes()].concat()
    }

    #[test]
    fn extents_that_take_no_bytes_are_not_counted_out() {
        let [only] = &locations(&of_no_bytes(1))[..] else { panic!("one item") };
        assert_eq!((only.id, &only.extents[..]), (7, &[(0, 0)][..]));
        assert!(
            locations(&of_no_bytes(2)).is_empty() && locations(&of_no_bytes(u16::MAX)).is_empty()
        );
    }
}
