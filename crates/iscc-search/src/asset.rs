//! An entry of an add request, checked and ready to store.
use iscc_columns::code::{self, CodeError};
use iscc_columns::column::Body;
use iscc_columns::unit::{Unit, UnitType, decompose_stored};
use iscc_index::id::IsccId;
use iscc_index::record::{Record, StoredSimprint, StoredSimprints};
use iscc_index::segment::Matching;

use crate::base64;
use crate::failure::Failure;
use crate::request::entry::{Entry, Simprint};

/// Maximum length of a simprint in bits.
pub const SIMPRINT_BITS_MAX: usize = 256;

/// An asset to be stored.
#[derive(Debug, Clone)]
pub struct NewAsset {
    /// Its ISCC-ID.
    pub id: IsccId,
    /// Its ISCC-ID as the client sent it.
    pub id_text: String,
    /// Its record. The flag for simprints is set when the asset is stored.
    pub record: Vec<u8>,
    /// Its units, or those of its ISCC-CODE if no units were sent.
    pub units: Vec<(UnitType, Body)>,
    /// Its simprints, to be merged with the stored ones; an empty list removes its type.
    pub simprints: Option<StoredSimprints>,
}

impl NewAsset {
    /// Decodes an entry and checks the rules that its schema does not cover.
    pub fn new(entry: Entry<'_>, matching: Matching) -> Result<Self, Failure> {
        let Some(id_text) = entry.iscc_id else {
            return Err(Failure::rejected("Asset must have iscc_id field when adding to index"));
        };
        let id = IsccId::parse(&id_text).map_err(Failure::rejected)?;
        let content = Content::new(&entry.iscc_code, &entry.units, entry.simprints, matching)?;
        let record = Record {
            code: entry.iscc_code.map(String::from),
            units: entry.units.map(|units| units.into_iter().map(String::from).collect()),
            metadata: entry.metadata.map(str::as_bytes),
            has_simprints: false,
        };
        Ok(Self {
            id,
            id_text: id_text.into_owned(),
            record: record.write(),
            units: content.units,
            simprints: content.simprints,
        })
    }
}

/// The searchable content of an entry.
#[derive(Debug)]
pub struct Content {
    /// Its units, or those of its ISCC-CODE if no units were sent.
    pub units: Vec<(UnitType, Body)>,
    /// Its simprints. `None` if the member is absent.
    pub simprints: Option<StoredSimprints>,
}

impl Content {
    /// Decodes code, units and simprints.
    pub fn new<Text: AsRef<str>>(
        code: &Option<Text>,
        units: &Option<Vec<Text>>,
        simprints: Option<Vec<(Text, Vec<Simprint<'_>>)>>,
        matching: Matching,
    ) -> Result<Self, Failure> {
        let has_simprints =
            simprints.as_ref().is_some_and(|types| types.iter().any(|(_, list)| !list.is_empty()));
        if code.is_none() && units.is_none() && !has_simprints {
            return Err(Failure::rejected("Asset must have 'iscc_code' or 'units'"));
        }
        let rejected = |error: CodeError| Failure::rejected(error.to_string());
        let from_code = match code {
            Some(code) => {
                let bytes = code::decode(code.as_ref()).map_err(rejected)?;
                decompose_stored(&bytes).map_err(rejected)?
            }
            None => Vec::new(),
        };
        let from_units = match units {
            Some(units) => Some(
                units
                    .iter()
                    .map(|unit| Unit::stored(&code::decode(unit.as_ref())?))
                    .collect::<Result<Vec<Unit>, CodeError>>()
                    .map_err(rejected)?,
            ),
            None => None,
        };
        let all = from_units.unwrap_or(from_code);
        Ok(Self {
            units: all.into_iter().map(|unit| (unit.kind, unit.body)).collect(),
            simprints: simprints.map(|types| stored_simprints(types, matching)).transpose()?,
        })
    }
}

fn stored_simprints<Text: AsRef<str>>(
    types: Vec<(Text, Vec<Simprint<'_>>)>,
    matching: Matching,
) -> Result<StoredSimprints, Failure> {
    let mut all = StoredSimprints::with_capacity(types.len());
    for (name, list) in types {
        let mut stored: Vec<StoredSimprint> = Vec::with_capacity(list.len());
        for Simprint { simprint, offset, size } in list {
            let body = simprint_body(&simprint)?;
            if matching == Matching::Approximate
                && stored.first().is_some_and(|first| first.body.bits() != body.bits())
            {
                return Err(length_mismatch(
                    &format!("'{}'", name.as_ref()),
                    body.bits(),
                    stored[0].body.bits(),
                ));
            }
            stored.push(StoredSimprint { body, offset, size });
        }
        all.push((name.as_ref().to_owned(), stored));
    }
    Ok(all)
}

fn simprint_body(text: &str) -> Result<Body, Failure> {
    let bytes = base64::decode(text)
        .ok_or_else(|| Failure::rejected(format!("Simprint is not base64: '{text}'")))?;
    Body::new(&bytes).ok_or_else(|| {
        let bits = bytes.len() * 8;
        Failure::rejected(format!("Simprint of {bits} bits (at most {SIMPRINT_BITS_MAX})"))
    })
}

/// The failure for a simprint of `bits` whose type has simprints of other lengths. It begins with the text of the reference
/// service.
pub fn length_mismatch(of: &str, bits: u16, expected: u16) -> Failure {
    Failure::rejected(format!(
        "The number of vector dimensions doesn't match! A simprint of type {of} has {bits} bits, others have {expected}"
    ))
}
