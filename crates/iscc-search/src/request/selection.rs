//! Which matches of a search the client wants: extensions of the reference service's search.
use std::collections::HashSet;
use std::sync::Arc;

use iscc_columns::code;
use iscc_columns::column::Body;
use iscc_columns::unit::{Unit, UnitType, is_of_content};
use iscc_index::filter::Filter;
use iscc_index::id::IsccId;
use iscc_index::json::push_string;
use iscc_index::segment::Matching;

use super::violations::{Place, Step, Violations};
use crate::cursor::Cursor;
use crate::failure::{Failure, FailureKind};
use crate::fields::Fields;
use crate::options::Options;

/// Parameters as the client sent them. By default, none restricts the search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelectionParameters {
    /// Lowest similarity of a matching unit, 0 to 1.
    pub threshold: Option<f64>,
    /// Lowest similarity of a matching simprint, 0 to 1.
    pub threshold_simprints: Option<f64>,
    /// Names of the unit types to search with.
    pub unit_types: Option<Vec<String>>,
    /// ISCC-IDs that are no matches.
    pub exclude: Vec<String>,
    /// Lowest score of a match, 0 to 1.
    pub min_score: Option<f64>,
    /// Conditions on metadata; all must hold.
    pub filters: Vec<String>,
    /// Index whose matches remove units from the query.
    pub not_in: Option<String>,
    /// Where to continue.
    pub cursor: Option<String>,
    /// Whether to report the compared bits.
    pub explain: bool,
    /// Whether to search without graphs.
    pub exact: bool,
    /// Members of the metadata that matches have, as in [`Fields::of_names`]. `None`: all.
    pub fields: Option<Vec<String>>,
    /// Stored units of content that match nothing.
    pub set_aside: Vec<String>,
    /// Whether the result names the stored units of content by which its first matches match.
    pub names_units: bool,
}

/// Checked parameters.
#[derive(Debug, Default)]
pub struct Selection {
    /// Lowest similarity of a matching unit. `None`: as configured.
    pub threshold: Option<f64>,
    /// Lowest similarity of a matching simprint. `None`: as configured.
    pub threshold_simprints: Option<f64>,
    /// Unit types to search with. `None`: all.
    pub unit_types: Option<Vec<UnitType>>,
    /// Assets that are no matches.
    pub exclude: HashSet<(u8, u64)>,
    /// Lowest score of a match.
    pub min_score: f64,
    /// Conditions on metadata; all must hold.
    pub filters: Vec<Filter>,
    /// Where to continue. `None`: no pages.
    pub cursor: Option<Cursor>,
    /// Whether to report the compared bits.
    pub explain: bool,
    /// Whether to search without graphs.
    pub exact: bool,
    /// Members of the metadata that matches have.
    pub fields: Fields,
    /// Stored units that match nothing.
    pub set_aside: Arc<HashSet<(UnitType, Body)>>,
    /// Whether the result names the units of its first matches.
    pub names_units: bool,
}

impl SelectionParameters {
    /// Checks the parameters.
    ///
    /// # Errors
    /// `Invalid` for a value of another form.
    pub fn check(&self) -> Result<Selection, Failure> {
        let mut violations = Violations::default();
        let mut refuse = |parameter: &str, value: &str, rule: &str| {
            let mut echo = Vec::new();
            push_string(&mut echo, value);
            let place = Place::QUERY.at(Step::Name(parameter));
            violations.add(&place, "value_error", rule, &String::from_utf8_lossy(&echo), "");
        };
        let mut selection = Selection {
            threshold: self.threshold,
            threshold_simprints: self.threshold_simprints,
            min_score: self.min_score.unwrap_or_default(),
            explain: self.explain,
            exact: self.exact,
            names_units: self.names_units,
            fields: self.fields.clone().map(Fields::of_names).unwrap_or_default(),
            ..Selection::default()
        };
        if let Some(names) = &self.unit_types {
            let types = names.iter().filter_map(|name| {
                let found = unit_type(name);
                if found.is_none() {
                    refuse(
                        "unit_types",
                        name,
                        "must be names of unit types such as CONTENT_IMAGE_V0",
                    );
                }
                found
            });
            selection.unit_types = Some(types.collect());
        }
        for text in &self.exclude {
            match IsccId::parse(text) {
                Ok(id) => drop(selection.exclude.insert((id.realm, id.body))),
                Err(_) => {
                    refuse("exclude", text, "must be ISCC-IDs with prefix, separated by commas")
                }
            }
        }
        if let Some(text) = &self.cursor {
            selection.cursor = Cursor::parse(text);
            if selection.cursor.is_none() {
                refuse(
                    "cursor",
                    text,
                    "must be * for the first page, or next_cursor of a response",
                );
            }
        }
        let set_aside = self.set_aside.iter().filter_map(|text| {
            let found = content_unit(text);
            if found.is_none() {
                refuse("set_aside", text, "must be ISCC-UNITs of content");
            }
            found
        });
        selection.set_aside = Arc::new(set_aside.collect());
        selection.filters = filters(&self.filters, &mut violations);
        violations.into_result()?;
        Ok(selection)
    }
}

/// Parses conditions on metadata.
pub fn filters(texts: &[String], violations: &mut Violations) -> Vec<Filter> {
    let mut filters = Vec::new();
    for text in texts {
        match Filter::parse(text) {
            Ok(filter) => filters.push(filter),
            Err(rule) => {
                let mut echo = Vec::new();
                push_string(&mut echo, text);
                let echo = String::from_utf8_lossy(&echo);
                violations.add(
                    &Place::QUERY.at(Step::Name("filter")),
                    "value_error",
                    &rule,
                    &echo,
                    "",
                );
            }
        }
    }
    filters
}

impl Selection {
    /// Refuses what an index cannot do. `matching` is that of the index.
    pub fn check_for(&self, matching: Matching, options: &Options) -> Result<(), Failure> {
        let thresholds = [
            ("threshold", self.threshold, options.match_threshold_units),
            ("threshold_simprints", self.threshold_simprints, options.match_threshold_simprints),
        ];
        for (name, wanted, configured) in thresholds {
            let Some(wanted) = wanted else { continue };
            if matching != Matching::Approximate {
                return Err(Failure::rejected(format!(
                    "{name}: this index compares for equality; leave {name} out, or use a usearch:// index"
                )));
            }
            let floor = options.threshold_floor.unwrap_or(configured).min(configured);
            if wanted < floor {
                return Err(Failure::rejected(format!(
                    "{name}: must be at least {floor}, the threshold that the operator configured"
                )));
            }
        }
        Ok(())
    }

    /// Whether it leaves out no match.
    pub fn is_all(&self) -> bool {
        self.min_score <= 0.0
            && self.exclude.is_empty()
            && self.filters.is_empty()
            && self.cursor.is_none()
    }

    /// Whether the metadata of a match meets all conditions.
    pub fn accepts_metadata(&self, metadata: Option<&[u8]>) -> bool {
        self.filters.iter().all(|filter| filter.accepts(metadata))
    }

    /// Whether a match may be in the response, before its metadata is known.
    pub fn accepts(&self, realm: u8, id: u64, score: f64) -> bool {
        score >= self.min_score && !self.exclude.contains(&(realm, id))
    }
}

/// The type and body of a unit that content has.
fn content_unit(text: &str) -> Option<(UnitType, Body)> {
    let unit = Unit::stored(&code::decode(text).ok()?).ok()?;
    is_of_content(unit.kind).then_some((unit.kind, unit.body))
}

/// The unit type with a name.
fn unit_type(name: &str) -> Option<UnitType> {
    const MAIN_TYPES: u16 = 16;
    const SUB_TYPES: u16 = 16;
    const VERSIONS: u16 = 2;
    let numbers = (0..MAIN_TYPES * SUB_TYPES * VERSIONS)
        .map(|n| (n / (SUB_TYPES * VERSIONS), n / VERSIONS % SUB_TYPES, n % VERSIONS));
    let kinds = numbers.filter_map(|(main, sub, version)| UnitType::new(main, sub, version).ok());
    kinds.into_iter().find(|kind| kind.to_string() == name)
}

/// The failure of a request for an unknown index in a parameter.
pub fn no_negative_index(failure: Failure) -> Failure {
    if failure.kind != FailureKind::NotFound {
        return failure;
    }
    Failure::rejected(format!("not_in: {failure}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_every_unit_type_by_name() {
        for name in ["META_NONE_V0", "CONTENT_IMAGE_V0", "SEMANTIC_TEXT_V0", "INSTANCE_NONE_V0"] {
            assert_eq!(unit_type(name).unwrap().to_string(), name);
        }
        assert_eq!(unit_type("CONTENT_IMAGES_V0"), None);
    }

    #[test]
    fn names_each_parameter_of_another_form() {
        let text = |text: &str| Some(text.to_owned());
        let parameters = SelectionParameters {
            unit_types: Some(vec!["X".to_owned()]),
            exclude: vec!["y".to_owned()],
            filters: vec!["z".to_owned()],
            cursor: text("?"),
            ..SelectionParameters::default()
        };
        let failure = parameters.check().unwrap_err();
        assert_eq!(failure.kind, FailureKind::Invalid);
        let detail = failure.to_string();
        for name in ["unit_types", "exclude", "filter", "cursor"] {
            assert!(detail.contains(&format!(r#""loc":["query","{name}"]"#)), "{detail}");
        }
    }
}
