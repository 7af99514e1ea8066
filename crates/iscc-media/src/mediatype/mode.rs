//! Processing mode of a media type.

/// How a file's content is processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Text-Code
    Text,
    /// Image-Code
    Image,
    /// Audio-Code
    Audio,
    /// Video-Code
    Video,
}

impl Mode {
    /// The name used in results: `text`, `image`, `audio` or `video`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
        }
    }
}

/// Mode of a normalised media type: from the list of supported types, else from its top-level type.
pub fn mode(mediatype: &str) -> Option<Mode> {
    if let Some(&(_, mode)) = SUPPORTED.iter().find(|(supported, _)| *supported == mediatype) {
        return Some(mode);
    }
    match mediatype.split_once('/')?.0 {
        "text" => Some(Mode::Text),
        "image" => Some(Mode::Image),
        "audio" => Some(Mode::Audio),
        "video" => Some(Mode::Video),
        _ => None,
    }
}

/// Whether the type is in the reference's list of supported types.
pub(super) fn is_supported(mediatype: &str) -> bool {
    SUPPORTED.iter().any(|(supported, _)| *supported == mediatype)
}

/// The reference's list of supported types, and types of text documents that it does not code. Other
/// types can still have a mode.
const SUPPORTED: [(&str, Mode); 61] = [
    ("application/epub+zip", Mode::Text),
    ("application/json", Mode::Text),
    ("application/msword", Mode::Text),
    ("application/pdf", Mode::Text),
    ("application/rtf", Mode::Text),
    ("application/vnd.ms-excel", Mode::Text),
    ("application/vnd.ms-outlook", Mode::Text),
    ("application/vnd.ms-powerpoint", Mode::Text),
    ("application/vnd.oasis.opendocument.presentation", Mode::Text),
    ("application/vnd.oasis.opendocument.spreadsheet", Mode::Text),
    ("application/vnd.oasis.opendocument.text", Mode::Text),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", Mode::Text),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Mode::Text),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", Mode::Text),
    ("application/vnd.sun.xml.calc", Mode::Text),
    ("application/vnd.sun.xml.impress", Mode::Text),
    ("application/vnd.sun.xml.writer", Mode::Text),
    ("application/x-ibooks+zip", Mode::Text),
    ("application/xhtml+xml", Mode::Text),
    ("message/rfc822", Mode::Text),
    ("text/html", Mode::Text),
    ("text/markdown", Mode::Text),
    ("text/plain", Mode::Text),
    ("text/xml", Mode::Text),
    ("application/postscript", Mode::Image),
    ("image/avif", Mode::Image),
    ("image/bmp", Mode::Image),
    ("image/gif", Mode::Image),
    ("image/heic", Mode::Image),
    ("image/jpeg", Mode::Image),
    ("image/png", Mode::Image),
    ("image/svg+xml", Mode::Image),
    ("image/tiff", Mode::Image),
    ("image/vnd.adobe.photoshop", Mode::Image),
    ("audio/aiff", Mode::Audio),
    ("audio/mp4", Mode::Audio),
    ("audio/mpeg", Mode::Audio),
    ("audio/ogg", Mode::Audio),
    ("audio/opus", Mode::Audio),
    ("audio/wav", Mode::Audio),
    ("audio/x-aiff", Mode::Audio),
    ("audio/x-flac", Mode::Audio),
    ("audio/x-wav", Mode::Audio),
    ("audio/x-wavpack", Mode::Audio),
    ("application/vnd.rn-realmedia", Mode::Video),
    ("application/x-shockwave-flash", Mode::Video),
    ("video/3gpp", Mode::Video),
    ("video/3gpp2", Mode::Video),
    ("video/avi", Mode::Video),
    ("video/h264", Mode::Video),
    ("video/mp4", Mode::Video),
    ("video/mpeg", Mode::Video),
    ("video/ogg", Mode::Video),
    ("video/quicktime", Mode::Video),
    ("video/webm", Mode::Video),
    ("video/x-dirac", Mode::Video),
    ("video/x-flv", Mode::Video),
    ("video/x-m4v", Mode::Video),
    ("video/x-matroska", Mode::Video),
    ("video/x-ms-asf", Mode::Video),
    ("video/x-ms-wmv", Mode::Video),
];
