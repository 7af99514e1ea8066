//! Documents against the text and metadata that the reference extracts.

use std::path::PathBuf;

use iscc_media::document::{self, DocumentError, Embed, Format};
use serde_json::Value;

fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes"))
}

/// What the Text-Code sees: letters, digits and symbols, without case.
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
        // The reference takes every archive without a better name for a Word document.
        if name.ends_with(".zip") {
            continue;
        }
        let found = document::read(format, &bytes).unwrap();
        let expected = case["text_extracted"].as_str().unwrap();
        assert_eq!(collapsed(&found.text), collapsed(expected), "{name}");
        let said = &case["extract_metadata"];
        assert_eq!(found.properties.title.as_deref(), said["name"].as_str(), "{name}");
        if let Some(description) = said["description"].as_str() {
            assert_eq!(found.properties.description.as_deref(), Some(description), "{name}");
        }
        if let Some(creator) = said["creator"].as_str() {
            assert_eq!(
                found.properties.creators.first().map(String::as_str),
                Some(creator),
                "{name}"
            );
        }
        if let Some(keywords) = said["keywords"].as_str() {
            assert_eq!(found.properties.keywords.join(", "), keywords, "{name}");
        }
        assert_eq!(found.properties.rights.as_deref(), said["rights"].as_str(), "{name}");
        let has_cover = !case["thumbnail_info"].is_null();
        assert_eq!(found.cover.is_some(), has_cover, "{name}");
        seen += 1;
    }
    assert!(seen >= 8, "only {seen} documents were compared");
}

/// White space decides where chunks are cut, so it should be the reference's too.
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
        let found = document::read(format, &bytes).unwrap();
        assert_eq!(lines(&found.text), lines(case["text_extracted"].as_str().unwrap()), "{name}");
    }
}

#[test]
fn broken_documents_are_named_errors() {
    let corrupt = std::fs::read(fixtures().join("files/corrupt_a.epub")).unwrap();
    assert!(matches!(document::read(Format::Epub, &corrupt), Err(DocumentError::Archive(_))));
    for format in [Format::Docx, Format::Epub, Format::Odt, Format::Pptx, Format::Xlsx] {
        assert!(matches!(document::read(format, b""), Err(DocumentError::Archive(_))));
    }
    let docx = std::fs::read(fixtures().join("files/report_a.docx")).unwrap();
    assert!(matches!(document::read(Format::Odt, &docx), Err(DocumentError::PartMissing(_))));
    for cut in [docx.len() / 2, docx.len() - 1] {
        assert!(document::read(Format::Docx, &docx[..cut]).is_err());
    }
}

/// A document that decompresses to more than the limit is cut, whatever its headers promise.
#[test]
fn archives_that_grow_are_refused() {
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
    assert!(matches!(document::read(Format::Docx, &bomb), Err(DocumentError::TooLarge)));
}

/// Embedding changes what is said about a document, and nothing of what it says.
#[test]
fn embedded_properties_come_back() {
    let fields = Embed {
        title: Some("Embedded Name ü中 <&>"),
        description: Some("Embedded description"),
        creator: Some("Embedded Creator"),
        keywords: Some("k1, k2"),
    };
    let books = ["book2_a.epub", "book3_a.epub", "nocover_a.epub"];
    for name in ["report_a.docx", "my-notes_v2_a.docx"].iter().chain(&books) {
        let format = if name.ends_with("epub") { Format::Epub } else { Format::Docx };
        let original = std::fs::read(fixtures().join("files").join(name)).unwrap();
        let before = document::read(format, &original).unwrap();
        let copy = document::embed(format, &original, &fields).unwrap();
        let after = document::read(format, &copy).unwrap();
        assert_eq!(after.text, before.text, "{name}");
        assert_eq!(after.cover, before.cover, "{name}");
        assert_eq!(after.properties.title.as_deref(), fields.title, "{name}");
        assert_eq!(after.properties.description.as_deref(), fields.description, "{name}");
        assert_eq!(after.properties.creators, ["Embedded Creator"], "{name}");
        assert_eq!(after.properties.rights, before.properties.rights, "{name}");
        let keywords: &[&str] = if format == Format::Docx { &["k1, k2"] } else { &[] };
        assert_eq!(after.properties.keywords, keywords, "{name}");
    }
}

#[test]
fn a_document_without_core_properties_gets_some() {
    use std::io::{Cursor, Write};
    use zip::write::SimpleFileOptions;
    let report = std::fs::read(fixtures().join("files/report_a.docx")).unwrap();
    let mut archive = zip::ZipArchive::new(Cursor::new(&report[..])).unwrap();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        if name == "docProps/core.xml" {
            continue;
        }
        let mut content = Vec::new();
        std::io::copy(&mut entry, &mut content).unwrap();
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(&content).unwrap();
    }
    let bare = writer.finish().unwrap().into_inner();
    let fields = Embed { title: Some("New"), ..Embed::default() };
    let copy = document::embed(Format::Docx, &bare, &fields).unwrap();
    assert_eq!(
        document::read(Format::Docx, &copy).unwrap().properties.title.as_deref(),
        Some("New")
    );
}

#[test]
fn other_formats_refuse_to_embed() {
    let sheet = std::fs::read(fixtures().join("files/book_a.xlsx")).unwrap();
    let refused = document::embed(Format::Xlsx, &sheet, &Embed::default());
    assert!(matches!(refused, Err(DocumentError::NotEmbeddable)));
}
