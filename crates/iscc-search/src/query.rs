//! A search request in normal form: what is searched with, and its JSON in the response.
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use iscc_codec::base::base64url;
use iscc_columns::code;
use iscc_columns::column::Body;
use iscc_columns::unit::{Unit, UnitType, compose, decompose};
use iscc_index::json::push_string;
use iscc_index::pass::UnitProbe;
use iscc_index::record::{Record, StoredSimprints};

use crate::base64;
use crate::failure::Failure;
use crate::request::query::QueryBody;

/// A query in normal form.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Units to search with.
    pub units: Vec<Unit>,
    /// Text of each unit.
    pub texts: Vec<String>,
    /// Texts of the units that a negative index removed. `None`: none was asked.
    pub suppressed: Option<Vec<String>>,
    /// Simprints to search with, by type.
    pub simprints: Vec<(String, Vec<QuerySimprint>)>,
    /// ISCC-ID body of the query asset, which is excluded from its own results.
    pub exclude: Option<u64>,
    /// ISCC-CODE of the query, or the one composed of its units.
    pub code: Option<String>,
    /// JSON of the query, including derived members.
    pub echo: Vec<u8>,
    /// Whether featureless Image-Codes are left out: those of the query, and stored ones that it matches.
    pub skips_featureless: bool,
    /// Stored units that it does not match.
    pub set_aside: Arc<HashSet<(UnitType, Body)>>,
}

/// A simprint to search with.
#[derive(Debug, Clone)]
pub struct QuerySimprint {
    /// The decoded bytes, of any length.
    pub bytes: Vec<u8>,
}

/// The stored asset that a query refers to by ISCC-ID.
#[derive(Debug, Default)]
pub struct QueryAsset {
    /// ISCC-ID body.
    pub id: u64,
    /// The ISCC-CODE as it was sent.
    pub code: Option<String>,
    /// The units as they were sent.
    pub units: Option<Vec<String>>,
    /// The stored simprints.
    pub simprints: StoredSimprints,
}

impl QueryAsset {
    /// Takes the asset's data from its record.
    pub fn new(id: u64, record: Record<'_>, simprints: StoredSimprints) -> Self {
        Self { id, code: record.code, units: record.units, simprints }
    }
}

impl Query {
    /// Normalises a query. `find_asset` returns the stored asset of an ISCC-ID.
    ///
    /// With an ISCC-ID, the query consists of the asset's stored data, and all other members are ignored. With both a
    /// code and units, the units are used.
    pub fn new(
        body: QueryBody<'_>,
        find_asset: impl FnOnce(&str) -> Result<QueryAsset, Failure>,
    ) -> Result<Self, Failure> {
        let Some(id) = body.iscc_id else {
            let simprints = body.simprints.unwrap_or_default();
            return Self::from_parts(body.iscc_code, body.units, simprints, None);
        };
        let asset = find_asset(&id)?;
        let simprints = asset.simprints.iter().map(|(name, list)| {
            let texts = list.iter().map(|stored| base64url::encode(&stored.body.to_bytes()));
            (Cow::Borrowed(name.as_str()), texts.map(Cow::Owned).collect())
        });
        let units = asset.units.map(|units| units.into_iter().map(Cow::Owned).collect());
        Self::from_parts(asset.code.map(Cow::Owned), units, simprints.collect(), Some(asset.id))
    }

    /// Leaves out the units that `keep` refuses, by position. The echo keeps them. Returns their texts.
    pub fn retain_units(&mut self, keep: impl Fn(usize, &Unit) -> bool) -> Vec<String> {
        let units = std::mem::take(&mut self.units);
        let texts = std::mem::take(&mut self.texts);
        let mut removed = Vec::new();
        for (position, (unit, text)) in units.into_iter().zip(texts).enumerate() {
            if keep(position, &unit) {
                self.units.push(unit);
                self.texts.push(text);
            } else {
                removed.push(text);
            }
        }
        removed
    }

    /// Leaves out the featureless units.
    pub fn without_featureless(mut self) -> Self {
        self.retain_units(|_, unit| !unit.is_featureless());
        self.skips_featureless = true;
        self
    }

    /// The units as probes of a pass in which the query has a position.
    pub fn probes(&self, position: usize, threshold: f64, exact: bool) -> Vec<UnitProbe<'_>> {
        let probe = |(of_unit, unit): (usize, &Unit)| UnitProbe {
            query: position,
            position: of_unit,
            unit: unit.kind,
            body: unit.body,
            threshold,
            exact,
            skips_featureless: self.skips_featureless,
            set_aside: (!self.set_aside.is_empty()).then_some(&*self.set_aside),
        };
        self.units.iter().enumerate().map(probe).collect()
    }

    fn from_parts(
        code: Option<Cow<'_, str>>,
        units: Option<Vec<Cow<'_, str>>>,
        simprints: Vec<(Cow<'_, str>, Vec<Cow<'_, str>>)>,
        exclude: Option<u64>,
    ) -> Result<Self, Failure> {
        if code.is_none() && units.is_none() && simprints.is_empty() {
            let text = "Query must have 'iscc_code', 'units', or 'simprints' for search";
            return Err(Failure::rejected(text));
        }
        let rejected = |error: code::CodeError| Failure::rejected(error.to_string());
        let mut query = Self { exclude, ..Self::default() };
        let texts: Option<Vec<Cow<'_, str>>> = match (units, &code) {
            (Some(units), _) => Some(units),
            (None, Some(code)) => {
                let bytes = code::decode(code).map_err(rejected)?;
                let units = decompose(&bytes).map_err(rejected)?;
                Some(units.iter().map(|unit| Cow::Owned(code::encode(unit))).collect())
            }
            (None, None) => None,
        };
        for text in texts.iter().flatten() {
            let bytes = code::decode(text).map_err(rejected)?;
            query.units.push(Unit::searched(&bytes).map_err(rejected)?);
        }
        query.code = code
            .map(Cow::into_owned)
            .or_else(|| compose(&query.units).map(|bytes| code::encode(&bytes)));
        query.write_echo(texts.as_deref(), &simprints);
        query.texts = texts.into_iter().flatten().map(Cow::into_owned).collect();
        for (name, texts) in simprints {
            let mut list = Vec::with_capacity(texts.len());
            for text in texts {
                let bytes = base64::decode(&text).filter(|bytes| !bytes.is_empty());
                let invalid = || Failure::rejected(format!("Simprint is not base64: '{text}'"));
                list.push(QuerySimprint { bytes: bytes.ok_or_else(invalid)? });
            }
            query.simprints.push((name.into_owned(), list));
        }
        Ok(query)
    }

    /// Writes the JSON of the query. For a query by ISCC-ID, absent members are `null`.
    fn write_echo(
        &mut self,
        units: Option<&[Cow<'_, str>]>,
        simprints: &[(Cow<'_, str>, Vec<Cow<'_, str>>)],
    ) {
        let all = self.exclude.is_some();
        let mut echo = vec![b'{'];
        let mut member = |name: &str, value: Option<Vec<u8>>| {
            if value.is_some() || all {
                if echo.len() > 1 {
                    echo.push(b',');
                }
                push_string(&mut echo, name);
                echo.push(b':');
                echo.extend(value.unwrap_or_else(|| b"null".to_vec()));
            }
        };
        let list = |texts: &[Cow<'_, str>]| {
            let mut json = vec![b'['];
            for (index, text) in texts.iter().enumerate() {
                if index > 0 {
                    json.push(b',');
                }
                push_string(&mut json, text);
            }
            json.push(b']');
            json
        };
        let code = self.code.as_ref().map(|code| {
            let mut json = Vec::new();
            push_string(&mut json, code);
            json
        });
        member("iscc_code", code);
        member("units", units.map(list));
        let types = (!simprints.is_empty()).then(|| {
            let mut json = vec![b'{'];
            for (index, (name, texts)) in simprints.iter().enumerate() {
                if index > 0 {
                    json.push(b',');
                }
                push_string(&mut json, name);
                json.push(b':');
                json.extend(list(texts));
            }
            json.push(b'}');
            json
        });
        member("simprints", types);
        echo.push(b'}');
        self.echo = echo;
    }
}
