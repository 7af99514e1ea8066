//! The metadata of the command line.

use std::fs;

use iscc_content::title;

use crate::failure::{EXIT_ARGUMENTS, Failed};
use crate::job::Given;

/// The given fields, checked before any file is read. `meta` may be `@FILE`.
pub fn checked(given: Given) -> Result<Given, Failed> {
    let meta = match given.meta.as_deref().and_then(|meta| meta.strip_prefix('@')) {
        Some(file) => Some(text_of(file)?),
        None => given.meta,
    };
    let description = given.description.as_deref().unwrap_or_default();
    title::code("name", description, meta.as_deref().unwrap_or_default()).map_err(|error| {
        let rule = "--meta must be a JSON object, a base64 Data-URL or @FILE";
        Failed::new(EXIT_ARGUMENTS, format!("{rule}: {error}"))
    })?;
    Ok(Given { meta, ..given })
}

fn text_of(file: &str) -> Result<String, Failed> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failed::new(EXIT_ARGUMENTS, format!("--meta: {file}: {error}")))?;
    Ok(text.trim_start_matches('\u{feff}').trim().to_owned())
}
