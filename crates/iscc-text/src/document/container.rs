//! Reads a document's zip archive within limits.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::{DOCUMENT_BYTES_MAX, DOCUMENT_DEPTH_MAX, DOCUMENT_ENTRIES_MAX, DocumentError, Format};
use iscc_media::xml::{self, Token};

/// Maximum bytes of a text that grows faster than its document, for example by repeated numbers of
/// lists. The first ten million characters count, so the rest is not needed.
pub const TEXT_BYTES_MAX: usize = 64 << 20;

/// What reading a document and the documents embedded in it may still use.
pub struct Budget {
    /// Decompressed bytes. Counted while reading, because sizes in headers are not reliable.
    pub bytes: u64,
    /// Levels of embedded documents.
    pub depth: u32,
    /// Embedded PDFs, whose text is read outside of this crate.
    pub pdfs: Pdfs,
}

/// PDFs embedded in a document. The first reading finds them, a second one has their texts.
#[derive(Debug, Default)]
pub struct Pdfs {
    pub found: Vec<Vec<u8>>,
    /// Texts in the order in which the PDFs occur.
    pub texts: std::vec::IntoIter<String>,
}

impl Budget {
    /// Counts bytes that were read.
    pub fn take(&mut self, bytes: usize) -> Result<(), DocumentError> {
        self.bytes = self.bytes.checked_sub(bytes as u64).ok_or(DocumentError::TooLarge)?;
        Ok(())
    }

    /// Appends the text of an embedded PDF if it is known, else keeps the PDF.
    pub fn append_pdf(&mut self, pdf: &[u8], text: &mut String) -> Result<(), DocumentError> {
        const PDFS_MAX: usize = 1000;
        self.take(pdf.len())?;
        match self.pdfs.texts.next() {
            Some(piece) => {
                self.take(piece.len())?;
                text.push_str(&piece);
                text.push('\n');
            }
            None if self.pdfs.found.len() < PDFS_MAX => self.pdfs.found.push(pdf.to_vec()),
            None => {}
        }
        Ok(())
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: DOCUMENT_BYTES_MAX, depth: DOCUMENT_DEPTH_MAX, pdfs: Pdfs::default() }
    }
}

/// The parts of a zip-based document.
pub struct Container<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    pub budget: &'a mut Budget,
    /// Whether names are those of Office Open XML, which compare without case.
    is_package: bool,
    /// Entries by folded name. Built when a name is first not found as written.
    folded: OnceCell<HashMap<String, usize>>,
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
        Ok(Self { archive, budget, is_package: false, folded: OnceCell::new() })
    }

    /// Opens an Office Open XML package: names of parts compare without case (ECMA-376 part 2,
    /// 6.2.2.3), and some programs write `\` for `/`. The reference accepts both.
    pub fn open_package(bytes: &'a [u8], budget: &'a mut Budget) -> Result<Self, DocumentError> {
        Ok(Self { is_package: true, ..Self::open(bytes, budget)? })
    }

    /// Names of all entries, in the archive's order.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names().filter_map(Result::ok).map(|name| name.into_owned()).collect()
    }

    /// Whether a part exists.
    pub fn has(&self, name: &str) -> bool {
        self.index(name).is_some()
    }

    /// The entry with a name: exactly the name, else in packages one with the same folded name.
    fn index(&self, name: &str) -> Option<usize> {
        if !self.is_package {
            return self.archive.index_for_name(name);
        }
        self.archive.index_for_name_raw(name.as_bytes()).or_else(|| {
            let folded = self.folded.get_or_init(|| self.folded_names());
            folded.get(&fold(name)).copied()
        })
    }

    fn folded_names(&self) -> HashMap<String, usize> {
        let mut names = HashMap::new();
        for (index, name) in self.archive.file_names().enumerate() {
            if let Ok(name) = name {
                names.entry(fold(&name)).or_insert(index);
            }
        }
        names
    }

    /// A part's bytes; `None` if the part does not exist.
    pub fn optional(&mut self, name: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        let Some(index) = self.index(name) else { return Ok(None) };
        let entry = self.archive.by_index(index).map_err(|error| match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => DocumentError::Encrypted,
            error => error.into(),
        })?;
        let mut bytes = Vec::new();
        let read = entry.take(self.budget.bytes + 1).read_to_end(&mut bytes);
        let read = read.map_err(ZipError::Io)? as u64;
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
        let is_package = self.is_package;
        let mut found = Vec::new();
        xml::for_each_token(&name, &bytes, |token| {
            if let Token::Open { name, attributes } = token
                && xml::local(name) == "Relationship"
            {
                let mut target = attributes.get("Target").unwrap_or_default();
                let is_external = attributes.get("TargetMode").as_deref() == Some("External");
                if is_package {
                    target = target.replace('\\', "/");
                }
                found.push(Relationship {
                    id: attributes.get("Id").unwrap_or_default(),
                    kind: attributes.get("Type").unwrap_or_default(),
                    // A place in the document stays as it is.
                    target: if is_external || target.starts_with('#') {
                        target
                    } else {
                        join(folder, &target)
                    },
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
        Ok(targets.map(|it| it.target).filter(|name| self.has(name)).collect())
    }

    /// Name of the existing part that a part refers to with the kind, else of the file beside it.
    pub fn related_or(
        &mut self,
        part: &str,
        kind: &str,
        file: &str,
    ) -> Result<String, DocumentError> {
        let related = self.related(part, kind)?.into_iter().next();
        let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
        Ok(related.unwrap_or_else(|| join(folder, file)))
    }

    /// Name of a package's main part (ECMA-376 part 1, 11.3.10): mostly the conventional one.
    pub fn main_part(&mut self, conventional: &str) -> Result<String, DocumentError> {
        self.related_or("", "officeDocument", conventional)
    }
}

/// The document format of an archive; `None` for other archives.
pub fn format_of(bytes: &[u8]) -> Option<Format> {
    if !bytes.starts_with(b"PK\x03\x04") {
        return None;
    }
    let mut budget = Budget::default();
    let mut archive = Container::open_package(bytes, &mut budget).ok()?;
    if let Ok(Some(mediatype)) = archive.optional("mimetype") {
        return Format::from_mediatype(str::from_utf8(&mediatype).ok()?.trim());
    }
    if !archive.has("[Content_Types].xml") && !archive.has("_rels/.rels") {
        return None;
    }
    [
        (Format::Docx, "word/document.xml"),
        (Format::Xlsx, "xl/workbook.xml"),
        (Format::Pptx, "ppt/presentation.xml"),
    ]
    .into_iter()
    .find_map(|(format, conventional)| {
        let main = archive.main_part(conventional).ok()?;
        let folder = conventional.split_once('/')?.0;
        (archive.has(&main) && main.to_ascii_lowercase().starts_with(folder)).then_some(format)
    })
}

/// A name for comparisons of parts.
fn fold(name: &str) -> String {
    name.replace('\\', "/").to_ascii_lowercase()
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

/// A reference without its percent escapes.
pub fn percent_decoded(href: &str) -> String {
    let bytes = href.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let digits = href.get(index + 1..index + 3).filter(|_| bytes[index] == b'%');
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                index += 3;
            }
            None => {
                decoded.push(bytes[index]);
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// An archive with the given parts, for tests.
#[cfg(test)]
pub fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    use std::io::Write;
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        let stored = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored);
        writer.start_file(*name, stored).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A relationships part with the given kinds and targets, for tests. Ids count from rId1.
#[cfg(test)]
pub fn relations(targets: &[(&str, &str)]) -> String {
    let relationships = targets.iter().enumerate().map(|(index, (kind, target))| {
        let id = index + 1;
        format!(r#"<Relationship Id="rId{id}" Type="http://office/{kind}" Target="{target}"/>"#)
    });
    format!("<Relationships>{}</Relationships>", relationships.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_resolve_inside_of_the_archive() {
        assert_eq!(join("ppt", "slides/slide1.xml"), "ppt/slides/slide1.xml");
        assert_eq!(join("ppt/slides", "../notesSlides/n1.xml"), "ppt/notesSlides/n1.xml");
        assert_eq!(join("ppt", "/ppt/slides/slide1.xml"), "ppt/slides/slide1.xml");
        assert_eq!(join("OEBPS", "c1.xhtml#part"), "OEBPS/c1.xhtml");
        assert_eq!(join("a", "../../../etc/passwd"), "etc/passwd");
    }

    #[test]
    fn names_of_packages_compare_without_case_and_with_both_slashes() {
        let bytes = archive(&[("A\\b.xml", "1"), ("c.xml", "2"), ("C.xml", "3")]);
        let mut budget = Budget::default();
        let mut package = Container::open_package(&bytes, &mut budget).unwrap();
        for (name, content) in [("a/B.xml", "1"), ("c.xml", "2"), ("C.xml", "3"), ("c.XML", "2")] {
            assert!(package.has(name), "{name}");
            assert_eq!(package.part(name).unwrap(), content.as_bytes(), "{name}");
        }
        assert!(!package.has("d.xml"));
        let mut exact = Container::open(&bytes, &mut budget).unwrap();
        assert_eq!(exact.part("C.xml").unwrap(), b"3");
        assert!(!exact.has("a/b.xml"));
    }

    #[test]
    fn the_main_part_is_the_one_that_the_package_refers_to() {
        let main = |target: &str, parts: &[(&str, &str)]| {
            let relations = relations(&[("styles", "x.xml"), ("officeDocument", target)]);
            let relations = relations.replace("Relationship ", "ns0:Relationship ");
            let bytes = archive(&[parts, &[("_rels/.rels", relations.as_str())]].concat());
            let mut budget = Budget::default();
            let mut package = Container::open_package(&bytes, &mut budget).unwrap();
            package.main_part("word/document.xml").unwrap()
        };
        assert_eq!(main("doc\\d2.xml", &[("doc/d2.xml", "")]), "doc/d2.xml");
        assert_eq!(main("/Doc/D2.xml", &[("doc/d2.xml", "")]), "Doc/D2.xml");
        assert_eq!(main("doc/d2.xml", &[]), "word/document.xml");
    }

    #[test]
    fn archives_with_more_entries_than_the_limit_are_refused() {
        let names: Vec<String> = (0..=DOCUMENT_ENTRIES_MAX).map(|at| at.to_string()).collect();
        let parts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let open = |count: usize| {
            let bytes = archive(&parts[..count]);
            Container::open(&bytes, &mut Budget::default()).map(|it| it.names().len())
        };
        assert!(matches!(open(DOCUMENT_ENTRIES_MAX), Ok(DOCUMENT_ENTRIES_MAX)));
        assert!(matches!(open(DOCUMENT_ENTRIES_MAX + 1), Err(DocumentError::TooManyEntries)));
    }
}
