//! Office Open XML text: the body with notes, comments and text boxes in place, then diagrams and
//! charts, then the names of pictures and the contents of embedded documents. The reference has no
//! headers and footers.

mod body;
pub(super) mod numbering;

use std::collections::HashMap;

use self::body::{Body, Notes};
use self::numbering::Numbering;
use super::container::{Budget, Container};
use super::embedded::Embedded;
use super::xml::{self, Token};
use super::{Document, DocumentError, graphics, properties};

const DOCUMENT: &str = "word/document.xml";

/// Kinds of parts whose pictures the reference lists before those of the body.
const OTHER_STORIES: [&str; 5] = ["header", "footer", "footnotes", "endnotes", "comments"];

pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let mut container = Container::open(bytes, budget)?;
    let content = container.part(DOCUMENT)?;
    let notes = Notes {
        footnotes: notes(&mut container, "footnotes", "w:footnote")?,
        endnotes: notes(&mut container, "endnotes", "w:endnote")?,
        comments: notes(&mut container, "comments", "w:comment")?,
    };
    let numbering = Numbering::read(&mut container, DOCUMENT)?;
    let mut body = Body::new(notes, numbering);
    xml::for_each_token(DOCUMENT, &content, |token| body.read(&token))?;
    let mut text = body.into_text();
    graphics::append(&mut container, DOCUMENT, &mut text)?;
    let mut embedded = Embedded::default();
    for kind in OTHER_STORIES {
        for part in container.related(DOCUMENT, kind)? {
            embedded.append(&mut container, &part, &[], &mut text)?;
        }
    }
    embedded.append(&mut container, DOCUMENT, &[], &mut text)?;
    let properties = properties::office_open_xml(&mut container)?;
    Ok(Document { text, properties, cover: None })
}

/// Texts of footnotes, endnotes or comments by id.
fn notes(
    container: &mut Container<'_>,
    kind: &str,
    element: &str,
) -> Result<HashMap<String, String>, DocumentError> {
    let mut notes = HashMap::new();
    for part in container.related(DOCUMENT, kind)? {
        let content = container.part(&part)?;
        let mut current: Option<(String, Body)> = None;
        xml::for_each_token(&part, &content, |token| match &token {
            Token::Open { name, attributes } if *name == element => {
                current = Some((attributes.get("w:id").unwrap_or_default(), Body::default()));
            }
            Token::Close { name } if *name == element => {
                notes.extend(current.take().map(|(id, body)| (id, body.into_text())));
            }
            token => {
                if let Some((_, body)) = &mut current {
                    body.read(token);
                }
            }
        })?;
    }
    Ok(notes)
}
