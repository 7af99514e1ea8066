//! Compound files of the binary Office formats ([MS-CFB]) and their summary ([MS-OLEPS]).

mod directory;

use std::borrow::Cow;
use std::io::{Cursor, Read};

use cfb::CompoundFile;
use encoding_rs::UTF_16LE;

use self::directory::Directory;
use super::container::{Budget, format_of};
use super::properties::Properties;
use super::rtf::charset::of_code_page;
use super::{Document, DocumentError, doc, encryption, msg, ppt, read_within, xls};

/// Reads the document in a compound file. The streams decide about its format, because names of files are
/// often those of other formats.
pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    if xls::old::is_bare(bytes) {
        return xls::old::read(bytes);
    }
    document(&mut Ole::open(bytes, budget)?)
}

/// Reads the document in the current storage.
pub fn document(ole: &mut Ole<'_>) -> Result<Document, DocumentError> {
    match ole.extension() {
        Some("doc") => doc::read(ole),
        Some("xls") => xls::read(ole),
        Some("ppt") => ppt::read(ole),
        Some("msg") => msg::read(ole),
        _ if ole.has("/EncryptedPackage") => {
            let package = encryption::package::decrypted(ole)?;
            match format_of(&package) {
                Some(format) => read_within(format, &package, ole.budget()),
                None => Err(DocumentError::Compound("it holds no document".to_owned())),
            }
        }
        _ => Err(DocumentError::Compound("it holds no document".to_owned())),
    }
}

/// The streams of a compound file. Paths are relative to the current storage.
pub struct Ole<'a> {
    file: CompoundFile<Cursor<Cow<'a, [u8]>>>,
    directory: Directory,
    /// Path of the current storage; empty for the root.
    storage: String,
    budget: &'a mut Budget,
}

impl<'a> Ole<'a> {
    pub fn open(bytes: &'a [u8], budget: &'a mut Budget) -> Result<Self, DocumentError> {
        let file = CompoundFile::open(Cursor::new(bytes.into()));
        // Some programs leave out the end of the last sectors, or sectors that nothing uses.
        let file = file.or_else(|error| match directory::padded(bytes) {
            Some(padded) => CompoundFile::open(Cursor::new(padded.into())),
            None => Err(error),
        });
        Ok(Self {
            file: file.map_err(damaged)?,
            directory: Directory::of(bytes),
            storage: String::new(),
            budget,
        })
    }

    /// Makes a storage the current one; returns the outer one for [`Ole::leave`].
    pub fn enter(&mut self, path: &str) -> String {
        let inner = self.absolute(path);
        std::mem::replace(&mut self.storage, inner)
    }

    pub fn leave(&mut self, outer: String) {
        self.storage = outer;
    }

    fn absolute(&self, path: &str) -> String {
        format!("{}{path}", self.storage)
    }

    /// Whether the current storage is a chart of Microsoft Graph, which has the streams of a workbook.
    pub fn is_graph(&self) -> bool {
        const GRAPH: u128 = 0x0002_0803_0000_0000_C000_0000_0000_0046;
        let path = if self.storage.is_empty() { "/" } else { &self.storage };
        self.file.entry(path).is_ok_and(|entry| entry.clsid().as_u128() == GRAPH)
    }

    /// Whether there is a stream.
    pub fn has(&self, path: &str) -> bool {
        self.file.is_stream(self.absolute(path))
    }

    /// The extension of the document in the current storage; `None` without one.
    pub fn extension(&self) -> Option<&'static str> {
        const MARKS: [(&str, &str); 5] = [
            ("/WordDocument", "doc"),
            ("/Workbook", "xls"),
            ("/Book", "xls"),
            ("/PowerPoint Document", "ppt"),
            ("/__properties_version1.0", "msg"),
        ];
        MARKS.iter().find(|(stream, _)| self.has(stream)).map(|(_, extension)| *extension)
    }

    /// The bytes of a stream; `None` if it does not exist.
    pub fn optional(&mut self, path: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        if !self.has(path) {
            return Ok(None);
        }
        let stream = self.file.open_stream(self.absolute(path)).map_err(damaged)?;
        let mut bytes = Vec::new();
        let read = stream.take(self.budget.bytes + 1).read_to_end(&mut bytes).map_err(damaged)?;
        self.budget.take(read)?;
        Ok(Some(bytes))
    }

    /// The bytes of a mandatory stream.
    pub fn stream(&mut self, path: &str) -> Result<Vec<u8>, DocumentError> {
        self.optional(path)?.ok_or_else(|| DocumentError::PartMissing(path.to_owned()))
    }

    /// The names of the storages directly in a storage, in the reference's order.
    pub fn storages(&self, path: &str) -> Vec<String> {
        self.directory.storages(&self.absolute(path))
    }

    /// Whether there is a storage.
    pub fn has_storage(&self, path: &str) -> bool {
        self.file.is_storage(self.absolute(path))
    }

    /// What may still be read.
    pub fn budget(&mut self) -> &mut Budget {
        self.budget
    }

    /// The document's properties. A damaged summary is ignored.
    pub fn properties(&mut self) -> Result<Properties, DocumentError> {
        let summary = self.optional("/\u{5}SummaryInformation")?;
        Ok(summary.and_then(|bytes| summarize(&bytes)).unwrap_or_default())
    }
}

fn damaged(error: std::io::Error) -> DocumentError {
    DocumentError::Compound(error.to_string())
}

/// Reads little-endian numbers at an offset; `None` after the end.
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

/// A slice of `length` bytes from an offset; `None` after the end.
pub fn slice(bytes: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(length)?)
}

/// Decodes UTF-16, little-endian.
pub fn utf16(bytes: &[u8]) -> String {
    UTF_16LE.decode_without_bom_handling(bytes).0.into_owned()
}

/// Decodes the 8-bit form of Unicode text: the low bytes of its code units.
pub fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// Title, author and keywords. The reference has no description for these formats.
fn summarize(bytes: &[u8]) -> Option<Properties> {
    const FIRST_SET: usize = 44;
    const COUNT_MAX: u32 = 256;
    let set = bytes.get(u32_at(bytes, FIRST_SET)? as usize..)?;
    let count = u32_at(set, 4)?.min(COUNT_MAX) as usize;
    let entries: Vec<(u32, &[u8])> = (0..count)
        .filter_map(|index| {
            let at = 8 + index * 8;
            Some((u32_at(set, at)?, set.get(u32_at(set, at + 4)? as usize..)?))
        })
        .collect();
    let code_page = entries.iter().find(|(id, _)| *id == 1).and_then(|(_, it)| u16_at(it, 4));
    let mut properties = Properties::default();
    for (id, value) in entries {
        let Some(text) = string(value, code_page.unwrap_or(1252)) else { continue };
        match id {
            2 => properties.add("dc:title", &text),
            4 => text.split(';').for_each(|author| properties.add("dc:creator", author)),
            5 => text.split([',', ';']).for_each(|word| properties.add("cp:keywords", word)),
            _ => {}
        }
    }
    Some(properties)
}

/// A property's value, if it is text.
fn string(value: &[u8], code_page: u16) -> Option<String> {
    const ANSI: u32 = 0x1E;
    const WIDE: u32 = 0x1F;
    const UTF_16: u16 = 1200;
    let length = u32_at(value, 4)? as usize;
    let text = match u32_at(value, 0)? {
        ANSI => {
            let bytes = slice(value, 8, length)?;
            if code_page == UTF_16 {
                utf16(bytes)
            } else {
                of_code_page(i32::from(code_page)).decode_without_bom_handling(bytes).0.into_owned()
            }
        }
        WIDE => utf16(slice(value, 8, length.checked_mul(2)?)?),
        _ => return None,
    };
    Some(text.split('\0').next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn refusal(streams: &[(&str, &[u8])]) -> DocumentError {
        let mut file = CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        for (path, bytes) in streams {
            file.create_stream(path).unwrap().write_all(bytes).unwrap();
        }
        file.flush().unwrap();
        read(&file.into_inner().into_inner(), &mut Budget::default()).unwrap_err()
    }

    #[test]
    fn refusals_say_whether_a_document_is_encrypted_or_too_old() {
        let package = refusal(&[("/EncryptedPackage", b"x"), ("/EncryptionInfo", b"x")]);
        assert!(matches!(package, DocumentError::Encrypted), "{package:?}");
        let word = [&[0xEC, 0xA5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1][..], &[0; 1000]].concat();
        let word = refusal(&[("/WordDocument", &word), ("/0Table", b"x")]);
        assert!(matches!(word, DocumentError::Encrypted), "{word:?}");
        let user = [&[0; 12][..], &0xF3D1_C4DF_u32.to_le_bytes(), &[0; 8]].concat();
        let show = refusal(&[("/Current User", &user), ("/PowerPoint Document", b"x")]);
        assert!(matches!(show, DocumentError::Encrypted), "{show:?}");
        let book = [[9, 8, 4, 0, 0, 6, 5, 0], [0x2F, 0, 0, 0, 0, 0, 0, 0]].concat();
        let book = refusal(&[("/Workbook", &book)]);
        assert!(matches!(book, DocumentError::Encrypted), "{book:?}");
        let old = refusal(&[("/WordDocument", &[0xDB, 0xA5, 45, 0])]);
        assert!(matches!(old, DocumentError::Unsupported(_)), "{old:?}");
    }
}
