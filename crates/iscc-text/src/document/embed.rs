//! Writes properties into a copy of a document. All other parts keep their compressed bytes.

mod book;
mod edit;
mod opendocument;
mod package;

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::{DocumentError, Format};

/// Place and value of a property to write. A place is the name of an element, such as `dc:title`, or
/// `custom:` and the name of a custom property. A repeated place is a list. The values replace all
/// values of the place in the document.
pub type Properties<'a> = [(&'a str, &'a str)];

/// A copy of the document with the given properties.
///
/// # Errors
/// [`DocumentError::NotEmbeddable`] for RTF.
pub fn embed(
    format: Format,
    bytes: &[u8],
    properties: &Properties<'_>,
) -> Result<Vec<u8>, DocumentError> {
    match format {
        Format::Docx | Format::Pptx | Format::Xlsx => package::embed(bytes, properties),
        Format::Odt => opendocument::embed(bytes, properties),
        Format::FlatOdt => opendocument::embed_flat(bytes, properties),
        Format::Epub => book::embed(bytes, properties),
        _ => Err(DocumentError::NotEmbeddable),
    }
}

type Pairs<'a> = Vec<(&'a str, &'a str)>;

/// Splits elements from custom properties, whose prefix is removed.
fn split<'a>(properties: &Properties<'a>) -> (Pairs<'a>, Pairs<'a>) {
    let custom =
        |(place, value): &(&'a str, &'a str)| Some((place.strip_prefix("custom:")?, *value));
    let is_element = |(place, _): &&(&str, &str)| !place.starts_with("custom:");
    (
        properties.iter().filter(is_element).copied().collect(),
        properties.iter().filter_map(custom).collect(),
    )
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
