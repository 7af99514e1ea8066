//! Reads a document's zip archive within limits.

use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::xml::{self, Token};
use super::{DOCUMENT_BYTES_MAX, DOCUMENT_ENTRIES_MAX, DocumentError};

/// The parts of a zip-based document.
pub struct Container<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Decompressed bytes that may still be read. Counted while reading, because sizes in headers
    /// are not reliable.
    bytes_left: u64,
}

/// A relationship of a part (ECMA-376 part 2, 9.3).
pub struct Relationship {
    pub id: String,
    pub kind: String,
    /// Resolved name of the target part.
    pub target: String,
}

impl<'a> Container<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, DocumentError> {
        let archive = ZipArchive::new(Cursor::new(bytes))?;
        if archive.len() > DOCUMENT_ENTRIES_MAX {
            return Err(DocumentError::TooManyEntries);
        }
        Ok(Self { archive, bytes_left: DOCUMENT_BYTES_MAX })
    }

    /// Names of all entries, in the archive's order.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names().filter_map(Result::ok).map(|name| name.into_owned()).collect()
    }

    /// A part's bytes; `None` if the part does not exist.
    pub fn optional(&mut self, name: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        let entry = match self.archive.by_name(name) {
            Ok(entry) => entry,
            Err(zip::result::ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut bytes = Vec::new();
        let read = entry.take(self.bytes_left + 1).read_to_end(&mut bytes);
        let read = read.map_err(zip::result::ZipError::Io)? as u64;
        self.bytes_left = self.bytes_left.checked_sub(read).ok_or(DocumentError::TooLarge)?;
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
                found.push(Relationship {
                    id: attributes.get("Id").unwrap_or_default(),
                    kind: attributes.get("Type").unwrap_or_default(),
                    target: join(folder, &attributes.get("Target").unwrap_or_default()),
                });
            }
        })?;
        Ok(found)
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
