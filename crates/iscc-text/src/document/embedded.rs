//! Pictures and documents embedded in Office Open XML. The reference adds their file names at the
//! end of the text, followed by the text of embedded documents.

use std::collections::{HashMap, HashSet};

use super::container::{Container, Relationship};
use super::{DocumentError, metafile, object, prefix};
use iscc_media::xml::Token;

/// Kinds of relationships to embedded parts.
const KINDS: [&str; 7] = ["aFChunk", "audio", "image", "media", "oleObject", "package", "video"];

/// The embedded parts of one document.
#[derive(Default)]
pub struct Embedded {
    /// Names of the parts so far; each appears once.
    seen: HashSet<String>,
    /// Names under the icons of objects, by part.
    icons: HashMap<String, String>,
}

impl Embedded {
    /// Learns the file names under the icons of objects that a part of a text shows as icons. Such an
    /// object has the name of its file, not that of its part.
    pub fn with_icons(
        mut self,
        container: &mut Container<'_>,
        part: &str,
        content: &[u8],
    ) -> Result<Self, DocumentError> {
        let relationships = container.relationships(part)?;
        let target =
            |id: &str| relationships.iter().find(|it| it.id == id).map(|it| it.target.clone());
        let mut picture = None;
        let mut pairs = Vec::new();
        prefix::for_each_token(part, content, |token| match token {
            Token::Open { name: "w:object", .. } => picture = None,
            Token::Open { name: "v:imagedata", attributes } => picture = attributes.get("r:id"),
            Token::Open { name: "o:OLEObject", attributes } => {
                pairs.extend(picture.take().zip(attributes.get("r:id")));
            }
            Token::Open { .. } | Token::Close { .. } | Token::Text(_) => {}
        })?;
        for (picture, object) in pairs {
            let (Some(picture), Some(object)) = (target(&picture), target(&object)) else {
                continue;
            };
            if !object::is_without_text(&picture)
                && let Some(content) = container.optional(&picture)?
                && let Some(name) = metafile::icon_name(&content)
            {
                self.icons.insert(object, name);
            }
        }
        Ok(self)
    }

    /// Appends the names and texts of the files that `part` refers to.
    pub fn append(
        &mut self,
        container: &mut Container<'_>,
        part: &str,
        text: &mut String,
    ) -> Result<(), DocumentError> {
        for relationship in container.sorted_relationships(part)? {
            let is_embedded = KINDS.iter().any(|kind| relationship.is(kind));
            if relationship.is_external || !is_embedded {
                continue;
            }
            let Relationship { target, .. } = &relationship;
            if self.seen.insert(target.clone()) && container.has(target) {
                self.append_part(container, target, text)?;
                text.push('\n');
            }
        }
        Ok(())
    }

    /// Appends name and text of a part. Of pictures only the name: they may be large or damaged.
    fn append_part(
        &self,
        container: &mut Container<'_>,
        part: &str,
        text: &mut String,
    ) -> Result<(), DocumentError> {
        let file = part.rsplit('/').next().unwrap_or(part);
        let icon = self.icons.get(part).map(String::as_str);
        if object::is_without_text(file) {
            text.push_str(file);
            text.push('\n');
            return Ok(());
        }
        let content = container.part(part)?;
        object::append_named(icon, file, &content, container.budget, text)
    }
}

/// Appends the text of the package's preview picture, which has no name.
pub fn append_thumbnail(
    container: &mut Container<'_>,
    text: &mut String,
) -> Result<(), DocumentError> {
    for part in container.related("", "thumbnail")? {
        if !object::is_without_text(&part) {
            let content = container.part(&part)?;
            metafile::append(&content, text);
        }
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
            ("media", "media/d.m4a"),
            ("audio", "media/d.m4a"),
            ("video", "media/e.avi"),
            ("image", "media/b.svg"),
            ("image", "media/none.jpg"),
            ("oleObject", "embeddings/c.bin"),
            ("image", "media/a.jpg"),
        ]);
        const PICTURE: &str = "picture that is larger than all that may be read";
        let mut bytes = archive(&[
            ("word/_rels/document.xml.rels", relations.as_str()),
            ("word/media/a.jpg", PICTURE),
            ("word/media/d.m4a", ""),
            ("word/media/e.avi", ""),
            ("word/media/b.svg", svg),
            ("word/embeddings/c.bin", ""),
        ]);
        // The picture is damaged.
        let at = bytes.windows(PICTURE.len()).position(|it| it == PICTURE.as_bytes());
        bytes[at.expect("not compressed")] ^= 1;
        let mut budget =
            Budget { bytes: (relations.len() + 2 * svg.len()) as u64, ..Budget::default() };
        let mut container = Container::open_package(&bytes, &mut budget).unwrap();
        let mut text = String::new();
        let mut embedded = Embedded::default();
        embedded.append(&mut container, "word/document.xml", &mut text).unwrap();
        let lines: Vec<_> = text.split_whitespace().collect();
        assert_eq!(lines, ["a.jpg", "d.m4a", "e.avi", "b.svg", "drawn", "c.bin"]);
    }
}
