//! XML as a sequence of tokens, in constant memory.

mod entities;
pub mod prolog;
pub(crate) mod tree;

pub use entities::expanded;

use std::borrow::Cow;

use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::{BytesDecl, BytesStart, Event};
use quick_xml::name::{NamespaceResolver, QName, ResolveResult};
use quick_xml::reader::Config;
use quick_xml::{NsReader, Reader};

use crate::charset;

/// A document, or a part of one, is not well-formed.
#[derive(Debug, thiserror::Error)]
#[error("malformed XML in {part:?}: {reason}")]
pub struct XmlError {
    /// Name of the part, for the message.
    part: String,
    /// The parser's message.
    reason: String,
}

/// A token. Names include their prefix. An empty element has an `Open` and a `Close` token.
pub enum Token<'a> {
    /// A start tag, or the first of an empty element.
    Open {
        /// Name with its prefix.
        name: &'a str,
        /// In the order of the document.
        attributes: Attributes<'a>,
    },
    /// An end tag, or the second of an empty element.
    Close {
        /// Name with its prefix.
        name: &'a str,
    },
    /// Character data, with references resolved.
    Text(&'a str),
}

/// The attributes of an element.
pub struct Attributes<'a>(&'a BytesStart<'a>);

impl Attributes<'_> {
    /// The value of the attribute with the given name and prefix.
    pub fn get(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        // Accept repeated attributes and missing quotes, which occur in practice.
        attributes.with_checks(false);
        let found = attributes.flatten().find(|attribute| attribute.key.as_ref() == name)?;
        Some(match quick_xml::escape::unescape_with(&found.value, resolve_html5_entity) {
            Ok(value) => value.into_owned(),
            Err(_) => found.value.into_owned(),
        })
    }
}

/// Calls `visit` for each token of `bytes`. Errors name the `part`.
///
/// Character references, the entities of HTML and the document's own are resolved. External entities
/// are ignored: they are never read.
pub fn for_each_token(
    part: &str,
    bytes: &[u8],
    visit: impl FnMut(Token<'_>),
) -> Result<(), XmlError> {
    read_tokens(part, Reader::from_str(&expanded(&decode(bytes))), visit)
}

/// Like [`for_each_token`], with [`property_name`]s of elements: `dc:title`, whatever prefix the
/// document uses.
pub fn for_each_property_token(
    part: &str,
    bytes: &[u8],
    visit: impl FnMut(Token<'_>),
) -> Result<(), XmlError> {
    read_tokens(part, NsReader::from_str(&expanded(&decode(bytes))), visit)
}

fn read_tokens<'i>(
    part: &str,
    mut source: impl EventSource<'i>,
    mut visit: impl FnMut(Token<'_>),
) -> Result<(), XmlError> {
    // Documents are often not well-formed; their text can be read all the same.
    let config = source.config();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    loop {
        let event = source.next_event().map_err(|error| malformed(part, error))?;
        if matches!(event, Event::Eof) {
            return Ok(());
        }
        visit_event(&event, |name| source.name(name), &mut visit);
    }
}

/// Common interface of the readers with and without namespaces.
trait EventSource<'i> {
    fn config(&mut self) -> &mut Config;
    fn next_event(&mut self) -> quick_xml::Result<Event<'i>>;
    /// The name of an element for its tokens.
    fn name<'n>(&self, name: QName<'n>) -> Cow<'n, str>;
}

impl<'i> EventSource<'i> for Reader<&'i [u8]> {
    fn config(&mut self) -> &mut Config {
        self.config_mut()
    }

    fn next_event(&mut self) -> quick_xml::Result<Event<'i>> {
        self.read_event()
    }

    fn name<'n>(&self, name: QName<'n>) -> Cow<'n, str> {
        name.into_inner().into()
    }
}

impl<'i> EventSource<'i> for NsReader<&'i [u8]> {
    fn config(&mut self) -> &mut Config {
        self.config_mut()
    }

    fn next_event(&mut self) -> quick_xml::Result<Event<'i>> {
        self.read_event()
    }

    fn name<'n>(&self, name: QName<'n>) -> Cow<'n, str> {
        property_name(self.resolver(), name)
    }
}

/// An element's name without its prefix.
pub fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Conventional prefixes of property namespaces.
const PROPERTY_NAMESPACES: [(&str, &str); 3] = [
    ("dc", "http://purl.org/dc/elements/1.1/"),
    ("cp", "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"),
    ("meta", "urn:oasis:names:tc:opendocument:xmlns:meta:1.0"),
];

/// The namespace of a conventional prefix.
pub fn property_namespace(prefix: &str) -> Option<&'static str> {
    PROPERTY_NAMESPACES.iter().find(|(it, _)| *it == prefix).map(|(_, namespace)| *namespace)
}

/// An element's name with the conventional prefix of its namespace; unchanged for other namespaces.
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

/// The error for a part that is not well-formed.
pub fn malformed(part: &str, error: impl std::fmt::Display) -> XmlError {
    XmlError { part: part.to_owned(), reason: error.to_string() }
}

/// Visits the tokens of an event, with element names from `name_of`.
fn visit_event(
    event: &Event<'_>,
    name_of: impl Fn(QName<'_>) -> Cow<'_, str>,
    visit: &mut impl FnMut(Token<'_>),
) {
    match event {
        Event::Start(start) => {
            visit(Token::Open { name: &name_of(start.name()), attributes: Attributes(start) });
        }
        Event::Empty(start) => {
            let name = &name_of(start.name());
            visit(Token::Open { name, attributes: Attributes(start) });
            visit(Token::Close { name });
        }
        Event::End(end) => visit(Token::Close { name: &name_of(end.name()) }),
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

/// Decodes XML with its declared encoding, else as UTF-8. Invalid bytes become U+FFFD.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    charset::decode_declared_xml(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes))
}

/// The XML declaration with its encoding changed to UTF-8.
pub fn utf8_declaration(declaration: &BytesDecl<'_>) -> BytesDecl<'static> {
    let version = declaration.version();
    let standalone = declaration.standalone().and_then(Result::ok);
    let encoding = declaration.encoding().map(|_| "UTF-8");
    BytesDecl::new(version.as_deref().unwrap_or("1.0"), encoding, standalone.as_deref())
}

#[cfg(test)]
mod tests {
    use super::{Token, for_each_token};

    fn text_of(bytes: &[u8]) -> String {
        let mut text = String::new();
        for_each_token("test", bytes, |token| {
            if let Token::Text(piece) = token {
                text.push_str(piece);
            }
        })
        .unwrap();
        text
    }

    #[test]
    fn resolves_entities_of_html_and_of_the_document() {
        assert_eq!(text_of(b"<a>x &amp; y&nbsp;&#x1F600;&uuml;</a>"), "x & y\u{a0}\u{1F600}\u{fc}");
        let bomb = br#"<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY b "&e;&e;">]><a>1&b;2&e;3</a>"#;
        assert_eq!(text_of(bomb), "123");
        let own = br#"<!DOCTYPE a [<!ENTITY co "Firma <b>AG</b>">]><a>Die &co; lebt</a>"#;
        assert_eq!(text_of(own), "Die Firma AG lebt");
    }

    #[test]
    fn decodes_declared_encodings() {
        assert_eq!(text_of(b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xfc</a>"), "\u{fc}");
        let utf16: Vec<u8> =
            "\u{feff}<a>ü😀</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(text_of(&utf16), "ü😀");
    }
}
