//! Office Open XML presentation: each slide's text, then its notes.

use super::container::Container;
use super::properties;
use super::xml::{self, Token};
use super::{Document, DocumentError};

const PRESENTATION: &str = "ppt/presentation.xml";

pub fn read(bytes: &[u8]) -> Result<Document, DocumentError> {
    let mut container = Container::open(bytes)?;
    let mut text = String::new();
    for slide in slides(&mut container)? {
        let content = container.part(&slide)?;
        shapes(&slide, &content, |_| true, &mut text)?;
        text.push('\n');
        for relationship in container.relationships(&slide)? {
            if relationship.kind.ends_with("/notesSlide") {
                let notes = container.part(&relationship.target)?;
                // A notes page repeats the slide's image, date and number in other placeholders.
                shapes(&relationship.target, &notes, |kind| kind == "body", &mut text)?;
                text.push('\n');
            }
        }
    }
    let properties = properties::office_open_xml(&mut container)?;
    Ok(Document { text, properties, cover: None })
}

/// The slides' parts in the reference's order: by relationship id as text, so rId10 before rId2.
fn slides(container: &mut Container<'_>) -> Result<Vec<String>, DocumentError> {
    let presentation = container.part(PRESENTATION)?;
    let mut shown = Vec::new();
    xml::for_each_token(PRESENTATION, &presentation, |token| {
        if let Token::Open { name: "p:sldId", attributes } = token {
            shown.extend(attributes.get("r:id"));
        }
    })?;
    let mut slides = container.relationships(PRESENTATION)?;
    slides.retain(|relationship| shown.contains(&relationship.id));
    slides.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(slides.into_iter().map(|relationship| relationship.target).collect())
}

/// Adds the text of shapes whose placeholder type `wanted` accepts (`""` for none), a line a
/// paragraph.
fn shapes(
    part: &str,
    bytes: &[u8],
    wanted: impl Fn(&str) -> bool,
    text: &mut String,
) -> Result<(), DocumentError> {
    let mut accepted = wanted("");
    let mut in_text = false;
    xml::for_each_token(part, bytes, |token| match token {
        Token::Open { name: "p:sp", .. } => accepted = wanted(""),
        Token::Open { name: "p:ph", attributes } => {
            accepted = wanted(&attributes.get("type").unwrap_or_default());
        }
        Token::Open { name: "a:t", .. } => in_text = true,
        Token::Close { name: "a:t" } => in_text = false,
        Token::Open { name: "a:br", .. } | Token::Close { name: "a:p" } if accepted => {
            text.push('\n');
        }
        Token::Text(piece) if in_text && accepted => text.push_str(piece),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })
}
