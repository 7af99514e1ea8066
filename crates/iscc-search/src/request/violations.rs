//! Schema violations: a list of `{type, loc, msg, input, ctx}`.
use iscc_index::json::push_string;
use serde_json::value::RawValue;

use crate::failure::{Failure, FailureKind};

/// Maximum number of violations in a response.
const VIOLATIONS_MAX: usize = 100;
/// Maximum bytes of the request that all violations of a response echo. A body can be a single value of many MiB.
const ECHO_BYTES_MAX: usize = 4096;

/// One step of the path to a value.
#[derive(Debug, Clone, Copy)]
pub enum Step<'a> {
    /// Name of a member, or of a part of the request.
    Name(&'a str),
    /// Position of an item.
    Index(usize),
}

/// Path to a value (`loc`). Each level points to its parent.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    parent: Option<&'a Place<'a>>,
    step: Step<'a>,
}

impl<'a> Place<'a> {
    /// The request body.
    pub const BODY: Place<'static> = Place { parent: None, step: Step::Name("body") };

    /// The path.
    pub const PATH: Place<'static> = Place { parent: None, step: Step::Name("path") };

    /// The query string.
    pub const QUERY: Place<'static> = Place { parent: None, step: Step::Name("query") };

    /// Path to a member or item of this value.
    pub fn at(&'a self, step: Step<'a>) -> Place<'a> {
        Place { parent: Some(self), step }
    }

    fn write(&self, json: &mut Vec<u8>, echo_left: &mut usize) {
        if let Some(parent) = self.parent {
            parent.write(json, echo_left);
            json.push(b',');
        }
        match self.step {
            Step::Name(name) => push_string(json, take(name, echo_left)),
            Step::Index(index) => json.extend_from_slice(index.to_string().as_bytes()),
        }
    }
}

/// The violations found so far.
#[derive(Debug)]
pub struct Violations {
    json: Vec<u8>,
    count: usize,
    echo_left: usize,
}

impl Default for Violations {
    fn default() -> Self {
        Self { json: Vec::new(), count: 0, echo_left: ECHO_BYTES_MAX }
    }
}

impl Violations {
    /// Whether there are no violations.
    pub fn is_empty(&self) -> bool {
        self.json.is_empty()
    }

    /// Adds a violation, up to [`VIOLATIONS_MAX`]. `ctx` is the JSON of an object, or empty. An input that exceeds the
    /// rest of [`ECHO_BYTES_MAX`] becomes a string that is cut off.
    pub fn add(&mut self, place: &Place<'_>, kind: &str, message: &str, input: &str, ctx: &str) {
        self.count += 1;
        if self.count > VIOLATIONS_MAX {
            return;
        }
        let json = &mut self.json;
        json.extend_from_slice(if json.is_empty() { b"[{\"type\":" } else { b",{\"type\":" });
        push_string(json, kind);
        json.extend_from_slice(b",\"loc\":[");
        place.write(json, &mut self.echo_left);
        json.extend_from_slice(b"],\"msg\":");
        push_string(json, message);
        json.extend_from_slice(b",\"input\":");
        let echo = take(input, &mut self.echo_left);
        if echo.len() < input.len() {
            push_string(json, &format!("{echo}…"));
        } else {
            json.extend_from_slice(input.as_bytes());
        }
        if !ctx.is_empty() {
            json.extend_from_slice(b",\"ctx\":");
            json.extend_from_slice(ctx.as_bytes());
        }
        json.push(b'}');
    }

    /// A required member is missing.
    pub fn missing(&mut self, place: &Place<'_>, object: &RawValue) {
        self.add(place, "missing", "Field required", object.get(), "");
    }

    /// A member is unknown.
    pub fn extra(&mut self, place: &Place<'_>, input: &RawValue) {
        self.add(place, "extra_forbidden", "Extra inputs are not permitted", input.get(), "");
    }

    /// A string does not match its pattern.
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

    /// An object has too many levels.
    pub fn too_deep(&mut self, place: &Place<'_>, max: usize, input: &RawValue) {
        let message = format!("Objects and arrays should be nested at most {max} levels deep");
        let ctx = format!("{{\"max_depth\":{max}}}");
        self.add(place, "too_deep", &message, input.get(), &ctx);
    }

    /// Not an object, where one with known members is expected.
    pub fn not_an_object(&mut self, place: &Place<'_>, input: &RawValue) {
        let message = "Input should be a valid dictionary or object to extract fields from";
        self.add(place, "model_attributes_type", message, input.get(), "");
    }

    /// Not an object, where one with any members is expected.
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

    /// Fails if there are violations.
    pub fn into_result(mut self) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        self.json.push(b']');
        Err(Failure { kind: FailureKind::Invalid, detail: self.json })
    }
}

/// The start of a text, at most `left` bytes, which it takes from `left`.
fn take<'a>(text: &'a str, left: &mut usize) -> &'a str {
    let shown = &text[..text.floor_char_boundary(*left)];
    *left -= shown.len();
    shown
}
