//! EXIF: reads values of a TIFF structure (EXIF 2.32, 4.5 and 4.6).

/// Tags that this crate reads.
pub mod tag {
    /// Image file directory 0
    pub const ORIENTATION: u16 = 0x0112;
    /// Image file directory 0, also of TIFF files
    pub const ARTIST: u16 = 0x013b;
    /// Image file directory 0 of TIFF files: an XMP packet
    pub const XMP: u16 = 0x02bc;
    /// Image file directory 0 of TIFF files: IPTC datasets
    pub const IPTC: u16 = 0x83bb;
    /// Image file directory 0: offset of the EXIF directory
    pub const EXIF_DIRECTORY: u16 = 0x8769;
    /// Image file directory 0
    pub const IMAGE_ID: u16 = 0x800d;
    /// Image file directory 0, UTF-16 little-endian
    pub const XP_TITLE: u16 = 0x9c9b;
    /// EXIF directory: tags of the camera's maker
    pub const MAKER_NOTE: u16 = 0x927c;
    /// EXIF directory
    pub const IMAGE_UNIQUE_ID: u16 = 0xa420;
    /// Apple's directory: the identifier that the picture and the film of a Live Photo share
    pub const APPLE_CONTENT_IDENTIFIER: u16 = 0x0011;
}

/// Maximum entries of a directory. Real directories have a few dozen.
const ENTRIES_MAX: usize = 4096;

/// One directory of a TIFF structure.
pub struct Directory<'a> {
    bytes: &'a [u8],
    is_little_endian: bool,
    offset: usize,
}

/// The value of an entry.
#[derive(Debug, Clone, Copy)]
pub struct Value<'a> {
    kind: u16,
    count: usize,
    bytes: &'a [u8],
    is_little_endian: bool,
}

impl<'a> Directory<'a> {
    /// Directory 0 of a TIFF structure, with or without the `Exif` prefix.
    pub fn first(bytes: &'a [u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"Exif\0\0").unwrap_or(bytes);
        let is_little_endian = match bytes.first_chunk::<4>()? {
            b"II*\0" => true,
            b"MM\0*" => false,
            _ => return None,
        };
        let directory = Self { bytes, is_little_endian, offset: 0 };
        let offset = directory.long(4)?;
        Some(Self { offset, ..directory })
    }

    /// The EXIF directory that directory 0 points to.
    pub fn exif(&self) -> Option<Self> {
        let offset = self.value(tag::EXIF_DIRECTORY)?.number()? as usize;
        Some(Self { offset, ..*self })
    }

    /// The maker's directory in an EXIF directory, if Apple made the camera. Its offsets count from the
    /// start of the note.
    pub fn apple(&self) -> Option<Self> {
        const MAKER: &[u8] = b"Apple iOS\0";
        const VERSION_BYTES: usize = 2;
        let bytes = self.value(tag::MAKER_NOTE)?.bytes();
        let order = bytes.strip_prefix(MAKER)?.get(VERSION_BYTES..)?.first_chunk::<2>()?;
        let is_little_endian = match order {
            b"II" => true,
            b"MM" => false,
            _ => return None,
        };
        Some(Self { bytes, is_little_endian, offset: MAKER.len() + VERSION_BYTES + order.len() })
    }

    /// The value of a tag.
    pub fn value(&self, tag: u16) -> Option<Value<'a>> {
        const ENTRY_BYTES: usize = 12;
        const INLINE_BYTES: usize = 4;
        let count = usize::from(self.short(self.offset)?).min(ENTRIES_MAX);
        let entry = |index| self.offset.checked_add(2 + index * ENTRY_BYTES);
        let at = (0..count).filter_map(entry).find(|at| self.short(*at) == Some(tag))?;
        let kind = self.short(at + 2)?;
        let count = self.long(at + 4)?;
        let length = count.checked_mul(kind_bytes(kind)?)?;
        let start = if length <= INLINE_BYTES { at + 8 } else { self.long(at + 8)? };
        let bytes = self.bytes.get(start..start.checked_add(length)?)?;
        Some(Value { kind, count, bytes, is_little_endian: self.is_little_endian })
    }

    fn short(&self, at: usize) -> Option<u16> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        Some(if self.is_little_endian {
            u16::from_le_bytes(bytes)
        } else {
            u16::from_be_bytes(bytes)
        })
    }

    fn long(&self, at: usize) -> Option<usize> {
        let bytes = *self.bytes.get(at..)?.first_chunk()?;
        let value = if self.is_little_endian {
            u32::from_le_bytes(bytes)
        } else {
            u32::from_be_bytes(bytes)
        };
        usize::try_from(value).ok()
    }
}

/// Bytes per element of the TIFF 6.0 types; `None` for unknown ones.
fn kind_bytes(kind: u16) -> Option<usize> {
    match kind {
        1 | 2 | 6 | 7 => Some(1),
        3 | 8 => Some(2),
        4 | 9 | 11 | 13 => Some(4),
        5 | 10 | 12 => Some(8),
        _ => None,
    }
}

impl<'a> Value<'a> {
    /// The value's bytes as stored.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The value as an integer; `None` if it is a list or not an integer.
    pub fn number(&self) -> Option<u32> {
        let fixed = |bytes: &[u8]| {
            let digits = bytes.iter().map(|byte| u32::from(*byte));
            let append = |number, byte| number << 8 | byte;
            if self.is_little_endian {
                digits.rev().fold(0, append)
            } else {
                digits.fold(0, append)
            }
        };
        (self.count == 1 && matches!(self.kind, 1 | 3 | 4 | 8 | 9 | 13)).then(|| fixed(self.bytes))
    }

    /// Text up to the first NUL: UTF-8, else Latin-1.
    pub fn text(&self) -> String {
        text(self.bytes.split(|byte| *byte == 0).next().unwrap_or_default())
    }

    /// UTF-16LE text up to the first NUL, as in the `XP` tags of Windows.
    pub fn wide_text(&self) -> String {
        let units = self.bytes.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit));
        let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
        String::from_utf16_lossy(&units)
    }
}

/// Decodes UTF-8, else Latin-1.
pub(super) fn text(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(is_little_endian: bool) -> Vec<u8> {
        let short = |v: u16| if is_little_endian { v.to_le_bytes() } else { v.to_be_bytes() };
        let long = |v: u32| if is_little_endian { v.to_le_bytes() } else { v.to_be_bytes() };
        let mut bytes = if is_little_endian { b"II*\0".to_vec() } else { b"MM\0*".to_vec() };
        bytes.extend(long(8));
        bytes.extend(short(2));
        for (tag, kind, count, value) in
            [(tag::ORIENTATION, 3, 1, None), (tag::ARTIST, 2, 6, Some(38))]
        {
            bytes.extend(short(tag));
            bytes.extend(short(kind));
            bytes.extend(long(count));
            match value {
                Some(offset) => bytes.extend(long(offset)),
                None => bytes.extend([short(6), short(0)].concat()),
            }
        }
        bytes.extend(long(0));
        bytes.extend(b"J\xfcrgen\0"[..6].iter());
        bytes
    }

    #[test]
    fn reads_both_byte_orders() {
        for is_little_endian in [true, false] {
            let bytes = block(is_little_endian);
            let value = Directory::first(&bytes).unwrap().value(tag::ORIENTATION).unwrap();
            assert_eq!(value.number(), Some(6));
            let directory = Directory::first(&bytes).unwrap();
            assert_eq!(directory.value(tag::ARTIST).unwrap().text(), "Jürgen");
            assert!(directory.exif().is_none());
        }
    }

    #[test]
    fn a_truncated_block_has_no_values() {
        let bytes = block(true);
        for end in 0..bytes.len() {
            if let Some(directory) = Directory::first(&bytes[..end]) {
                assert!(directory.value(tag::ARTIST).is_none());
            }
        }
    }

    #[test]
    fn the_note_of_an_apple_camera_is_a_directory() {
        let note = [
            b"Apple iOS\0\0\x01MM\0\x01".as_slice(),
            &[0, 0x11, 0, 2, 0, 0, 0, 5, 0, 0, 0, 30, 0, 0],
            b"1F-2\0",
        ]
        .concat();
        let exif = |note: &[u8]| {
            let count = u8::try_from(note.len()).unwrap();
            let first = [0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0];
            let second = [0, 1, 0x92, 0x7c, 0, 7, 0, 0, 0, count, 0, 0, 0, 44, 0, 0, 0, 0];
            [b"MM\0*\0\0\0\x08".as_slice(), &first, &second, note].concat()
        };
        let identifier = |bytes: &[u8]| {
            let apple = Directory::first(bytes)?.exif()?.apple()?;
            Some(apple.value(tag::APPLE_CONTENT_IDENTIFIER)?.text())
        };
        let bytes = exif(&note);
        assert_eq!(identifier(&bytes).as_deref(), Some("1F-2"));
        for end in 0..bytes.len() {
            assert_eq!(identifier(&bytes[..end]), None);
        }
        assert_eq!(identifier(&exif(&[b"Nikon\0".as_slice(), &note].concat())), None);
    }
}
