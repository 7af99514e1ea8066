//! Pictures and documents embedded in Office Open XML. The reference adds their file names at the
//! end of the text, followed by the text of embedded documents.

use std::collections::HashSet;

use super::DocumentError;
use super::Format;
use super::container::{Container, Relationship};
use crate::charset;
use crate::text;

/// Kinds of relationships to embedded parts.
const KINDS: [&str; 3] = ["image", "oleObject", "package"];

/// The embedded parts of one document.
#[derive(Default)]
pub struct Embedded {
    /// Names of the parts so far; each appears once.
    seen: HashSet<String>,
}

impl Embedded {
    /// Appends the names and texts of the parts that `part` refers to. Follows relationships of the
    /// kinds in `through`, too.
    pub fn append(
        &mut self,
        container: &mut Container<'_>,
        part: &str,
        through: &[&str],
        text: &mut String,
    ) -> Result<(), DocumentError> {
        for relationship in container.sorted_relationships(part)? {
            let is = |kinds: &[&str]| kinds.iter().any(|kind| relationship.is(kind));
            if relationship.is_external || !is(&KINDS) && !is(through) {
                continue;
            }
            let Relationship { target, .. } = &relationship;
            if !self.seen.insert(target.clone()) {
                continue;
            }
            if is(through) {
                self.append(container, target, &[], text)?;
            } else if container.has(target) {
                let name = target.rsplit('/').next().unwrap_or(target);
                text.push_str(name);
                text.push('\n');
                append_content(container, target, text)?;
                text.push('\n');
            }
        }
        Ok(())
    }
}

/// Appends the text of an embedded document. Ignores documents that cannot be read, and those in
/// too many levels of documents.
fn append_content(
    container: &mut Container<'_>,
    part: &str,
    text: &mut String,
) -> Result<(), DocumentError> {
    let extension = part.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let format = match extension.as_str() {
        "docx" => Some(Format::Docx),
        "pptx" => Some(Format::Pptx),
        "xlsx" => Some(Format::Xlsx),
        "svg" => None,
        // Pictures may be large or damaged; only their names are text.
        _ => return Ok(()),
    };
    let content = container.part(part)?;
    let Some(format) = format else {
        text.push_str(&text::xml::extract(&charset::decode_xml(&content)).text);
        return Ok(());
    };
    if let Some(document) = super::read_inner(format, &content, container.budget)? {
        // The reference doubles the white space between lines and cells.
        let nested = document.text.replace('\n', "\n\n").replace('\t', "\t\t");
        let left = container.budget.bytes.checked_sub(nested.len() as u64);
        container.budget.bytes = left.ok_or(DocumentError::TooLarge)?;
        text.push_str(&nested);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::container::{Budget, archive, relations};
    use super::*;

    #[test]
    fn of_pictures_only_the_names_are_read() {
        let svg = "<svg><text>drawn</text></svg>";
        let relations = relations(&[
            ("image", "media/a.jpg"),
            ("image", "media/b.svg"),
            ("image", "media/none.jpg"),
            ("oleObject", "embeddings/c.bin"),
            ("image", "media/a.jpg"),
        ]);
        const PICTURE: &str = "picture that is larger than all that may be read";
        let mut bytes = archive(&[
            ("word/_rels/document.xml.rels", relations.as_str()),
            ("word/media/a.jpg", PICTURE),
            ("word/media/b.svg", svg),
            ("word/embeddings/c.bin", ""),
        ]);
        // The picture is damaged.
        let at = bytes.windows(PICTURE.len()).position(|it| it == PICTURE.as_bytes());
        bytes[at.expect("not compressed")] ^= 1;
        let mut budget = Budget { bytes: (relations.len() + svg.len()) as u64, depth: 1 };
        let mut container = Container::open_package(&bytes, &mut budget).unwrap();
        let mut text = String::new();
        let mut embedded = Embedded::default();
        embedded.append(&mut container, "word/document.xml", &[], &mut text).unwrap();
        let lines: Vec<_> = text.split_whitespace().collect();
        assert_eq!(lines, ["a.jpg", "b.svg", "drawn", "c.bin"]);
    }
}
