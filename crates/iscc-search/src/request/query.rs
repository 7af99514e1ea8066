//! The body of a search request.
use std::borrow::Cow;

use iscc_index::json::Node;
use serde_json::value::RawValue;

use super::parse;
use super::rules::{self, CODE_PATTERN, ID_PATTERN, SIMPRINT_PATTERN};
use super::selection::SelectionParameters;
use super::violations::{Place, Step, Violations};
use crate::failure::{Failure, FailureKind};

/// Largest limit of a search.
const LIMIT_MAX: i64 = 10_000;

/// Checks the number of matches that a client wants. The engine is the only place that knows the bounds.
///
/// The text for a limit below 1 is the reference service's, which calls it `count` internally.
pub fn checked_limit(limit: i64) -> Result<usize, Failure> {
    match limit {
        ..1 => Err(Failure::rejected("`count` must be >= 1")),
        1..=LIMIT_MAX => Ok(limit as usize),
        _ => Err(Failure::rejected(format!("limit must be at most {LIMIT_MAX}"))),
    }
}

/// Base64 texts by simprint type, in the order sent.
pub type QuerySimprints<'a> = Vec<(Cow<'a, str>, Vec<Cow<'a, str>>)>;

/// A query as the client sent it. `null` members are absent.
#[derive(Debug, Clone, Default)]
pub struct QueryBody<'a> {
    /// Searches with the stored units and simprints of this asset.
    pub iscc_id: Option<Cow<'a, str>>,
    /// `ISCC:` and at least 16 characters.
    pub iscc_code: Option<Cow<'a, str>>,
    /// One or more strings.
    pub units: Option<Vec<Cow<'a, str>>>,
    /// Base64 texts by type, in the order sent.
    pub simprints: Option<QuerySimprints<'a>>,
    /// Whether to leave out featureless Image-Codes. `None`: as configured. Not a member of the JSON.
    pub skip_featureless: Option<bool>,
}

/// Parameters of a search besides its query.
#[derive(Debug, Clone, Default)]
pub struct SearchParameters {
    /// Number of matches that the client wants.
    pub limit: i64,
    /// Whether to leave out featureless Image-Codes. `None`: as configured.
    pub skip_featureless: Option<bool>,
    /// Extensions, if the request has any.
    pub selection: Option<Box<SelectionParameters>>,
}

impl From<i64> for SearchParameters {
    fn from(limit: i64) -> Self {
        Self { limit, ..Self::default() }
    }
}

impl From<i32> for SearchParameters {
    fn from(limit: i32) -> Self {
        Self::from(i64::from(limit))
    }
}

/// Parses the body of a search request.
pub fn read(body: &[u8]) -> Result<QueryBody<'_>, Failure> {
    let raw = parse(body)?;
    let mut violations = Violations::default();
    let mut query = QueryBody::default();
    let place = &Place::BODY;
    let at = |name| place.at(Step::Name(name));
    if let Node::Object(members) = Node::read(raw)? {
        let of = |name| rules::member(&members, name);
        refuse_unknown(&members, place, &mut violations);
        if let Some(raw) = of("iscc_id") {
            let place = at("iscc_id");
            query.iscc_id = rules::pattern(raw, &place, rules::is_id, ID_PATTERN, &mut violations)?;
        }
        if let Some(raw) = of("iscc_code") {
            let place = at("iscc_code");
            query.iscc_code =
                rules::pattern(raw, &place, rules::is_code, CODE_PATTERN, &mut violations)?;
        }
        if let Some(raw) = of("units") {
            query.units = rules::strings(raw, &at("units"), 1, &mut violations)?;
        }
        if let Some(raw) = of("simprints") {
            query.simprints = simprints(raw, &at("simprints"), &mut violations)?;
        }
    } else {
        violations.not_an_object(place, raw);
    }
    violations.into_result()?;
    Ok(query)
}

/// Members of a query. An entry may be sent as a query, so `metadata` is known, and ignored.
const MEMBERS: [&str; 5] = ["iscc_id", "iscc_code", "units", "simprints", "metadata"];

/// A misspelled member must not change a search silently. A body without any known member fails as an empty query, with
/// the error of the reference service.
fn refuse_unknown(
    members: &[(Cow<'_, str>, &RawValue)],
    place: &Place<'_>,
    violations: &mut Violations,
) {
    let is_known = |name: &str| MEMBERS.contains(&name);
    if members.iter().any(|(name, _)| is_known(name)) {
        for (name, raw) in members.iter().filter(|(name, _)| !is_known(name)) {
            violations.extra(&place.at(Step::Name(name)), raw);
        }
    }
}

/// A query by units.
pub fn from_units(units: &[String]) -> Result<QueryBody<'_>, Failure> {
    if units.is_empty() {
        let text = "units: List should have at least 1 item after validation, not 0";
        return Err(Failure::new(FailureKind::Invalid, text));
    }
    let units = units.iter().map(|unit| Cow::Borrowed(unit.as_str())).collect();
    Ok(QueryBody { units: Some(units), ..QueryBody::default() })
}

/// A query by the ISCC-CODE of the query string.
pub fn from_code(code: &str) -> Result<QueryBody<'_>, Failure> {
    if !rules::is_code(code) {
        let text = format!("iscc_code: String should match pattern '{CODE_PATTERN}'");
        return Err(Failure::rejected(text));
    }
    Ok(QueryBody { iscc_code: Some(Cow::Borrowed(code)), ..QueryBody::default() })
}

fn simprints<'a>(
    raw: &'a RawValue,
    place: &Place<'_>,
    violations: &mut Violations,
) -> Result<Option<QuerySimprints<'a>>, Failure> {
    let Node::Object(types) = Node::read(raw)? else {
        violations.not_a_dict(place, raw);
        return Ok(None);
    };
    let mut simprints = Vec::with_capacity(types.len());
    for (name, raw) in types {
        let place = place.at(Step::Name(&name));
        let Node::Array(items) = Node::read(raw)? else {
            violations.not_a_list(&place, raw);
            continue;
        };
        let mut list = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            list.extend(simprint(item, &place.at(Step::Index(index)), violations)?);
        }
        if items.is_empty() {
            violations.too_short_list(&place, 1, 0, raw);
        }
        simprints.push((name.clone(), list));
    }
    Ok(Some(simprints))
}

/// A simprint: a text, or an object like those of an add request.
fn simprint<'a>(
    raw: &'a RawValue,
    place: &Place<'_>,
    violations: &mut Violations,
) -> Result<Option<Cow<'a, str>>, Failure> {
    if let Node::Object(members) = Node::read(raw)?
        && let Some(inner) = rules::member(&members, "simprint")
    {
        return rules::pattern(inner, place, rules::is_simprint, SIMPRINT_PATTERN, violations);
    }
    rules::pattern(raw, place, rules::is_simprint, SIMPRINT_PATTERN, violations)
}
