//! Reads a document's zip archive within limits.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::xml::{self, Token};
use super::{DOCUMENT_BYTES_MAX, DOCUMENT_DEPTH_MAX, DOCUMENT_ENTRIES_MAX, DocumentError};

/// What reading a document and the documents embedded in it may still use.
pub struct Budget {
    /// Decompressed bytes. Counted while reading, because sizes in headers are not reliable.
    pub bytes: u64,
    /// Levels of embedded documents.
    pub depth: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: DOCUMENT_BYTES_MAX, depth: DOCUMENT_DEPTH_MAX }
    }
}

/// The parts of a zip-based document.
pub struct Container<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    pub budget: &'a mut Budget,
}

/// A relationship of a part (ECMA-376 part 2, 9.3).
pub struct Relationship {
    pub id: String,
    pub kind: String,
    /// Resolved name of the target part; the address as written for external targets.
    pub target: String,
    pub is_external: bool,
}

impl Relationship {
    /// Whether the relationship has the kind: the last segment of its type, which is the same in all
    /// versions of the standard.
    pub fn is(&self, kind: &str) -> bool {
        self.kind.rsplit_once('/').is_some_and(|(_, last)| last == kind)
    }
}

impl<'a> Container<'a> {
    pub fn open(bytes: &'a [u8], budget: &'a mut Budget) -> Result<Self, DocumentError> {
        let archive = ZipArchive::new(Cursor::new(bytes))?;
        if archive.len() > DOCUMENT_ENTRIES_MAX {
            return Err(DocumentError::TooManyEntries);
        }
        Ok(Self { archive, budget })
    }

    /// Names of all entries, in the archive's order.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names().filter_map(Result::ok).map(|name| name.into_owned()).collect()
    }

    /// Whether a part exists.
    pub fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(name).is_some()
    }

    /// A part's bytes; `None` if the part does not exist.
    pub fn optional(&mut self, name: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        let entry = match self.archive.by_name(name) {
            Ok(entry) => entry,
            Err(zip::result::ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut bytes = Vec::new();
        let read = entry.take(self.budget.bytes + 1).read_to_end(&mut bytes);
        let read = read.map_err(zip::result::ZipError::Io)? as u64;
        self.budget.bytes = self.budget.bytes.checked_sub(read).ok_or(DocumentError::TooLarge)?;
        Ok(Some(bytes))
    }

    /// A mandatory part's bytes.
    pub fn part(&mut self, name: &str) -> Result<Vec<u8>, DocumentError> {
        self.optional(name)?.ok_or_else(|| DocumentError::PartMissing(name.to_owned()))
    }

    /// The relationships of a part, in document order.
    pub fn relationships(&mut self, part: &str) -> Result<Vec<Relationship>, DocumentError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = join(folder, &format!("_rels/{file}.rels"));
        let Some(bytes) = self.optional(&name)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        xml::for_each_token(&name, &bytes, |token| {
            if let Token::Open { name: "Relationship", attributes } = token {
                let target = attributes.get("Target").unwrap_or_default();
                let is_external = attributes.get("TargetMode").as_deref() == Some("External");
                found.push(Relationship {
                    id: attributes.get("Id").unwrap_or_default(),
                    kind: attributes.get("Type").unwrap_or_default(),
                    target: if is_external { target } else { join(folder, &target) },
                    is_external,
                });
            }
        })?;
        Ok(found)
    }

    /// The relationships of a part in the reference's order: by id as text, so rId10 before rId2.
    pub fn sorted_relationships(&mut self, part: &str) -> Result<Vec<Relationship>, DocumentError> {
        let mut relationships = self.relationships(part)?;
        relationships.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(relationships)
    }

    /// Names of the existing parts that a part refers to with the kind, in the reference's order.
    pub fn related(&mut self, part: &str, kind: &str) -> Result<Vec<String>, DocumentError> {
        let relationships = self.sorted_relationships(part)?;
        let targets = relationships.into_iter().filter(|it| it.is(kind) && !it.is_external);
        let exists = |name: &String| self.archive.index_for_name(name).is_some();
        Ok(targets.map(|it| it.target).filter(exists).collect())
    }
}

/// Resolves a reference relative to a folder of the archive. `..` never leaves the archive.
pub fn join(folder: &str, reference: &str) -> String {
    let path = reference.split(['#', '?']).next().unwrap_or_default();
    let mut segments: Vec<&str> = if path.starts_with('/') {
        Vec::new()
    } else {
        folder.split('/').filter(|segment| !segment.is_empty()).collect()
    };
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name),
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn references_resolve_inside_of_the_archive() {
        assert_eq!(join("ppt", "slides/slide1.xml"), "ppt/slides/slide1.xml");
        assert_eq!(join("ppt/slides", "../notesSlides/n1.xml"), "ppt/notesSlides/n1.xml");
        assert_eq!(join("ppt", "/ppt/slides/slide1.xml"), "ppt/slides/slide1.xml");
        assert_eq!(join("OEBPS", "c1.xhtml#part"), "OEBPS/c1.xhtml");
        assert_eq!(join("a", "../../../etc/passwd"), "etc/passwd");
    }
}
