//! The body of a request that points an alias to an index.
use iscc_index::json::Node;

use super::parse;
use super::rules;
use super::violations::{Place, Step, Violations};
use crate::failure::Failure;

/// Parses `{"index": ...}` and returns the name of the index.
pub fn read(body: &[u8]) -> Result<String, Failure> {
    let raw = parse(body)?;
    let mut violations = Violations::default();
    let place = &Place::BODY;
    let mut name = String::new();
    if let Node::Object(members) = Node::read(raw)? {
        for (member, raw) in &members {
            let place = place.at(Step::Name(member));
            match (&**member, Node::read(raw)?) {
                ("index", Node::String(text)) => name = text.into_owned(),
                ("index", _) => violations.not_a_string(&place, raw),
                _ => violations.extra(&place, raw),
            }
        }
        if rules::present(&members, "index").is_none() {
            violations.missing(&place.at(Step::Name("index")), raw);
        }
    } else {
        violations.not_an_object(place, raw);
    }
    violations.into_result()?;
    Ok(name)
}
