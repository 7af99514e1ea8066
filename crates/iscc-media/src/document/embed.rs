//! Writes properties into a copy of a document. All other parts keep their compressed bytes.

use std::io::{Cursor, Write};

use quick_xml::escape::escape;
use quick_xml::events::{BytesStart, BytesText, Event};
use quick_xml::name::{Namespace, NamespaceResolver, QName, ResolveResult};
use quick_xml::{NsReader, Writer};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::container::Container;
use super::properties::PropertiesPart;
use super::xml::{self, Token, malformed};
use super::{DocumentError, Format, epub};

const CONTENT_TYPES: &str = "[Content_Types].xml";
const RELATIONSHIPS: &str = "_rels/.rels";

/// Properties to write; `None` keeps the document's value.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Embed<'a> {
    /// dc:title
    pub title: Option<&'a str>,
    /// dc:description
    pub description: Option<&'a str>,
    /// dc:creator; replaces all creators
    pub creator: Option<&'a str>,
    /// cp:keywords; ignored for EPUB
    pub keywords: Option<&'a str>,
}

/// A copy of the document with the given properties.
///
/// # Errors
/// [`DocumentError::NotEmbeddable`] for formats other than docx and EPUB.
pub fn embed(format: Format, bytes: &[u8], fields: &Embed<'_>) -> Result<Vec<u8>, DocumentError> {
    match format {
        Format::Docx => embed_docx(bytes, fields),
        Format::Epub => {
            let mut container = Container::open(bytes)?;
            let path = epub::package_path(&mut container)?;
            let package = container.part(&path)?;
            // Early versions of EPUB use the element `dc-metadata`.
            let is_parent = |name: &str| matches!(name, "metadata" | "dc-metadata");
            let edited = edit(&path, &package, &elements(fields, false), is_parent)?;
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
    let PropertiesPart { name, is_related } = PropertiesPart::core(&mut container)?;
    let core = container.optional(&name)?.unwrap_or_else(|| EMPTY_CORE.as_bytes().to_vec());
    let is_parent = |name: &str| name == "coreProperties";
    let mut parts = vec![(&*name, edit(&name, &core, &elements(fields, true), is_parent)?)];
    if !is_related {
        let relationships = container.part(RELATIONSHIPS)?;
        let relationship = format!(
            r#"<Relationship xmlns="{RELATIONSHIP_NAMESPACE}" Id="isccdCore" Type="{CORE_RELATIONSHIP}" Target="{}"/>"#,
            escape(&name)
        );
        parts.push((RELATIONSHIPS, append(RELATIONSHIPS, &relationships, &relationship)?));
    }
    let types = container.part(CONTENT_TYPES)?;
    if !has_type(&types, &name)? {
        let override_type = format!(
            r#"<Override xmlns="{TYPE_NAMESPACE}" PartName="/{}" ContentType="{CORE_TYPE}"/>"#,
            escape(&name)
        );
        parts.push((CONTENT_TYPES, append(CONTENT_TYPES, &types, &override_type)?));
    }
    replace(bytes, &parts)
}

/// Core properties for documents without this part (ECMA-376 part 2, 11).
const EMPTY_CORE: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
    r#"<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties""#,
    r#" xmlns:dc="http://purl.org/dc/elements/1.1/"/>"#
);
const CORE_TYPE: &str = "application/vnd.openxmlformats-package.core-properties+xml";
const TYPE_NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const CORE_RELATIONSHIP: &str =
    "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties";
const RELATIONSHIP_NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

/// Whether the content types declare a part as core properties, by name or by extension.
fn has_type(types: &[u8], part: &str) -> Result<bool, DocumentError> {
    let extension = part.rsplit_once('.').map_or("", |(_, extension)| extension);
    let mut found = false;
    xml::for_each_token(CONTENT_TYPES, types, |token| {
        let Token::Open { attributes, .. } = token else { return };
        let is = |name: &str, value: &str| {
            attributes.get(name).is_some_and(|it| it.eq_ignore_ascii_case(value))
        };
        found |= is("ContentType", CORE_TYPE)
            && (is("PartName", &format!("/{part}")) || is("Extension", extension));
    })?;
    Ok(found)
}

/// Appends an element to a part's root.
fn append(part: &str, bytes: &[u8], element: &str) -> Result<Vec<u8>, DocumentError> {
    let mut depth = 0_usize;
    rewrite(part, bytes, |_, event, writer| {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        match event {
            Event::Empty(root) if depth == 0 => {
                writer.write_event(Event::Start(root.borrow()))?;
                writer.get_mut().extend_from_slice(element.as_bytes());
                writer.write_event(Event::End(root.to_end()))?;
            }
            Event::End(_) if depth == 0 => {
                writer.get_mut().extend_from_slice(element.as_bytes());
                writer.write_event(event.borrow())?;
            }
            _ => writer.write_event(event.borrow())?,
        }
        Ok(())
    })
}

/// Rewrites `part` with new text for the given elements. The first of repeated elements is kept.
/// Missing elements are added at the end of the element whose local name satisfies `is_parent`.
fn edit(
    part: &str,
    bytes: &[u8],
    elements: &[(&str, &str)],
    is_parent: impl Fn(&str) -> bool,
) -> Result<Vec<u8>, DocumentError> {
    let mut written: Vec<&str> = Vec::new();
    let mut parent_seen = false;
    let edited = rewrite(part, bytes, |reader, event, writer| {
        let wanted = |start: &BytesStart<'_>| {
            let name = xml::property_name(reader.resolver(), start.name());
            elements.iter().find(|(element, _)| *element == name).copied()
        };
        let is_place = |name: QName<'_>| !parent_seen && is_parent(name.local_name().as_ref());
        match event {
            Event::Start(start) => match wanted(start) {
                Some((name, value)) => {
                    reader.read_to_end(start.name())?;
                    if !written.contains(&name) {
                        write_element(writer, start.borrow(), value)?;
                        written.push(name);
                    }
                }
                None => writer.write_event(event.borrow())?,
            },
            // An empty element is dropped; the new one is added at the end.
            Event::Empty(start) if wanted(start).is_some() => {}
            Event::Empty(start) if is_place(start.name()) => {
                writer.write_event(Event::Start(start.borrow()))?;
                write_missing(writer, reader.resolver(), elements, &written)?;
                writer.write_event(Event::End(start.to_end()))?;
                parent_seen = true;
            }
            Event::End(end) if is_place(end.name()) => {
                write_missing(writer, reader.resolver(), elements, &written)?;
                writer.write_event(event.borrow())?;
                parent_seen = true;
            }
            _ => writer.write_event(event.borrow())?,
        }
        Ok(())
    })?;
    if parent_seen { Ok(edited) } else { Err(malformed(part, "the metadata element is missing")) }
}

/// Writes the elements that are missing. Each declares its prefix if that is undeclared or bound to
/// another namespace.
fn write_missing(
    writer: &mut Writer<Vec<u8>>,
    resolver: &NamespaceResolver,
    elements: &[(&str, &str)],
    written: &[&str],
) -> Result<(), quick_xml::Error> {
    for (name, value) in elements.iter().filter(|(name, _)| !written.contains(name)) {
        let mut start = BytesStart::new(*name);
        let prefix = name.split(':').next().unwrap_or_default();
        if let Some(namespace) = xml::property_namespace(prefix)
            && resolver.resolve_element(QName(name)).0 != ResolveResult::Bound(Namespace(namespace))
        {
            start.push_attribute((&*format!("xmlns:{prefix}"), namespace));
        }
        write_element(writer, start, value)?;
    }
    Ok(())
}

fn write_element(
    writer: &mut Writer<Vec<u8>>,
    start: BytesStart<'_>,
    value: &str,
) -> Result<(), quick_xml::Error> {
    writer.write_event(Event::Start(start.borrow()))?;
    writer.write_event(Event::Text(BytesText::new(value)))?;
    writer.write_event(Event::End(start.to_end()))?;
    Ok(())
}

/// A copy of a part in UTF-8, with each event written by `write`.
fn rewrite(
    part: &str,
    bytes: &[u8],
    mut write: impl FnMut(
        &mut NsReader<&[u8]>,
        &Event<'_>,
        &mut Writer<Vec<u8>>,
    ) -> Result<(), quick_xml::Error>,
) -> Result<Vec<u8>, DocumentError> {
    let text = xml::decode(bytes);
    let mut reader = NsReader::from_str(&text);
    let mut writer = Writer::new(Vec::with_capacity(text.len() + 512));
    loop {
        let event = reader.read_event().map_err(|error| malformed(part, error))?;
        let done = match &event {
            Event::Eof => return Ok(writer.into_inner()),
            Event::Decl(declaration) => writer
                .write_event(Event::Decl(xml::utf8_declaration(declaration)))
                .map_err(Into::into),
            event => write(&mut reader, event, &mut writer),
        };
        done.map_err(|error: quick_xml::Error| malformed(part, error))?;
    }
}

/// A copy of the archive with the given parts replaced, or added at the end.
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
