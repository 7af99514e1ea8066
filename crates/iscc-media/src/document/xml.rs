//! XML as a flat run of tokens: all that text extraction needs, and nothing that can grow.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use quick_xml::Reader;
use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::{BytesStart, Event};

use super::DocumentError;

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
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    loop {
        let event = reader.read_event().map_err(|error| DocumentError::Malformed {
            part: part.to_owned(),
            reason: error.to_string(),
        })?;
        match event {
            Event::Start(start) => visit_open(&start, &mut visit),
            Event::Empty(start) => {
                visit_open(&start, &mut visit);
                visit(Token::Close { name: start.name().as_ref() });
            }
            Event::End(end) => visit(Token::Close { name: end.name().as_ref() }),
            Event::Text(text) => visit(Token::Text(&text.xml10_content())),
            Event::CData(data) => visit(Token::Text(&data)),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(character)) => visit(Token::Text(character.encode_utf8(&mut [0; 4]))),
                Ok(None) => visit(Token::Text(resolve_html5_entity(&reference).unwrap_or(""))),
                Err(_) => {}
            },
            Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => {}
            Event::Eof => return Ok(()),
        }
    }
}

fn visit_open(start: &BytesStart<'_>, visit: &mut impl FnMut(Token<'_>)) {
    visit(Token::Open { name: start.name().as_ref(), attributes: Attributes(start) });
}

/// By byte order mark, then by the XML declaration, else UTF-8; wrong bytes become U+FFFD.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let encoding = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    encoding.or_else(|| declared(bytes)).unwrap_or(UTF_8).decode(bytes).0
}

fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    const DECLARATION_BYTES_MAX: usize = 200;
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES_MAX)];
    let head = head.strip_prefix(b"<?xml")?;
    let end = head.windows(2).position(|pair| pair == b"?>")?;
    let declaration = str::from_utf8(&head[..end]).ok()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    Encoding::for_label(value[1..].split(quote).next()?.as_bytes())
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
