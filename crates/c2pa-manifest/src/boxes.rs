//! ISO boxes: a length, a type of four bytes, contents.

use crate::Refusal;

/// A box without its header.
#[derive(Debug, Clone, Copy)]
pub struct Box<'a> {
    /// `jumb`, `jumd`, `cbor`, ...
    pub kind: [u8; 4],
    /// Its contents.
    pub contents: &'a [u8],
}

/// All boxes in `bytes`. The last one must end with `bytes`.
pub fn boxes(mut bytes: &[u8]) -> Result<Vec<Box<'_>>, Refusal> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let (first, rest) = first_box(bytes).ok_or_else(|| {
            Refusal::unreadable("a box is truncated or extends beyond its parent")
        })?;
        found.push(first);
        bytes = rest;
    }
    Ok(found)
}

/// The single box in `bytes`.
pub fn only_box(bytes: &[u8]) -> Result<Box<'_>, Refusal> {
    match first_box(bytes) {
        Some((only, [])) => Ok(only),
        Some(_) => Err(Refusal::unreadable("there are bytes after the manifest store")),
        None => Err(Refusal::unreadable("the bytes are not one complete JUMBF box")),
    }
}

/// The first box and the bytes after it. Rejects a length of 0 ("until the end"), which would make
/// any trailing bytes part of the box.
fn first_box(bytes: &[u8]) -> Option<(Box<'_>, &[u8])> {
    let short = u32::from_be_bytes(bytes.first_chunk().copied()?);
    let kind = *bytes.get(4..)?.first_chunk()?;
    let (header, length) = match short {
        1 => (16, usize::try_from(u64::from_be_bytes(*bytes.get(8..)?.first_chunk()?)).ok()?),
        length => (8, length as usize),
    };
    let contents = bytes.get(header..length)?;
    Some((Box { kind, contents }, &bytes[length..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_checked() {
        let whole = b"\0\0\0\x0ajumbab";
        assert_eq!(only_box(whole).unwrap().contents, b"ab");
        assert_eq!(only_box(b"\0\0\0\x01jumb\0\0\0\0\0\0\0\x12ab").unwrap().contents, b"ab");
        for bad in [
            &b""[..],
            b"\0\0\0\x08jum",
            b"\0\0\0\0jumbab",
            b"\0\0\0\x07jumbab",
            b"\0\0\0\x0bjumbab",
            b"\0\0\0\x09jumbab",
            b"\0\0\0\x01jumb\0\0\0\0\0\0\0\x0f",
            b"\0\0\0\x01jumb\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            assert!(only_box(bad).is_err(), "{bad:?}");
        }
        assert_eq!(boxes(&[&whole[..], whole].concat()).unwrap().len(), 2);
        assert!(boxes(&[&whole[..], b"\0"].concat()).is_err());
    }
}
