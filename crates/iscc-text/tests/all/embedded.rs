//! Files embedded in documents: OLE objects, PDFs, other documents, and pictures with text.

use std::io::{Cursor, Write};

use iscc_text::document::DOCUMENT_DEPTH_MAX;
use iscc_text::extraction::{self, TEXT_CHARACTERS_MAX};
use iscc_text::text::Extracted;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const PPTX: &str = "application/vnd.openxmlformats-officedocument.presentationml.presentation";
const PDF: &[u8] = b"%PDF-1.4\n%%EOF";

fn extract(bytes: &[u8], mediatype: &str, pdf_texts: &[String]) -> Extracted {
    extraction::extract(bytes, mediatype, TEXT_CHARACTERS_MAX, pdf_texts).unwrap()
}

fn words(bytes: &[u8], mediatype: &str) -> String {
    let text = extract(bytes, mediatype, &[]).text;
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn relations(targets: &[(&str, &str)]) -> String {
    let all = targets.iter().enumerate().map(|(index, (kind, target))| {
        let kind = format!("http://schemas.openxmlformats.org/x/{kind}");
        format!("<Relationship Id='rId{index}' Type='{kind}' Target='{target}'/>")
    });
    format!("<Relationships>{}</Relationships>", all.collect::<String>())
}

/// A document with a paragraph and further parts, to which it refers with a kind each.
fn docx(body: &str, parts: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let document = format!(
        "<w:document><w:body><w:p><w:r><w:t>Brief</w:t>{body}</w:r></w:p></w:body></w:document>"
    );
    let package = relations(&[("officeDocument", "word/document.xml")]);
    let targets: Vec<_> = parts.iter().map(|(kind, target, _)| (*kind, *target)).collect();
    let own = relations(&targets);
    let paths: Vec<_> = parts.iter().map(|(_, target, _)| format!("word/{target}")).collect();
    let mut all: Vec<(&str, &[u8])> = vec![
        ("[Content_Types].xml", b"<Types/>"),
        ("_rels/.rels", package.as_bytes()),
        ("word/document.xml", document.as_bytes()),
        ("word/_rels/document.xml.rels", own.as_bytes()),
    ];
    all.extend(paths.iter().zip(parts).map(|(path, (_, _, content))| (path.as_str(), *content)));
    archive(&all)
}

fn compound(streams: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    for (path, bytes) in streams {
        file.create_stream(path).unwrap().write_all(bytes).unwrap();
    }
    file.flush().unwrap();
    file.into_inner().into_inner()
}

/// The stream of a package object.
fn native(label: &str, content: &[u8]) -> Vec<u8> {
    let strings = [label.as_bytes(), b"\0C:\\", label.as_bytes(), b"\0"].concat();
    let path = [b"C:\\", label.as_bytes(), b"\0"].concat();
    let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    let body =
        [&[2, 0][..], &strings, &[0, 0, 3, 0], &length(&path), &path, &length(content), content]
            .concat();
    [&length(&body)[..], &body].concat()
}

#[test]
fn a_package_object_has_its_label_and_the_text_of_its_file() {
    let text = native("notiz.txt", "Text der Notiz".as_bytes());
    let object = compound(&[("/\u{1}Ole10Native", text.as_slice())]);
    let document = docx("", &[("oleObject", "embeddings/oleObject1.bin", object.as_slice())]);
    assert_eq!(words(&document, DOCX), "Brief notiz.txt Text der Notiz");
}

#[test]
fn texts_of_pdfs_are_added_by_a_second_reading() {
    let object = compound(&[("/CONTENTS", PDF)]);
    let packed = compound(&[("/\u{1}Ole10Native", native("b.pdf", PDF).as_slice())]);
    let parts: [(&str, &str, &[u8]); 2] =
        [("oleObject", "embeddings/a.bin", &object), ("oleObject", "embeddings/b.bin", &packed)];
    let document = docx("", &parts);
    let first = extract(&document, DOCX, &[]);
    assert_eq!(first.pdfs, [PDF, PDF]);
    let second = extract(&document, DOCX, &["eins".to_owned(), "zwei".to_owned()]);
    assert!(second.pdfs.is_empty());
    let words: Vec<_> = second.text.split_whitespace().collect();
    assert_eq!(words, ["Brief", "eins", "b.pdf", "zwei"]);
}

#[test]
fn a_document_without_text_but_with_a_pdf_has_the_text_of_the_pdf() {
    let rtf = |data: &[u8]| {
        let digits: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{{\\rtf1{{\\object{{\\*\\objdata {digits}}}{{\\result }}}}}}").into_bytes()
    };
    let object = compound(&[("/CONTENTS", PDF)]);
    let length = (object.len() as u32).to_le_bytes();
    let class = [&9_u32.to_le_bytes()[..], b"AcroExch\0"].concat();
    let header = [&[1, 5, 0, 0, 2, 0, 0, 0][..], &class, &[0; 8], &length].concat();
    let document = rtf(&[header, object].concat());
    assert_eq!(extract(&document, "application/rtf", &[]).pdfs, [PDF]);
    let text = extract(&document, "application/rtf", &["Vertrag".to_owned()]).text;
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["file_0.pdf", "Vertrag"]);
}

#[test]
fn other_documents_inside_are_read_by_their_content() {
    let html = b"<html><body><p>Absatz in HTML</p></body></html>";
    assert_eq!(
        words(&docx("", &[("aFChunk", "chunk.html", html)]), DOCX),
        "Brief chunk.html Absatz in HTML"
    );
    let inner = docx("", &[]);
    let zip = archive(&[("ordner/brief.docx", inner.as_slice()), ("bild.png", b"\x89PNG")]);
    let object = compound(&[("/\u{1}Ole10Native", native("a.zip", &zip).as_slice())]);
    let document = docx("", &[("oleObject", "embeddings/o.bin", object.as_slice())]);
    assert_eq!(words(&document, DOCX), "Brief a.zip ordner/brief.docx Brief bild.png");
    let glossary =
        b"<w:glossaryDocument><w:p><w:r><w:t>Hier klicken</w:t></w:r></w:p></w:glossaryDocument>";
    assert_eq!(
        words(&docx("", &[("glossaryDocument", "g.xml", glossary)]), DOCX),
        "Brief Hier klicken"
    );
}

#[test]
fn archives_in_archives_end() {
    let mut bytes = b"innerster Text".to_vec();
    let mut name = "a.txt".to_owned();
    for level in 0..100 {
        bytes = archive(&[(name.as_str(), bytes.as_slice())]);
        name = format!("{level}.zip");
    }
    let object = compound(&[("/\u{1}Ole10Native", native("z.zip", &bytes).as_slice())]);
    let document = docx("", &[("oleObject", "embeddings/o.bin", object.as_slice())]);
    let words = words(&document, DOCX);
    assert!(words.starts_with("Brief z.zip 98.zip 97.zip") && !words.contains("innerster"));
}

#[test]
fn slides_have_the_text_of_their_master_without_prompts() {
    let shape = |text: &str, placeholder: &str| {
        format!("<p:sp><p:nvPr>{placeholder}</p:nvPr><a:p><a:t>{text}</a:t></a:p></p:sp>")
    };
    let master = format!(
        "<p:sldMaster>{}{}</p:sldMaster>",
        shape("Titel bearbeiten", "<p:ph type='title'/>"),
        shape("Streng vertraulich", "")
    );
    let bytes = archive(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("_rels/.rels", relations(&[("officeDocument", "ppt/presentation.xml")]).as_bytes()),
        ("ppt/presentation.xml", b"<p:presentation><p:sldId r:id='rId0'/></p:presentation>"),
        (
            "ppt/_rels/presentation.xml.rels",
            relations(&[("slide", "slides/s.xml"), ("slideMaster", "m.xml")]).as_bytes(),
        ),
        ("ppt/slides/s.xml", format!("<p:sld>{}</p:sld>", shape("Folie", "")).as_bytes()),
        ("ppt/m.xml", master.as_bytes()),
    ]);
    assert_eq!(words(&bytes, PPTX), "Folie Streng vertraulich");
}

#[test]
fn the_mark_of_a_destination_counts_only_at_the_start_of_a_group() {
    let rtf = br"{\rtf1 Anfang. {\b0\*\cs7\cf0 Zeichenvorlage.}{\*\unknown weg} Ende.}";
    assert_eq!(words(rtf, "application/rtf"), "Anfang. Zeichenvorlage. Ende.");
    let halves = br"{\rtf1 a\u-10240? b\u-9216? c\u-10179?\u-8704?}";
    assert_eq!(words(halves, "application/rtf"), "a\u{fffd} b\u{fffd} c\u{1f600}");
}

#[test]
fn documents_in_documents_are_read_to_the_limit_of_depth() {
    let found = |depth: u32| {
        let nested = (0..depth).fold(docx("", &[]), |inner, _| {
            docx("<o:OLEObject r:id='rId0'/>", &[("package", "embeddings/a.docx", &inner)])
        });
        words(&nested, DOCX).matches("Brief").count() as u32
    };
    // A document in a package counts twice.
    let most = DOCUMENT_DEPTH_MAX / 2;
    assert_eq!([found(most - 1), found(most), found(most + 1)], [most, most + 1, most + 1]);
}
