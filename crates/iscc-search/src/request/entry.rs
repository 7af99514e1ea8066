//! The body of an add request: a list of entries.
//!
//! A fast parser accepts bodies that follow all rules, without copying text. Any other body is parsed again by a
//! careful parser, which reports all violations and accepts unusual forms such as numbers in strings and repeated
//! members.
use std::borrow::Cow;

use iscc_index::json::{self, Node, Object, Pairs, Text};
use iscc_index::snapshot::SIMPRINT_TYPES_MAX;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::parse;
use super::rules::{self, CODE_PATTERN, ID_PATTERN, SIMPRINT_CHARS_MIN, SIMPRINT_PATTERN};
use super::violations::{Place, Step, Violations};
use crate::failure::Failure;

/// Minimum number of units, if an entry has units.
pub const ENTRY_UNITS_MIN: usize = 2;

/// Maximum nesting of metadata. In the response to a batch of searches, four more levels are around them; parsers of
/// clients read 64 (System.Text.Json) and more.
const METADATA_DEPTH_MAX: usize = 60;

/// An asset as the client sent it. `null` members are absent.
#[derive(Debug, Clone, Default)]
pub struct Entry<'a> {
    /// `ISCC:` and 16 characters.
    pub iscc_id: Option<Cow<'a, str>>,
    /// `ISCC:` and at least 16 characters.
    pub iscc_code: Option<Cow<'a, str>>,
    /// At least two strings.
    pub units: Option<Vec<Cow<'a, str>>>,
    /// Simprints by type, in the order sent. `null`, an empty list here, removes a type.
    pub simprints: Option<Vec<(Cow<'a, str>, Vec<Simprint<'a>>)>>,
    /// Text of a JSON object, byte for byte.
    pub metadata: Option<&'a str>,
}

/// A simprint as the client sent it.
#[derive(Debug, Clone)]
pub struct Simprint<'a> {
    /// Base64, at least 11 characters.
    pub simprint: Cow<'a, str>,
    /// Start in the asset's content.
    pub offset: u32,
    /// Length in the asset's content.
    pub size: u32,
}

/// Parses the body of an add request.
pub fn read(body: &[u8]) -> Result<Vec<Entry<'_>>, Failure> {
    match read_fast(body) {
        Some(entries) => Ok(entries),
        None => read_carefully(body),
    }
}

/// Parses one entry: a line of NDJSON.
pub fn read_one(line: &[u8]) -> Result<Entry<'_>, Failure> {
    let fast = serde_json::from_slice(line).ok().and_then(|Object(entry)| checked(entry));
    if let Some(entry) = fast {
        return Ok(entry);
    }
    let raw = parse(line)?;
    let mut violations = Violations::default();
    let entry = careful_entry(raw, &Place::BODY, &mut violations)?;
    violations.into_result()?;
    Ok(entry)
}

#[derive(Deserialize)]
struct FastEntry<'a> {
    #[serde(borrow, default)]
    iscc_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    iscc_code: Option<Text<'a>>,
    #[serde(borrow, default)]
    units: Option<Vec<Text<'a>>>,
    #[serde(borrow, default)]
    simprints: Option<Pairs<'a, Vec<Object<FastSimprint<'a>>>>>,
    #[serde(borrow, default)]
    metadata: Option<&'a RawValue>,
}

/// A simprint in the form that the service itself writes.
#[derive(Deserialize)]
pub struct FastSimprint<'a> {
    #[serde(borrow)]
    simprint: Text<'a>,
    offset: u32,
    size: u32,
}

impl<'a> From<FastSimprint<'a>> for Simprint<'a> {
    fn from(FastSimprint { simprint, offset, size }: FastSimprint<'a>) -> Self {
        Self { simprint: simprint.0, offset, size }
    }
}

fn read_fast(body: &[u8]) -> Option<Vec<Entry<'_>>> {
    let entries: Vec<Object<FastEntry<'_>>> = serde_json::from_slice(body).ok()?;
    entries.into_iter().map(|entry| checked(entry.0)).collect()
}

/// Returns the entry if it follows all rules.
fn checked(entry: FastEntry<'_>) -> Option<Entry<'_>> {
    let units = entry.units.map(|units| units.into_iter().map(|unit| unit.0).collect::<Vec<_>>());
    let mut simprints: Option<Vec<(Cow<'_, str>, Vec<Simprint<'_>>)>> = None;
    if let Some(types) = entry.simprints {
        // Bounds the cost of comparing each name with all names before it.
        if types.0.len() > SIMPRINT_TYPES_MAX {
            return None;
        }
        let list = simprints.insert(Vec::with_capacity(types.0.len()));
        for (name, items) in types.0 {
            let valid = |Object(item): &Object<FastSimprint<'_>>| {
                item.simprint.0.len() >= SIMPRINT_CHARS_MIN && rules::is_simprint(&item.simprint.0)
            };
            let repeated = list.iter().any(|(known, _)| *known == name);
            if items.is_empty() || repeated || !items.iter().all(valid) {
                return None;
            }
            let item = |Object(simprint)| Simprint::from(simprint);
            list.push((name, items.into_iter().map(item).collect()));
        }
    }
    let valid = entry.iscc_id.as_ref().is_none_or(|id| rules::is_id(&id.0))
        && entry.iscc_code.as_ref().is_none_or(|code| rules::is_code(&code.0))
        && units.as_ref().is_none_or(|units| units.len() >= ENTRY_UNITS_MIN)
        && entry.metadata.is_none_or(|metadata| {
            metadata.get().starts_with('{') && json::depth(metadata.get()) <= METADATA_DEPTH_MAX
        });
    valid.then(|| Entry {
        iscc_id: entry.iscc_id.map(|text| text.0),
        iscc_code: entry.iscc_code.map(|text| text.0),
        units,
        simprints,
        metadata: entry.metadata.map(RawValue::get),
    })
}

fn read_carefully(body: &[u8]) -> Result<Vec<Entry<'_>>, Failure> {
    let raw = parse(body)?;
    let mut violations = Violations::default();
    let mut entries = Vec::new();
    match Node::read(raw)? {
        Node::Array(items) => {
            for (index, item) in items.into_iter().enumerate() {
                let place = Place::BODY.at(Step::Index(index));
                entries.push(careful_entry(item, &place, &mut violations)?);
            }
        }
        _ => violations.not_a_list(&Place::BODY, raw),
    }
    violations.into_result()?;
    Ok(entries)
}

fn careful_entry<'a>(
    raw: &'a RawValue,
    place: &Place<'_>,
    violations: &mut Violations,
) -> Result<Entry<'a>, Failure> {
    let mut entry = Entry::default();
    let Node::Object(members) = Node::read(raw)? else {
        violations.not_an_object(place, raw);
        return Ok(entry);
    };
    let at = |name| place.at(Step::Name(name));
    let of = |name| rules::member(&members, name);
    if let Some(raw) = of("iscc_id") {
        entry.iscc_id = rules::pattern(raw, &at("iscc_id"), rules::is_id, ID_PATTERN, violations)?;
    }
    if let Some(raw) = of("iscc_code") {
        let place = at("iscc_code");
        entry.iscc_code = rules::pattern(raw, &place, rules::is_code, CODE_PATTERN, violations)?;
    }
    if let Some(raw) = of("units") {
        entry.units = rules::strings(raw, &at("units"), ENTRY_UNITS_MIN, violations)?;
    }
    if let Some(raw) = of("simprints") {
        entry.simprints = careful_simprints(raw, &at("simprints"), violations)?;
    }
    if let Some(raw) = of("metadata") {
        match Node::read(raw)? {
            Node::Object(_) if json::depth(raw.get()) > METADATA_DEPTH_MAX => {
                violations.too_deep(&at("metadata"), METADATA_DEPTH_MAX, raw);
            }
            Node::Object(_) => entry.metadata = Some(raw.get()),
            _ => violations.not_a_dict(&at("metadata"), raw),
        }
    }
    Ok(entry)
}

type Simprints<'a> = Vec<(Cow<'a, str>, Vec<Simprint<'a>>)>;

fn careful_simprints<'a>(
    raw: &'a RawValue,
    place: &Place<'_>,
    violations: &mut Violations,
) -> Result<Option<Simprints<'a>>, Failure> {
    let Node::Object(types) = Node::read(raw)? else {
        violations.not_a_dict(place, raw);
        return Ok(None);
    };
    let mut simprints = Vec::with_capacity(types.len());
    for (name, raw) in types {
        let place = place.at(Step::Name(&name));
        let items = match Node::read(raw)? {
            Node::Array(items) => items,
            Node::Null => {
                simprints.push((name.clone(), Vec::new()));
                continue;
            }
            _ => {
                violations.not_a_list(&place, raw);
                continue;
            }
        };
        let mut list = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            list.extend(careful_simprint(item, &place.at(Step::Index(index)), violations)?);
        }
        if items.is_empty() {
            violations.too_short_list(&place, 1, 0, raw);
        }
        simprints.push((name.clone(), list));
    }
    Ok(Some(simprints))
}

fn careful_simprint<'a>(
    raw: &'a RawValue,
    place: &Place<'_>,
    violations: &mut Violations,
) -> Result<Option<Simprint<'a>>, Failure> {
    let Node::Object(members) = Node::read(raw)? else {
        violations.not_an_object(place, raw);
        return Ok(None);
    };
    let mut simprint = None;
    let at = |name| place.at(Step::Name(name));
    match rules::present(&members, "simprint") {
        None => violations.missing(&at("simprint"), raw),
        Some(raw) => {
            let place = at("simprint");
            match Node::read(raw)? {
                Node::String(text) if text.chars().count() < SIMPRINT_CHARS_MIN => {
                    violations.too_short_string(&place, SIMPRINT_CHARS_MIN, raw);
                }
                Node::String(text) if !rules::is_simprint(&text) => {
                    violations.pattern(&place, SIMPRINT_PATTERN, raw);
                }
                Node::String(text) => simprint = Some(text),
                _ => violations.not_a_string(&place, raw),
            }
        }
    }
    let mut numbers = [0; 2];
    for (number, name) in numbers.iter_mut().zip(["offset", "size"]) {
        match rules::present(&members, name) {
            None => violations.missing(&at(name), raw),
            Some(raw) => {
                let max = Some(u32::MAX.into());
                *number = rules::integer(raw, &at(name), max, violations)?.unwrap_or(0) as u32;
            }
        }
    }
    let [offset, size] = numbers;
    Ok(simprint.map(|simprint| Simprint { simprint, offset, size }))
}
