//! Office Open XML: core and custom properties (ECMA-376 part 2, 11, and part 1, 22.3).

use quick_xml::escape::escape;
use quick_xml::events::Event;

use super::super::DocumentError;
use super::super::container::{Budget, Container};
use super::super::properties::PropertiesPart;
use super::edit::{Edit, edit, rewrite};
use super::{Properties, replace, split};
use iscc_media::xml::{self, Token};

const CONTENT_TYPES: &str = "[Content_Types].xml";
const RELATIONSHIPS: &str = "_rels/.rels";
const TYPE_NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const RELATIONSHIP_NAMESPACE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const CUSTOM_NAMESPACE: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/custom-properties";
const VALUE_NAMESPACE: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes";

/// A kind of properties part.
struct Kind {
    relationship_id: &'static str,
    relationship: &'static str,
    content_type: &'static str,
    /// The part of documents that have none.
    empty: &'static str,
}

const CORE: Kind = Kind {
    relationship_id: "isccdCore",
    relationship: "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties",
    content_type: "application/vnd.openxmlformats-package.core-properties+xml",
    empty: concat!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
        r#"<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties""#,
        r#" xmlns:dc="http://purl.org/dc/elements/1.1/"/>"#
    ),
};

const CUSTOM: Kind = Kind {
    relationship_id: "isccdCustom",
    relationship: "http://schemas.openxmlformats.org/officeDocument/2006/relationships/custom-properties",
    content_type: "application/vnd.openxmlformats-officedocument.custom-properties+xml",
    empty: concat!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#,
        r#"<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties""#,
        r#" xmlns:vt="http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"/>"#
    ),
};

pub fn embed(bytes: &[u8], properties: &Properties<'_>) -> Result<Vec<u8>, DocumentError> {
    let mut budget = Budget::default();
    let mut container = Container::open(bytes, &mut budget)?;
    let (elements, custom) = split(properties);
    let mut package = Package {
        relationships: container.optional(RELATIONSHIPS)?,
        types: container.part(CONTENT_TYPES)?,
        parts: Vec::new(),
    };
    if !elements.is_empty() {
        let part = PropertiesPart::core(&mut container)?;
        let core = container.optional(&part.name)?;
        let core = core.unwrap_or_else(|| CORE.empty.as_bytes().to_vec());
        let edited = edit(
            &part.name,
            &core,
            &Edit {
                elements: &elements,
                appended: "",
                is_parent: &|name| name == "coreProperties",
                is_removed: &|_, _| false,
            },
        )?;
        package.put(part, edited, &CORE)?;
    }
    if !custom.is_empty() {
        let part = PropertiesPart::custom(&mut container)?;
        let old = container.optional(&part.name)?;
        let old = old.unwrap_or_else(|| CUSTOM.empty.as_bytes().to_vec());
        let edited = edited_custom(&part.name, &old, &custom)?;
        package.put(part, edited, &CUSTOM)?;
    }
    package.written(bytes)
}

/// The parts that change.
struct Package {
    relationships: Option<Vec<u8>>,
    types: Vec<u8>,
    parts: Vec<(String, Vec<u8>)>,
}

impl Package {
    /// Adds a properties part, with its relationship and content type.
    fn put(
        &mut self,
        part: PropertiesPart,
        content: Vec<u8>,
        kind: &Kind,
    ) -> Result<(), DocumentError> {
        let name = part.name;
        if !part.is_related {
            let relationship = format!(
                r#"<Relationship xmlns="{RELATIONSHIP_NAMESPACE}" Id="{}" Type="{}" Target="{}"/>"#,
                kind.relationship_id,
                kind.relationship,
                escape(&name)
            );
            let old = self
                .relationships
                .take()
                .ok_or_else(|| DocumentError::PartMissing(RELATIONSHIPS.to_owned()))?;
            self.relationships = Some(append(RELATIONSHIPS, &old, &relationship)?);
        }
        if !has_type(&self.types, &name, kind.content_type)? {
            let override_type = format!(
                r#"<Override xmlns="{TYPE_NAMESPACE}" PartName="/{}" ContentType="{}"/>"#,
                escape(&name),
                kind.content_type
            );
            self.types = append(CONTENT_TYPES, &self.types, &override_type)?;
        }
        self.parts.push((name, content));
        Ok(())
    }

    fn written(self, bytes: &[u8]) -> Result<Vec<u8>, DocumentError> {
        let mut parts: Vec<(&str, Vec<u8>)> = vec![(CONTENT_TYPES, self.types)];
        parts.extend(self.relationships.map(|relationships| (RELATIONSHIPS, relationships)));
        parts.extend(self.parts.iter().map(|(name, content)| (name.as_str(), content.clone())));
        replace(bytes, &parts)
    }
}

/// Replaces the custom properties with the given names.
fn edited_custom(
    part: &str,
    bytes: &[u8],
    custom: &[(&str, &str)],
) -> Result<Vec<u8>, DocumentError> {
    const FIRST_ID: u32 = 2;
    let is_replaced = |name: &str| custom.iter().any(|(key, _)| *key == name);
    let mut next_id = FIRST_ID;
    xml::for_each_token(part, bytes, |token| {
        if let Token::Open { attributes, .. } = token
            && let Some(id) = attributes.get("pid").and_then(|id| id.parse::<u32>().ok())
            && !attributes.get("name").is_some_and(|name| is_replaced(&name))
        {
            next_id = next_id.max(id.saturating_add(1));
        }
    })?;
    let mut appended = String::new();
    for ((name, value), id) in custom.iter().zip(next_id..) {
        appended.push_str(&format!(
            concat!(
                r#"<property xmlns="{}" fmtid="{{D5CDD505-2E9C-101B-9397-08002B2CF9AE}}" pid="{}" name="{}">"#,
                r#"<vt:lpwstr xmlns:vt="{}">{}</vt:lpwstr></property>"#
            ),
            CUSTOM_NAMESPACE,
            id,
            escape(*name),
            VALUE_NAMESPACE,
            escape(*value)
        ));
    }
    edit(
        part,
        bytes,
        &Edit {
            elements: &[],
            appended: &appended,
            is_parent: &|name| name == "Properties",
            is_removed: &|name, attribute| {
                xml::local(name) == "property"
                    && attribute("name").is_some_and(|it| is_replaced(&it))
            },
        },
    )
}

/// Whether the content types declare a part, by name or by extension.
fn has_type(types: &[u8], part: &str, content_type: &str) -> Result<bool, DocumentError> {
    let extension = part.rsplit_once('.').map_or("", |(_, extension)| extension);
    let mut found = false;
    xml::for_each_token(CONTENT_TYPES, types, |token| {
        let Token::Open { attributes, .. } = token else { return };
        let is = |name: &str, value: &str| {
            attributes.get(name).is_some_and(|it| it.eq_ignore_ascii_case(value))
        };
        found |= is("ContentType", content_type)
            && (is("PartName", &format!("/{part}")) || is("Extension", extension));
    })?;
    Ok(found)
}

/// Appends an element to a part's root.
pub fn append(part: &str, bytes: &[u8], element: &str) -> Result<Vec<u8>, DocumentError> {
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
