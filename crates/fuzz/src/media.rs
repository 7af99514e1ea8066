//! Images, sound, signatures of videos, texts, documents and metadata.

use std::io::Cursor;

use iscc_av::audio::{sound, tags};
use iscc_av::video::signature;
use iscc_image::heif::{Chroma, CodedImage, Frames, Samples};
use iscc_image::svg;
use iscc_image::{self as image, Depth, Options, Trim};
use iscc_media::mediatype::{self, Sniffed};
use iscc_media::metadata::image::Blocks;
use iscc_media::metadata::xmp;
use iscc_media::{charset, sanitize};
use iscc_text::document::{self, Format};
use iscc_text::extraction;
use iscc_text::text::{csv, html};

use crate::{Target, packages};

const CHARACTERS_MAX: usize = 1 << 20;
/// Small, so that a run takes milliseconds.
const PIXELS_MAX: u64 = 1 << 18;
const FIELDS: [(&str, &str); 3] =
    [("dc:title", "T"), ("dc:creator", "C"), ("custom:iscc_meta", "{}")];

const IMAGES: &[&str] =
    &[".jpg", ".png", ".gif", ".webp", ".tif", ".bmp", ".psd", ".jp2", ".j2k", ".jpx", ".ico"];

pub const TARGETS: &[Target] = &[
    Target { name: "image", run: picture, seeds: IMAGES, examples: &["BM"] },
    Target { name: "image-metadata", run: picture_metadata, seeds: IMAGES, examples: &["8BPS"] },
    Target { name: "heif", run: coded_pictures, seeds: &[".heic", ".avif"], examples: &[] },
    Target { name: "xmp", run: packet, seeds: &[".svg", ".xml"], examples: &[XMP] },
    Target { name: "svg", run: drawing, seeds: &[".svg"], examples: &[SVG] },
    Target {
        name: "sound",
        run: samples,
        seeds: &[".wav", ".mp3", ".flac", ".aiff"],
        examples: &["fLaC"],
    },
    Target {
        name: "audio-tags",
        run: audio_tags,
        seeds: &[".mp3", ".ogg", ".opus", ".m4a", ".flac", ".wav", ".mp4"],
        examples: &["ID3\u{4}\0\0\0\0\0\u{10}"],
    },
    Target { name: "video-signature", run: video_signature, seeds: &[".bin"], examples: &[] },
    Target {
        name: "mediatype",
        run: sniff,
        seeds: &[".bin", ".xml", ".mkv", ".webm", ".ogv"],
        examples: &[],
    },
    Target {
        name: "html",
        run: page,
        seeds: &[".html", ".xml"],
        examples: &["<meta charset=x><p>a<b>&amp;"],
    },
    Target {
        name: "text-file",
        run: plain,
        seeds: &[".txt", ".csv", ".json", ".md"],
        examples: &["a,\"b\"\"\"\n"],
    },
    Target {
        name: "rtf",
        run: rtf,
        seeds: &[".rtf"],
        examples: &[r"{\rtf1\ansi{\fonttbl}\u8364?\'e4\par}"],
    },
    Target { name: "mail", run: mail, seeds: &[".eml"], examples: &[MAIL] },
    Target {
        name: "compound-file",
        run: compound,
        seeds: &[".msg", ".doc", ".xls", ".ppt"],
        examples: &[],
    },
    Target {
        name: "archive",
        run: archive,
        seeds: &[".docx", ".xlsx", ".pptx", ".odt", ".epub"],
        examples: &[],
    },
    Target { name: "docx", run: docx, seeds: &[], examples: &[DOCX] },
    Target { name: "xlsx", run: xlsx, seeds: &[], examples: &[XLSX] },
    Target { name: "pptx", run: pptx, seeds: &[], examples: &[PPTX] },
    Target { name: "odt", run: odt, seeds: &[], examples: &[ODT] },
    Target {
        name: "epub",
        run: epub,
        seeds: &[],
        examples: &[EPUB, "<html><body>a<br/>b</body></html>"],
    },
];

const XMP: &str = r#"<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">a</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>"#;
const SVG: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><title>a</title><filter id="f"><feGaussianBlur stdDeviation="2"/></filter><rect filter="url(#f)" width="5" height="5"/><use href="#f"/></svg>"##;
const MAIL: &str = "From: A <a@example.org>\r\nSubject: =?utf-8?Q?=C3=A4?=\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\nPHA+YQ==\r\n--b--\r\n";
const DOCX: &str = r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>a</w:t><w:tab/><w:br/></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl></w:body></w:document>"#;
const XLSX: &str = r#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><v>1E-7</v></c><c r="C1" t="inlineStr"><is><t>a</t></is></c></row></sheetData></worksheet>"#;
const PPTX: &str = r#"<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"#;
const ODT: &str = r#"<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text><text:p>a<text:s text:c="3"/></text:p><text:list><text:list-item><text:p/></text:list-item></text:list><table:table><table:table-row><table:table-cell table:number-columns-repeated="9"/></table:table-row></table:table></office:text></office:body></office:document-content>"#;
const EPUB: &str = r#"<package><metadata><dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">a</dc:title><meta name="cover" content="a"/></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest><spine><itemref idref="a"/></spine></package>"#;

fn picture(input: &[u8]) {
    let file = Sniffed::new(input);
    let options = Options { trim: Trim::Tolerant, pixels_max: PIXELS_MAX, depth: Depth::Scaled };
    let Ok(raster) = image::decode(&file, &options) else { return };
    image::prepare(&file, &options).expect("a decoded image can be prepared");
    let _ = image::thumbnail(&raster, 64);
}

/// Frames of the right number of samples exist for small images only.
fn coded_pictures(bytes: &[u8]) {
    let file = Sniffed::new(bytes);
    let _ = image::stored_size(&file, 1, 1);
    let Some(coded) = CodedImage::read(bytes, PIXELS_MAX) else { return };
    let _ = coded.stream();
    let _ = coded.alpha().map(CodedImage::stream);
    let samples = Samples {
        width: 160,
        height: 120,
        chroma: Chroma::Yuv420,
        bits: 8,
        matrix: u16::from(bytes.len() as u8),
        full_range: bytes.len().is_multiple_of(2),
    };
    let frames = Frames { bytes: &[128; 160 * 120 * 3 / 2], samples };
    let _ = coded.pixels(frames, coded.alpha().map(|_| frames));
}

fn picture_metadata(input: &[u8]) {
    let file = Sniffed::new(input);
    let _ = image::metadata(&file, &Blocks::read(&file));
}

fn packet(input: &[u8]) {
    let _ = xmp::Xmp::parse(input);
    let written = xmp::write(Some(input), &[("dc:title", "a title"), ("dc:creator", "a creator")]);
    let written = xmp::Xmp::parse(&written);
    let title = written.text("http://purl.org/dc/elements/1.1/", "title");
    assert_eq!(title.as_deref(), Some("a title"), "a written property is read");
}

fn drawing(input: &[u8]) {
    let _ = svg::read(input);
    let _ = svg::rasterize(input);
    let _ = svg::embed(input, &[("title", "T")]);
}

fn samples(input: &[u8]) {
    let _ = sound::fingerprint(&mut Cursor::new(input));
}

fn audio_tags(input: &[u8]) {
    let _ = tags::read(Cursor::new(input));
}

fn video_signature(input: &[u8]) {
    if let Ok(found) = signature::parse(input) {
        assert_eq!(found.frames.len() % 380, 0);
        assert!(found.frames.iter().all(|element| *element < 3));
    }
}

fn sniff(input: &[u8]) {
    for name in ["", "a.txt", "a.svg", "a.xyz", "a"] {
        let _ = mediatype::inspect(input, name);
    }
    let _ = sanitize::plain_text(&String::from_utf8_lossy(input));
}

fn page(input: &[u8]) {
    let _ = html::extract(&html::decode(input));
    for mediatype in ["text/html", "application/xhtml+xml", "text/xml", "application/xml"] {
        let _ = extraction::extract(input, mediatype, CHARACTERS_MAX, &[]);
        let _ = extraction::metadata(input, mediatype);
    }
}

fn plain(input: &[u8]) {
    let decoded = charset::decode(input);
    let _ = csv::rows(&decoded);
    for mediatype in ["text/plain", "text/csv", "application/json", "text/markdown"] {
        let _ = extraction::extract(input, mediatype, CHARACTERS_MAX, &[]);
    }
}

fn read(format: Format, input: &[u8]) {
    let _ = document::read(format, input, &[]);
    let _ = document::embed(format, input, &FIELDS);
}

fn rtf(input: &[u8]) {
    read(Format::Rtf, input);
}

fn mail(input: &[u8]) {
    read(Format::Mail, input);
}

fn compound(input: &[u8]) {
    read(Format::Msg, input);
}

/// Damaged archives of every kind.
fn archive(input: &[u8]) {
    for format in [Format::Docx, Format::Xlsx, Format::Pptx, Format::Odt, Format::Epub] {
        read(format, input);
    }
    read(Format::FlatOdt, input);
}

fn docx(input: &[u8]) {
    read(Format::Docx, &packages::docx(input));
}

fn xlsx(input: &[u8]) {
    read(Format::Xlsx, &packages::xlsx(input));
}

fn pptx(input: &[u8]) {
    read(Format::Pptx, &packages::pptx(input));
}

fn odt(input: &[u8]) {
    read(Format::Odt, &packages::odt(input));
    read(Format::FlatOdt, input);
}

fn epub(input: &[u8]) {
    read(Format::Epub, &packages::epub(input));
}
