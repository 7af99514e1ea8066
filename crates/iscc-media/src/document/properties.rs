//! What a document says about itself.

use super::DocumentError;
use super::container::Container;
use super::xml::{self, Token};

/// Properties in the words of Dublin Core; lists keep the document's order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Properties {
    /// dc:title
    pub title: Option<String>,
    /// dc:description (the comments of an office document)
    pub description: Option<String>,
    /// dc:creator
    pub creators: Vec<String>,
    /// dc:rights
    pub rights: Option<String>,
    /// cp:keywords, meta:keyword
    pub keywords: Vec<String>,
    /// Properties under names of the user's own, e.g. `iscc_name`.
    pub custom: Vec<(String, String)>,
}

impl Properties {
    /// A custom property's value.
    pub fn custom(&self, name: &str) -> Option<&str> {
        self.custom.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Takes in one element; unknown names and empty values change nothing, a first value stays.
    pub(super) fn take(&mut self, element: &str, value: &str) {
        let value = value.trim();
        if value.is_empty() {
            return;
        }
        let single = match element {
            "dc:title" => &mut self.title,
            "dc:description" => &mut self.description,
            "dc:rights" => &mut self.rights,
            "dc:creator" => return self.creators.push(value.to_owned()),
            "cp:keywords" | "meta:keyword" => return self.keywords.push(value.to_owned()),
            _ => return,
        };
        single.get_or_insert_with(|| value.to_owned());
    }
}

/// Calls `take` with the usual name and the text of each element that has no children.
pub(super) fn leaves(
    part: &str,
    bytes: &[u8],
    mut take: impl FnMut(&str, &str),
) -> Result<(), DocumentError> {
    let mut text = String::new();
    xml::walk_properties(part, bytes, |token| match token {
        Token::Open { .. } => text.clear(),
        Token::Text(piece) => text.push_str(piece),
        Token::Close { name } => {
            take(name, &text);
            text.clear();
        }
    })
}

/// Where a package keeps a kind of properties: the part that a relationship leads to, else one of the
/// usual name; the relationship decides where there is neither (ECMA-376 part 2, 9.3).
pub(super) struct PropertiesPart {
    pub name: String,
    /// Whether the package says so.
    pub is_related: bool,
}

impl PropertiesPart {
    pub fn core(container: &mut Container<'_>) -> Result<Self, DocumentError> {
        Self::find(container, "/metadata/core-properties", "docProps/core.xml")
    }

    fn custom(container: &mut Container<'_>) -> Result<Self, DocumentError> {
        Self::find(container, "/custom-properties", "docProps/custom.xml")
    }

    /// Several standards name the kinds; the end of the name is the same in all.
    fn find(container: &mut Container<'_>, kind: &str, usual: &str) -> Result<Self, DocumentError> {
        let relationships = container.relationships("")?;
        let related = relationships.into_iter().find(|it| it.kind.ends_with(kind));
        let has_usual = container.names().iter().any(|name| name == usual);
        Ok(match related {
            Some(it) if !has_usual || container.names().contains(&it.target) => {
                Self { name: it.target, is_related: true }
            }
            _ => Self { name: usual.to_owned(), is_related: false },
        })
    }
}

/// Core and custom properties of an Office Open XML document (ECMA-376 part 2, 11).
pub(super) fn office_open_xml(container: &mut Container<'_>) -> Result<Properties, DocumentError> {
    let mut properties = Properties::default();
    let core = PropertiesPart::core(container)?.name;
    if let Some(bytes) = container.optional(&core)? {
        leaves(&core, &bytes, |name, text| properties.take(name, text))?;
    }
    let custom = PropertiesPart::custom(container)?.name;
    if let Some(bytes) = container.optional(&custom)? {
        let mut key = String::new();
        let mut value = String::new();
        xml::walk(&custom, &bytes, |token| match token {
            Token::Open { name: "property", attributes } => {
                key = attributes.get("name").unwrap_or_default();
                value.clear();
            }
            Token::Text(text) => value.push_str(text),
            Token::Close { name: "property" } => {
                properties.custom.push((key.clone(), value.trim().to_owned()));
            }
            Token::Open { .. } | Token::Close { .. } => {}
        })?;
    }
    Ok(properties)
}
