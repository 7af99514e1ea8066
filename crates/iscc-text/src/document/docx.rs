//! Office Open XML text: the body with notes, comments and text boxes in place, then diagrams and
//! charts, then the names of pictures and the contents of embedded documents. The reference has no
//! headers and footers.

mod body;
pub(super) mod numbering;

use std::collections::HashMap;

use self::body::{Body, Notes};
use self::numbering::Numbering;
use super::container::{Budget, Container};
use super::embedded::{self, Embedded};
use super::{Document, DocumentError, graphics, prefix, properties};
use iscc_media::xml::Token;

/// Conventional name of the main part.
const DOCUMENT: &str = "word/document.xml";

/// Kinds of parts whose pictures the reference lists before those of the body.
const OTHER_STORIES: [&str; 5] = ["header", "footer", "footnotes", "endnotes", "comments"];

pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let mut container = Container::open_package(bytes, budget)?;
    let main = container.main_part(DOCUMENT)?;
    let content = container.part(&main)?;
    let notes = Notes {
        footnotes: notes(&mut container, &main, "footnotes", "w:footnote")?,
        endnotes: notes(&mut container, &main, "endnotes", "w:endnote")?,
        comments: notes(&mut container, &main, "comments", "w:comment")?,
    };
    let numbering = Numbering::read(&mut container, &main)?;
    let mut body = Body::new(notes, numbering);
    prefix::for_each_token(&main, &content, |token| body.read(&token))?;
    let mut text = body.into_text();
    for part in container.related(&main, "glossaryDocument")? {
        let content = container.part(&part)?;
        let mut prompts = Body::default();
        prefix::for_each_token(&part, &content, |token| prompts.read(&token))?;
        text.push_str(&prompts.into_text());
    }
    graphics::append(&mut container, &main, &mut text)?;
    let mut embedded = Embedded::default();
    for kind in OTHER_STORIES {
        for part in container.related(&main, kind)? {
            embedded.append(&mut container, &part, &mut text)?;
        }
    }
    let mut embedded = embedded.with_icons(&mut container, &main, &content)?;
    embedded.append(&mut container, &main, &mut text)?;
    embedded::append_thumbnail(&mut container, &mut text)?;
    let properties = properties::office_open_xml(&mut container)?;
    Ok(Document { text, properties, ..Document::default() })
}

/// Texts of footnotes, endnotes or comments by id.
fn notes(
    container: &mut Container<'_>,
    main: &str,
    kind: &str,
    element: &str,
) -> Result<HashMap<String, String>, DocumentError> {
    let mut notes = HashMap::new();
    for part in container.related(main, kind)? {
        let content = container.part(&part)?;
        let mut current: Option<(String, Body)> = None;
        prefix::for_each_token(&part, &content, |token| match &token {
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

#[cfg(test)]
mod tests {
    use super::super::container::{archive, relations};
    use super::*;

    #[test]
    fn parts_are_found_by_relationship_and_without_case() {
        let note = r#"<w:footnotes><w:footnote w:id="1"><w:p><w:t>note</w:t></w:p></w:footnote></w:footnotes>"#;
        let content = concat!(
            r#"<w:document><w:p><w:t>text </w:t><w:footnoteReference w:id="1"/></w:p>"#,
            "</w:document>"
        );
        for (main, target) in [
            ("word/document.xml", "word/document.xml"),
            ("word/document2.xml", "word/document2.xml"),
            ("Word\\Document.xml", "word/document.xml"),
            ("a/b/c.xml", "/a/b/c.xml"),
        ] {
            let (folder, file) = target.trim_start_matches('/').rsplit_once('/').unwrap();
            let bytes = archive(&[
                ("_rels\\.rels", relations(&[("officeDocument", target)]).as_str()),
                (main, content),
                (&format!("{folder}/_rels/{file}.rels"), &relations(&[("footnotes", "n.xml")])),
                (&format!("{folder}/n.xml"), note),
            ]);
            let document = read(&bytes, &mut Budget::default()).unwrap();
            assert_eq!(document.text, "text note\n\n\n", "{main}");
        }
    }

    #[test]
    fn comments_without_a_reference_follow_the_body() {
        let comment =
            |id: u32| format!(r#"<w:comment w:id="{id}"><w:p><w:t>c{id}</w:t></w:p></w:comment>"#);
        let comments: String = (1..=40).map(comment).collect();
        let content = concat!(
            r#"<w:document><w:p><w:t>a</w:t><w:commentReference w:id="1"/></w:p>"#,
            "<w:p><w:t>b</w:t></w:p></w:document>"
        );
        let bytes = archive(&[
            ("_rels/.rels", relations(&[("officeDocument", "word/document.xml")]).as_str()),
            ("word/document.xml", content),
            ("word/_rels/document.xml.rels", &relations(&[("comments", "comments.xml")])),
            ("word/comments.xml", &format!("<w:comments>{comments}</w:comments>")),
        ]);
        let text = read(&bytes, &mut Budget::default()).unwrap().text;
        let words: Vec<&str> = text.split_whitespace().collect();
        // Recorded from the reference: the order of a hash table.
        let first = ["a", "c1", "b", "c22", "c23", "c24", "c25", "c26", "c27", "c28", "c29", "c30"];
        assert_eq!(words[..12], first);
        assert_eq!(words[12..18], ["c31", "c10", "c32", "c11", "c33", "c12"]);
        assert_eq!(words[words.len() - 3..], ["c40", "c20", "c21"]);
    }

    #[test]
    fn parts_may_have_any_prefix() {
        let content = concat!(
            r#"<ns0:document xmlns:ns0="http://purl.oclc.org/ooxml/wordprocessingml/main">"#,
            r#"<ns0:p><ns0:pPr><ns0:numPr><ns0:ilvl ns0:val="0"/><ns0:numId ns0:val="1"/>"#,
            "</ns0:numPr></ns0:pPr><ns0:t>text</ns0:t></ns0:p></ns0:document>"
        );
        let numbering = concat!(
            r#"<numbering xmlns:a="http://schemas.openxmlformats.org/wordprocessingml/2006/main""#,
            r#" xmlns="http://schemas.openxmlformats.org/wordprocessingml/2006/main">"#,
            r#"<abstractNum a:abstractNumId="0"><lvl a:ilvl="0"><lvlText a:val="%1."/></lvl>"#,
            r#"</abstractNum><num a:numId="1"><abstractNumId a:val="0"/></num></numbering>"#
        );
        let package = relations(&[("officeDocument", "a/b.xml")]);
        let list = relations(&[("numbering", "numbering.xml")]);
        for (folder, file) in [("word", "document.xml"), ("a", "b.xml")] {
            let bytes = archive(&[
                ("_rels/.rels", package.as_str()),
                (&format!("{folder}/{file}"), content),
                (&format!("{folder}/_rels/{file}.rels"), &list),
                (&format!("{folder}/numbering.xml"), numbering),
            ]);
            let document = read(&bytes, &mut Budget::default()).unwrap();
            assert_eq!(document.text, "0. text\n", "{folder}");
        }
    }
}
