//! Schema violations: a list of `{type, loc, msg, input, ctx}`.

use serde_json::value::RawValue;

use crate::failure::{Failure, FailureKind};
use crate::json::push_string;

/// Violations that an answer names; who makes more has seen enough of them.
const VIOLATIONS_MAX: usize = 100;
/// Of a value that is shown in an answer, and of a name. A body may be one value of many megabytes.
const SHOWN_BYTES_MAX: usize = 4096;

/// One step of the way to a value.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// A member's name, or the part of the request.
    Name(&'a str),
    /// An item's position.
    Index(usize),
}

/// A way to a value; each level points to the one above.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    above: Option<&'a Place<'a>>,
    step: Step<'a>,
}

impl<'a> Place<'a> {
    /// The request's body.
    pub const BODY: Place<'static> = Place { above: None, step: Step::Name("body") };

    /// A member or item of the value here.
    pub fn at(&'a self, step: Step<'a>) -> Place<'a> {
        Place { above: Some(self), step }
    }

    fn write(&self, json: &mut Vec<u8>) {
        if let Some(above) = self.above {
            above.write(json);
            json.push(b',');
        }
        match self.step {
            Step::Name(name) => push_string(json, shown(name)),
            Step::Index(index) => json.extend_from_slice(index.to_string().as_bytes()),
        }
    }
}

/// Violations found so far.
#[derive(Debug, Default)]
pub struct Violations {
    json: Vec<u8>,
    count: usize,
}

impl Violations {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.json.is_empty()
    }

    /// Adds a violation, unless there are very many; `ctx` is an object's text, or empty. A long input is shown as
    /// text that breaks off.
    pub fn add(&mut self, place: &Place<'_>, kind: &str, message: &str, input: &str, ctx: &str) {
        self.count += 1;
        if self.count > VIOLATIONS_MAX {
            return;
        }
        let json = &mut self.json;
        json.extend_from_slice(if json.is_empty() { b"[{\"type\":" } else { b",{\"type\":" });
        push_string(json, kind);
        json.extend_from_slice(b",\"loc\":[");
        place.write(json);
        json.extend_from_slice(b"],\"msg\":");
        push_string(json, message);
        json.extend_from_slice(b",\"input\":");
        if input.len() > SHOWN_BYTES_MAX {
            push_string(json, &format!("{}…", shown(input)));
        } else {
            json.extend_from_slice(input.as_bytes());
        }
        if !ctx.is_empty() {
            json.extend_from_slice(b",\"ctx\":");
            json.extend_from_slice(ctx.as_bytes());
        }
        json.push(b'}');
    }

    /// A required member is not there.
    pub fn missing(&mut self, place: &Place<'_>, object: &RawValue) {
        self.add(place, "missing", "Field required", object.get(), "");
    }

    /// A string has another form than its pattern.
    pub fn pattern(&mut self, place: &Place<'_>, pattern: &str, input: &RawValue) {
        let message = format!("String should match pattern '{pattern}'");
        let mut ctx = b"{\"pattern\":".to_vec();
        push_string(&mut ctx, pattern);
        ctx.push(b'}');
        let ctx = String::from_utf8_lossy(&ctx);
        self.add(place, "string_pattern_mismatch", &message, input.get(), &ctx);
    }

    /// A string is too short.
    pub fn too_short_string(&mut self, place: &Place<'_>, min: usize, input: &RawValue) {
        let plural = if min == 1 { "" } else { "s" };
        let message = format!("String should have at least {min} character{plural}");
        let ctx = format!("{{\"min_length\":{min}}}");
        self.add(place, "string_too_short", &message, input.get(), &ctx);
    }

    /// A list is too short.
    pub fn too_short_list(&mut self, place: &Place<'_>, min: usize, len: usize, input: &RawValue) {
        let plural = if min == 1 { "" } else { "s" };
        let message =
            format!("List should have at least {min} item{plural} after validation, not {len}");
        let ctx =
            format!("{{\"field_type\":\"List\",\"min_length\":{min},\"actual_length\":{len}}}");
        self.add(place, "too_short", &message, input.get(), &ctx);
    }

    /// Not an object where one with known members is expected.
    pub fn not_an_object(&mut self, place: &Place<'_>, input: &RawValue) {
        let message = "Input should be a valid dictionary or object to extract fields from";
        self.add(place, "model_attributes_type", message, input.get(), "");
    }

    /// Not an object where one with any members is expected.
    pub fn not_a_dict(&mut self, place: &Place<'_>, input: &RawValue) {
        self.add(place, "dict_type", "Input should be a valid dictionary", input.get(), "");
    }

    /// Not a list.
    pub fn not_a_list(&mut self, place: &Place<'_>, input: &RawValue) {
        self.add(place, "list_type", "Input should be a valid list", input.get(), "");
    }

    /// Not a string.
    pub fn not_a_string(&mut self, place: &Place<'_>, input: &RawValue) {
        self.add(place, "string_type", "Input should be a valid string", input.get(), "");
    }

    /// The failure to answer with, if there is any violation.
    pub fn into_result(mut self) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        self.json.push(b']');
        Err(Failure { kind: FailureKind::Invalid, detail: self.json })
    }
}

/// The beginning of a text.
fn shown(text: &str) -> &str {
    &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)]
}
