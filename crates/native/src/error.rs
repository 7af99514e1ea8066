//! The one error of the addon: a JavaScript `Error` with a `code`.

use std::fmt::{self, Display};

use iscc_media::MediaError;
use napi::bindgen_prelude::*;
use napi::{Env, JsError};

/// What a binding returns.
pub type Result<T> = std::result::Result<T, NativeError>;

/// Kinds of failure that callers tell apart. `src/native.ts` lists the same names, and
/// `test/native/errors.test.ts` compares both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// An argument breaks a rule. The message names both.
    InvalidArgument,
    /// The object is closed, finished or busy with another call.
    InvalidState,
    /// The bytes are not JSON. The message names the place.
    NotJson,
    /// The JSON breaks the schema of the request. `detail` lists the violations.
    SchemaViolation,
    /// The index follows hub logs; requests cannot change it.
    ReadOnly,
    /// The index or asset does not exist.
    NotFound,
    /// The index already exists.
    Conflict,
    /// This addon cannot decode the format; another decoder may.
    NoDecoder,
    /// No decoder has this variant of the format.
    Unsupported,
    /// The document needs a password or a key.
    Encrypted,
    /// The file starts like its format, but the rest does not follow it.
    Damaged,
    /// Reading the file would exceed a limit.
    TooLarge,
    /// The file asks for more work than its content can be worth.
    TooCostly,
    /// The document or text is empty.
    NoText,
    /// Reading or writing a file failed.
    Io,
    /// No space is left on the device.
    StorageFull,
    /// A newer version has written the data.
    NewerFormat,
    /// Another process uses the folder.
    InUse,
    /// Too many calls are waiting; a later one may succeed.
    Busy,
    /// The index is being loaded; a later call may succeed.
    Loading,
    /// The index is damaged and was not loaded.
    IndexDamaged,
    /// Stored data that the call needs is damaged.
    DataDamaged,
    /// The work took longer than its limit.
    Timeout,
    /// A fault of the addon or of its data. The message is for the log only.
    Internal,
}

impl AsRef<str> for ErrorCode {
    fn as_ref(&self) -> &str {
        match self {
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::InvalidState => "INVALID_STATE",
            Self::NotJson => "NOT_JSON",
            Self::SchemaViolation => "SCHEMA_VIOLATION",
            Self::ReadOnly => "READ_ONLY",
            Self::NotFound => "NOT_FOUND",
            Self::Conflict => "CONFLICT",
            Self::NoDecoder => "NO_DECODER",
            Self::Unsupported => "UNSUPPORTED",
            Self::Encrypted => "ENCRYPTED",
            Self::Damaged => "DAMAGED",
            Self::TooLarge => "TOO_LARGE",
            Self::TooCostly => "TOO_COSTLY",
            Self::NoText => "NO_TEXT",
            Self::Io => "IO",
            Self::StorageFull => "STORAGE_FULL",
            Self::NewerFormat => "NEWER_FORMAT",
            Self::InUse => "IN_USE",
            Self::Busy => "BUSY",
            Self::Loading => "LOADING",
            Self::IndexDamaged => "INDEX_DAMAGED",
            Self::DataDamaged => "DATA_DAMAGED",
            Self::Timeout => "TIMEOUT",
            Self::Internal => "INTERNAL",
        }
    }
}

/// Why a call failed.
#[derive(Debug)]
pub struct NativeError {
    code: ErrorCode,
    message: String,
    detail: Option<String>,
}

impl NativeError {
    /// An error with the text of `message`.
    pub fn new(code: ErrorCode, message: impl Display) -> Self {
        Self { code, message: message.to_string(), detail: None }
    }

    /// An argument breaks a rule; `message` names both.
    pub fn invalid(message: impl Display) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }

    /// A fault that no argument explains.
    pub fn internal(message: impl Display) -> Self {
        Self::new(ErrorCode::Internal, message)
    }

    /// A file operation on `path` failed.
    pub fn io(path: &str, error: &std::io::Error) -> Self {
        Self::new(ErrorCode::Io, format_args!("{path}: {error}"))
    }

    /// Too many calls are waiting.
    pub fn busy() -> Self {
        Self::new(ErrorCode::Busy, "too many calls are waiting; try again in a moment")
    }

    /// Its kind.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// JSON that describes the failure to the client of a service.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// Adds JSON that describes the failure to the client of a service.
    pub fn with_detail(self, json: String) -> Self {
        Self { detail: Some(json), ..self }
    }

    /// The JavaScript object, as an error to reject a promise with. Only for the JavaScript thread.
    pub fn into_js(self, env: &Env) -> napi::Error {
        let error = JsError::from(napi::Error::new(self.code, self.message)).into_unknown(*env);
        if let Some(detail) = self.detail {
            let mut object = Object::from_raw(env.raw(), error.raw());
            // The error is complete without it, for example while the process exits.
            let _ = object.set_named_property("detail", detail);
        }
        napi::Error::from(error)
    }
}

impl Display for NativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// For synchronous calls: napi throws what this makes of the error.
impl From<NativeError> for JsError<ErrorCode> {
    fn from(error: NativeError) -> Self {
        Self::from(napi::Error::new(error.code, error.message))
    }
}

/// napi fails only if the JavaScript engine does, for example while the process exits.
impl From<napi::Error> for NativeError {
    fn from(error: napi::Error) -> Self {
        Self::internal(error.reason)
    }
}

/// Kinds of failure that `MediaError` names.
const OF_FILES: [ErrorCode; 9] = [
    ErrorCode::NoDecoder,
    ErrorCode::Unsupported,
    ErrorCode::Damaged,
    ErrorCode::TooLarge,
    ErrorCode::TooCostly,
    ErrorCode::Encrypted,
    ErrorCode::NoText,
    ErrorCode::InvalidArgument,
    ErrorCode::Io,
];

impl From<MediaError> for NativeError {
    fn from(error: MediaError) -> Self {
        let code = OF_FILES.into_iter().find(|code| code.as_ref() == error.name());
        Self::new(code.unwrap_or(ErrorCode::Internal), error)
    }
}

impl From<iscc_codec::Error> for NativeError {
    fn from(error: iscc_codec::Error) -> Self {
        Self::invalid(error)
    }
}
