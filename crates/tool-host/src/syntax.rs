//! Whether other pictures refer to the picture in a packet, by the headers of its codec.

/// Codecs that report all damage, so that a run can be repeated.
///
/// HEVC is not among them: of a damaged file, other pictures were decoded without a message when some were dropped.
/// Presumably FFmpeg leaves parts of such pictures unwritten.
#[derive(Clone, Copy)]
pub enum Codec {
    H264,
    /// MPEG-1 and MPEG-2
    Mpeg,
    /// Nearly all of its pictures are references.
    Vp9,
}

impl Codec {
    /// By FFmpeg's name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "h264" => Some(Self::H264),
            "mpeg1video" | "mpeg2video" => Some(Self::Mpeg),
            "vp9" => Some(Self::Vp9),
            _ => None,
        }
    }
}

/// What other pictures need of a packet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Nothing.
    Unused,
    /// It may be a reference, or its form is unknown.
    Needed,
    /// Damage of pictures of fields is not reported.
    Fields,
}

/// The use of a packet of one frame.
pub fn use_of(packet: &[u8], codec: Codec) -> Use {
    let mut pictures = 0;
    let mut is_unused = true;
    let mut units = Units::of(packet, codec);
    for unit in &mut units {
        let Some(unit) = Unit::read(unit, codec) else { continue };
        if unit.is_field {
            return Use::Fields;
        }
        pictures += u32::from(unit.begins_picture);
        is_unused &= unit.is_unused;
    }
    match pictures {
        1 if is_unused && units.is_complete => Use::Unused,
        0 | 1 => Use::Needed,
        _ => Use::Fields,
    }
}

/// A part of a packet that decides about its use.
struct Unit {
    begins_picture: bool,
    is_unused: bool,
    is_field: bool,
}

impl Unit {
    fn read(unit: &[u8], codec: Codec) -> Option<Self> {
        let (&first, &second) = (unit.first()?, unit.get(1)?);
        match (codec, first) {
            // ITU-T H.264, 7.3.1 and 7.3.3: slices have the types 1 to 5, and `nal_ref_idc` is 0 in unused
            // pictures. The first slice begins with a bit that is set.
            (Codec::H264, _) if matches!(first & 0x1f, 1..=5) => Some(Self {
                begins_picture: first & 0x1f != 3 && first & 0x1f != 4 && second & 0x80 != 0,
                is_unused: first & 0x60 == 0,
                is_field: false,
            }),
            // ISO/IEC 13818-2, 6.2.3: a picture header, with 3 for type B.
            (Codec::Mpeg, 0x00) => Some(Self {
                begins_picture: true,
                is_unused: unit.get(2)? >> 3 & 7 == 3,
                is_field: false,
            }),
            // A picture coding extension, with 3 for pictures of whole frames.
            (Codec::Mpeg, 0xb5) if second >> 4 == 8 => Some(Self {
                begins_picture: false,
                is_unused: true,
                is_field: unit.get(3)? & 3 != 3,
            }),
            // Headers of sequences and of groups of pictures.
            (Codec::Mpeg, 0xb3 | 0xb8) => {
                Some(Self { begins_picture: false, is_unused: false, is_field: false })
            }
            _ => None,
        }
    }
}

/// The units of a packet: after start codes, or after lengths of four bytes as in MP4 and Matroska. A unit after a start
/// code goes on to the end of the packet, because only its first bytes are read.
struct Units<'a> {
    rest: &'a [u8],
    has_lengths: bool,
    /// Whether the lengths fit the packet.
    is_complete: bool,
}

const LENGTH_BYTES: usize = 4;

impl<'a> Units<'a> {
    fn of(packet: &'a [u8], codec: Codec) -> Self {
        let has_start = packet.starts_with(&[0, 0, 1]) || packet.starts_with(&[0, 0, 0, 1]);
        let has_lengths = !has_start && matches!(codec, Codec::H264);
        Self { rest: packet, has_lengths, is_complete: true }
    }
}

impl<'a> Iterator for Units<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.has_lengths {
            if self.rest.is_empty() {
                return None;
            }
            let unit = self.rest.split_first_chunk::<LENGTH_BYTES>().and_then(|(length, rest)| {
                rest.split_at_checked(u32::from_be_bytes(*length) as usize)
            });
            self.is_complete = unit.is_some();
            let (unit, rest) = unit?;
            self.rest = rest;
            return Some(unit);
        }
        self.rest = after_start_code(self.rest)?;
        Some(self.rest)
    }
}

/// The bytes after the next start code 00 00 01.
fn after_start_code(bytes: &[u8]) -> Option<&[u8]> {
    let mut at = 2;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            0 => at += 1,
            1 if bytes[at - 2] == 0 && bytes[at - 1] == 0 => return bytes.get(at + 1..),
            _ => at += 3,
        }
    }
    None
}
