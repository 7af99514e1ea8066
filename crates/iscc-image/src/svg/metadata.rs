//! Metadata of an SVG: title, description and the RDF in its `metadata` element.

use iscc_media::xml::{self, Token};

/// The metadata that was found; see [`SvgMetadata::field`].
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SvgMetadata {
    found: Vec<(&'static str, String)>,
}

/// Elements that provide each field, in order of preference.
const SOURCES: [(&str, &[&str]); 11] = [
    ("name", &["iscc:name", "title", "dc:title"]),
    ("description", &["iscc:description", "desc", "dc:description"]),
    ("meta", &["iscc:meta"]),
    ("creator", &["dc:creator"]),
    ("rights", &["dc:rights"]),
    ("identifier", &["dc:identifier"]),
    ("language", &["dc:language"]),
    ("license", &["cc:license"]),
    ("acquire", &["plus:LicensorURL"]),
    ("credit", &["photoshop:Credit"]),
    ("keywords", &["dc:subject"]),
];

/// The elements that provide a field.
pub fn elements_of(field: &str) -> &'static [&'static str] {
    SOURCES.iter().find(|(name, _)| *name == field).map_or(&[], |(_, elements)| elements)
}

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

/// Reads the metadata, up to the first XML error.
pub fn read(bytes: &[u8]) -> SvgMetadata {
    let mut reader = MetadataReader::default();
    // Rendering reports errors; metadata is best effort.
    let _ = xml::for_each_token("svg", bytes, |token| reader.read(&token));
    reader.metadata
}

#[derive(Default)]
struct MetadataReader {
    metadata: SvgMetadata,
    depth: usize,
    /// Prefix of SVG elements, such as `svg:`; usually empty.
    prefix: String,
    /// The element being read, and its depth.
    current: Option<(&'static str, usize)>,
    text: String,
    /// Whether the first list item has ended; it is the value.
    item_ended: bool,
}

impl MetadataReader {
    fn read(&mut self, token: &Token<'_>) {
        match token {
            Token::Open { name, attributes } => {
                self.depth += 1;
                if self.depth == 1 {
                    self.prefix = super::prefix(name).to_owned();
                }
                let name = name.strip_prefix(self.prefix.as_str()).unwrap_or(name);
                let Some(element) = known(name).filter(|_| self.current.is_none()) else { return };
                // Shapes have titles, too; the document's title is a child of the root.
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
                // All keywords, but only the first of several creators and languages.
                if self.current.is_some_and(|(element, _)| element == "dc:subject") {
                    if *name == "rdf:li" {
                        self.text.push_str(", ");
                    }
                } else {
                    self.item_ended |= *name == "rdf:li";
                }
                if let Some((element, depth)) = self.current
                    && depth == self.depth
                {
                    let value = self.text.trim();
                    let value = value.strip_suffix(',').unwrap_or(value);
                    self.metadata.found.push((element, value.to_owned()));
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
