//! Text and properties of office documents and books: one file per format.
//!
//! Order and selection of text follow the reference's extractor, because they decide the Text-Code.
//! White space follows it where that is cheap, because offsets of text chunks depend on it.

mod attached;
mod blip;
mod container;
mod doc;
mod docx;
mod embed;
mod embedded;
mod encryption;
mod epub;
mod graphics;
mod hashed;
mod mail;
mod metafile;
mod msg;
mod object;
mod odt;
mod office_xml;
mod ole;
mod paragraphs;
mod picture;
mod ppt;
mod pptx;
mod prefix;
mod properties;
mod protection;
mod rtf;
mod xls;
mod xlsx;

pub use container::format_of as format_of_archive;
pub use embed::embed;
pub use mail::is_mail;
pub use office_xml::format as format_of_xml;
pub use properties::Properties;

use self::container::Budget;
use iscc_media::xml::{self, XmlError};

/// Maximum decompressed bytes of a document.
pub const DOCUMENT_BYTES_MAX: u64 = 256 << 20;

/// Maximum entries of a document's archive.
pub const DOCUMENT_ENTRIES_MAX: usize = 20_000;

/// Maximum levels of documents embedded in documents.
pub const DOCUMENT_DEPTH_MAX: u32 = 16;

/// Content of a document.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Document {
    /// Text in reading order, not normalised.
    pub text: String,
    /// Title, description, creators and so on, not cleaned.
    pub properties: Properties,
    /// The image file of the cover, for formats with covers.
    pub cover: Option<Vec<u8>>,
    /// Embedded PDFs whose texts [`read`] was not given, in the order of their places in the text.
    pub pdfs: Vec<Vec<u8>>,
}

/// Document formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Binary text, `.doc`.
    Doc,
    /// Office Open XML text, `.docx`.
    Docx,
    /// EPUB 2 and 3.
    Epub,
    /// OpenDocument text, `.odt`; spreadsheets and presentations read the same way.
    Odt,
    /// OpenDocument text as a single XML file, `.fodt`.
    FlatOdt,
    /// Word 2003 XML.
    WordXml,
    /// Excel 2003 XML.
    ExcelXml,
    /// Office Open XML as a single XML file.
    FlatPackage,
    /// Mail, `.eml`.
    Mail,
    /// Mail of Outlook, `.msg`.
    Msg,
    /// Binary presentation, `.ppt`.
    Ppt,
    /// Office Open XML presentation, `.pptx`.
    Pptx,
    /// Rich Text Format.
    Rtf,
    /// Binary spreadsheet, `.xls`.
    Xls,
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
            "application/msword" => Self::Doc,
            "application/vnd.ms-excel" => Self::Xls,
            "message/rfc822" => Self::Mail,
            "application/vnd.ms-outlook" => Self::Msg,
            "application/vnd.ms-powerpoint" => Self::Ppt,
            "application/epub+zip" | "application/x-ibooks+zip" => Self::Epub,
            "application/vnd.oasis.opendocument.text"
            | "application/vnd.oasis.opendocument.spreadsheet"
            | "application/vnd.oasis.opendocument.presentation"
            // OpenOffice 1, which has the same elements.
            | "application/vnd.sun.xml.calc"
            | "application/vnd.sun.xml.impress"
            | "application/vnd.sun.xml.writer" => Self::Odt,
            "application/rtf" | "text/rtf" => Self::Rtf,
            _ => return None,
        })
    }

    /// Whether a file whose name says so may be in the format, though it does not start with a signature: parts of RTF.
    pub fn may_begin_without_signature(self, head: &[u8]) -> bool {
        self == Self::Rtf && rtf::has_words(head)
    }

    /// Whether a file starts with the signature of the format's container.
    pub fn has_signature(self, head: &[u8]) -> bool {
        match self {
            Self::Docx | Self::Epub | Self::Odt | Self::Pptx | Self::Xlsx => {
                head.starts_with(b"PK")
            }
            Self::Doc | Self::Msg | Self::Ppt | Self::Xls => {
                head.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
            }
            Self::Rtf => head.starts_with(b"{\\rt"),
            Self::FlatOdt | Self::WordXml | Self::ExcelXml | Self::FlatPackage => {
                format_of_xml(head) == Some(self)
            }
            Self::Mail => true,
        }
    }
}

impl Format {
    /// The format whose properties a file of the type has: also of types whose text is not read.
    pub fn of_properties(mediatype: &str, file: &[u8]) -> Option<Self> {
        const HEAD_BYTES: usize = 4096;
        let is_flat = || {
            let head = xml::decode(&file[..file.len().min(HEAD_BYTES)]);
            head.contains("<office:document")
                && head.contains("urn:oasis:names:tc:opendocument:xmlns:office:1.0")
        };
        let head = &file[..file.len().min(HEAD_BYTES)];
        match mediatype.strip_prefix("application/vnd.oasis.opendocument.") {
            Some(kind) if kind.ends_with("-flat-xml") => Some(Self::FlatOdt),
            Some("text" | "spreadsheet" | "presentation" | "graphics") => Some(Self::Odt),
            Some("text-template" | "spreadsheet-template" | "presentation-template") => {
                Some(Self::Odt)
            }
            _ if matches!(mediatype, "text/xml" | "application/xml") && is_flat() => {
                Some(Self::FlatOdt)
            }
            _ if format_of_xml(head).is_some() => format_of_xml(head),
            _ => Self::from_mediatype(mediatype),
        }
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
    #[error(transparent)]
    Malformed(#[from] XmlError),
    /// It decompresses to more than [`DOCUMENT_BYTES_MAX`].
    #[error("decompressed, the document is larger than {DOCUMENT_BYTES_MAX} bytes")]
    TooLarge,
    /// Its archive has more than [`DOCUMENT_ENTRIES_MAX`] entries.
    #[error("the document's archive has more than {DOCUMENT_ENTRIES_MAX} entries")]
    TooManyEntries,
    /// Embedding is not supported for the format.
    #[error("metadata cannot be embedded into documents of this format")]
    NotEmbeddable,
    /// It needs a password or a key.
    #[error("the document is encrypted")]
    Encrypted,
    /// The format has a version that cannot be read.
    #[error("no decoder for {0}")]
    Unsupported(&'static str),
    /// Not a compound file, or a damaged one.
    #[error("not a readable compound file: {0}")]
    Compound(String),
    /// Not RTF.
    #[error("not an RTF document")]
    NotRtf,
}

/// Reads a document.
///
/// The decompressed size and the number of entries are limited. Only the entities of XML and HTML
/// are resolved, so documents cannot include files or expand without limit.
///
/// PDF is read outside of this crate: `pdf_texts` has the texts of the PDFs embedded in the document,
/// in the order of an earlier [`Document::pdfs`].
pub fn read(format: Format, bytes: &[u8], pdf_texts: &[String]) -> Result<Document, DocumentError> {
    let mut budget = Budget::default();
    budget.pdfs.texts = Vec::from(pdf_texts).into_iter();
    let mut document = read_within(format, bytes, &mut budget)?;
    document.pdfs = budget.pdfs.found;
    Ok(document)
}

/// The text of a file that is embedded in a document. Empty for files without text, and for PDF.
pub fn embedded_text(file: &[u8]) -> Result<String, DocumentError> {
    let mut text = String::new();
    object::append("", file, &mut Budget::default(), &mut text)?;
    Ok(text)
}

/// Reads a document inside of another one. `None` for documents that cannot be read, and in too many levels of documents.
fn read_inner(
    format: Format,
    bytes: &[u8],
    budget: &mut Budget,
) -> Result<Option<Document>, DocumentError> {
    let Some(depth) = budget.depth.checked_sub(1) else { return Ok(None) };
    budget.depth = depth;
    let document = read_within(format, bytes, budget);
    budget.depth = depth + 1;
    match document {
        Err(DocumentError::TooLarge) => Err(DocumentError::TooLarge),
        document => Ok(document.ok()),
    }
}

fn read_within(
    format: Format,
    bytes: &[u8],
    budget: &mut Budget,
) -> Result<Document, DocumentError> {
    match format {
        // Encrypted packages are streams of compound files.
        Format::Docx | Format::Pptx | Format::Xlsx if Format::Doc.has_signature(bytes) => {
            ole::read(bytes, budget)
        }
        Format::Docx => docx::read(bytes, budget),
        Format::Doc | Format::Msg | Format::Ppt | Format::Xls => ole::read(bytes, budget),
        Format::Mail => mail::read(bytes, budget),
        Format::Epub => epub::read(bytes, budget),
        Format::Odt => odt::read(bytes, budget),
        Format::FlatOdt => odt::read_flat(bytes),
        Format::WordXml => office_xml::read_word(bytes, budget),
        Format::ExcelXml => office_xml::read_excel(bytes),
        Format::FlatPackage => office_xml::read_package(bytes, budget),
        Format::Pptx => pptx::read(bytes, budget),
        Format::Rtf => rtf::read(bytes, budget),
        Format::Xlsx => xlsx::read(bytes, budget),
    }
}
