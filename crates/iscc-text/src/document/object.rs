//! Files embedded in documents: OLE objects, documents, archives and pictures with text.

use super::container::{Budget, Container, format_of};
use super::ole::{Ole, slice, u16_at, u32_at};
use super::rtf::charset::of_code_page;
use super::{DocumentError, Format, metafile, ole, read_inner};
use crate::text::{html, xml};
use iscc_media::charset;
use iscc_media::mediatype;

/// Bytes at the start of a file that contain the signature of a PDF.
const PDF_HEAD_BYTES: usize = 1024;

/// Appends the text of an embedded file of any kind. Files without text, damaged ones, and those in
/// too many levels of files have none.
pub fn append(
    name: &str,
    content: &[u8],
    budget: &mut Budget,
    text: &mut String,
) -> Result<(), DocumentError> {
    let Some(depth) = budget.depth.checked_sub(1) else { return Ok(()) };
    budget.depth = depth;
    let result = append_file(name, content, budget, text);
    budget.depth = depth + 1;
    match result {
        Err(DocumentError::TooLarge) => Err(DocumentError::TooLarge),
        _ => Ok(()),
    }
}

fn append_file(
    name: &str,
    content: &[u8],
    budget: &mut Budget,
    text: &mut String,
) -> Result<(), DocumentError> {
    let head = &content[..content.len().min(PDF_HEAD_BYTES)];
    if memchr::memmem::find(head, b"%PDF-").is_some() {
        return budget.append_pdf(content, text);
    }
    if Format::Doc.has_signature(content) {
        let held = Held::of(&mut Ole::open(content, budget)?)?;
        return match held {
            Held::Native { content, .. } | Held::Contents(content) | Held::Package(content) => {
                append(name, &content, budget, text)
            }
            Held::Document(_) => append_document(Format::Doc, content, budget, text),
            Held::Graph | Held::Link | Held::Other(_) => Ok(()),
        };
    }
    if content.starts_with(b"PK\x03\x04") {
        return match format_of(content) {
            Some(format) => append_document(format, content, budget, text),
            None => append_archive(content, budget, text),
        };
    }
    if Format::Rtf.has_signature(content) {
        return append_document(Format::Rtf, content, budget, text);
    }
    metafile::append(content, text);
    let is_plain = mediatype::is_text(&content[..content.len().min(mediatype::HEAD_BYTES_MAX)]);
    match mediatype::inspect(content, name).mediatype {
        "message/rfc822" => return append_document(Format::Mail, content, budget, text),
        "text/html" | "application/xhtml+xml" => {
            push(&html::extract(&html::decode(content)).text, budget, text)?;
        }
        "text/xml" | "application/xml" | "image/svg+xml" => {
            push(&xml::extract(&charset::decode_xml(content)).text, budget, text)?;
        }
        mediatype if mediatype.starts_with("text/") && is_plain => {
            push(&charset::decode(content), budget, text)?;
        }
        _ => {}
    }
    Ok(())
}

fn push(piece: &str, budget: &mut Budget, text: &mut String) -> Result<(), DocumentError> {
    budget.take(piece.len())?;
    text.push_str(piece);
    text.push('\n');
    Ok(())
}

fn append_document(
    format: Format,
    content: &[u8],
    budget: &mut Budget,
    text: &mut String,
) -> Result<(), DocumentError> {
    if let Some(document) = read_inner(format, content, budget)? {
        push(&document.text, budget, text)?;
    }
    Ok(())
}

/// Appends names and texts of the files of an archive.
fn append_archive(
    content: &[u8],
    budget: &mut Budget,
    text: &mut String,
) -> Result<(), DocumentError> {
    const FILES_MAX: usize = 1000;
    let mut container = Container::open(content, budget)?;
    let names = container.names();
    for name in names.into_iter().filter(|name| !name.ends_with('/')).take(FILES_MAX) {
        text.push_str(&name);
        text.push('\n');
        if is_without_text(&name) {
            continue;
        }
        let content = match container.optional(&name) {
            Err(DocumentError::TooLarge) => return Err(DocumentError::TooLarge),
            content => content.ok().flatten(),
        };
        if let Some(content) = content {
            append(&name, &content, container.budget, text)?;
        }
    }
    Ok(())
}

/// Whether a file's name is that of a picture, sound or film: large, and without text.
pub fn is_without_text(name: &str) -> bool {
    const EXTENSIONS: [&str; 22] = [
        "png", "jpg", "jpeg", "jfif", "gif", "bmp", "dib", "tif", "tiff", "webp", "ico", "pcx",
        "mp3", "mp4", "wav", "wma", "wmv", "avi", "mov", "mpg", "mpeg", "m4a",
    ];
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    EXTENSIONS.contains(&extension.as_str())
}

/// What a storage of a compound file holds.
pub enum Held {
    /// A file of another program, with the name that is shown for it.
    Native { label: String, content: Vec<u8> },
    /// A file of another program without a name.
    Contents(Vec<u8>),
    /// An Office Open XML document.
    Package(Vec<u8>),
    /// A document of the binary Office formats: the extension of its format.
    Document(&'static str),
    /// A chart of Microsoft Graph, whose cells are not read.
    Graph,
    /// A link to a file.
    Link,
    /// Something else: the extension that the reference gives it, if it has one.
    Other(Option<&'static str>),
}

impl Held {
    /// Looks into the storage that `ole` is in.
    pub fn of(ole: &mut Ole<'_>) -> Result<Self, DocumentError> {
        if let Some(content) = ole.optional("/Package")? {
            return Ok(Self::Package(content));
        }
        if ole.is_graph() {
            return Ok(Self::Graph);
        }
        if let Some(extension) = ole.extension() {
            return Ok(Self::Document(extension));
        }
        if let Some(stream) = ole.optional("/\u{1}Ole10Native")? {
            return Ok(native(&stream).unwrap_or(Self::Other(None)));
        }
        for name in ["/CONTENTS", "/EmbeddedOdf"] {
            if let Some(content) = ole.optional(name)? {
                return Ok(Self::Contents(content));
            }
        }
        Ok(Self::Other((!ole.has("/\u{1}CompObj")).then_some("unknown")))
    }
}

/// The file of a package object ([MS-OLEDS] 2.3.6 with the fields of the packager).
fn native(stream: &[u8]) -> Option<Held> {
    let total = u32_at(stream, 0)? as usize;
    let bytes = slice(stream, 4, total.min(stream.len() - 4))?;
    packaged(bytes).or_else(|| {
        // Without fields: the bytes of the object.
        Some(Held::Contents(bytes.to_vec()))
    })
}

/// Label and content of the packager's stream.
pub fn packaged(bytes: &[u8]) -> Option<Held> {
    const EMBEDDED: u32 = 3 << 16;
    if u16_at(bytes, 0)? != 2 {
        return None;
    }
    let mut at = 2;
    let mut string = || {
        let rest = bytes.get(at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        at += length + 1;
        Some(of_bytes(&rest[..length]))
    };
    let label = string()?;
    string()?;
    let kind = u32_at(bytes, at)?;
    if kind & 0xFFFF_0000 != EMBEDDED {
        return Some(Held::Link);
    }
    let path = u32_at(bytes, at + 4)? as usize;
    let at = (at + 8).checked_add(path)?;
    let length = u32_at(bytes, at)? as usize;
    let content = bytes.get(at + 4..)?;
    Some(Held::Native { label, content: content[..length.min(content.len())].to_vec() })
}

fn of_bytes(bytes: &[u8]) -> String {
    of_code_page(1252).decode_without_bom_handling(bytes).0.into_owned()
}

/// Appends name and text of a part of a package. An object has the name under its `icon`, if it is
/// shown as one; else a package of another program has its label, and other files without a part of
/// their own have no name.
pub fn append_named(
    icon: Option<&str>,
    part: &str,
    content: &[u8],
    budget: &mut Budget,
    text: &mut String,
) -> Result<(), DocumentError> {
    let held = match Format::Doc.has_signature(content) {
        true => Ole::open(content, budget).and_then(|mut ole| Held::of(&mut ole)),
        false => Ok(Held::Document("")),
    };
    let (name, content) = match held {
        Ok(Held::Native { label, content }) => (Some(label), content),
        Ok(Held::Contents(content) | Held::Package(content)) => (icon.map(str::to_owned), content),
        Ok(Held::Document(_)) => (Some(icon.unwrap_or(part).to_owned()), content.to_vec()),
        Ok(Held::Link) => (icon.map(str::to_owned), Vec::new()),
        Ok(Held::Graph | Held::Other(_)) => (Some(part.to_owned()), Vec::new()),
        Err(DocumentError::TooLarge) => return Err(DocumentError::TooLarge),
        Err(_) => (Some(part.to_owned()), Vec::new()),
    };
    name.iter().for_each(|name| line(name, text));
    append(name.as_deref().unwrap_or_default(), &content, budget, text)
}

/// Appends the objects in the storages of a binary document, with the names that the reference gives
/// them.
pub fn append_storages(
    ole: &mut Ole<'_>,
    parent: &str,
    is_object: impl Fn(&str) -> bool,
    text: &mut String,
) -> Result<(), DocumentError> {
    const OBJECTS_MAX: usize = 1000;
    let names = ole.storages(parent).into_iter().filter(|name| is_object(name));
    for name in names.take(OBJECTS_MAX) {
        let Some(depth) = ole.budget().depth.checked_sub(1) else { return Ok(()) };
        ole.budget().depth = depth;
        let outer = ole.enter(&format!("{parent}/{name}"));
        let result = append_storage(ole, &name, text);
        ole.leave(outer);
        ole.budget().depth = depth + 1;
        if let Err(DocumentError::TooLarge) = result {
            return Err(DocumentError::TooLarge);
        }
    }
    Ok(())
}

/// Appends an object that is a compound file of its own, in a document that gives it a name.
///
/// Objects of unknown programs are left out, unless they have storages, as macros do; and files of a packager that no program has opened: they lack the stream
/// with the state of the object.
pub fn append_compound(
    name: &str,
    content: &[u8],
    budget: &mut Budget,
    text: &mut String,
) -> Result<(), DocumentError> {
    let Some(depth) = budget.depth.checked_sub(1) else { return Ok(()) };
    budget.depth = depth;
    let result = Ole::open(content, budget).and_then(|mut ole| match Held::of(&mut ole)? {
        Held::Other(kind) if kind.is_none() || ole.storages("").is_empty() => Ok(()),
        Held::Native { .. } if !ole.has("/\u{3}ObjInfo") => Ok(()),
        held => append_held(held, &mut ole, name, text),
    });
    budget.depth = depth + 1;
    match result {
        Err(DocumentError::TooLarge) => Err(DocumentError::TooLarge),
        _ => Ok(()),
    }
}

fn append_storage(ole: &mut Ole<'_>, name: &str, text: &mut String) -> Result<(), DocumentError> {
    append_held(Held::of(ole)?, ole, name, text)
}

fn append_held(
    held: Held,
    ole: &mut Ole<'_>,
    name: &str,
    text: &mut String,
) -> Result<(), DocumentError> {
    match held {
        Held::Native { label, content } => {
            line(&format!("{name}/{label}"), text);
            append(&label, &content, ole.budget(), text)
        }
        Held::Package(content) => append("", &content, ole.budget(), text),
        Held::Contents(content) => {
            line(&format!("{name}.{}", extension(&content)), text);
            append("", &content, ole.budget(), text)
        }
        Held::Document(extension) => {
            line(&format!("{name}.{extension}"), text);
            let document = ole::document(ole)?;
            push(&document.text, ole.budget(), text)
        }
        Held::Graph | Held::Link => Ok(()),
        Held::Other(extension) => {
            if let Some(extension) = extension {
                line(&format!("{name}.{extension}"), text);
            }
            Ok(())
        }
    }
}

/// The extension of an object's file.
pub fn extension(content: &[u8]) -> &'static str {
    match mediatype::from_bytes(content) {
        Some("application/pdf") => "pdf",
        Some("text/rtf" | "application/rtf") => "rtf",
        _ if content.starts_with(b"PK\x03\x04") => match format_of(content) {
            Some(Format::Docx) => "docx",
            Some(Format::Xlsx) => "xlsx",
            Some(Format::Pptx) => "pptx",
            _ => "zip",
        },
        _ if Format::Doc.has_signature(content) => {
            let mut budget = Budget::default();
            let ole = Ole::open(content, &mut budget).ok();
            ole.and_then(|ole| ole.extension()).unwrap_or("ole")
        }
        _ => super::picture::extension(content).unwrap_or("bin"),
    }
}

fn line(name: &str, text: &mut String) {
    text.push_str(name);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::*;

    fn shown(streams: &[(&str, &[u8])]) -> String {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        for (path, bytes) in streams {
            if let Some((folder, _)) =
                path.rsplit_once('/').filter(|(folder, _)| !folder.is_empty())
            {
                file.create_storage_all(folder).unwrap();
            }
            file.create_stream(path).unwrap().write_all(bytes).unwrap();
        }
        file.flush().unwrap();
        let mut text = String::new();
        let content = file.into_inner().into_inner();
        append_compound("X", &content, &mut Budget::default(), &mut text).unwrap();
        text
    }

    /// A stream of the packager with a file, or a link to one.
    fn packager(kind: u16) -> Vec<u8> {
        let fields = [b"\x02\0note.txt\0C:\\note.txt\0\0\0", &kind.to_le_bytes()[..]].concat();
        let file = [&fields[..], &[4, 0, 0, 0], b"C:\\\0", &[5, 0, 0, 0], b"Hallo"].concat();
        [&(file.len() as u32).to_le_bytes()[..], &file].concat()
    }

    #[test]
    fn compound_objects_are_shown_as_in_the_reference() {
        const NATIVE: &str = "/\u{1}Ole10Native";
        const INFO: (&str, &[u8]) = ("/\u{3}ObjInfo", b"x");
        let (file, link) = (packager(3), packager(1));
        assert_eq!(shown(&[(NATIVE, &file), INFO]), "X/note.txt\nHallo\n");
        assert_eq!(shown(&[(NATIVE, &file)]), "");
        assert_eq!(shown(&[(NATIVE, &link), INFO]), "");
        assert_eq!(shown(&[("/VBA/Module1", b"x"), ("/PROJECT", b"x")]), "X.unknown\n");
        assert_eq!(shown(&[("/PROJECT", b"x")]), "");
        assert_eq!(shown(&[("/\u{1}CompObj", b"x"), ("/A/b", b"x")]), "");
    }
}
