//! Why a file, or the command, has no result.

use iscc_media::MediaError;
use serde::{Deserialize, Serialize};

/// A failed file, or a check that found problems.
pub const EXIT_FAILED: u8 = 1;
/// Invalid arguments.
pub const EXIT_ARGUMENTS: u8 = 2;

/// The command failed.
#[derive(Debug, Clone)]
pub struct Failed {
    /// Exit status
    pub status: u8,
    /// For the user; empty if there is nothing to say
    pub message: String,
}

impl Failed {
    pub fn new(status: u8, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

/// Why a file has no code, as its line shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Constant name for programs: that of the codes service
    pub code: String,
    /// For the user
    pub detail: String,
}

/// How the service begins the reasons of a file.
const TASK: &str = "ISCC processing error. ";

impl Refusal {
    pub fn new(code: &str, detail: impl Into<String>) -> Self {
        Self { code: code.to_owned(), detail: detail.into() }
    }

    /// A reason that is in the file.
    pub fn of_file(code: &str) -> Self {
        let text = FILE_TEXTS.iter().find(|(name, _)| *name == code).map_or(code, |(_, text)| text);
        Self::new(code, format!("{TASK}{text}"))
    }

    /// What this program does not have, but `isccd code` has.
    pub fn without_decoder(what: &str) -> Self {
        let detail = format!("{TASK}This program does not read {what}; isccd code does.");
        Self::new("FORMAT_NOT_BUILT_IN", detail)
    }
}

/// The texts of `src/services/codes/errors.ts`; `test/cli/isccd-code.test.ts` compares them.
const FILE_TEXTS: [(&str, &str); 12] = [
    ("FILE_EMPTY", "The file is empty."),
    ("FILE_DAMAGED", "The file is damaged, incomplete or not in the format of its file name."),
    ("FILE_ENCRYPTED", "The document is encrypted. Upload a copy without password and encryption."),
    ("FILE_NO_TEXT", "The file contains no text."),
    ("FILE_TOO_SHORT", "The audio is too short: at least 3 seconds are needed."),
    (
        "VIDEO_TOO_SMALL",
        "The video is too small or too short: at least 32 x 32 pixels and 0.1 seconds are needed.",
    ),
    ("FILE_TOO_LARGE", "The content exceeds a limit, such as pixels, pages or unpacked bytes."),
    (
        "FILE_TOO_COSTLY",
        "The file asks for more work than its size allows, such as SVG filters over large areas, long gaps between \
         frames, sample rates below 1000 Hz or millions of empty parts.",
    ),
    ("FILE_TOO_SLOW", "Processing the file took too long."),
    ("FILE_TOO_COMPLEX", "Processing the file needed too much memory."),
    ("FILE_CRASHES_DECODER", "The decoder crashes on this file, which is probably damaged."),
    ("FORMAT_UNSUPPORTED", "There is no decoder for this variant of the file format."),
];

impl From<MediaError> for Refusal {
    fn from(error: MediaError) -> Self {
        match error {
            // Another decoder of `isccd code` may have it.
            MediaError::NoDecoder(_) => Self::without_decoder("this variant of the file format"),
            MediaError::Unsupported(_) => Self::of_file("FORMAT_UNSUPPORTED"),
            MediaError::Damaged { .. } => Self::of_file("FILE_DAMAGED"),
            MediaError::TooLarge { .. } => Self::of_file("FILE_TOO_LARGE"),
            MediaError::TooCostly(_) => Self::of_file("FILE_TOO_COSTLY"),
            MediaError::Encrypted => Self::of_file("FILE_ENCRYPTED"),
            MediaError::NoText => Self::of_file("FILE_NO_TEXT"),
            MediaError::RawPixels(_) => Self::new("INTERNAL", error.to_string()),
            MediaError::Io(error) => Self::from(error),
        }
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
        match error.kind() {
            NotFound | NotADirectory => Self::new("NOT_FOUND", "the file does not exist"),
            PermissionDenied => Self::new("NO_PERMISSION", "the file may not be read"),
            _ => Self::new("UNREADABLE", format!("the file can't be read ({error})")),
        }
    }
}

/// A fault of this program.
pub fn internal(error: impl std::fmt::Display) -> Refusal {
    Refusal::new("INTERNAL", error.to_string())
}
