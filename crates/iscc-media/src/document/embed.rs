//! Writes properties into a copy of a document. Every other part keeps its compressed bytes.

use std::io::{Cursor, Write};

use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::container::Container;
use super::{DocumentError, Format, epub};

const CORE: &str = "docProps/core.xml";
const CONTENT_TYPES: &str = "[Content_Types].xml";
const RELATIONSHIPS: &str = "_rels/.rels";

/// What to write; `None` leaves what the document has.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Embed<'a> {
    /// dc:title
    pub title: Option<&'a str>,
    /// dc:description
    pub description: Option<&'a str>,
    /// dc:creator; replaces all creators
    pub creator: Option<&'a str>,
    /// cp:keywords; EPUB has no such element
    pub keywords: Option<&'a str>,
}

/// A copy of the document with the given properties.
///
/// Formats without a place for them (all but docx and epub) are [`DocumentError::NotEmbeddable`].
pub fn embed(format: Format, bytes: &[u8], fields: &Embed<'_>) -> Result<Vec<u8>, DocumentError> {
    match format {
        Format::Docx => embed_docx(bytes, fields),
        Format::Epub => {
            let mut container = Container::open(bytes)?;
            let path = epub::package_path(&mut container)?;
            let package = container.part(&path)?;
            let elements = elements(fields, false);
            let edited = edit(&path, &package, &elements, |name| name.ends_with("metadata"))?;
            replace(bytes, &[(&path, edited)])
        }
        Format::Odt | Format::Pptx | Format::Rtf | Format::Xlsx => {
            Err(DocumentError::NotEmbeddable)
        }
    }
}

fn elements<'a>(fields: &Embed<'a>, keywords: bool) -> Vec<(&'static str, &'a str)> {
    [
        ("dc:title", fields.title),
        ("dc:description", fields.description),
        ("dc:creator", fields.creator),
        ("cp:keywords", fields.keywords.filter(|_| keywords)),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.map(|value| (name, value)))
    .collect()
}

fn embed_docx(bytes: &[u8], fields: &Embed<'_>) -> Result<Vec<u8>, DocumentError> {
    let mut container = Container::open(bytes)?;
    let elements = elements(fields, true);
    let root = |name: &str| name == "cp:coreProperties";
    if let Some(core) = container.optional(CORE)? {
        return replace(bytes, &[(CORE, edit(CORE, &core, &elements, root)?)]);
    }
    let core = edit(CORE, EMPTY_CORE.as_bytes(), &elements, root)?;
    let types = insert(container.part(CONTENT_TYPES)?, "</Types>", CORE_TYPE)?;
    let relationships =
        insert(container.part(RELATIONSHIPS)?, "</Relationships>", CORE_RELATIONSHIP)?;
    replace(bytes, &[(CONTENT_TYPES, types), (RELATIONSHIPS, relationships), (CORE, core)])
}

/// Core properties of a document that had none (ECMA-376 part 2, 11).
const EMPTY_CORE: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
    r#"<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties""#,
    r#" xmlns:dc="http://purl.org/dc/elements/1.1/"></cp:coreProperties>"#
);
const CORE_TYPE: &str = r#"<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>"#;
const CORE_RELATIONSHIP: &str = r#"<Relationship Id="isccdCore" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>"#;

/// Puts `addition` before the last `end` tag.
fn insert(part: Vec<u8>, end: &str, addition: &str) -> Result<Vec<u8>, DocumentError> {
    let text = String::from_utf8_lossy(&part).into_owned();
    let (head, tail) =
        text.rsplit_once(end).ok_or_else(|| DocumentError::PartMissing(end.to_owned()))?;
    Ok(format!("{head}{addition}{end}{tail}").into_bytes())
}

/// Rewrites `part`: the elements named get their new text once, the rest stays as it is. What the
/// part lacks is added before the end of the element that `is_parent` knows.
fn edit(
    part: &str,
    bytes: &[u8],
    elements: &[(&str, &str)],
    is_parent: impl Fn(&str) -> bool,
) -> Result<Vec<u8>, DocumentError> {
    let malformed = |reason: String| DocumentError::Malformed { part: part.to_owned(), reason };
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    let mut writer = Writer::new(Vec::with_capacity(bytes.len() + 512));
    let mut write =
        |event: Event<'_>| writer.write_event(event).map_err(|e| malformed(e.to_string()));
    let mut written: Vec<&str> = Vec::new();
    let mut parent_seen = false;
    loop {
        let event = reader.read_event().map_err(|error| malformed(error.to_string()))?;
        let wanted = |name: &str| elements.iter().find(|(element, _)| *element == name).copied();
        match &event {
            Event::Eof => break,
            Event::Start(start) if wanted(start.name().as_ref()).is_some() => {
                let (name, value) = wanted(start.name().as_ref()).unwrap_or_default();
                reader.read_to_end(start.name()).map_err(|error| malformed(error.to_string()))?;
                if !written.contains(&name) {
                    write(Event::Start(start.borrow()))?;
                    write(Event::Text(BytesText::new(value)))?;
                    write(Event::End(BytesEnd::new(name)))?;
                    written.push(name);
                }
            }
            // An empty element is as good as none: the new one is added at the end.
            Event::Empty(start) if wanted(start.name().as_ref()).is_some() => {}
            Event::End(end) if is_parent(end.name().as_ref()) && !parent_seen => {
                parent_seen = true;
                for (name, value) in elements.iter().filter(|(name, _)| !written.contains(name)) {
                    write(Event::Start(BytesStart::new(*name)))?;
                    write(Event::Text(BytesText::new(value)))?;
                    write(Event::End(BytesEnd::new(*name)))?;
                }
                write(event.borrow())?;
            }
            _ => write(event.borrow())?,
        }
    }
    if parent_seen {
        Ok(writer.into_inner())
    } else {
        Err(malformed("no place for metadata".to_owned()))
    }
}

/// A copy of the archive in which some parts have other bytes, and new ones stand at the end.
fn replace(bytes: &[u8], parts: &[(&str, Vec<u8>)]) -> Result<Vec<u8>, DocumentError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::with_capacity(bytes.len() + 4096)));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let write = |writer: &mut ZipWriter<_>, name: &str, content: &[u8]| {
        writer.start_file(name, options)?;
        writer.write_all(content).map_err(zip::result::ZipError::Io)
    };
    let mut replaced: Vec<&str> = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index)?;
        let name = entry.name()?.into_owned();
        match parts.iter().find(|(part, _)| *part == name) {
            Some((part, content)) => {
                write(&mut writer, part, content)?;
                replaced.push(part);
            }
            None => writer.raw_copy_file(entry)?,
        }
    }
    for (part, content) in parts.iter().filter(|(part, _)| !replaced.contains(part)) {
        write(&mut writer, part, content)?;
    }
    Ok(writer.finish()?.into_inner())
}
