//! Request bodies: JSON to checked values, with the violations worded as clients know them.
//!
//! The words, types and order of violations are those of the service's established schema
//! validation, so that clients which read them keep working.

pub mod entry;
pub mod index;
mod issues;
pub mod json;
mod json_error;
pub mod query;
mod rules;
