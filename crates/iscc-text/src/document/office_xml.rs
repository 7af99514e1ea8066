//! Office documents in a single XML file: Word and Excel 2003 XML, and Office Open XML packages ("flat
//! OPC").

use std::io::{Cursor, Write};

use base64::Engine;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::container::{Budget, format_of};
use super::odt;
use super::properties::Properties;
use super::{Document, DocumentError, Format, object, read_within};
use iscc_media::xml::{self, Token, XmlError};

/// Name of the file in messages.
const FILE: &str = "document";

/// Namespaces of the formats.
const WORD_2003: &str = "http://schemas.microsoft.com/office/word/2003/wordml";
const EXCEL_2003: &str = "urn:schemas-microsoft-com:office:spreadsheet";
const PACKAGE: &str = "http://schemas.microsoft.com/office/2006/xmlPackage";

/// The format of an XML file that is a document; `None` for other files. `head` is its start.
pub fn format(head: &[u8]) -> Option<Format> {
    if odt::is_flat(head) {
        return Some(Format::FlatOdt);
    }
    let head = xml::decode(head);
    [(PACKAGE, Format::FlatPackage), (WORD_2003, Format::WordXml), (EXCEL_2003, Format::ExcelXml)]
        .into_iter()
        .find(|(namespace, _)| head.contains(namespace))
        .map(|(_, format)| format)
}

/// Reads Word 2003 XML: all text of the document, with field codes, as the reference does, but
/// without deletions of tracked changes.
pub fn read_word(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let mut reader = Word::default();
    let mut files = Vec::new();
    xml::for_each_token(FILE, bytes, |token| reader.read(&token, &mut files))?;
    let mut text = String::with_capacity(reader.text.len());
    let mut from = 0;
    for BinaryData { at, name, digits } in files {
        text.push_str(&reader.text[from..at]);
        from = at;
        let name = name.rsplit('/').next().unwrap_or_default();
        text.push_str(name);
        text.push('\n');
        object::append(name, &decoded(&digits), budget, &mut text)?;
    }
    text.push_str(&reader.text[from..]);
    Ok(Document { text, properties: properties(bytes)?, ..Document::default() })
}

/// A file in the document, with its place in the text.
struct BinaryData {
    at: usize,
    name: String,
    digits: String,
}

#[derive(Default)]
struct Word {
    text: String,
    in_properties: bool,
    file: Option<BinaryData>,
    /// Open annotations, and how many of the outer ones are not deletions.
    annotations: usize,
    deletion: Option<usize>,
}

impl Word {
    fn read(&mut self, token: &Token<'_>, files: &mut Vec<BinaryData>) {
        match token {
            Token::Open { name: "w:binData", attributes } => {
                let name = attributes.get("w:name").unwrap_or_default();
                self.file = Some(BinaryData { at: self.text.len(), name, digits: String::new() });
            }
            Token::Close { name: "w:binData" } => files.extend(self.file.take()),
            Token::Open { name: "o:DocumentProperties" | "o:CustomDocumentProperties", .. } => {
                self.in_properties = true;
            }
            Token::Close { name: "o:DocumentProperties" | "o:CustomDocumentProperties" } => {
                self.in_properties = false;
            }
            Token::Open { name: "aml:annotation", attributes } => {
                self.annotations += 1;
                let kind = attributes.get("w:type");
                if kind.as_deref() == Some("Word.Deletion") {
                    self.deletion.get_or_insert(self.annotations);
                }
            }
            Token::Close { name: "aml:annotation" } => {
                self.deletion.take_if(|depth| *depth >= self.annotations);
                self.annotations = self.annotations.saturating_sub(1);
            }
            Token::Close { name: "w:p" | "w:tr" | "w:br" } => self.text.push('\n'),
            Token::Open { name: "w:tc" | "w:tab", .. } => self.text.push('\t'),
            Token::Text(piece) => match &mut self.file {
                Some(file) => file.digits.push_str(piece),
                None if self.in_properties || self.deletion.is_some() => {}
                None => self.text.push_str(piece),
            },
            Token::Open { .. } | Token::Close { .. } => {}
        }
    }
}

/// Reads Excel 2003 XML: the values of all cells, as they are stored.
pub fn read_excel(bytes: &[u8]) -> Result<Document, DocumentError> {
    let mut text = String::new();
    let mut in_data = 0_u32;
    xml::for_each_token(FILE, bytes, |token| match token {
        Token::Open { name, .. } if xml::local(name) == "Data" => {
            in_data += 1;
            text.push('\t');
        }
        Token::Close { name } if xml::local(name) == "Data" => in_data = in_data.saturating_sub(1),
        Token::Close { name } if xml::local(name) == "Row" => text.push('\n'),
        Token::Text(piece) if in_data > 0 => text.push_str(piece),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })?;
    Ok(Document { text, properties: properties(bytes)?, ..Document::default() })
}

/// The properties of Word and Excel 2003 XML.
fn properties(bytes: &[u8]) -> Result<Properties, XmlError> {
    let mut properties = Properties::default();
    let mut is_open = false;
    let mut value = String::new();
    xml::for_each_token(FILE, bytes, |token| match token {
        Token::Open { name, .. } if xml::local(name) == "DocumentProperties" => is_open = true,
        Token::Close { name } if xml::local(name) == "DocumentProperties" => is_open = false,
        _ if !is_open => {}
        Token::Open { .. } => value.clear(),
        Token::Text(piece) => value.push_str(piece),
        Token::Close { name } => {
            let property = match xml::local(name) {
                "Title" => "dc:title",
                "Author" => "dc:creator",
                "Description" => "dc:description",
                "Keywords" => "cp:keywords",
                _ => "",
            };
            properties.add(property, &value);
            value.clear();
        }
    })?;
    Ok(properties)
}

/// Reads an Office Open XML package in a single file: like the same package as an archive.
pub fn read_package(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let archive = archive(bytes, budget)?;
    match format_of(&archive) {
        Some(format) => read_within(format, &archive, budget),
        None => Err(DocumentError::PartMissing("a document".to_owned())),
    }
}

fn archive(bytes: &[u8], budget: &mut Budget) -> Result<Vec<u8>, DocumentError> {
    let xml = xml::decode(bytes);
    budget.take(xml.len())?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    // Real parts cannot contain the tags of parts, so they can be found without parsing.
    for part in xml.split("<pkg:part ").skip(1) {
        let Some(name) = part.split_once("pkg:name=\"").and_then(|(_, rest)| rest.split_once('"'))
        else {
            continue;
        };
        let content =
            between(part, "<pkg:xmlData", "</pkg:xmlData>").map(|it| it.as_bytes().into());
        let binary = || between(part, "<pkg:binaryData", "</pkg:binaryData>").map(decoded);
        let Some(content) = content.or_else(binary) else { continue };
        let content: Vec<u8> = content;
        writer.start_file(name.0.trim_start_matches('/'), options)?;
        writer.write_all(&content).map_err(zip::result::ZipError::Io)?;
    }
    Ok(writer.finish()?.into_inner())
}

/// The content of an element whose start tag may have attributes.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(open)?;
    let (_, rest) = rest.split_once('>')?;
    Some(rest.rsplit_once(close)?.0)
}

/// Decodes base64 with white space; empty for damaged data.
fn decoded(digits: &str) -> Vec<u8> {
    let digits: String = digits.split_ascii_whitespace().collect();
    base64::prelude::BASE64_STANDARD.decode(digits).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn files_in_word_xml_are_not_text() {
        let word = format!(
            "<w:wordDocument xmlns:w=\"{WORD_2003}\" xmlns:o=\"o\" xmlns:aml=\"a\"><o:DocumentProperties>\
             <o:Title>Titel</o:Title><o:Author>Autorin</o:Author><o:Words>38</o:Words></o:DocumentProperties>\
             <w:body><w:p><w:r><w:t>Der Text</w:t></w:r><aml:annotation w:type=\"Word.Deletion\"><w:r>\
             <w:delText>geheim</w:delText></w:r></aml:annotation></w:p><w:p><w:r><w:pict>\
             <w:binData w:name=\"wordml://1.txt\">VGV4dCBlaW5lciBEYXRlaQ==</w:binData></w:pict></w:r></w:p>\
             </w:body></w:wordDocument>"
        );
        assert_eq!(format(word.as_bytes()), Some(Format::WordXml));
        let document = read(Format::WordXml, word.as_bytes(), &[]).unwrap();
        assert_eq!(document.text, "Der Text\n1.txt\nText einer Datei\n\n");
        assert_eq!(document.properties.title.as_deref(), Some("Titel"));
        assert_eq!(document.properties.creators, ["Autorin"]);
    }

    #[test]
    fn excel_xml_has_the_values_of_its_cells() {
        let excel = format!(
            "<Workbook xmlns=\"{EXCEL_2003}\"><DocumentProperties><Author>A</Author></DocumentProperties>\
             <Worksheet><Table><Row><Cell><Data>1</Data></Cell><Cell><Data>b</Data></Cell></Row></Table>\
             <WorksheetOptions><X>9</X></WorksheetOptions></Worksheet></Workbook>"
        );
        assert_eq!(format(excel.as_bytes()), Some(Format::ExcelXml));
        assert_eq!(read(Format::ExcelXml, excel.as_bytes(), &[]).unwrap().text, "\t1\tb\n");
    }

    #[test]
    fn a_package_in_one_file_is_read_like_an_archive() {
        let relations = "<Relationships><Relationship Id=\"r\" Type=\"x/officeDocument\" \
             Target=\"word/document.xml\"/></Relationships>";
        let part = |name: &str, xml: &str| {
            format!("<pkg:part pkg:name=\"{name}\"><pkg:xmlData>{xml}</pkg:xmlData></pkg:part>")
        };
        let document =
            "<w:document><w:body><w:p><w:r><w:t>flach</w:t></w:r></w:p></w:body></w:document>";
        let package = format!(
            "<pkg:package xmlns:pkg=\"{PACKAGE}\">{}{}</pkg:package>",
            part("/_rels/.rels", relations),
            part("/word/document.xml", document)
        );
        assert_eq!(format(package.as_bytes()), Some(Format::FlatPackage));
        assert_eq!(read(Format::FlatPackage, package.as_bytes(), &[]).unwrap().text, "flach\n");
        assert!(read(Format::FlatPackage, b"<pkg:package/>", &[]).is_err());
    }
}
