//! OpenDocument: text nodes of `office:body` in order.

use super::container::Container;
use super::properties::{self, Properties};
use super::xml::{self, Token};
use super::{Document, DocumentError};

const CONTENT: &str = "content.xml";
const META: &str = "meta.xml";

pub fn read(bytes: &[u8]) -> Result<Document, DocumentError> {
    let mut container = Container::open(bytes)?;
    let content = container.part(CONTENT)?;
    let text = body(&content)?;
    let mut properties = Properties::default();
    if let Some(meta) = container.optional(META)? {
        properties = describe(&meta)?;
    }
    Ok(Document { text, properties, cover: None })
}

fn body(content: &[u8]) -> Result<String, DocumentError> {
    let mut text = String::new();
    let mut in_body = false;
    xml::for_each_token(CONTENT, content, |token| match token {
        Token::Open { name: "office:body", .. } => in_body = true,
        Token::Close { name: "office:body" } => in_body = false,
        Token::Open { name: "text:s", attributes } => {
            const SPACES_MAX: usize = 1_000;
            let count = attributes.get("text:c").and_then(|count| count.parse().ok());
            text.extend(std::iter::repeat_n(' ', count.unwrap_or(1).min(SPACES_MAX)));
        }
        Token::Open { name: "text:tab", .. } => text.push('\t'),
        Token::Open { name: "text:line-break", .. } | Token::Close { name: "text:p" } => {
            text.push('\n');
        }
        Token::Text(piece) if in_body => text.push_str(piece),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })?;
    Ok(text)
}

fn describe(meta: &[u8]) -> Result<Properties, DocumentError> {
    let mut properties = Properties::default();
    let mut initial_creator = None;
    properties::for_each_leaf(META, meta, |name, text| match name {
        "meta:initial-creator" => initial_creator = Some(text.trim().to_owned()),
        name => properties.add(name, text),
    })?;
    // Who began the document is its creator, as in the reference; who saved it last is not.
    if let Some(creator) = initial_creator.filter(|creator| !creator.is_empty()) {
        properties.creators = vec![creator];
    }
    Ok(properties)
}
