//! OpenDocument: the text nodes of the body, of headers and footers, and of embedded objects, as in
//! the reference.

use std::collections::HashSet;

use super::container::{Budget, Container};
use super::properties::Properties;
use super::protection;
use super::{Document, DocumentError, object};
use iscc_media::xml::{self, Token};

const CONTENT: &str = "content.xml";
const STYLES: &str = "styles.xml";
const META: &str = "meta.xml";

pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let mut container = Container::open(bytes, budget)?;
    if protection::is_open_document_encrypted(&mut container)? {
        return Err(DocumentError::Encrypted);
    }
    // The reference reads the parts in the archive's order, and objects like the document.
    let has_end = |name: &str, end: &str| name == end || name.ends_with(&format!("/{end}"));
    let names = container.names().into_iter();
    // Pictures with text: previews as PDF, and metafiles.
    let is_picture = |name: &str| {
        let folder = name.starts_with("Thumbnails/") || name.starts_with("Pictures/");
        folder
            && [".pdf", ".emf", ".wmf"].iter().any(|end| name.to_ascii_lowercase().ends_with(end))
    };
    let parts: Vec<_> = names
        .filter(|name| has_end(name, CONTENT) || has_end(name, STYLES) || is_picture(name))
        .collect();
    if !parts.iter().any(|name| name == CONTENT) {
        return Err(DocumentError::PartMissing(CONTENT.to_owned()));
    }
    let mut text = Text::default();
    for part in parts {
        let content = container.part(&part)?;
        if is_picture(&part) {
            object::append(&part, &content, container.budget, &mut text.text)?;
            continue;
        }
        let root = if has_end(&part, CONTENT) { BODY } else { MASTER_STYLES };
        text.append(&part, &content, &[root])?;
    }
    let mut properties = Properties::default();
    if let Some(meta) = container.optional(META)? {
        properties = describe(&meta)?;
    }
    Ok(Document { text: text.text, properties, ..Document::default() })
}

/// Reads a document that is a single XML file. The reference leaves out its headers and footers.
pub fn read_flat(bytes: &[u8]) -> Result<Document, DocumentError> {
    const FILE: &str = "document";
    let mut text = Text::default();
    text.append(FILE, bytes, &[BODY])?;
    Ok(Document { text: text.text, properties: describe(bytes)?, ..Document::default() })
}

/// Whether the head of an XML file is that of an OpenDocument text in a single file.
pub fn is_flat(head: &[u8]) -> bool {
    let head = xml::decode(head);
    head.contains("<office:document")
        && head.contains("urn:oasis:names:tc:opendocument:xmlns:office:1.0")
        && head.contains("application/vnd.oasis.opendocument.text")
}

/// Elements that contain text.
const BODY: &str = "office:body";
const MASTER_STYLES: &str = "office:master-styles";

#[derive(Default)]
struct Text {
    text: String,
    /// For each open element inside of the root, whether its character data is text.
    open: Vec<bool>,
    /// Open paragraphs; frames and notes are inside of them.
    paragraphs: u32,
    /// Open elements whose content is ignored.
    ignored: u32,
}

impl Text {
    /// Appends the text inside of the elements `roots`.
    fn append(&mut self, part: &str, content: &[u8], roots: &[&str]) -> Result<(), xml::XmlError> {
        let mut in_root = false;
        xml::for_each_token(part, content, |token| match token {
            Token::Open { name, .. } if roots.contains(&name) => in_root = true,
            Token::Close { name } if roots.contains(&name) => in_root = false,
            _ if !in_root => {}
            Token::Open { name, .. } => self.open(name),
            Token::Close { name } => self.close(name),
            Token::Text(piece) if self.ignored == 0 && self.open.last() == Some(&true) => {
                self.text.push_str(piece);
            }
            Token::Text(_) => {}
        })
    }

    fn open(&mut self, name: &str) {
        self.open.push(is_text(name));
        if is_ignored(name) {
            self.ignored += 1;
        }
        if self.ignored > 0 {
            return;
        }
        match name {
            "text:p" => {
                if self.paragraphs > 0 {
                    self.text.push(' ');
                }
                self.paragraphs += 1;
            }
            "text:s" => self.text.push(' '),
            "text:tab" | "text:list-item" | "table:table-cell" => self.text.push('\t'),
            "text:line-break" => self.text.push('\n'),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        self.open.pop();
        if is_ignored(name) {
            self.ignored = self.ignored.saturating_sub(1);
            return;
        }
        if self.ignored > 0 {
            return;
        }
        match name {
            "text:p" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                self.text.push(if self.paragraphs > 0 { ' ' } else { '\n' });
            }
            "draw:text-box" | "table:table-row" => self.text.push('\n'),
            _ => {}
        }
    }
}

/// Whether the character data of an element is text. Fields with page numbers are not.
fn is_text(name: &str) -> bool {
    match name.split_once(':') {
        Some(("text", local)) => !matches!(local, "page-number" | "page-count"),
        Some(("svg", local)) => matches!(local, "title" | "desc"),
        _ => false,
    }
}

/// Whether the whole content of an element is ignored.
fn is_ignored(name: &str) -> bool {
    match name.split_once(':') {
        Some(("text", local)) => local.ends_with("-template") || local.ends_with("-style"),
        _ => name == "table:covered-table-cell",
    }
}

/// Reads the properties. Both the initial and the last author are creators, as in the reference.
fn describe(meta: &[u8]) -> Result<Properties, DocumentError> {
    let mut properties = Properties::default();
    let mut custom = None;
    let mut subject = None;
    let mut text = String::new();
    let mut in_meta = false;
    xml::for_each_property_token(META, meta, |token| match token {
        Token::Open { name: "office:meta", .. } => in_meta = true,
        Token::Close { name: "office:meta" } => in_meta = false,
        _ if !in_meta => {}
        Token::Open { name, attributes } => {
            custom = (name == "meta:user-defined").then(|| attributes.get("meta:name")).flatten();
            text.clear();
        }
        Token::Text(piece) => text.push_str(piece),
        Token::Close { name } => {
            match custom.take() {
                Some(name) => properties.custom.push((name, text.trim().to_owned())),
                None if name == "meta:initial-creator" => properties.add("dc:creator", &text),
                None if name == "dc:subject" => drop(subject.get_or_insert(text.clone())),
                None => properties.add(name, &text),
            }
            text.clear();
        }
    })?;
    // The subject describes a document without a description, as in the reference.
    if properties.description.is_none() {
        properties.add("dc:description", &subject.unwrap_or_default());
    }
    let mut seen = HashSet::new();
    properties.creators.retain(|creator| seen.insert(creator.clone()));
    Ok(properties)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_describes_a_document_without_description() {
        let description = |elements: &str| {
            let meta = format!(
                "<d xmlns:dc='http://purl.org/dc/elements/1.1/' \
                xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0'>\
                <office:meta>{elements}</office:meta></d>"
            );
            describe(meta.as_bytes()).unwrap().description.unwrap()
        };
        let (subject, text) = ("<dc:subject>S</dc:subject>", "<dc:description>D</dc:description>");
        assert_eq!(description(subject), "S");
        assert_eq!(description(&format!("{subject}{text}")), "D");
        assert_eq!(description(&format!("{text}{subject}")), "D");
    }

    #[test]
    fn each_creator_is_kept_once() {
        // A list of the seen ones takes minutes.
        const COUNT: usize = 300_000;
        let creator = |i: usize| format!("<dc:creator>{}</dc:creator>", i % COUNT);
        let all: String = (0..COUNT + 3).map(creator).collect();
        let meta = format!(
            "<d xmlns:dc='http://purl.org/dc/elements/1.1/' \
            xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0'>\
            <office:meta>{all}</office:meta></d>"
        );
        let creators = describe(meta.as_bytes()).unwrap().creators;
        assert_eq!(creators.len(), COUNT);
        assert_eq!(creators[..3], ["0", "1", "2"]);
    }
}
