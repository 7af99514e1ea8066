//! Zip-based documents around one part, so that a fuzzer reaches the part's parser behind the archive.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A text document of Office Open XML.
pub fn docx(part: &[u8]) -> Vec<u8> {
    office("word/document.xml", &[("word/document.xml", part)])
}

/// A spreadsheet with one sheet.
pub fn xlsx(part: &[u8]) -> Vec<u8> {
    let workbook = format!(
        r#"<workbook xmlns:r="{RELATIONSHIPS}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>"#
    );
    let related = relationships(&[("r1", "worksheet", "sheet.xml")]);
    let parts = [
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", related.as_bytes()),
        ("xl/sheet.xml", part),
    ];
    office("xl/workbook.xml", &parts)
}

/// A presentation with one slide.
pub fn pptx(part: &[u8]) -> Vec<u8> {
    let presentation = format!(
        r#"<p:presentation xmlns:p="p" xmlns:r="{RELATIONSHIPS}"><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>"#
    );
    let related = relationships(&[("r1", "slide", "slides/slide1.xml")]);
    let parts = [
        ("ppt/presentation.xml", presentation.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", related.as_bytes()),
        ("ppt/slides/slide1.xml", part),
    ];
    office("ppt/presentation.xml", &parts)
}

/// An OpenDocument text.
pub fn odt(part: &[u8]) -> Vec<u8> {
    let mediatype = b"application/vnd.oasis.opendocument.text";
    archive(&[("mimetype", mediatype), ("content.xml", part)])
}

/// A book of one page, and a package document of the same bytes.
pub fn epub(part: &[u8]) -> Vec<u8> {
    let container = br#"<container><rootfiles><rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"#;
    let package = br#"<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>"#;
    let is_package = part.starts_with(b"<package");
    let package: &[u8] = if is_package { part } else { package };
    archive(&[
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container),
        ("p.opf", package),
        ("a.xhtml", part),
    ])
}

fn office(main: &str, parts: &[(&str, &[u8])]) -> Vec<u8> {
    let types = br#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#;
    let root = relationships(&[("r1", "officeDocument", main)]);
    let head: [(&str, &[u8]); 2] =
        [("[Content_Types].xml", types), ("_rels/.rels", root.as_bytes())];
    archive(&[&head, parts].concat())
}

fn relationships(items: &[(&str, &str, &str)]) -> String {
    let items: String = items
        .iter()
        .map(|(id, kind, target)| {
            format!(r#"<Relationship Id="{id}" Type="{RELATIONSHIPS}/{kind}" Target="{target}"/>"#)
        })
        .collect();
    format!(
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{items}</Relationships>"#
    )
}

fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, content) in parts {
        zip.start_file(*name, stored).expect("a valid name");
        zip.write_all(content).expect("memory is there");
    }
    zip.finish().expect("memory is there").into_inner()
}
