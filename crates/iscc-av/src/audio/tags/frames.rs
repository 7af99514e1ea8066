//! Frames of ID3v2.2, ID3v2.3 and ID3v2.4 tags. Frames that do not change keep their bytes.

use super::Property;

/// Free space for other programs, as most taggers leave it
const PADDING: usize = 1024;
/// The language of new comments: unknown
const LANGUAGE: [u8; 3] = *b"XXX";

const UNSYNCHRONISED: u8 = 0x80;
const EXTENDED: u8 = 0x40;
const FOOTER: u8 = 0x10;

/// The frame of a property, also in ID3v2.2; other properties are user-defined texts.
const FRAMES: [(&str, Id, Option<Id>); 13] = [
    ("TITLE", *b"TIT2", Some(*b"TT2\0")),
    ("COMPOSER", *b"TCOM", Some(*b"TCM\0")),
    ("ORIGINALARTIST", *b"TOPE", Some(*b"TOA\0")),
    ("ARTIST", *b"TPE1", Some(*b"TP1\0")),
    ("ALBUMARTIST", *b"TPE2", Some(*b"TP2\0")),
    ("COPYRIGHT", *b"TCOP", Some(*b"TCR\0")),
    ("LANGUAGE", *b"TLAN", Some(*b"TLA\0")),
    ("KEYWORDS", *b"TKWD", None),
    ("COMMENT", COMMENTS[0], Some(COMMENTS[1])),
    ("COPYRIGHTURL", *b"WCOP", Some(*b"WCP\0")),
    ("ARTISTWEBPAGE", *b"WOAR", Some(*b"WAR\0")),
    ("FILEWEBPAGE", *b"WOAF", Some(*b"WAF\0")),
    ("PAYMENTWEBPAGE", *b"WPAY", None),
];

/// The name of a frame. Those of ID3v2.2 have three letters, and a zero here.
type Id = [u8; 4];

const COMMENTS: [Id; 2] = [*b"COMM", *b"COM\0"];
const USER_TEXTS: [Id; 2] = [*b"TXXX", *b"TXX\0"];

/// Whether frames with this name have a description.
fn is_described(id: Id) -> bool {
    COMMENTS.contains(&id) || USER_TEXTS.contains(&id)
}

struct Frame {
    id: Id,
    /// ID3v2.2 has none.
    flags: [u8; 2],
    body: Vec<u8>,
}

/// A tag with frames in the file's order.
pub(super) struct Frames {
    /// 2, 3 or 4
    version: u8,
    frames: Vec<Frame>,
}

/// The size of the tag with this start, with its header and footer.
pub(super) fn tag_size(header: &[u8]) -> Option<u64> {
    let [b'I', b'D', b'3', _, _, flags, size @ ..] = header else { return None };
    let size = u64::from(synchsafe(size.get(..4)?)?);
    Some(10 + size + if flags & FOOTER == 0 { 0 } else { 10 })
}

impl Frames {
    /// A tag without frames.
    pub(super) fn empty() -> Self {
        Self { version: 4, frames: Vec::new() }
    }

    /// The frames of a whole tag. `None` for other versions and broken lists.
    pub(super) fn parse(tag: &[u8]) -> Option<Self> {
        let [b'I', b'D', b'3', version @ 2..=4, _, flags, size @ ..] = tag else { return None };
        let size = synchsafe(size.get(..4)?)? as usize;
        let mut body = tag.get(10..10 + size)?.to_vec();
        let is_unsynchronised = flags & UNSYNCHRONISED != 0;
        // This bit of ID3v2.2 is for a compression that was never defined.
        if *version == 2 && flags & EXTENDED != 0 {
            return None;
        }
        if *version < 4 && is_unsynchronised {
            body = synchronised(&body);
        }
        let mut list = &body[..];
        if flags & EXTENDED != 0 {
            let size = list.get(..4)?;
            let size = match version {
                3 => number(size) as usize + 4,
                _ => synchsafe(size)? as usize,
            };
            list = list.get(size..)?;
        }
        let plain = |size: &[u8]| Some(number(size));
        let mut frames = if *version == 2 {
            short_frame_list(list)
        } else if *version == 3 {
            frame_list(list, plain, false)
        } else {
            // Old versions of iTunes wrote plain numbers into ID3v2.4.
            frame_list(list, synchsafe, true)
                .or_else(|| frame_list(list, plain, true))
                .or_else(|| frame_list(list, synchsafe, false))
        }?;
        if *version == 4 && is_unsynchronised {
            for frame in &mut frames {
                frame.body = synchronised(&frame.body);
                frame.flags[1] &= !0x02;
            }
        }
        Some(Self { version: *version, frames })
    }

    /// The whole tag, with padding. `None` if it gets too long.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        let mut tag = vec![b'I', b'D', b'3', self.version, 0, 0, 0, 0, 0, 0];
        for Frame { id, flags, body } in &self.frames {
            let size = u32::try_from(body.len()).ok()?;
            match self.version {
                2 if size >> 24 == 0 => {
                    tag.extend(&id[..3]);
                    tag.extend(&size.to_be_bytes()[1..]);
                }
                2 => return None,
                version => {
                    tag.extend(id);
                    tag.extend(if version == 3 { size.to_be_bytes() } else { to_synchsafe(size)? });
                    tag.extend(flags);
                }
            }
            tag.extend(body);
        }
        tag.resize(tag.len() + PADDING, 0);
        let size = to_synchsafe(u32::try_from(tag.len() - 10).ok()?)?;
        tag[6..10].copy_from_slice(&size);
        Some(tag)
    }

    /// Sets a value in place of all old ones. Some programs store a comment only as a user-defined
    /// text, so texts that exist are also set for properties with a frame of their own.
    pub(super) fn set(&mut self, property: &Property<'_>) {
        let Property { name, value, only_existing } = *property;
        let is_short = self.version == 2;
        let own = FRAMES.iter().find(|(it, ..)| *it == name);
        let own = own.and_then(|(_, id, short)| if is_short { *short } else { Some(*id) });
        if let Some(id) = own {
            self.set_frames(id, "", value, !only_existing);
        }
        let user_text = USER_TEXTS[usize::from(is_short)];
        self.set_frames(user_text, name, value, own.is_none() && !only_existing);
    }

    fn set_frames(&mut self, id: Id, name: &str, value: &str, is_added: bool) {
        let version = self.version;
        let mut is_found = false;
        self.frames.retain_mut(|frame| {
            if frame.id != id {
                return true;
            }
            let mut language = LANGUAGE;
            let mut old_name = String::new();
            if is_described(id) {
                let Some((found, in_language)) = frame.name(version) else { return true };
                if !found.eq_ignore_ascii_case(name) {
                    return true;
                }
                (old_name, language) = (found, in_language);
            }
            *frame = Frame::new(version, id, language, &old_name, value);
            !std::mem::replace(&mut is_found, true)
        });
        if is_added && !is_found {
            self.frames.push(Frame::new(version, id, LANGUAGE, name, value));
        }
    }
}

impl Frame {
    fn new(version: u8, id: Id, language: [u8; 3], name: &str, value: &str) -> Self {
        // Older versions have no UTF-8.
        let encoding = if version < 4 { 1 } else { 3 };
        let mut body = Vec::new();
        if id[0] != b'W' {
            body.push(encoding);
        }
        if COMMENTS.contains(&id) {
            body.extend(language);
        }
        if is_described(id) {
            push_text(&mut body, encoding, name);
            body.extend(if encoding == 1 { &[0, 0][..] } else { &[0] });
        }
        if id[0] == b'W' {
            // Addresses are Latin-1 in all versions.
            body.extend(value.chars().map(|one| u8::try_from(one).unwrap_or(b'?')));
        } else {
            push_text(&mut body, encoding, value);
        }
        Self { id, flags: [0; 2], body }
    }

    /// The description of a comment or text, and the language of a comment. `None` if it is
    /// compressed, encrypted or broken.
    fn name(&self, version: u8) -> Option<(String, [u8; 3])> {
        let [_, flags] = self.flags;
        let (is_closed, is_grouped, has_length, is_unsynchronised) = match version {
            2 => (false, false, false, false),
            3 => (flags & 0xC0 != 0, flags & 0x20 != 0, false, false),
            _ => (flags & 0x0C != 0, flags & 0x40 != 0, flags & 1 != 0, flags & 2 != 0),
        };
        if is_closed {
            return None;
        }
        let skipped = usize::from(is_grouped) + if has_length { 4 } else { 0 };
        let mut content = self.body.get(skipped..)?.to_vec();
        if is_unsynchronised {
            content = synchronised(&content);
        }
        let (encoding, mut rest) = content.split_first()?;
        let mut language = LANGUAGE;
        if COMMENTS.contains(&self.id) {
            language = *rest.first_chunk()?;
            rest = &rest[3..];
        }
        let name = match encoding {
            0 => until_zero(rest).iter().copied().map(char::from).collect(),
            1 | 2 => utf16(rest),
            _ => String::from_utf8_lossy(until_zero(rest)).into_owned(),
        };
        Some((name, language))
    }
}

fn until_zero(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Text until the first zero. Without a byte order mark, it is big-endian.
fn utf16(text: &[u8]) -> String {
    let is_little = text.starts_with(&[0xFF, 0xFE]);
    let units = text.chunks_exact(2).map(|pair| match is_little {
        true => u16::from_le_bytes([pair[0], pair[1]]),
        false => u16::from_be_bytes([pair[0], pair[1]]),
    });
    let units: Vec<_> = units.take_while(|unit| *unit != 0).filter(|it| *it != 0xFEFF).collect();
    String::from_utf16_lossy(&units)
}

fn push_text(body: &mut Vec<u8>, encoding: u8, text: &str) {
    if encoding == 1 {
        body.extend([0xFF, 0xFE]);
        body.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    } else {
        body.extend(text.bytes());
    }
}

/// The frames until a zero in place of a name. `None` if the list is broken, or if it `is_strict` and
/// the rest is more than zeros.
fn frame_list(
    mut list: &[u8],
    size_of: impl Fn(&[u8]) -> Option<u32>,
    is_strict: bool,
) -> Option<Vec<Frame>> {
    let mut frames = Vec::new();
    while let [a, b, c, d, header @ ..] = list {
        let id = [*a, *b, *c, *d];
        if id[0] == 0 {
            break;
        }
        // Names of ID3v2.2 in newer tags end with a space.
        let is_valid = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b' ');
        if !id.iter().all(is_valid) {
            return None;
        }
        let size = size_of(header.get(..4)?)? as usize;
        let flags = *header.get(4..6)?.first_chunk()?;
        let body = header.get(6..6 + size)?;
        frames.push(Frame { id, flags, body: body.to_vec() });
        list = &header[6 + size..];
    }
    (!is_strict || list.iter().all(|byte| *byte == 0)).then_some(frames)
}

/// The frames of an ID3v2.2 tag: names and sizes of three bytes, and no flags.
fn short_frame_list(mut list: &[u8]) -> Option<Vec<Frame>> {
    let mut frames = Vec::new();
    while let [a, b, c, size @ ..] = list {
        if *a == 0 {
            break;
        }
        if ![a, b, c].iter().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9')) {
            return None;
        }
        let end = 3 + number(size.get(..3)?) as usize;
        let body = size.get(3..end)?.to_vec();
        frames.push(Frame { id: [*a, *b, *c, 0], flags: [0; 2], body });
        list = &size[end..];
    }
    Some(frames)
}

/// Without the zeros that keep decoders from finding a false start of audio.
pub(super) fn synchronised(bytes: &[u8]) -> Vec<u8> {
    let mut previous = 0;
    let kept = bytes.iter().filter(|byte| {
        let is_added = previous == 0xFF && **byte == 0;
        previous = **byte;
        !is_added
    });
    kept.copied().collect()
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Four bytes with seven bits each.
fn synchsafe(bytes: &[u8]) -> Option<u32> {
    let is_valid = bytes.iter().all(|byte| byte & 0x80 == 0);
    is_valid.then(|| bytes.iter().fold(0, |number, byte| number << 7 | u32::from(*byte)))
}

fn to_synchsafe(number: u32) -> Option<[u8; 4]> {
    let part = |shift: u32| (number >> shift & 0x7F) as u8;
    (number < 1 << 28).then(|| [part(21), part(14), part(7), part(0)])
}
