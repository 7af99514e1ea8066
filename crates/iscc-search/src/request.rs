//! Request bodies: JSON to checked values.
//!
//! Violations have the words, types and order of the reference service's schema validation (pydantic), so that clients
//! that parse them keep working.

pub mod alias;
pub mod deletions;
pub mod entry;
pub mod index;
mod json_error;
pub mod paths;
pub mod queries;
pub mod query;
mod rules;
pub mod selection;
mod violations;
use iscc_index::json::InvalidString;
use serde_json::value::RawValue;

use crate::failure::{Failure, FailureKind};

impl From<InvalidString> for Failure {
    fn from(_: InvalidString) -> Self {
        Self::rejected("Invalid text in JSON string")
    }
}

/// Checks that a body is one JSON value. The failure gives the position of the first error.
fn parse(body: &[u8]) -> Result<&RawValue, Failure> {
    if body.is_empty() {
        let detail = br#"[{"type":"missing","loc":["body"],"msg":"Field required","input":null}]"#;
        return Err(Failure { kind: FailureKind::Invalid, detail: detail.to_vec() });
    }
    let Ok(text) = std::str::from_utf8(body) else {
        return Err(Failure::rejected("There was an error parsing the body"));
    };
    serde_json::from_str(text).map_err(|_| json_error::failure(text))
}
