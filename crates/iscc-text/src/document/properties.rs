//! Properties of a document.

use super::DocumentError;
use super::container::{Container, Relationship};
use iscc_media::metadata::text::Keys;
use iscc_media::xml::{self, Token};

/// Prefix of the types of relationships of packages (ECMA-376 part 2, 9.3).
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/";

/// Properties, named as in Dublin Core. Lists keep the document's order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Properties {
    /// dc:title
    pub title: Option<String>,
    /// dc:description (in office programs: comments)
    pub description: Option<String>,
    /// dc:creator
    pub creators: Vec<String>,
    /// dc:rights
    pub rights: Option<String>,
    /// cp:keywords, meta:keyword
    pub keywords: Vec<String>,
    /// Names and values of custom properties, e.g. `iscc_name`.
    pub custom: Vec<(String, String)>,
}

impl Properties {
    /// A custom property's value.
    pub fn custom(&self, name: &str) -> Option<&str> {
        self.custom.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Adds the value of an element. Ignores unknown names and empty values. Of single values, the
    /// first is kept.
    pub(super) fn add(&mut self, element: &str, value: &str) {
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

impl From<&Properties> for Keys {
    fn from(properties: &Properties) -> Self {
        let mut keys = Self::default();
        let put = |keys: &mut Self, key: &str, values: &mut dyn Iterator<Item = &String>| {
            values.for_each(|value| keys.put(key, value));
        };
        put(&mut keys, "dc:title", &mut properties.title.iter());
        put(&mut keys, "dc:description", &mut properties.description.iter());
        put(&mut keys, "dc:creator", &mut properties.creators.iter());
        put(&mut keys, "dc:rights", &mut properties.rights.iter());
        put(&mut keys, "meta:keyword", &mut properties.keywords.iter());
        for (name, value) in &properties.custom {
            keys.put(&format!("custom:{name}"), value);
        }
        keys
    }
}

/// Calls `visit` with the conventional name (see [`xml::property_name`]) and the text of each
/// element without children.
pub(super) fn for_each_leaf(
    part: &str,
    bytes: &[u8],
    mut visit: impl FnMut(&str, &str),
) -> Result<(), xml::XmlError> {
    let mut text = String::new();
    xml::for_each_property_token(part, bytes, |token| match token {
        Token::Open { .. } => text.clear(),
        Token::Text(piece) => text.push_str(piece),
        Token::Close { name } => {
            visit(name, &text);
            text.clear();
        }
    })
}

/// The part with a kind of properties: the target of a relationship, else the part with the
/// conventional name. If neither part exists, the relationship's target (ECMA-376 part 2, 9.3).
pub(super) struct PropertiesPart {
    pub name: String,
    /// Whether a relationship refers to the part.
    pub is_related: bool,
}

impl PropertiesPart {
    pub fn core(container: &mut Container<'_>) -> Result<Self, DocumentError> {
        Self::find(container, "core-properties", "docProps/core.xml")
    }

    pub fn custom(container: &mut Container<'_>) -> Result<Self, DocumentError> {
        Self::find(container, "custom-properties", "docProps/custom.xml")
    }

    fn find(
        container: &mut Container<'_>,
        kind: &str,
        conventional: &str,
    ) -> Result<Self, DocumentError> {
        let relationships = container.relationships("")?;
        // Packages may have a second part under the prefix of other relationships; it does not count.
        let is_package = |it: &&Relationship| it.is(kind) && it.kind.starts_with(PACKAGE);
        let related = relationships.iter().find(is_package);
        let related = related.or_else(|| relationships.iter().find(|it| it.is(kind)));
        let has_conventional = container.has(conventional);
        Ok(match related {
            Some(it) if !has_conventional || container.has(&it.target) => {
                Self { name: it.target.clone(), is_related: true }
            }
            _ => Self { name: conventional.to_owned(), is_related: false },
        })
    }
}

/// Core and custom properties of an Office Open XML document (ECMA-376 part 2, 11).
pub(super) fn office_open_xml(container: &mut Container<'_>) -> Result<Properties, DocumentError> {
    let mut properties = Properties::default();
    let core = PropertiesPart::core(container)?.name;
    if let Some(bytes) = container.optional(&core)? {
        for_each_leaf(&core, &bytes, |name, text| match name {
            // Office programs separate authors by semicolons.
            "dc:creator" => text.split(';').for_each(|author| properties.add(name, author)),
            _ => properties.add(name, text),
        })?;
    }
    let custom = PropertiesPart::custom(container)?.name;
    if let Some(bytes) = container.optional(&custom)? {
        let mut key = None;
        let mut value = String::new();
        xml::for_each_token(&custom, &bytes, |token| match token {
            Token::Open { name, attributes } if xml::local(name) == "property" => {
                key = Some(attributes.get("name").unwrap_or_default());
                value.clear();
            }
            Token::Text(text) => value.push_str(text),
            // Ends without a start add nothing: each would copy the name and the value.
            Token::Close { name } if xml::local(name) == "property" => {
                properties.custom.extend(key.take().map(|key| (key, value.trim().to_owned())));
            }
            Token::Open { .. } | Token::Close { .. } => {}
        })?;
    }
    Ok(properties)
}

#[cfg(test)]
mod tests {
    use super::super::container::{Budget, Container, archive};
    use super::office_open_xml;

    #[test]
    fn the_properties_of_the_package_count() {
        const TYPE: &str = "http://schemas.openxmlformats.org/package/2006/relationships/metadata";
        let relationships = format!(
            r#"<Relationships>
            <Relationship Id="1" Type="http://office/core-properties" Target="other.xml"/>
            <Relationship Id="2" Type="{TYPE}/core-properties" Target="core.xml"/>
            </Relationships>"#
        );
        let title = |title: &str| {
            const DC: &str = "http://purl.org/dc/elements/1.1/";
            format!(r#"<p xmlns:dc="{DC}"><dc:title>{title}</dc:title></p>"#)
        };
        let bytes = archive(&[
            ("_rels/.rels", relationships.as_str()),
            ("other.xml", &title("other")),
            ("core.xml", &title("title")),
        ]);
        let mut budget = Budget::default();
        let mut container = Container::open_package(&bytes, &mut budget).unwrap();
        assert_eq!(office_open_xml(&mut container).unwrap().title.as_deref(), Some("title"));
    }

    #[test]
    fn ends_without_a_start_are_no_custom_properties() {
        let custom = concat!(
            r#"<Properties><property name="a"><v>1</v></property></property>text</property>"#,
            r#"<x:property name="b"><x:v>2</x:v></x:property></Properties>"#
        );
        let bytes = archive(&[("docProps/custom.xml", custom)]);
        let mut budget = Budget::default();
        let mut container = Container::open_package(&bytes, &mut budget).unwrap();
        let custom = office_open_xml(&mut container).unwrap().custom;
        let expected = [("a", "1"), ("b", "2")];
        assert_eq!(custom, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }
}
