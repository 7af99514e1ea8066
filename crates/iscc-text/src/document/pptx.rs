//! Office Open XML presentation: per slide its text, notes, comments, diagrams and charts; then the
//! names of pictures and the contents of embedded documents.

use std::collections::{HashMap, HashSet};

use super::container::{Budget, Container, TEXT_BYTES_MAX};
use super::embedded::{self, Embedded};
use super::paragraphs::Paragraphs;
use super::prefix;
use super::{Document, DocumentError, graphics, properties};
use iscc_media::xml::{Token, XmlError};

/// Conventional name of the main part.
const PRESENTATION: &str = "ppt/presentation.xml";

/// Kinds of parts of a slide whose files the reference lists before those of the slide.
const SLIDE_PARTS: [&str; 6] =
    ["vmlDrawing", "slideLayout", "notesMaster", "notesSlide", "chart", "diagramDrawing"];

pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let mut container = Container::open_package(bytes, budget)?;
    let main = container.main_part(PRESENTATION)?;
    let authors = comment_authors(&mut container, &main)?;
    let mut text = String::new();
    let slides = slides(&mut container, &main)?;
    let mut masters = HashMap::new();
    for slide in &slides {
        let content = container.part(slide)?;
        append_shapes(slide, &content, false, &mut text)?;
        text.push('\n');
        append_masters(&mut container, slide, "slideLayout", true, &mut masters, &mut text)?;
        for notes in container.related(slide, "notesSlide")? {
            let content = container.part(&notes)?;
            append_shapes(&notes, &content, false, &mut text)?;
            text.push('\n');
        }
        for comments in container.related(slide, "comments")? {
            let content = container.part(&comments)?;
            append_comments(&comments, &content, &authors, &mut text)?;
        }
        graphics::append(&mut container, slide, &mut text)?;
    }
    append_masters(&mut container, &main, "slideMaster", true, &mut masters, &mut text)?;
    append_masters(&mut container, &main, "notesMaster", true, &mut masters, &mut text)?;
    append_masters(&mut container, &main, "handoutMaster", false, &mut masters, &mut text)?;
    let mut embedded = Embedded::default();
    for slide in &slides {
        for kind in SLIDE_PARTS {
            for part in container.related(slide, kind)? {
                embedded.append(&mut container, &part, &mut text)?;
            }
        }
        embedded.append(&mut container, slide, &mut text)?;
    }
    for kind in ["slideMaster", "handoutMaster"] {
        for part in container.related(&main, kind)? {
            embedded.append(&mut container, &part, &mut text)?;
        }
    }
    embedded::append_thumbnail(&mut container, &mut text)?;
    let properties = properties::office_open_xml(&mut container)?;
    Ok(Document { text, properties, ..Document::default() })
}

/// The slides' parts in the reference's order.
fn slides(container: &mut Container<'_>, main: &str) -> Result<Vec<String>, DocumentError> {
    let presentation = container.part(main)?;
    let mut ids = HashSet::new();
    prefix::for_each_token(main, &presentation, |token| {
        if let Token::Open { name: "p:sldId", attributes } = token {
            ids.extend(attributes.get("r:id"));
        }
    })?;
    let mut slides = container.sorted_relationships(main)?;
    slides.retain(|relationship| ids.contains(&relationship.id));
    Ok(slides.into_iter().map(|relationship| relationship.target).collect())
}

/// Appends the text of the masters or layouts that a part refers to; as a rule without the prompts of
/// their placeholders. `known` has the texts of those that were read, because slides share them.
fn append_masters(
    container: &mut Container<'_>,
    part: &str,
    kind: &str,
    skips_placeholders: bool,
    known: &mut HashMap<String, String>,
    text: &mut String,
) -> Result<(), DocumentError> {
    for master in container.related(part, kind)? {
        if text.len() > TEXT_BYTES_MAX {
            break;
        }
        if let Some(shapes) = known.get(&master) {
            text.push_str(shapes);
            continue;
        }
        let content = container.part(&master)?;
        let mut shapes = String::new();
        append_shapes(&master, &content, skips_placeholders, &mut shapes)?;
        text.push_str(&shapes);
        known.insert(master, shapes);
    }
    Ok(())
}

/// Appends the text of all shapes of a slide or a notes page.
fn append_shapes(
    part: &str,
    bytes: &[u8],
    skips_placeholders: bool,
    text: &mut String,
) -> Result<(), XmlError> {
    let mut paragraphs = Paragraphs::resume(std::mem::take(text));
    let mut in_text = false;
    let mut ignored = 0_u32;
    let mut in_placeholder = false;
    let result = prefix::for_each_token(part, bytes, |token| match token {
        Token::Open { name: "mc:Fallback", .. } => ignored += 1,
        Token::Close { name: "mc:Fallback" } => ignored = ignored.saturating_sub(1),
        Token::Open { name: "p:ph", .. } => in_placeholder = skips_placeholders,
        Token::Close { name: "p:sp" } => in_placeholder = false,
        _ if ignored > 0 || in_placeholder => {}
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
    main: &str,
) -> Result<HashMap<String, String>, DocumentError> {
    let mut authors = HashMap::new();
    for part in container.related(main, "commentAuthors")? {
        let content = container.part(&part)?;
        prefix::for_each_token(&part, &content, |token| {
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
) -> Result<(), XmlError> {
    let mut in_text = false;
    prefix::for_each_token(part, bytes, |token| match token {
        Token::Open { name: "p:cm", attributes } => {
            let author = attributes.get("authorId").and_then(|id| authors.get(&id));
            let author = author.filter(|_| text.len() <= TEXT_BYTES_MAX);
            text.push_str(author.map_or("", String::as_str));
        }
        Token::Open { name: "p:text", .. } => in_text = true,
        Token::Close { name: "p:text" } => in_text = false,
        Token::Close { name: "p:cm" } => text.push('\n'),
        Token::Text(piece) if in_text => text.push_str(piece),
        Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
    })
}

#[cfg(test)]
mod tests {
    use super::super::container::{archive, relations};
    use super::*;

    #[test]
    fn parts_are_found_by_relationship_and_without_case() {
        let presentation = r#"<p:presentation><p:sldId r:id="rId1"/></p:presentation>"#;
        for (main, target) in [
            ("ppt/presentation.xml", "ppt/presentation.xml"),
            ("ppt\\Presentation.xml", "ppt/presentation.xml"),
            ("a/b.xml", "a/b.xml"),
        ] {
            let (folder, file) = target.rsplit_once('/').unwrap();
            let bytes = archive(&[
                ("_rels/.rels", relations(&[("officeDocument", target)]).as_str()),
                (main, presentation),
                (&format!("{folder}/_rels/{file}.rels"), &relations(&[("slide", "s.xml")])),
                (&format!("{folder}/S.xml"), "<p:sld><a:p><a:t>slide</a:t></a:p></p:sld>"),
            ]);
            let document = read(&bytes, &mut Budget::default()).unwrap();
            assert_eq!(document.text, "slide\n\n", "{main}");
        }
    }
}
