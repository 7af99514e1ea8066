//! The body of a request with several queries.
use iscc_index::json::Node;

use super::parse;
use super::violations::{Place, Violations};
use crate::failure::Failure;

/// Maximum number of queries.
const QUERIES_MAX: usize = 1000;

/// Splits a JSON array or NDJSON into the bytes of each query.
///
/// # Errors
/// `Invalid` if the body is not a list, is empty, or has more than 1000 queries.
pub fn split(body: &[u8], is_lines: bool) -> Result<Vec<Vec<u8>>, Failure> {
    let mut violations = Violations::default();
    let mut queries = Vec::new();
    if is_lines {
        let all = numbered(body, 1).take(QUERIES_MAX + 1);
        queries.extend(all.map(|(_, line)| line.to_vec()));
    } else {
        let raw = parse(body)?;
        match Node::read(raw)? {
            Node::Array(items) => {
                queries.extend(items.iter().map(|item| item.get().as_bytes().to_vec()))
            }
            _ => violations.not_a_list(&Place::BODY, raw),
        }
    }
    if violations.is_empty() && (queries.is_empty() || queries.len() > QUERIES_MAX) {
        let rule = format!("List should have 1 to {QUERIES_MAX} items");
        violations.add(&Place::BODY, "list_length", &rule, "null", "");
    }
    violations.into_result()?;
    Ok(queries)
}

/// The non-empty lines of a body with their numbers. The first line has the number `first`.
pub fn numbered(body: &[u8], first: u64) -> impl Iterator<Item = (u64, &[u8])> {
    let lines = body.split(|&byte| byte == b'\n').zip(first..);
    lines.map(|(line, number)| (number, line.trim_ascii())).filter(|(_, line)| !line.is_empty())
}
