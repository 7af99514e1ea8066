//! Rules for single values, shared by several request bodies.
use std::borrow::Cow;

use iscc_index::json::Node;
use serde_json::value::RawValue;

use super::violations::{Place, Step, Violations};
use crate::failure::Failure;

/// Pattern of an ISCC-ID.
pub const ID_PATTERN: &str = "^ISCC:[A-Z2-7]{16}$";
/// Pattern of an ISCC-CODE.
pub const CODE_PATTERN: &str = "^ISCC:[A-Z2-7]{16,}$";
/// Pattern of a simprint: base64 in either alphabet, with or without padding.
pub const SIMPRINT_PATTERN: &str = "^[A-Za-z0-9+/_=-]+$";
/// Minimum number of characters of a stored simprint (64 bits).
pub const SIMPRINT_CHARS_MIN: usize = 11;
/// Number of characters of an ISCC-ID after its prefix.
const ID_CHARS: usize = 16;

/// Whether a text matches [`ID_PATTERN`].
pub fn is_id(text: &str) -> bool {
    base32_chars(text).is_some_and(|count| count == ID_CHARS)
}

/// Whether a text matches [`CODE_PATTERN`].
pub fn is_code(text: &str) -> bool {
    base32_chars(text).is_some_and(|count| count >= ID_CHARS)
}

/// Whether a text matches [`SIMPRINT_PATTERN`].
pub fn is_simprint(text: &str) -> bool {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"+/_=-".contains(&byte);
    !text.is_empty() && text.bytes().all(valid)
}

/// Number of base32 characters after `ISCC:`. `None` if the prefix is missing or another character follows.
fn base32_chars(text: &str) -> Option<usize> {
    let code = text.strip_prefix("ISCC:")?;
    code.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7')).then_some(code.len())
}

/// A member that is present, possibly `null`.
pub fn present<'a>(members: &[(Cow<'a, str>, &'a RawValue)], name: &str) -> Option<&'a RawValue> {
    members.iter().find(|(known, _)| known == name).map(|&(_, raw)| raw)
}

/// A member that is present and not `null`.
pub fn member<'a>(members: &[(Cow<'a, str>, &'a RawValue)], name: &str) -> Option<&'a RawValue> {
    present(members, name).filter(|raw| raw.get() != "null")
}

/// Reads a string that must match a pattern.
pub fn pattern<'a>(
    raw: &'a RawValue,
    place: &Place<'_>,
    is_valid: fn(&str) -> bool,
    pattern: &str,
    violations: &mut Violations,
) -> Result<Option<Cow<'a, str>>, Failure> {
    match Node::read(raw)? {
        Node::String(text) if is_valid(&text) => return Ok(Some(text)),
        Node::String(_) => violations.pattern(place, pattern, raw),
        _ => violations.not_a_string(place, raw),
    }
    Ok(None)
}

/// Reads an array of at least `min` strings.
pub fn strings<'a>(
    raw: &'a RawValue,
    place: &Place<'_>,
    min: usize,
    violations: &mut Violations,
) -> Result<Option<Vec<Cow<'a, str>>>, Failure> {
    let Node::Array(items) = Node::read(raw)? else {
        violations.not_a_list(place, raw);
        return Ok(None);
    };
    let mut texts = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match Node::read(item)? {
            Node::String(text) => texts.push(text),
            _ => violations.not_a_string(&place.at(Step::Index(index)), item),
        }
    }
    // The length is checked only if all items are valid.
    if texts.len() == items.len() && items.len() < min {
        violations.too_short_list(place, min, items.len(), raw);
        return Ok(None);
    }
    Ok(Some(texts))
}

/// Reads an integer of at least 0. Like pydantic, accepts a number, a number in a string, or a boolean.
pub fn integer(
    raw: &RawValue,
    place: &Place<'_>,
    max: Option<u64>,
    violations: &mut Violations,
) -> Result<Option<u64>, Failure> {
    let number = match Node::read(raw)? {
        Node::Bool(value) => Whole::Small(u64::from(value)),
        Node::Number(text) => whole(text),
        Node::String(text) => match whole(text.trim()) {
            Whole::Fraction | Whole::NotANumber => {
                let message =
                    "Input should be a valid integer, unable to parse string as an integer";
                violations.add(place, "int_parsing", message, raw.get(), "");
                return Ok(None);
            }
            number => number,
        },
        _ => Whole::NotANumber,
    };
    let max = max.unwrap_or(u64::MAX);
    match number {
        Whole::Small(value) if value <= max => return Ok(Some(value)),
        Whole::Small(_) | Whole::Large => {
            let message = format!("Input should be less than or equal to {max}");
            let ctx = format!("{{\"le\":{max}}}");
            violations.add(place, "less_than_equal", &message, raw.get(), &ctx);
        }
        Whole::Negative => {
            let message = "Input should be greater than or equal to 0";
            violations.add(place, "greater_than_equal", message, raw.get(), "{\"ge\":0}");
        }
        Whole::Fraction => {
            let message = "Input should be a valid integer, got a number with a fractional part";
            violations.add(place, "int_from_float", message, raw.get(), "");
        }
        Whole::NotANumber => {
            violations.add(place, "int_type", "Input should be a valid integer", raw.get(), "");
        }
    }
    Ok(None)
}

enum Whole {
    Small(u64),
    Large,
    Negative,
    Fraction,
    NotANumber,
}

/// Parses a decimal number and classifies its value.
fn whole(text: &str) -> Whole {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if let Ok(value) = digits.parse::<u64>() {
        return Whole::Small(value);
    }
    if digits.parse::<i128>().is_ok_and(|value| value < 0) {
        return Whole::Negative;
    }
    if !text.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Whole::Large;
    }
    let plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    match text.parse::<f64>() {
        Ok(value) if text.bytes().all(plain) => match value {
            value if value.fract() != 0.0 => Whole::Fraction,
            value if value < 0.0 => Whole::Negative,
            value if value < u64::MAX as f64 => Whole::Small(value as u64),
            _ => Whole::Large,
        },
        _ => Whole::NotANumber,
    }
}
