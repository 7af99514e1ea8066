//! The body of a request that creates an index.
use iscc_index::json::{Node, push_string};

use super::parse;
use super::rules;
use super::violations::{Place, Step, Violations};
use crate::failure::Failure;

/// Maximum number of characters in an index name.
pub const NAME_CHARS_MAX: usize = 32;
/// Pattern of an index name.
const NAME_PATTERN: &str = "^[a-z][a-z0-9]*$";

/// Whether a text is a valid index name.
pub fn is_name(text: &str) -> bool {
    text.len() <= NAME_CHARS_MAX
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// Checks a name in a path.
pub fn check_name(name: &str) -> Result<(), Failure> {
    if is_name(name) {
        return Ok(());
    }
    let mut violations = Violations::default();
    let mut echo = Vec::new();
    push_string(&mut echo, name);
    let echo = String::from_utf8_lossy(&echo);
    let rule = format!("must match '{NAME_PATTERN}' and have at most {NAME_CHARS_MAX} characters");
    violations.add(&Place::PATH.at(Step::Name("name")), "value_error", &rule, &echo, "");
    violations.into_result()
}

/// Parses the body and returns the name of the index to create.
///
/// The other members of an index description are allowed and ignored, but must be valid.
pub fn read(body: &[u8]) -> Result<String, Failure> {
    let raw = parse(body)?;
    let mut violations = Violations::default();
    let mut name = String::new();
    let place = &Place::BODY;
    let at = |step| place.at(Step::Name(step));
    if let Node::Object(members) = Node::read(raw)? {
        match rules::present(&members, "name") {
            None => violations.missing(&at("name"), raw),
            Some(raw) => match Node::read(raw)? {
                Node::String(text) if is_name(&text) => name = text.into_owned(),
                Node::String(text) if text.is_empty() => {
                    violations.too_short_string(&at("name"), 1, raw);
                }
                Node::String(text) if text.chars().count() > NAME_CHARS_MAX => {
                    let message = format!("String should have at most {NAME_CHARS_MAX} characters");
                    let ctx = format!("{{\"max_length\":{NAME_CHARS_MAX}}}");
                    violations.add(&at("name"), "string_too_long", &message, raw.get(), &ctx);
                }
                Node::String(_) => violations.pattern(&at("name"), NAME_PATTERN, raw),
                _ => violations.not_a_string(&at("name"), raw),
            },
        }
        for number in ["assets", "size"] {
            if let Some(raw) = rules::present(&members, number) {
                rules::integer(raw, &at(number), None, &mut violations)?;
            }
        }
        if let Some(raw) = rules::member(&members, "sizes") {
            match Node::read(raw)? {
                Node::Object(sizes) => {
                    let place = at("sizes");
                    for (name, raw) in sizes {
                        rules::integer(raw, &place.at(Step::Name(&name)), None, &mut violations)?;
                    }
                }
                _ => violations.not_a_dict(&at("sizes"), raw),
            }
        }
    } else {
        violations.not_an_object(place, raw);
    }
    violations.into_result()?;
    Ok(name)
}
