//! Office Open XML presentation: per slide its text, notes, comments, diagrams and charts; then the
//! names of pictures and the contents of embedded documents.

use std::collections::HashMap;

use super::container::{Budget, Container};
use super::embedded::Embedded;
use super::paragraphs::Paragraphs;
use super::xml::{self, Token};
use super::{Document, DocumentError, graphics, properties};

const PRESENTATION: &str = "ppt/presentation.xml";

pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let mut container = Container::open(bytes, budget)?;
    let authors = comment_authors(&mut container)?;
    let mut text = String::new();
    let slides = slides(&mut container)?;
    for slide in &slides {
        let content = container.part(slide)?;
        append_shapes(slide, &content, &mut text)?;
        text.push('\n');
        for notes in container.related(slide, "notesSlide")? {
            let content = container.part(&notes)?;
            append_shapes(&notes, &content, &mut text)?;
            text.push('\n');
        }
        for comments in container.related(slide, "comments")? {
            let content = container.part(&comments)?;
            append_comments(&comments, &content, &authors, &mut text)?;
        }
        graphics::append(&mut container, slide, &mut text)?;
    }
    let mut embedded = Embedded::default();
    for slide in &slides {
        embedded.append(&mut container, slide, &["chart"], &mut text)?;
    }
    let properties = properties::office_open_xml(&mut container)?;
    Ok(Document { text, properties, cover: None })
}

/// The slides' parts in the reference's order.
fn slides(container: &mut Container<'_>) -> Result<Vec<String>, DocumentError> {
    let presentation = container.part(PRESENTATION)?;
    let mut ids = Vec::new();
    xml::for_each_token(PRESENTATION, &presentation, |token| {
        if let Token::Open { name: "p:sldId", attributes } = token {
            ids.extend(attributes.get("r:id"));
        }
    })?;
    let mut slides = container.sorted_relationships(PRESENTATION)?;
    slides.retain(|relationship| ids.contains(&relationship.id));
    Ok(slides.into_iter().map(|relationship| relationship.target).collect())
}

/// Appends the text of all shapes of a slide or a notes page.
fn append_shapes(part: &str, bytes: &[u8], text: &mut String) -> Result<(), DocumentError> {
    let mut paragraphs = Paragraphs::resume(std::mem::take(text));
    let mut in_text = false;
    let mut ignored = 0_u32;
    let result = xml::for_each_token(part, bytes, |token| match token {
        Token::Open { name: "mc:Fallback", .. } => ignored += 1,
        Token::Close { name: "mc:Fallback" } => ignored = ignored.saturating_sub(1),
        _ if ignored > 0 => {}
        Token::Open { name: "a:t" | "m:t", .. } => in_text = true,
        Token::Close { name: "a:t" | "m:t" } => in_text = false,
        Token::Open { name: "a:tc", .. } => paragraphs.start_cell(),
        Token::Close { name: "a:tc" } => paragraphs.end_cell(),
        Token::Close { name: "a:tr" } => paragraphs.end_row(),
        Token::Open { name: "a:p", .. } => paragraphs.start_paragraph(),
        Token::Close { name: "a:p" } => paragraphs.end_paragraph(),
        Token::Open { name: "a:br", .. } => paragraphs.text.push('\n'),
        Token::Text(piece) if in_text => paragraphs.text.push_str(piece),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    });
    *text = paragraphs.text;
    result
}

/// Maximum characters of an author, which each comment repeats.
const AUTHOR_CHARACTERS_MAX: usize = 255;

/// Names of the authors of comments, with initials, by id.
fn comment_authors(
    container: &mut Container<'_>,
) -> Result<HashMap<String, String>, DocumentError> {
    let mut authors = HashMap::new();
    for part in container.related(PRESENTATION, "commentAuthors")? {
        let content = container.part(&part)?;
        xml::for_each_token(&part, &content, |token| {
            if let Token::Open { name: "p:cmAuthor", attributes } = token {
                let get = |name| attributes.get(name).unwrap_or_default();
                let author = format!("{} ({})", get("name"), get("initials"));
                authors.insert(get("id"), author.chars().take(AUTHOR_CHARACTERS_MAX).collect());
            }
        })?;
    }
    Ok(authors)
}

/// Appends comments, each with its author.
fn append_comments(
    part: &str,
    bytes: &[u8],
    authors: &HashMap<String, String>,
    text: &mut String,
) -> Result<(), DocumentError> {
    let mut in_text = false;
    xml::for_each_token(part, bytes, |token| match token {
        Token::Open { name: "p:cm", attributes } => {
            let author = attributes.get("authorId").and_then(|id| authors.get(&id));
            text.push_str(author.map_or("", String::as_str));
        }
        Token::Open { name: "p:text", .. } => in_text = true,
        Token::Close { name: "p:text" } => in_text = false,
        Token::Close { name: "p:cm" } => text.push('\n'),
        Token::Text(piece) if in_text => text.push_str(piece),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })
}
