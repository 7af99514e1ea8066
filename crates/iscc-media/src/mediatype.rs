//! Detects a file's media type from its name and first bytes, and the processing mode of the type.

mod json;
mod mode;
mod name;
mod sniff;
mod svg;

pub use mode::{Mode, mode};
pub use name::from_name;
pub use sniff::{from_bytes, is_binary, looks_like_text as is_text};

use crate::charset;

/// Bytes at the start of a file that signatures are in.
pub const HEAD_BYTES_MAX: usize = 4096;

/// Bytes at the start of a file in which a transport stream may begin, behind other data.
const STREAM_HEAD_BYTES_MAX: usize = 16 << 10;

/// A file's bytes and the media type of their content, detected once for all readers of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sniffed<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    /// Media type by content; `None` if the content has no known signature.
    pub mediatype: Option<&'static str>,
}

impl<'a> Sniffed<'a> {
    /// Detects the media type from the first [`HEAD_BYTES_MAX`] bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, mediatype: from_bytes(&bytes[..bytes.len().min(HEAD_BYTES_MAX)]) }
    }
}

/// The detected type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inspected {
    /// Media type, normalised.
    pub mediatype: &'static str,
    /// Processing mode; `None` for types whose content is not processed.
    pub mode: Option<Mode>,
}

/// Detects a file's type from its first bytes (at most 16 KiB count) and its name.
///
/// If name and content disagree, the one with a supported type wins; if both are supported, the
/// name wins, because containers (zip, XML, Ogg, MP4) share signatures. Plain text has no signature
/// and is used only if nothing else matches; with a byte order mark of UTF-16, which is one, also
/// under the name of a type whose content is not processed, as in the reference.
pub fn inspect(head: &[u8], filename: &str) -> Inspected {
    let stream = &head[..head.len().min(STREAM_HEAD_BYTES_MAX)];
    let head = &head[..head.len().min(HEAD_BYTES_MAX)];
    let named = from_name(filename).map(normalize);
    let is_late_stream = || sniff::is_late_stream(stream).then_some(sniff::MPEG_TS);
    let sniffed = from_bytes(head).or_else(is_late_stream).map(normalize);
    let mut mediatype = match (named, sniffed) {
        (Some(named), Some(sniffed)) if named != sniffed => choose(named, sniffed),
        // Text under the name of a type that has no content.
        (Some(named), None) if mode(named).is_none() && charset::is_marked_utf_16(head) => PLAIN,
        (named, sniffed) => named.or(sniffed).unwrap_or_else(|| without_signature(head)),
    };
    if mediatype == XML && svg::is_root(head) {
        mediatype = SVG;
    }
    Inspected { mediatype, mode: mode(mediatype) }
}

const ZIP: &str = "application/zip";
const PLAIN: &str = "text/plain";
const XML: &str = "text/xml";
const SVG: &str = "image/svg+xml";

fn choose(named: &'static str, sniffed: &'static str) -> &'static str {
    if sniffed == ZIP
        && let Some(document) = document_like(named)
    {
        return document;
    }
    let is_ogg = |mediatype: &str| mediatype.contains("ogg");
    if is_ogg(named) && is_ogg(sniffed) {
        return named;
    }
    // `.ts` and `.mts` are also extensions of translations, TypeScript and models.
    let is_decisive =
        mode::is_supported(sniffed) || [sniff::MPEG_TS, sniff::MUSEPACK].contains(&sniffed);
    if is_decisive && !mode::is_supported(named) { sniffed } else { named }
}

/// The type of documents of the same format, for templates, shows, and documents with macros.
fn document_like(named: &str) -> Option<&'static str> {
    const PREFIXES: [([&str; 2], &str); 3] = [
        (
            [
                "application/vnd.ms-word.",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.",
            ],
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (
            [
                "application/vnd.ms-excel.",
                "application/vnd.openxmlformats-officedocument.spreadsheetml.",
            ],
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
        (
            [
                "application/vnd.ms-powerpoint.",
                "application/vnd.openxmlformats-officedocument.presentationml.",
            ],
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        ),
    ];
    const TEMPLATES: [(&str, &str); 3] = [
        (
            "application/vnd.oasis.opendocument.presentation-template",
            "application/vnd.oasis.opendocument.presentation",
        ),
        (
            "application/vnd.oasis.opendocument.spreadsheet-template",
            "application/vnd.oasis.opendocument.spreadsheet",
        ),
        (
            "application/vnd.oasis.opendocument.text-template",
            "application/vnd.oasis.opendocument.text",
        ),
    ];
    if let Some((_, document)) = TEMPLATES.iter().find(|(template, _)| *template == named) {
        return Some(document);
    }
    let has_prefix = |prefixes: &[&str; 2]| prefixes.iter().any(|it| named.starts_with(it));
    PREFIXES.iter().find(|(prefixes, _)| has_prefix(prefixes)).map(|(_, document)| *document)
}

/// `text/plain` if the bytes look like text, else `application/octet-stream`.
fn without_signature(head: &[u8]) -> &'static str {
    if sniff::looks_like_text(head) { PLAIN } else { "application/octet-stream" }
}

/// Maps aliases of a media type to one name.
fn normalize(mediatype: &'static str) -> &'static str {
    match mediatype {
        "application/ogg" => "video/ogg",
        "application/vnd.adobe.flash.movie" => "application/x-shockwave-flash",
        "application/vnd.ms-asf" => "video/x-ms-asf",
        "application/xml" => XML,
        "audio/x-aiff" => "audio/aiff",
        "audio/x-m4a" => "audio/mp4",
        "audio/x-wav" => "audio/wav",
        "image/x-ms-bmp" => "image/bmp",
        "video/x-msvideo" => "video/avi",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mediatype(head: &[u8], filename: &str) -> &'static str {
        inspect(head, filename).mediatype
    }

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

    #[test]
    fn a_supported_type_by_name_wins_over_one_by_content() {
        assert_eq!(mediatype(PNG, "a.jpg"), "image/jpeg");
        assert_eq!(mediatype(b"RIFF\x24\0\0\0WAVEfmt ", "a.txt"), "text/plain");
    }

    #[test]
    fn a_supported_type_by_content_wins_over_an_unsupported_one_by_name() {
        assert_eq!(mediatype(PNG, "a.bin"), "image/png");
        assert_eq!(mediatype(PNG, "a.webp"), "image/png");
        assert_eq!(mediatype(b"<?xml version='1.0'?><rss/>", "feed.rss"), "text/xml");
    }

    #[test]
    fn the_name_decides_about_packages_whose_first_entries_are_those_of_any_document() {
        let head =
            b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\0\0docProps/app.xml";
        for (name, kind) in [
            ("a.potm", "presentation"),
            ("a.ppsx", "presentation"),
            ("a.dotx", "document"),
            ("a.docm", "document"),
            ("a.xltm", "sheet"),
            ("a.xlsb", "sheet"),
        ] {
            let inspected = inspect(head, name);
            assert!(inspected.mediatype.ends_with(&format!("ml.{kind}")), "{name}");
            assert_eq!(inspected.mode, Some(Mode::Text), "{name}");
        }
        assert_eq!(mediatype(head, "a.ott"), "application/vnd.oasis.opendocument.text");
        assert_eq!(mediatype(head, "a.zip"), "application/zip");
        assert_eq!(mediatype(PNG, "a.potm"), "image/png");
    }

    #[test]
    fn transport_streams_named_ts_are_video() {
        let stream = [b"\x47\x40\x11\x10", &[0xff; 184][..]].concat().repeat(5);
        for name in ["film.ts", "film.mts", "film.m2ts", "film"] {
            assert_eq!(mediatype(&stream, name), "video/mp2t", "{name}");
            assert_eq!(inspect(&stream, name).mode, Some(Mode::Video), "{name}");
        }
        assert_eq!(mediatype(&stream, "film.mpg"), "video/mpeg");
        let other = |length: u32| (0..length).map(|at| (at * at / 7 % 251) as u8);
        for length in [300, 2900, 9000, 14_000] {
            let late: Vec<u8> = other(length).chain(stream.repeat(20)).collect();
            assert_eq!(mediatype(&late, "film.ts"), "video/mp2t", "{length}");
        }
        let program = b"export const a = 1;\n".repeat(50);
        assert_eq!(inspect(&program, "program.ts").mode, Some(Mode::Text));
    }

    #[test]
    fn formats_that_only_ffmpeg_decodes_are_audio() {
        let cases: [(&[u8], &str, &str); 9] = [
            (b"TTA1\x01\0\x01\0", "a.tta", "audio/x-tta"),
            (b"Creative Voice File\x1a\x1a\0", "a.voc", "audio/voc"),
            (b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0", "a.w64", "audio/x-w64"),
            (b"DSD \x1c\0\0\0\0\0\0\0\x01", "a.dsf", "audio/x-dsf"),
            (b"MPCKSH\0", "a.mpc", "audio/x-musepack"),
            (b"MP+\x07\0", "a.mpc", "audio/x-musepack"),
            (b"RF64\xff\xff\xff\xffWAVEds64", "a", "audio/wav"),
            (b"BW64\xff\xff\xff\xffWAVEds64", "a", "audio/wav"),
            (b"MAC \x96\x0f\0\0", "a.ape", "audio/x-ape"),
        ];
        for (head, name, expected) in cases {
            assert_eq!(mediatype(head, name), expected);
            assert_eq!(inspect(head, name).mode, Some(Mode::Audio), "{name}");
        }
        assert_eq!(mediatype(b"MP+ is a name of a format\n", "a.txt"), "text/plain");
    }

    #[test]
    fn plain_text_is_used_only_without_other_matches() {
        assert_eq!(mediatype(b"just words\n", "README"), "text/plain");
        assert_eq!(mediatype(b"just words\n", "words.bin"), "application/octet-stream");
        assert_eq!(mediatype(b"", "empty"), "application/octet-stream");
        assert_eq!(mediatype(&[0, 1, 2, 0xff, 0xfe], "noise"), "application/octet-stream");
    }

    #[test]
    fn utf_16_is_text_under_names_without_mode() {
        let text: Vec<u8> =
            "\u{feff}SELECT größe;\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(mediatype(&text, "a.sql"), "text/plain");
        assert_eq!(mediatype(&text, "a.csv"), "text/csv");
        assert_eq!(mediatype(b"SELECT 1;\n", "a.sql"), "application/sql");
        let feed: Vec<u8> = "\u{feff}<?xml version='1.0'?><rss/>"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(mediatype(&feed, "a.rss"), "text/xml");
    }

    #[test]
    fn subtitles_named_ass_are_text_and_sound_is_sound() {
        let subtitles = "\u{feff}[Script Info]\nTitle: Größe\n".as_bytes();
        assert_eq!(mediatype(subtitles, "a.ass"), "text/plain");
        assert_eq!(mediatype(subtitles, "a.ssa"), "text/plain");
        assert_eq!(mediatype(b"\xff\xf1\x50\x80\x2e\x7f\xfc\x01\0", "a.ass"), "audio/aac");
    }

    #[test]
    fn xml_with_an_svg_root_is_an_image() {
        let svg = b"<?xml version='1.0'?><!-- <a> --><svg xmlns=\"http://www.w3.org/2000/svg\"/>";
        assert_eq!(mediatype(svg, "a.xml"), "image/svg+xml");
        assert_eq!(mediatype(svg, "a"), "image/svg+xml");
        let commented = b"\xef\xbb\xbf\n<!-- c --><svg xmlns='http://www.w3.org/2000/svg' />";
        assert_eq!(mediatype(commented, "a"), "image/svg+xml");
        let typed = b"<!DOCTYPE svg>\n<d:svg xmlns:d='http://www.w3.org/2000/svg'></d:svg>";
        assert_eq!(mediatype(typed, "a"), "image/svg+xml");
        assert_eq!(mediatype(b"<!-- c --><p>words</p>", "a"), "text/plain");
        assert_eq!(mediatype(b"<svgx xmlns=\"http://www.w3.org/2000/svg\"/>", "a.xml"), "text/xml");
    }

    #[test]
    fn the_name_decides_between_ogg_audio_and_video() {
        let theora = b"OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x2a\x80theora";
        assert_eq!(mediatype(theora, "a.ogg"), "audio/ogg");
        assert_eq!(mediatype(theora, "a"), "video/ogg");
    }
}
