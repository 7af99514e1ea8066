//! Text and metadata of documents, compared with the reference; embedding.

use std::io::{Cursor, Write};
use std::path::PathBuf;

use iscc_text::document::{self, DocumentError, Format};
use serde_json::Value;

fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes"))
}

/// Roughly the input of a Text-Code: letters and digits in lower case.
fn collapsed(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn reference() -> Vec<Value> {
    let file = fixtures().join("files_sdk_0_9_7.json");
    let mut data: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    match data["files"].take() {
        Value::Array(files) => files,
        _ => panic!("no files recorded"),
    }
}

fn format_of(case: &Value) -> Option<Format> {
    Format::from_mediatype(case["result"]["mediatype"].as_str()?)
}

#[test]
fn text_and_properties_equal_the_reference() {
    let mut seen = 0;
    for case in reference() {
        let Some(format) = format_of(&case) else { continue };
        let name = case["file"].as_str().unwrap();
        let bytes = std::fs::read(fixtures().join("files").join(name)).unwrap();
        // The reference treats unknown zip archives as Word documents.
        if name.ends_with(".zip") {
            continue;
        }
        let found = document::read(format, &bytes, &[]).unwrap();
        let expected = case["text_extracted"].as_str().unwrap();
        assert_eq!(collapsed(&found.text), collapsed(expected), "{name}");
        let recorded = &case["extract_metadata"];
        assert_eq!(found.properties.title.as_deref(), recorded["name"].as_str(), "{name}");
        if let Some(description) = recorded["description"].as_str() {
            assert_eq!(found.properties.description.as_deref(), Some(description), "{name}");
        }
        if let Some(creator) = recorded["creator"].as_str() {
            assert_eq!(
                found.properties.creators.first().map(String::as_str),
                Some(creator),
                "{name}"
            );
        }
        if let Some(keywords) = recorded["keywords"].as_str() {
            assert_eq!(found.properties.keywords.join(", "), keywords, "{name}");
        }
        assert_eq!(found.properties.rights.as_deref(), recorded["rights"].as_str(), "{name}");
        let has_cover = !case["thumbnail_info"].is_null();
        assert_eq!(found.cover.is_some(), has_cover, "{name}");
        seen += 1;
    }
    assert!(seen >= 8, "only {seen} documents were compared");
}

/// White space decides the offsets of chunks, so lines should equal the reference, too.
#[test]
fn lines_equal_the_reference() {
    let lines = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    for case in reference() {
        let Some(format) = format_of(&case) else { continue };
        let name = case["file"].as_str().unwrap();
        if name.ends_with(".zip") {
            continue;
        }
        let bytes = std::fs::read(fixtures().join("files").join(name)).unwrap();
        let found = document::read(format, &bytes, &[]).unwrap();
        assert_eq!(lines(&found.text), lines(case["text_extracted"].as_str().unwrap()), "{name}");
    }
}

#[test]
fn broken_documents_have_specific_errors() {
    let corrupt = std::fs::read(fixtures().join("files/corrupt_a.epub")).unwrap();
    assert!(matches!(document::read(Format::Epub, &corrupt, &[]), Err(DocumentError::Archive(_))));
    for format in [Format::Docx, Format::Epub, Format::Odt, Format::Pptx, Format::Xlsx] {
        assert!(matches!(document::read(format, b"", &[]), Err(DocumentError::Archive(_))));
    }
    let docx = std::fs::read(fixtures().join("files/report_a.docx")).unwrap();
    assert!(matches!(document::read(Format::Odt, &docx, &[]), Err(DocumentError::PartMissing(_))));
    for cut in [docx.len() / 2, docx.len() - 1] {
        assert!(document::read(Format::Docx, &docx[..cut], &[]).is_err());
    }
}

/// Decompression stops at the limit, whatever sizes the headers declare.
#[test]
fn decompression_bombs_are_rejected() {
    use std::io::Write;
    use zip::write::SimpleFileOptions;
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    let block = vec![b' '; 1 << 20];
    for _ in 0..=(document::DOCUMENT_BYTES_MAX >> 20) {
        writer.write_all(&block).unwrap();
    }
    let bomb = writer.finish().unwrap().into_inner();
    assert!(bomb.len() < 4 << 20);
    assert!(matches!(document::read(Format::Docx, &bomb, &[]), Err(DocumentError::TooLarge)));
}

const ALL: [(&str, &str); 8] = [
    ("dc:title", "Embedded Name ü中 <&>"),
    ("dc:description", "Embedded description"),
    ("dc:creator", "Embedded Creator"),
    ("custom:iscc_rights", "(c) <Rights>"),
    ("custom:iscc_credit", "Credit \"x\""),
    ("custom:iscc_identifier", "id:1"),
    ("custom:iscc_license", "https://example.com/?a&b"),
    ("custom:iscc_meta", "data:,x"),
];

/// Embedding changes the properties of a document, and not its text. Doing it again changes nothing.
#[test]
fn embedded_properties_are_read_back() {
    let files = [
        ("report_a.docx", Format::Docx, "cp:keywords"),
        ("my-notes_v2_a.docx", Format::Docx, "cp:keywords"),
        ("book_a.xlsx", Format::Xlsx, "cp:keywords"),
        ("slides_a.pptx", Format::Pptx, "cp:keywords"),
        ("text_a.odt", Format::Odt, "meta:keyword"),
        ("book2_a.epub", Format::Epub, "dc:subject"),
        ("book3_a.epub", Format::Epub, "dc:subject"),
        ("nocover_a.epub", Format::Epub, "dc:subject"),
    ];
    for (name, format, keywords) in files {
        let original = std::fs::read(fixtures().join("files").join(name)).unwrap();
        let before = document::read(format, &original, &[]).unwrap();
        let mut fields = ALL.to_vec();
        fields.extend([(keywords, "k1"), (keywords, "k2")]);
        if format == Format::Odt {
            fields.push(("meta:initial-creator", "Embedded Creator"));
        }
        let copy = document::embed(format, &original, &fields).unwrap();
        let after = document::read(format, &copy, &[]).unwrap();
        assert_eq!(after.text, before.text, "{name}");
        assert_eq!(after.cover, before.cover, "{name}");
        assert_eq!(after.properties.title.as_deref(), Some(ALL[0].1), "{name}");
        assert_eq!(after.properties.description.as_deref(), Some(ALL[1].1), "{name}");
        assert_eq!(after.properties.creators, ["Embedded Creator"], "{name}");
        assert_eq!(after.properties.rights, before.properties.rights, "{name}");
        // Subjects of an EPUB are not read as keywords, as in the reference.
        let read: &[&str] = if format == Format::Epub { &[] } else { &["k1", "k2"] };
        assert_eq!(after.properties.keywords, read, "{name}");
        for (place, value) in &ALL[3..] {
            let custom = place.strip_prefix("custom:").unwrap();
            assert_eq!(after.properties.custom(custom), Some(*value), "{name}: {place}");
        }
        assert_eq!(document::embed(format, &copy, &fields).unwrap(), copy, "{name}");
        let changed = document::embed(format, &copy, &[("custom:iscc_rights", "New")]).unwrap();
        let changed = document::read(format, &changed, &[]).unwrap().properties;
        let rights = changed.custom.iter().filter(|(name, _)| name == "iscc_rights").count();
        assert_eq!((rights, changed.custom("iscc_rights")), (1, Some("New")), "{name}");
        assert_eq!(changed.custom("iscc_credit"), Some("Credit \"x\""), "{name}");
    }
}

#[test]
fn flat_documents_keep_everything_else() {
    let office = "xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" office:mimetype=\"application/vnd.oasis.opendocument.text\"";
    let body = "<office:body><office:text><text:p>Words</text:p></office:text></office:body>";
    for meta in [
        "",
        "<office:meta/>",
        "<office:meta><dc:title xmlns:dc='http://purl.org/dc/elements/1.1/'>Old</dc:title></office:meta>",
    ] {
        let file = format!("<office:document {office}>{meta}{body}</office:document>");
        assert_eq!(Format::of_properties("text/xml", file.as_bytes()), Some(Format::FlatOdt));
        let copy = document::embed(Format::FlatOdt, file.as_bytes(), &ALL).unwrap();
        let shown = String::from_utf8_lossy(&copy).into_owned();
        let read = document::read(Format::FlatOdt, &copy, &[]).unwrap();
        assert_eq!(read.text.trim(), "Words", "{shown}");
        assert_eq!(read.properties.title.as_deref(), Some(ALL[0].1), "{shown}");
        assert_eq!(read.properties.custom("iscc_credit"), Some("Credit \"x\""), "{shown}");
        assert!(shown.contains(body) && !shown.contains("Old"), "{shown}");
    }
    assert_eq!(Format::of_properties("text/xml", b"<a/>"), None);
}

/// The package's unique identifier must not change.
#[test]
fn books_get_an_identifier_of_its_own() {
    let book = std::fs::read(fixtures().join("files/book3_a.epub")).unwrap();
    let first = document::embed(Format::Epub, &book, &[("dc:identifier", "id:1")]).unwrap();
    let second = document::embed(Format::Epub, &first, &[("dc:identifier", "id:2")]).unwrap();
    let opf = |file: &[u8]| {
        let mut names = zip::ZipArchive::new(std::io::Cursor::new(file)).unwrap();
        let names: Vec<_> = (0..names.len())
            .map(|index| names.by_index(index).unwrap().name().unwrap().into_owned())
            .collect();
        part(file, names.iter().find(|name| name.ends_with(".opf")).unwrap())
    };
    let count = |file: &[u8]| opf(file).matches("<dc:identifier").count();
    assert_eq!(count(&second), count(&book) + 1);
    assert!(opf(&second).contains(">id:2<") && !opf(&second).contains(">id:1<"));
}

/// A copy of an archive with parts renamed, changed or removed by `change`.
fn changed(file: &[u8], change: impl Fn(&str, String) -> Option<(String, Vec<u8>)>) -> Vec<u8> {
    use std::io::{Cursor, Read, Write};
    use zip::write::SimpleFileOptions;
    let mut archive = zip::ZipArchive::new(Cursor::new(file)).unwrap();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        let part = match String::from_utf8(content) {
            Ok(text) => change(&name, text),
            Err(error) => Some((name, error.into_bytes())),
        };
        if let Some((name, content)) = part {
            writer.start_file(name, SimpleFileOptions::default()).unwrap();
            writer.write_all(&content).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

/// A part's text; empty if the part does not exist.
fn part(file: &[u8], name: &str) -> String {
    use std::io::{Cursor, Read};
    let mut archive = zip::ZipArchive::new(Cursor::new(file)).unwrap();
    let mut text = String::new();
    if let Ok(mut entry) = archive.by_name(name) {
        entry.read_to_string(&mut text).unwrap();
    }
    text
}

const TITLE: &str = "New ü中";
const FIELDS: [(&str, &str); 3] =
    [("dc:title", TITLE), ("dc:creator", "New Creator"), ("cp:keywords", "k1, k2")];

fn assert_embedded(file: &[u8], why: &str) -> Vec<u8> {
    let copy = document::embed(Format::Docx, file, &FIELDS).unwrap();
    let again = document::embed(Format::Docx, &copy, &FIELDS).unwrap();
    for copy in [&copy, &again] {
        let read = document::read(Format::Docx, copy, &[]).unwrap();
        assert_eq!(read.properties.title.as_deref(), Some(TITLE), "{why}");
        assert_eq!(read.properties.creators, ["New Creator"], "{why}");
        assert_eq!(read.properties.keywords, ["k1, k2"], "{why}");
        assert_eq!(read.text, document::read(Format::Docx, file, &[]).unwrap().text, "{why}");
    }
    copy
}

const CORE: &str = "docProps/core.xml";
const CP: &str = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties";
const DC: &str = "http://purl.org/dc/elements/1.1/";

#[test]
fn core_properties_are_added_if_missing() {
    let report = std::fs::read(fixtures().join("files/report_a.docx")).unwrap();
    let dangling =
        changed(&report, |name, text| (name != CORE).then(|| (name.to_owned(), text.into_bytes())));
    assert_embedded(&dangling, "a relationship to a missing part");
    let bare = changed(&report, |name, text| {
        let without = |from: &str| {
            let (head, tail) = text.split_once(from).unwrap();
            let start = head.rfind('<').unwrap();
            let end = tail.find("/>").unwrap();
            [&head[..start], &tail[end + 2..]].concat().into_bytes()
        };
        match name {
            CORE => None,
            "_rels/.rels" => Some((name.to_owned(), without("metadata/core-properties"))),
            "[Content_Types].xml" => Some((name.to_owned(), without("core-properties+xml"))),
            _ => Some((name.to_owned(), text.into_bytes())),
        }
    });
    let copy = assert_embedded(&bare, "neither part nor relationship");
    assert!(part(&copy, "_rels/.rels").contains("metadata/core-properties"));
    assert!(part(&copy, "[Content_Types].xml").contains("/docProps/core.xml"));
}

#[test]
fn the_relationship_decides_where_core_properties_are() {
    const ELSEWHERE: &str = "package/services/metadata/core-properties/8f2.psmdcp";
    let report = std::fs::read(fixtures().join("files/report_a.docx")).unwrap();
    let moved = changed(&report, |name, text| {
        let name = if name == CORE { ELSEWHERE } else { name };
        Some((name.to_owned(), text.replace(CORE, ELSEWHERE).into_bytes()))
    });
    let before = document::read(Format::Docx, &report, &[]).unwrap().properties;
    assert_eq!(document::read(Format::Docx, &moved, &[]).unwrap().properties, before);
    let copy = assert_embedded(&moved, "another name");
    assert_eq!(part(&copy, CORE), "");
    assert!(part(&copy, ELSEWHERE).contains("New ü中"));
}

#[test]
fn core_properties_may_use_other_prefixes_and_forms() {
    let report = std::fs::read(fixtures().join("files/report_a.docx")).unwrap();
    for core in [
        format!("<cp:coreProperties xmlns:cp='{CP}'/>"),
        format!("<cp:coreProperties xmlns:cp='{CP}'><cp:keywords/></cp:coreProperties>"),
        format!("<coreProperties xmlns='{CP}'><keywords>old</keywords></coreProperties>"),
        format!(
            "<p:coreProperties xmlns:p='{CP}' xmlns:q='{DC}'><q:title>Old</q:title><q:creator>O</q:creator></p:coreProperties>"
        ),
        format!(
            "<coreProperties xmlns='{CP}'><title xmlns='{DC}'>Old</title><keywords>o</keywords></coreProperties>"
        ),
        format!("<coreProperties xmlns='{CP}' xmlns:dc='http://purl.org/dc/terms/'/>"),
    ] {
        let file = changed(&report, |name, text| {
            let text = if name == CORE { core.clone() } else { text };
            Some((name.to_owned(), text.into_bytes()))
        });
        let copy = assert_embedded(&file, &core);
        let written = part(&copy, CORE);
        // Each prefix is declared, by the element or by the root.
        for prefix in ["dc", "cp"] {
            let is_used = written.contains(&format!("<{prefix}:"));
            assert!(!is_used || written.contains(&format!("xmlns:{prefix}=")), "{written}");
        }
        assert!(!written.contains("Old") && !written.contains(">o"), "{written}");
    }
}

#[test]
fn package_documents_are_converted_to_utf_8() {
    let book = std::fs::read(fixtures().join("files/book3_a.epub")).unwrap();
    let to_latin = |text: &str| text.chars().map(|letter| letter as u8).collect::<Vec<_>>();
    let to_wide = |text: &str| {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()
    };
    let with_rights = |text: String, encoding: &str| {
        let (_, rest) = text.split_once("?>").unwrap();
        let rest = rest.replace("Epub rights", "© Grüße");
        let ascii: String = rest.chars().filter(|letter| *letter <= '\u{ff}').collect();
        format!("<?xml version='1.0' encoding='{encoding}'?>{ascii}")
    };
    for encoding in ["iso-8859-1", "utf-16"] {
        let file = changed(&book, |name, text| {
            let content = match (name.ends_with(".opf"), encoding) {
                (false, _) => text.into_bytes(),
                (true, "utf-16") => to_wide(&with_rights(text, encoding)),
                (true, _) => to_latin(&with_rights(text, encoding)),
            };
            Some((name.to_owned(), content))
        });
        let before = document::read(Format::Epub, &file, &[]).unwrap();
        assert_eq!(before.properties.rights.as_deref(), Some("© Grüße"), "{encoding}");
        let copy = document::embed(Format::Epub, &file, &FIELDS[..2]).unwrap();
        let after = document::read(Format::Epub, &copy, &[]).unwrap();
        assert_eq!(after.text, before.text, "{encoding}");
        assert_eq!(after.properties.title.as_deref(), Some(TITLE), "{encoding}");
        assert_eq!(after.properties.rights, before.properties.rights, "{encoding}");
        let mut names = zip::ZipArchive::new(std::io::Cursor::new(&copy)).unwrap();
        let names: Vec<_> = (0..names.len())
            .map(|index| names.by_index(index).unwrap().name().unwrap().into_owned())
            .collect();
        let package = part(&copy, names.iter().find(|name| name.ends_with(".opf")).unwrap());
        assert!(package.starts_with(r#"<?xml version="1.0" encoding="UTF-8"?>"#), "{package:.80}");
    }
}

#[test]
fn embedding_into_rtf_is_rejected() {
    let result = document::embed(Format::Rtf, b"{\\rtf1 x}", &[]);
    assert!(matches!(result, Err(DocumentError::NotEmbeddable)));
}

/// A binary Word document with the text `lazy dogfrog`, whose last word has a modifier of deletion.
fn word_with_deletion(deletion: u8) -> Vec<u8> {
    const TEXT_AT: u32 = 1024;
    const PAGE: u32 = 3;
    let numbers =
        |values: &[u32]| values.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>();
    let text = b"lazy dogfrog\r";
    let mut main = vec![0; 2048];
    let mut put = |at: usize, bytes: &[u8]| main[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &[0xEC, 0xA5]);
    put(10, &[0, 2]);
    put(76, &numbers(&[text.len() as u32]));
    put(TEXT_AT as usize, text);
    let piece = [
        numbers(&[0, text.len() as u32]),
        vec![0; 2],
        numbers(&[(TEXT_AT * 2) | (1 << 30)]),
        vec![0; 2],
    ];
    let pieces = [vec![2], numbers(&[16]), piece.concat()].concat();
    let end = TEXT_AT + text.len() as u32;
    let formats = numbers(&[TEXT_AT, end, PAGE]);
    put(250, &numbers(&[pieces.len() as u32, formats.len() as u32]));
    put(418, &numbers(&[0, pieces.len() as u32]));
    let page = PAGE as usize * 512;
    put(page, &numbers(&[TEXT_AT, TEXT_AT + 8, TEXT_AT + 12, end]));
    put(page + 16, &[0, 240, 0]);
    put(page + 480, &[3, 0, 8, deletion]);
    put(page + 511, &[3]);
    let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
    file.create_stream("/WordDocument").unwrap().write_all(&main).unwrap();
    file.create_stream("/1Table").unwrap().write_all(&[pieces, formats].concat()).unwrap();
    file.flush().unwrap();
    file.into_inner().into_inner()
}

#[test]
fn deleted_text_of_tracked_changes_is_left_out() {
    let text =
        |deletion| document::read(Format::Doc, &word_with_deletion(deletion), &[]).unwrap().text;
    assert_eq!(text(0).trim(), "lazy dogfrog");
    assert_eq!(text(1).trim(), "lazy dog");
    // The opposite of the style, as newer versions of Word write it.
    assert_eq!(text(0x81).trim(), "lazy dog");
    assert_eq!(text(0x80).trim(), "lazy dogfrog");
}
