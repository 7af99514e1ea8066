//! Media type by content.

mod transport_stream;

use std::borrow::Cow;

use super::json;
use crate::charset;

pub(super) use transport_stream::{MPEG_TS, starts_late as is_late_stream};

/// Its extension `.mpc` is also that of a chemical format.
pub(super) const MUSEPACK: &str = "audio/x-musepack";

/// Media type by the signature in a file's first bytes; `None` without a known signature, as for
/// plain text.
pub fn from_bytes(head: &[u8]) -> Option<&'static str> {
    container(head)
        .or_else(|| transport_stream::starts_with_packet(head).then_some(MPEG_TS))
        .or_else(|| by_prefix(head))
        .or_else(|| mpeg_audio(head))
        .or_else(|| markup(head))
        .or_else(|| json::is_json(head).then_some("application/json"))
        .or_else(|| transport_stream::starts_late(head).then_some(MPEG_TS))
}

/// Whether the bytes look like text: UTF-16 with a byte order mark, or without control characters
/// other than those of text files.
pub fn looks_like_text(head: &[u8]) -> bool {
    if charset::is_marked_utf_16(head) {
        return true;
    }
    let is_control = |byte: &u8| *byte < 0x20 && !b"\t\n\x0c\r\x1b".contains(byte) || *byte == 0x7f;
    if head.is_empty() || head.iter().any(is_control) {
        return false;
    }
    // Text in an 8-bit charset is mostly ASCII; binary data without control characters is not.
    let is_printable = |byte: &&u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    str::from_utf8(trim_partial_character(head)).is_ok()
        || head.iter().filter(is_printable).count() * 2 > head.len()
}

/// Whether the bytes are not text in any encoding: they have more than a few control characters
/// other than those of text files and of ISO-2022, or no ASCII character at all. Compressed data has
/// twice as many control characters.
pub fn is_binary(head: &[u8]) -> bool {
    const PERCENT_MAX: usize = 5;
    let is_control = |byte: u8| matches!(byte, 0..0x08 | 0x10..0x1a | 0x1c..0x20 | 0x7f);
    let is_too_many = |controls: usize, all: usize| controls * 100 > all * PERCENT_MAX;
    if let Some(text) = charset::decode_by_bom(head) {
        let is_foreign = |character: char| {
            character == char::REPLACEMENT_CHARACTER
                || u8::try_from(character).is_ok_and(is_control)
        };
        let foreign = text.chars().filter(|character| is_foreign(*character)).count();
        return is_too_many(foreign, text.chars().count());
    }
    let controls = head.iter().filter(|byte| is_control(**byte)).count();
    is_without_ascii(head)
        || is_too_many(controls, head.len()) && charset::utf_16_by_zeros(head).is_none()
}

/// Whether the bytes have neither blanks nor line breaks, as all texts in 8-bit charsets do, and are
/// not valid in any charset of several bytes.
fn is_without_ascii(head: &[u8]) -> bool {
    // Longer than any word.
    const BYTES_MIN: usize = 256;
    const NEVER_IN_SEQUENCES: u8 = 0xff;
    head.len() >= BYTES_MIN && !head.iter().any(u8::is_ascii) && head.contains(&NEVER_IN_SEQUENCES)
}

/// Removes an incomplete UTF-8 character from the end.
pub(super) fn trim_partial_character(head: &[u8]) -> &[u8] {
    match str::from_utf8(head) {
        Err(error) if error.error_len().is_none() => &head[..error.valid_up_to()],
        _ => head,
    }
}

/// By a signature at the start. In text, a signature made of letters is a coincidence.
fn by_prefix(head: &[u8]) -> Option<&'static str> {
    let (_, mediatype) = PREFIXES.iter().find(|(prefix, _)| head.starts_with(prefix))?;
    (!looks_like_text(head)).then_some(mediatype)
}

/// Formats whose first bytes identify only the container.
fn container(head: &[u8]) -> Option<&'static str> {
    let at = |offset: usize, magic: &[u8]| head.get(offset..).is_some_and(|h| h.starts_with(magic));
    if at(0, b"PK\x03\x04") {
        return Some(zip(head));
    }
    if at(0, b"RIFF") {
        return match head.get(8..12)? {
            b"WAVE" => Some("audio/wav"),
            b"AVI " => Some("video/avi"),
            b"WEBP" => Some("image/webp"),
            _ => None,
        };
    }
    if at(8, b"WAVE") && (at(0, b"RF64") || at(0, b"BW64")) {
        return Some("audio/wav");
    }
    if at(0, b"FORM") {
        return (at(8, b"AIFF") || at(8, b"AIFC")).then_some("audio/aiff");
    }
    if at(4, b"ftyp") {
        return Some(iso_base_media(head.get(8..12)?));
    }
    if [&b"moov"[..], b"mdat", b"wide", b"pnot"].iter().any(|atom| at(4, atom)) {
        return Some("video/quicktime");
    }
    if at(0, b"OggS") {
        return Some(ogg(head));
    }
    if at(0, b"\x1aE\xdf\xa3") {
        return Some(if find(head, b"webm").is_some() { "video/webm" } else { "video/x-matroska" });
    }
    if at(0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return Some(ole(head));
    }
    None
}

/// Type of an OLE compound file by the names of its streams. The directory may be outside of
/// `head`.
fn ole(head: &[u8]) -> &'static str {
    let holds = |name: &str| {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        find(head, &name).is_some()
    };
    if holds("WordDocument") {
        "application/msword"
    } else if holds("PowerPoint Document") {
        "application/vnd.ms-powerpoint"
    } else if holds("Workbook") {
        "application/vnd.ms-excel"
    } else if holds("__nameid_version1.0") || holds("__properties_version1.0") {
        "application/vnd.ms-outlook"
    } else {
        "application/x-ole-storage"
    }
}

/// Type of a zip archive by the names of its entries. EPUB and OpenDocument require `mimetype` as
/// the first entry; each Office Open XML format has its own folder.
fn zip(head: &[u8]) -> &'static str {
    const NAME_OFFSET: usize = 30;
    let first_name = head.get(NAME_OFFSET..).unwrap_or_default();
    if let Some(stored) = first_name.strip_prefix(b"mimetype") {
        return ZIP_MIMETYPES
            .iter()
            .find(|mediatype| stored.starts_with(mediatype.as_bytes()))
            .copied()
            .unwrap_or("application/zip");
    }
    let mut rest = head;
    while let Some(at) = find(rest, b"PK\x03\x04") {
        rest = &rest[at + 4..];
        let name = rest.get(NAME_OFFSET - 4..).unwrap_or_default();
        if let Some((_, mediatype)) = ZIP_FOLDERS.iter().find(|(it, _)| name.starts_with(it)) {
            return mediatype;
        }
    }
    "application/zip"
}

/// A type that is a prefix of another must come after it.
const ZIP_MIMETYPES: [&str; 8] = [
    "application/epub+zip",
    "application/x-ibooks+zip",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.sun.xml.calc",
    "application/vnd.sun.xml.impress",
    "application/vnd.sun.xml.writer",
];

const ZIP_FOLDERS: [(&[u8], &str); 3] = [
    (b"word/", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (b"ppt/", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (b"xl/", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
];

/// By major brand (ISO/IEC 14496-12, registry at mp4ra.org).
fn iso_base_media(brand: &[u8]) -> &'static str {
    match brand {
        b"avif" | b"avis" => "image/avif",
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"hevm" | b"hevs" | b"mif1"
        | b"msf1" => "image/heic",
        b"M4A " | b"M4B " | b"F4A " | b"F4B " => "audio/mp4",
        b"M4V " | b"M4VH" | b"M4VP" => "video/x-m4v",
        b"qt  " => "video/quicktime",
        [b'3', b'g', b'2', _] => "video/3gpp2",
        [b'3', b'g', b'p', _] | [b'3', b'g', b'e', _] | [b'3', b'g', b'r', _] => "video/3gpp",
        b"jp2 " => "image/jp2",
        _ => "video/mp4",
    }
}

/// By the first stream's header (RFC 3533; the codecs' own mappings).
fn ogg(head: &[u8]) -> &'static str {
    const AUDIO_CODECS: [&[u8]; 4] = [b"\x01vorbis", b"OpusHead", b"\x7fFLAC", b"Speex   "];
    let payload = head.get(28..).unwrap_or_default();
    let is_audio = AUDIO_CODECS.iter().any(|codec| payload.starts_with(codec));
    if is_audio { "audio/ogg" } else { "video/ogg" }
}

/// Two consecutive MPEG audio frames, or one ADTS frame. A single MPEG synchronisation word is too
/// often a coincidence.
fn mpeg_audio(head: &[u8]) -> Option<&'static str> {
    let header = head.first_chunk::<4>()?;
    if header[0] != 0xff || header[1] & 0xe0 != 0xe0 {
        return None;
    }
    if header[1] & 0xf6 == 0xf0 {
        return Some("audio/aac");
    }
    let length = mpeg_frame_bytes(header)?;
    let next = head.get(length..length + 2);
    let has_next = next.is_none_or(|next| next[0] == 0xff && next[1] == header[1]);
    has_next.then_some("audio/mpeg")
}

/// Bytes of a layer III frame (ISO/IEC 11172-3 2.4.2.3, and 13818-3 for low sample rates).
fn mpeg_frame_bytes(header: &[u8; 4]) -> Option<usize> {
    const KBIT_V1: [usize; 15] = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
    const KBIT_V2: [usize; 15] = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
    const HERTZ: [usize; 3] = [44_100, 48_000, 32_000];
    let [_, kind, rates, _] = *header;
    let is_layer_3 = kind >> 1 & 3 == 1;
    let version = kind >> 3 & 3;
    let (kbits, divisor, slots) = match version {
        3 => (KBIT_V1, 1, 144),
        2 => (KBIT_V2, 2, 72),
        0 => (KBIT_V2, 4, 72),
        _ => return None,
    };
    let kbit = *kbits.get(usize::from(rates >> 4))?;
    let hertz = HERTZ.get(usize::from(rates >> 2 & 3))? / divisor;
    if !is_layer_3 || kbit == 0 {
        return None;
    }
    Some(slots * kbit * 1000 / hertz + usize::from(rates >> 1 & 1))
}

/// Text formats. HTML and XML may follow white space; HTML ignores case.
fn markup(head: &[u8]) -> Option<&'static str> {
    if let Some((_, mediatype)) = TEXT_PREFIXES.iter().find(|(prefix, _)| head.starts_with(prefix))
    {
        return Some(mediatype);
    }
    let decoded = charset::decode_by_bom(head).map(|text| text.into_owned().into_bytes());
    let text = decoded.map_or(Cow::Borrowed(head), Cow::Owned);
    let text = text.trim_ascii_start();
    let begins = |tag: &[u8]| text.get(..tag.len()).is_some_and(|h| h.eq_ignore_ascii_case(tag));
    if begins(b"<!doctype html") || begins(b"<html") || begins(b"<head>") || begins(b"<body") {
        return Some("text/html");
    }
    let is_other_prolog = begins(b"<!--") || begins(b"<!doctype svg") || begins(b"<svg");
    if is_other_prolog && super::svg::is_root(text) {
        return Some("image/svg+xml");
    }
    begins(b"<?xml").then(|| {
        if super::svg::is_root(text) {
            "image/svg+xml"
        } else if is_xhtml(text) {
            "application/xhtml+xml"
        } else {
            "text/xml"
        }
    })
}

/// Whether the document is XHTML.
fn is_xhtml(text: &[u8]) -> bool {
    find(text, b"<html").is_some() && find(text, b"http://www.w3.org/1999/xhtml").is_some()
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

const TEXT_PREFIXES: [(&[u8], &str); 4] = [
    (b"%PDF-", "application/pdf"),
    (b"%!PS", "application/postscript"),
    (b"\xc5\xd0\xd3\xc6", "application/postscript"),
    (b"{\\rtf", "application/rtf"),
];

const PREFIXES: [(&[u8], &str); 58] = [
    // Images
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"II+\0\x08\0\0\0", "image/tiff"),
    (b"MM\0+\0\x08\0\0", "image/tiff"),
    (b"8BPS\0\x01", "image/vnd.adobe.photoshop"),
    (b"8BPS\0\x02", "image/vnd.adobe.photoshop"),
    (b"\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"),
    (b"\xffO\xffQ", "image/jp2"),
    (b"\0\0\x01\0", "image/vnd.microsoft.icon"),
    (b"\xff\x0a", "image/jxl"),
    (b"\0\0\0\x0cJXL \r\n\x87\n", "image/jxl"),
    (b"BM", "image/bmp"),
    // Audio
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"wvpk", "audio/x-wavpack"),
    (b"caff\0\x01", "audio/x-caf"),
    (b"#!AMR", "audio/AMR"),
    (b"\x0b\x77", "audio/ac3"),
    (b"MThd\0\0\0\x06", "audio/midi"),
    (b".snd\0\0\0", "audio/basic"),
    (b"MAC ", "audio/x-ape"),
    (b"TTA1", "audio/x-tta"),
    (b"TTA2", "audio/x-tta"),
    (b"Creative Voice File\x1a", "audio/voc"),
    (b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0", "audio/x-w64"),
    (b"DSD \x1c\0\0\0\0\0\0\0", "audio/x-dsf"),
    (b"MPCK", MUSEPACK),
    (b"MP+", MUSEPACK),
    // Video
    (b"0&\xb2u\x8ef\xcf\x11\xa6\xd9\0\xaa\0b\xcel", "video/x-ms-asf"),
    (b"FLV\x01", "video/x-flv"),
    (b"FWS", "application/x-shockwave-flash"),
    (b"CWS", "application/x-shockwave-flash"),
    (b"ZWS", "application/x-shockwave-flash"),
    // The reference treats it as audio, even if it contains video.
    (b".RMF\0\0", "audio/x-pn-realaudio"),
    (b"\0\0\x01\xba", "video/mpeg"),
    (b"\0\0\x01\xb3", "video/mpeg"),
    (b"BBCD\0", "video/x-dirac"),
    (b"\0\0\0\x01g", "video/h264"),
    // Neither text nor media; listed so that no other rule matches them
    (b"SQLite format 3\0", "application/x-sqlite3"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"(\xb5/\xfd", "application/zstd"),
    (b"\x7fELF", "application/x-executable"),
    (b"MZ", "application/vnd.microsoft.portable-executable"),
    (b"\0asm\x01\0\0\0", "application/wasm"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO\0", "font/otf"),
    (b"\0\x01\0\0\0", "font/ttf"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
];

#[cfg(test)]
mod tests {
    use encoding_rs::{EUC_JP, GBK, IBM866, KOI8_R, WINDOWS_874, WINDOWS_1251, WINDOWS_1253};

    use super::{from_bytes, is_binary, looks_like_text};

    #[test]
    fn zip_archives_are_typed_by_their_entries() {
        let entry = |name: &str| [&b"PK\x03\x04"[..], &[0; 26], name.as_bytes()].concat();
        let sniffed = |names: &[&str]| {
            let bytes: Vec<u8> = names.iter().flat_map(|name| entry(name)).collect();
            from_bytes(&bytes).unwrap()
        };
        assert_eq!(sniffed(&["mimetypeapplication/epub+zip"]), "application/epub+zip");
        assert!(sniffed(&["[Content_Types].xml", "word/document.xml"]).ends_with(".document"));
        assert!(sniffed(&["docProps/app.xml", "xl/workbook.xml"]).ends_with(".sheet"));
        assert_eq!(sniffed(&["a.txt about word/ and xl/"]), "application/zip");
    }

    #[test]
    fn iso_base_media_is_typed_by_its_brand() {
        assert_eq!(from_bytes(b"\0\0\0\x20ftypM4A \0\0\0\0"), Some("audio/mp4"));
        assert_eq!(from_bytes(b"\0\0\0\x20ftypavif\0\0\0\0"), Some("image/avif"));
        assert_eq!(from_bytes(b"\0\0\0\x20ftyphevx\0\0\0\0"), Some("image/heic"));
        assert_eq!(from_bytes(b"\0\0\0\x20ftypisom\0\0\0\0"), Some("video/mp4"));
    }

    #[test]
    fn one_synchronisation_word_is_not_an_mp3() {
        // 128 kbit/s at 44.1 kHz: 417 bytes
        let mut frames = vec![0; 500];
        frames[..4].copy_from_slice(b"\xff\xfb\x90\x44");
        assert_eq!(from_bytes(&frames), None);
        frames[417..421].copy_from_slice(b"\xff\xfb\x90\x44");
        assert_eq!(from_bytes(&frames), Some("audio/mpeg"));
    }

    #[test]
    fn bytes_with_control_characters_are_not_text() {
        assert!(looks_like_text("Füße\tund\r\n".as_bytes()));
        assert!(looks_like_text(b"Gr\xfc\xdfe aus K\xf6ln"));
        assert_eq!(from_bytes(b"BMW and MZ and ID3 are names\n"), None);
        assert!(!looks_like_text(b"a\0b"));
        assert!(!looks_like_text(b""));
    }

    #[test]
    fn high_bytes_without_any_blank_are_binary() {
        let noise: Vec<u8> = (0..300u32).map(|at| (at * 37 % 128 + 128) as u8).collect();
        assert!(is_binary(&noise));
        assert!(is_binary(&[0xff; 4096]));
        assert!(!is_binary(&noise[..200]));
        let encodings = [WINDOWS_1251, KOI8_R, IBM866, WINDOWS_1253, WINDOWS_874, GBK, EUC_JP];
        let texts = ["Я ".repeat(200), "Ъя\n".repeat(200), "Ω ".repeat(200), "ก".repeat(400)];
        let more = ["数据没有空格".repeat(100), "データ".repeat(100), "ÿ ".repeat(200)];
        for text in texts.iter().chain(&more) {
            for encoding in encodings {
                let (bytes, _, is_lossy) = encoding.encode(text);
                assert!(is_lossy || !is_binary(&bytes), "{text} in {}", encoding.name());
            }
        }
    }
}
