//! XML as a flat run of tokens: all that text extraction needs, and nothing that can grow.

use std::borrow::Cow;

use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::{BytesDecl, BytesStart, Event};
use quick_xml::name::{NamespaceResolver, QName, ResolveResult};
use quick_xml::reader::Config;
use quick_xml::{NsReader, Reader};

use super::DocumentError;
use crate::text::charset;

/// One token. Names are as written, with their prefix; an empty element gives both tokens.
pub enum Token<'a> {
    Open { name: &'a str, attributes: Attributes<'a> },
    Close { name: &'a str },
    Text(&'a str),
}

/// An element's attributes, looked up by their written name.
pub struct Attributes<'a>(&'a BytesStart<'a>);

impl Attributes<'_> {
    /// The attribute's value, or `None` if the element has no such attribute.
    pub fn get(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        // Real documents repeat attributes and leave out quotes; a reader of text need not mind.
        attributes.with_checks(false);
        let found = attributes.flatten().find(|attribute| attribute.key.as_ref() == name)?;
        Some(match quick_xml::escape::unescape_with(&found.value, resolve_html5_entity) {
            Ok(value) => value.into_owned(),
            Err(_) => found.value.into_owned(),
        })
    }
}

/// Calls `visit` for each token of `bytes`. `part` names the source in errors.
///
/// Character references and the entities of HTML are resolved, all others are left out: a document
/// type's own entities are neither read nor expanded.
pub fn walk(
    part: &str,
    bytes: &[u8],
    mut visit: impl FnMut(Token<'_>),
) -> Result<(), DocumentError> {
    let text = decode(bytes);
    let mut reader = Reader::from_str(&text);
    forgive(reader.config_mut());
    loop {
        let event = reader.read_event().map_err(|error| malformed(part, error))?;
        if matches!(event, Event::Eof) {
            return Ok(());
        }
        tokens(&event, |name| Cow::Borrowed(name), &mut visit);
    }
}

/// Like [`walk`], with the names that properties usually have: `dc:title`, whatever the document
/// calls the namespace.
pub fn walk_properties(
    part: &str,
    bytes: &[u8],
    mut visit: impl FnMut(Token<'_>),
) -> Result<(), DocumentError> {
    let text = decode(bytes);
    let mut reader = NsReader::from_str(&text);
    forgive(reader.config_mut());
    loop {
        let event = reader.read_event().map_err(|error| malformed(part, error))?;
        if matches!(event, Event::Eof) {
            return Ok(());
        }
        tokens(&event, |name| property_name(reader.resolver(), QName(name)), &mut visit);
    }
}

/// Namespaces of properties, and the prefix that each usually has.
const PROPERTY_NAMESPACES: [(&str, &str); 3] = [
    ("dc", "http://purl.org/dc/elements/1.1/"),
    ("cp", "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"),
    ("meta", "urn:oasis:names:tc:opendocument:xmlns:meta:1.0"),
];

/// The namespace that is meant by a usual prefix.
pub fn property_namespace(prefix: &str) -> Option<&'static str> {
    PROPERTY_NAMESPACES.iter().find(|(usual, _)| *usual == prefix).map(|(_, namespace)| *namespace)
}

/// An element's name with the usual prefix; as written, where its namespace is not one of properties.
pub fn property_name<'n>(resolver: &NamespaceResolver, name: QName<'n>) -> Cow<'n, str> {
    let (resolved, local) = resolver.resolve_element(name);
    if let ResolveResult::Bound(namespace) = resolved {
        let namespace = namespace.into_inner();
        if let Some((prefix, _)) = PROPERTY_NAMESPACES.iter().find(|(_, it)| *it == namespace) {
            return format!("{prefix}:{}", local.into_inner()).into();
        }
    }
    name.into_inner().into()
}

/// Real documents are not always well-formed; a reader of text need not mind.
fn forgive(config: &mut Config) {
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
}

pub fn malformed(part: &str, error: impl std::fmt::Display) -> DocumentError {
    DocumentError::Malformed { part: part.to_owned(), reason: error.to_string() }
}

/// Visits what an event means, with element names as `name_of` gives them.
fn tokens(
    event: &Event<'_>,
    name_of: impl Fn(&str) -> Cow<'_, str>,
    visit: &mut impl FnMut(Token<'_>),
) {
    match event {
        Event::Start(start) => {
            visit(Token::Open {
                name: &name_of(start.name().as_ref()),
                attributes: Attributes(start),
            });
        }
        Event::Empty(start) => {
            let written = start.name();
            let name = &name_of(written.as_ref());
            visit(Token::Open { name, attributes: Attributes(start) });
            visit(Token::Close { name });
        }
        Event::End(end) => visit(Token::Close { name: &name_of(end.name().as_ref()) }),
        Event::Text(text) => visit(Token::Text(&text.xml10_content())),
        Event::CData(data) => visit(Token::Text(data)),
        Event::GeneralRef(reference) => match reference.resolve_char_ref() {
            Ok(Some(character)) => visit(Token::Text(character.encode_utf8(&mut [0; 4]))),
            Ok(None) => visit(Token::Text(resolve_html5_entity(reference).unwrap_or(""))),
            Err(_) => {}
        },
        Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) | Event::Eof => {}
    }
}

/// As the document states, else UTF-8; wrong bytes become U+FFFD.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    charset::stated_in_xml(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes))
}

/// The declaration of a document that is written as UTF-8, whatever it was before.
pub fn utf8_declaration(declaration: &BytesDecl<'_>) -> BytesDecl<'static> {
    let version = declaration.version();
    let standalone = declaration.standalone().and_then(Result::ok);
    let encoding = declaration.encoding().map(|_| "UTF-8");
    BytesDecl::new(version.as_deref().unwrap_or("1.0"), encoding, standalone.as_deref())
}

#[cfg(test)]
mod tests {
    use super::{Token, walk};

    fn text_of(bytes: &[u8]) -> String {
        let mut text = String::new();
        walk("test", bytes, |token| {
            if let Token::Text(piece) = token {
                text.push_str(piece);
            }
        })
        .unwrap();
        text
    }

    #[test]
    fn entities_resolve_without_expansion() {
        assert_eq!(text_of(b"<a>x &amp; y&nbsp;&#x1F600;&uuml;</a>"), "x & y\u{a0}\u{1F600}\u{fc}");
        let bomb = br#"<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY b "&e;&e;">]><a>1&b;2&e;3</a>"#;
        assert_eq!(text_of(bomb), "123");
    }

    #[test]
    fn encodings_are_found() {
        assert_eq!(text_of(b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xfc</a>"), "\u{fc}");
        let utf16: Vec<u8> =
            "\u{feff}<a>ü😀</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(text_of(&utf16), "ü😀");
    }
}
