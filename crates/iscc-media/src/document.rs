//! Text and properties of office documents and books: one file per format.
//!
//! Order and inclusion of text follow what the reference's extractor gives, because they decide the
//! Text-Code; white space follows it where that is cheap, because chunk offsets depend on it.

mod container;
mod docx;
mod embed;
mod epub;
mod odt;
mod pptx;
mod properties;
mod rtf;
mod xlsx;
pub(crate) mod xml;

pub use embed::{Embed, embed};
pub use properties::Properties;

/// Decompressed bytes that one document may come to.
pub const DOCUMENT_BYTES_MAX: u64 = 256 << 20;

/// Entries that a document's archive may have.
pub const DOCUMENT_ENTRIES_MAX: usize = 20_000;

/// What a document holds.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Document {
    /// Body text in reading order; not cleaned.
    pub text: String,
    /// Title, description, creators and so on, as the document states them.
    pub properties: Properties,
    /// The cover's image file, where the format has one.
    pub cover: Option<Vec<u8>>,
}

/// Formats this module reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Office Open XML text, `.docx`.
    Docx,
    /// EPUB 2 and 3.
    Epub,
    /// OpenDocument text, `.odt`; spreadsheets and presentations read the same way.
    Odt,
    /// Office Open XML presentation, `.pptx`.
    Pptx,
    /// Rich Text Format.
    Rtf,
    /// Office Open XML spreadsheet, `.xlsx`.
    Xlsx,
}

impl Format {
    /// The format of a media type, if this module reads it.
    pub fn from_mediatype(mediatype: &str) -> Option<Self> {
        Some(match mediatype {
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => Self::Docx,
            "application/vnd.openxmlformats-officedocument.presentationml.presentation" => {
                Self::Pptx
            }
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => Self::Xlsx,
            "application/epub+zip" | "application/x-ibooks+zip" => Self::Epub,
            "application/vnd.oasis.opendocument.text" => Self::Odt,
            "application/rtf" | "text/rtf" => Self::Rtf,
            _ => return None,
        })
    }
}

/// Why a document could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// Not an archive, or a damaged one.
    #[error("not a readable archive: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// A part that every document of the format has is missing.
    #[error("the document has no part {0:?}")]
    PartMissing(String),
    /// A part is not well-formed.
    #[error("malformed XML in {part:?}: {reason}")]
    Malformed {
        /// Name of the part inside the archive.
        part: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Decompressing it would take more than [`DOCUMENT_BYTES_MAX`].
    #[error("decompressed, the document is larger than {DOCUMENT_BYTES_MAX} bytes")]
    TooLarge,
    /// Its archive has more than [`DOCUMENT_ENTRIES_MAX`] entries.
    #[error("the document's archive has more than {DOCUMENT_ENTRIES_MAX} entries")]
    TooManyEntries,
    /// Metadata has no place in documents of this format.
    #[error("metadata can not be embedded into documents of this format")]
    NotEmbeddable,
    /// Not RTF at all.
    #[error("not an RTF document")]
    NotRtf,
}

/// Reads a whole document.
///
/// Totals are bounded: decompressed size, number of entries; entities are never expanded beyond the
/// characters that XML and HTML define, so documents can't name files or grow by reference.
pub fn read(format: Format, bytes: &[u8]) -> Result<Document, DocumentError> {
    match format {
        Format::Docx => docx::read(bytes),
        Format::Epub => epub::read(bytes),
        Format::Odt => odt::read(bytes),
        Format::Pptx => pptx::read(bytes),
        Format::Rtf => rtf::read(bytes),
        Format::Xlsx => xlsx::read(bytes),
    }
}
