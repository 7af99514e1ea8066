//! The body of a request that deletes several assets: a list of ISCC-IDs.
use std::borrow::Cow;

use iscc_index::json::Node;

use super::parse;
use super::rules::{self, ID_PATTERN};
use super::violations::{Place, Step, Violations};
use crate::failure::Failure;

/// Parses the body.
pub fn read(body: &[u8]) -> Result<Vec<Cow<'_, str>>, Failure> {
    let raw = parse(body)?;
    let mut violations = Violations::default();
    let mut ids = Vec::new();
    match Node::read(raw)? {
        Node::Array(items) => {
            for (index, item) in items.into_iter().enumerate() {
                let place = Place::BODY.at(Step::Index(index));
                ids.extend(rules::pattern(
                    item,
                    &place,
                    rules::is_id,
                    ID_PATTERN,
                    &mut violations,
                )?);
            }
        }
        _ => violations.not_a_list(&Place::BODY, raw),
    }
    violations.into_result()?;
    Ok(ids)
}
