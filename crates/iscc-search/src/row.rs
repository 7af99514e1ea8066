//! An asset as another engine stores it: all that a client sent, as JSON.
use std::borrow::Cow;

use iscc_index::id::IsccId;
use iscc_index::json::Pairs;
use iscc_index::record::{Record, StoredSimprints};
use iscc_index::segment::Matching;
use serde::{Deserialize, Serialize};

use crate::asset::NewAsset;
use crate::failure::Failure;
use crate::request::entry::{Entry, FastSimprint, Simprint};
use crate::request::query::QueryBody;
use crate::response;

/// Start of bytes in the text form of PostgreSQL.
const HEX: &str = "\\x";

/// An asset as a database has it. Absent members are `null`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row<'a> {
    /// Body of the ISCC-ID: `\x` and 16 digits.
    #[serde(borrow)]
    pub key: Cow<'a, str>,
    #[serde(borrow)]
    code: Option<Cow<'a, str>>,
    units: Option<Vec<String>>,
    /// Text of a JSON object, byte for byte.
    #[serde(borrow)]
    pub metadata: Option<Cow<'a, str>>,
    /// Text of a JSON object: simprints by type.
    #[serde(borrow)]
    simprints: Option<Cow<'a, str>>,
}

impl Row<'_> {
    /// A query by everything that the asset has. Its featureless Image-Codes are part of it.
    pub fn query(&self) -> Result<QueryBody<'_>, Failure> {
        let simprints = simprints_by_type(self.simprints.as_deref())?.map(|Pairs(types)| {
            let of_type = |(name, all)| (name, list(all).into_iter().map(|one| one.simprint));
            types.into_iter().map(of_type).map(|(name, texts)| (name, texts.collect())).collect()
        });
        let units = self.units.as_deref();
        Ok(QueryBody {
            iscc_id: None,
            iscc_code: self.code.as_deref().map(Cow::Borrowed),
            units: units.map(|all| all.iter().map(|unit| Cow::Borrowed(unit.as_str())).collect()),
            simprints,
            skip_featureless: Some(false),
        })
    }

    /// The asset of a realm.
    pub fn into_asset(self, realm: u8, matching: Matching) -> Result<NewAsset, Failure> {
        let id = IsccId { body: key_of(&self.key)?, realm };
        let simprints = simprints_by_type(self.simprints.as_deref())?;
        NewAsset::new(
            Entry {
                iscc_id: Some(id.text().into()),
                iscc_code: self.code,
                units: self.units.map(|units| units.into_iter().map(Cow::from).collect()),
                simprints: simprints.map(|Pairs(types)| {
                    types.into_iter().map(|(name, all)| (name, list(all))).collect()
                }),
                metadata: self.metadata.as_deref(),
            },
            matching,
        )
    }
}

type SimprintsByType<'a> = Pairs<'a, Vec<FastSimprint<'a>>>;

fn simprints_by_type(text: Option<&str>) -> Result<Option<SimprintsByType<'_>>, Failure> {
    text.map(serde_json::from_str).transpose().map_err(Failure::broken)
}

/// The JSON of a row. Returns `None` if the metadata are not text.
pub fn write(id: u64, record: &Record<'_>, simprints: &StoredSimprints) -> Option<Vec<u8>> {
    let metadata = record.metadata.map(str::from_utf8).transpose().ok()?;
    let simprints = (!simprints.is_empty()).then(|| response::simprints(simprints));
    let row = Row {
        key: key(id).into(),
        code: record.code.as_deref().map(Cow::from),
        units: record.units.clone(),
        metadata: metadata.map(Cow::from),
        simprints: simprints.map(|json| String::from_utf8(json).map(Cow::from)).transpose().ok()?,
    };
    serde_json::to_vec(&row).ok()
}

fn list(items: Vec<FastSimprint<'_>>) -> Vec<Simprint<'_>> {
    items.into_iter().map(Simprint::from).collect()
}

/// Key of an asset, by the body of its ISCC-ID.
pub fn key(id: u64) -> String {
    format!("{HEX}{id:016x}")
}

/// The body of the ISCC-ID of a key.
pub fn key_of(text: &str) -> Result<u64, Failure> {
    let digits = text.strip_prefix(HEX).filter(|digits| digits.len() == 16);
    let id = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    id.ok_or_else(|| Failure::broken(format_args!("'{text}' is not a key")))
}
