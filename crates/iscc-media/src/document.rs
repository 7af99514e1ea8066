//! Text and properties of office documents and books: one file per format.
//!
//! Order and selection of text follow the reference's extractor, because they decide the Text-Code.
//! White space follows it where that is cheap, because offsets of text chunks depend on it.

mod container;
mod docx;
mod embed;
mod epub;
mod odt;
mod picture;
mod pptx;
mod properties;
mod rtf;
mod xlsx;
pub(crate) mod xml;

pub use embed::{Embed, embed};
pub use properties::Properties;

/// Maximum decompressed bytes of a document.
pub const DOCUMENT_BYTES_MAX: u64 = 256 << 20;

/// Maximum entries of a document's archive.
pub const DOCUMENT_ENTRIES_MAX: usize = 20_000;

/// Content of a document.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Document {
    /// Text in reading order, not normalised.
    pub text: String,
    /// Title, description, creators and so on, not cleaned.
    pub properties: Properties,
    /// The image file of the cover, for formats with covers.
    pub cover: Option<Vec<u8>>,
}

/// Document formats.
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
    /// The format of a media type; `None` for other types.
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

/// Why a document could not be read or edited.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// Not a zip archive, or a damaged one.
    #[error("not a readable archive: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// A mandatory part is missing.
    #[error("the document has no part {0:?}")]
    PartMissing(String),
    /// A part is not well-formed.
    #[error("malformed XML in {part:?}: {reason}")]
    Malformed {
        /// Name of the part inside the archive.
        part: String,
        /// The parser's message.
        reason: String,
    },
    /// It decompresses to more than [`DOCUMENT_BYTES_MAX`].
    #[error("decompressed, the document is larger than {DOCUMENT_BYTES_MAX} bytes")]
    TooLarge,
    /// Its archive has more than [`DOCUMENT_ENTRIES_MAX`] entries.
    #[error("the document's archive has more than {DOCUMENT_ENTRIES_MAX} entries")]
    TooManyEntries,
    /// Embedding is not supported for the format.
    #[error("metadata cannot be embedded into documents of this format")]
    NotEmbeddable,
    /// Not RTF.
    #[error("not an RTF document")]
    NotRtf,
}

/// Reads a document.
///
/// The decompressed size and the number of entries are limited. Only the entities of XML and HTML
/// are resolved, so documents cannot include files or expand without limit.
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
