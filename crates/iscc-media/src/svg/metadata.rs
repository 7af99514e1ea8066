//! What an SVG says about itself: title, description and the RDF in its `metadata`.

use crate::document::xml::{self, Token};

/// Values in the order that the reference prefers them; see [`SvgMetadata::field`].
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SvgMetadata {
    found: Vec<(&'static str, String)>,
}

/// Elements that give a field, the first of them that is there wins.
const SOURCES: [(&str, &[&str]); 8] = [
    ("name", &["iscc:name", "title", "dc:title"]),
    ("description", &["iscc:description", "desc", "dc:description"]),
    ("meta", &["iscc:meta"]),
    ("creator", &["dc:creator"]),
    ("rights", &["dc:rights"]),
    ("identifier", &["dc:identifier"]),
    ("language", &["dc:language"]),
    ("license", &["cc:license"]),
];

impl SvgMetadata {
    /// A field by its name in an ISCC result.
    pub fn field(&self, name: &str) -> Option<&str> {
        let (_, elements) = SOURCES.iter().find(|(field, _)| *field == name)?;
        elements.iter().find_map(|element| {
            let found = self.found.iter().find(|(key, value)| key == element && !value.is_empty());
            found.map(|(_, value)| value.as_str())
        })
    }
}

/// Reads what is there; a document that is not well-formed gives what stands before the fault.
pub fn read(bytes: &[u8]) -> SvgMetadata {
    let mut reader = MetadataReader::default();
    // The drawing has been refused already if it matters.
    let _ = xml::walk("svg", bytes, |token| reader.take(&token));
    reader.metadata
}

#[derive(Default)]
struct MetadataReader {
    metadata: SvgMetadata,
    depth: usize,
    /// Of the names of a drawing's own elements: `svg:`, mostly nothing.
    prefix: String,
    /// The element being read, and the depth it was opened at.
    current: Option<(&'static str, usize)>,
    text: String,
    /// The first list item is the value; the others are further values.
    item_ended: bool,
}

impl MetadataReader {
    fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::Open { name, attributes } => {
                self.depth += 1;
                if self.depth == 1 {
                    self.prefix = super::prefix(name).to_owned();
                }
                let name = name.strip_prefix(self.prefix.as_str()).unwrap_or(name);
                let Some(element) = known(name).filter(|_| self.current.is_none()) else { return };
                // Shapes have titles too; the document's is a child of the root.
                if matches!(element, "title" | "desc") && self.depth != 2 {
                    return;
                }
                if element == "cc:license"
                    && let Some(license) = attributes.get("rdf:resource")
                {
                    self.metadata.found.push((element, license));
                }
                self.current = Some((element, self.depth));
                self.item_ended = false;
                self.text.clear();
            }
            Token::Text(piece) if self.current.is_some() && !self.item_ended => {
                self.text.push_str(piece);
            }
            Token::Text(_) => {}
            Token::Close { name } => {
                self.item_ended |= *name == "rdf:li";
                if let Some((element, depth)) = self.current
                    && depth == self.depth
                {
                    self.metadata.found.push((element, self.text.trim().to_owned()));
                    self.current = None;
                }
                self.depth = self.depth.saturating_sub(1);
            }
        }
    }
}

fn known(name: &str) -> Option<&'static str> {
    SOURCES.iter().flat_map(|(_, elements)| elements.iter()).find(|known| **known == name).copied()
}
