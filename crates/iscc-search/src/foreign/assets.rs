//! Responses with assets that another engine stores.
use iscc_index::id::IsccId;
use iscc_index::record::Record;

use super::{ForeignIndex, MATCHING};
use crate::asset_match;
use crate::failure::{Failure, Response};
use crate::fields::Fields;
use crate::index::{check_realm, no_asset, no_path};
use crate::request::{paths, query};
use crate::response;
use crate::row::{Row, key, key_of};
use crate::transfer::{self, AssetPage, Form, PageRequest, PageWriter};

/// The key of the asset of a request.
pub fn asset_key(index: &ForeignIndex, id_text: &str) -> Result<String, Failure> {
    Ok(key(known_id(index, id_text)?.body))
}

/// The response to a request for an asset. `rows` is the JSON array of the rows with its key, at most one.
pub fn entry(index: &ForeignIndex, id_text: &str, rows: &[u8], fields: &Fields) -> Response {
    let (id, row) = read(index, id_text, rows)?;
    json(id, row, fields)
}

/// Member `gateway` of an asset's metadata, if it is a string. `rows` as for [`entry`].
pub fn gateway(
    index: &ForeignIndex,
    id_text: &str,
    rows: &[u8],
) -> Result<Option<String>, Failure> {
    let (_, row) = read(index, id_text, rows)?;
    Ok(row.metadata.as_deref().and_then(|json| asset_match::gateway(json.as_bytes())))
}

/// Checks the request for a page. Returns the key that its assets come after, and their maximum number.
pub fn after(
    index: &ForeignIndex,
    after: Option<&str>,
    limit: i64,
    filters: &[String],
) -> Result<(Option<String>, usize), Failure> {
    let limit = query::checked_limit(limit)?;
    let filters = paths::filters(filters)?;
    index.state()?;
    let after = transfer::after(after)?.map(key);
    // The other engine has no index of metadata.
    if filters.is_empty() { Ok((after, limit)) } else { Err(no_path()) }
}

/// A page of a listing. `rows` is the JSON array of the assets in the order of their keys; `has_more` says whether
/// others follow them.
pub fn page(
    index: &ForeignIndex,
    rows: &[u8],
    limit: usize,
    form: Form,
    has_more: bool,
) -> Result<AssetPage, Failure> {
    let realm = index.state()?.realm.unwrap_or_default();
    let rows: Vec<Row<'_>> = serde_json::from_slice(rows).map_err(Failure::broken)?;
    let mut writer = PageWriter::new(PageRequest { after: None, limit, form });
    for row in rows {
        if writer.is_full() {
            return Ok(writer.finish(Some(realm)));
        }
        let body = key_of(&row.key)?;
        writer.add(body, &json(IsccId { body, realm }, row, &Fields::default())?);
    }
    Ok(writer.finish(has_more.then_some(realm)))
}

fn known_id(index: &ForeignIndex, id_text: &str) -> Result<IsccId, Failure> {
    let state = index.state()?;
    let id = IsccId::parse(id_text).map_err(Failure::rejected)?;
    check_realm(state.realm, id.realm, id_text)?;
    Ok(id)
}

fn read<'a>(
    index: &ForeignIndex,
    id_text: &str,
    rows: &'a [u8],
) -> Result<(IsccId, Row<'a>), Failure> {
    let id = known_id(index, id_text)?;
    let rows: Vec<Row<'_>> = serde_json::from_slice(rows).map_err(Failure::broken)?;
    let row = rows.into_iter().next().ok_or_else(|| no_asset(MATCHING, id_text))?;
    Ok((id, row))
}

/// The JSON of an asset.
fn json(id: IsccId, row: Row<'_>, fields: &Fields) -> Response {
    let asset = row.into_asset(id.realm, MATCHING)?;
    let record = Record::read(&asset.record);
    let record = record.ok_or_else(|| Failure::broken("a record is damaged"))?;
    Ok(response::entry(&id.text(), &record, &asset.simprints.unwrap_or_default(), fields))
}
