//! The rules of changes, for a local index and for assets that another engine stores.
use std::collections::{HashMap, HashSet};

use iscc_index::id::IsccId;
use iscc_index::segment::Matching;
use iscc_index::snapshot::SIMPRINT_TYPES_MAX;

use super::{Change, check_realm};
use crate::asset::{NewAsset, length_mismatch};
use crate::failure::{Failure, Response};
use crate::response::{self, AddStatus};
use crate::transfer::lines::{LinesResult, NewLines};

/// What changes are applied to.
pub trait Target {
    /// A failure of the target itself.
    type Error;

    /// Refuses all changes of an index that is deleted.
    fn check_open(&self) -> Result<(), Failure>;

    /// How the index matches.
    fn matching(&self) -> Matching;

    /// Realm of the assets, also of those that were deleted since.
    fn realm(&self) -> Option<u8>;

    /// Whether there are assets. Without any, the index accepts either realm.
    fn is_empty(&self) -> bool;

    /// Sets the realm.
    fn set_realm(&mut self, realm: u8);

    /// Length in bits of the simprints of a type.
    fn simprint_bits(&self, name: &str) -> Option<u16>;

    /// Number of simprint types.
    fn simprint_types(&self) -> usize;

    /// Whether there is an asset with this body of its ISCC-ID.
    fn contains(&self, id: u64) -> bool;

    /// Stores an asset; merges its simprints with those that are stored.
    fn put(&mut self, asset: &NewAsset) -> Result<(), Self::Error>;

    /// Deletes an asset that exists.
    fn remove(&mut self, id: u64) -> Result<(), Self::Error>;

    /// The failure of a request for a missing asset.
    fn no_asset(&self, id_text: &str) -> Failure;
}

/// Applies a change that a client asks for. The inner result is its response.
///
/// # Errors
/// Failures of the target. Changes of other origin are not accepted: `None`.
pub fn apply<T: Target>(target: &mut T, change: &Change) -> Option<Result<Response, T::Error>> {
    match change {
        Change::Add(assets) => Some(add(target, assets)),
        Change::AddLines(lines) => Some(add_lines(target, lines)),
        Change::DeleteAll(ids) => Some(delete_all(target, ids)),
        Change::Delete { id, id_text } => Some(delete(target, *id, id_text)),
        Change::Log(_) | Change::Rows(_) => None,
    }
}

/// Adds a batch, or rejects it as a whole without any effect.
fn add<T: Target>(target: &mut T, assets: &[NewAsset]) -> Result<Response, T::Error> {
    if let Err(failure) = check(target, assets) {
        return Ok(Err(failure));
    }
    assets.first().inspect(|first| set_realm(target, first));
    let mut statuses = Vec::with_capacity(assets.len());
    for asset in assets {
        statuses.push((asset.id_text.as_str(), put_counted(target, asset)?));
    }
    Ok(Ok(response::added(&statuses)))
}

/// Adds each line that follows the rules. The response counts them and lists the others.
fn add_lines<T: Target>(target: &mut T, lines: &NewLines) -> Result<Response, T::Error> {
    if let Err(failure) = target.check_open() {
        return Ok(Err(failure));
    }
    let mut result = LinesResult::new(lines.refused.clone());
    for (number, asset) in &lines.assets {
        match check(target, std::slice::from_ref(asset)) {
            Err(failure) => result.refuse(*number, Some(asset.id_text.clone()), failure),
            Ok(()) => {
                set_realm(target, asset);
                result.add(put_counted(target, asset)?);
            }
        }
    }
    Ok(Ok(result.json(lines.count)))
}

/// Deletes the assets that exist. The response has the status of each ISCC-ID.
fn delete_all<T: Target>(target: &mut T, ids: &[(IsccId, String)]) -> Result<Response, T::Error> {
    if let Err(failure) = target.check_open() {
        return Ok(Err(failure));
    }
    let mut statuses = Vec::with_capacity(ids.len());
    for (IsccId { body, realm }, text) in ids {
        let is_known = target.realm() == Some(*realm) && target.contains(*body);
        if is_known {
            target.remove(*body)?;
        }
        statuses.push((text.as_str(), is_known));
    }
    Ok(Ok(response::deleted(&statuses)))
}

/// Deletes an asset.
fn delete<T: Target>(
    target: &mut T,
    IsccId { body: id, realm }: IsccId,
    id_text: &str,
) -> Result<Response, T::Error> {
    // The same ISCC-ID body in another realm is another asset.
    if let Err(failure) = check_realm(target.realm(), realm, id_text) {
        return Ok(Err(failure));
    }
    if !target.contains(id) {
        return Ok(Err(target.no_asset(id_text)));
    }
    target.remove(id)?;
    Ok(Ok(Vec::new()))
}

fn put_counted<T: Target>(target: &mut T, asset: &NewAsset) -> Result<AddStatus, T::Error> {
    let is_known = target.contains(asset.id.body);
    target.put(asset)?;
    Ok(if is_known { AddStatus::Updated } else { AddStatus::Created })
}

/// The realm of the assets. `None` for an empty index: after its last asset is deleted, it accepts either realm.
fn realm<T: Target>(target: &T) -> Option<u8> {
    target.realm().filter(|_| !target.is_empty())
}

/// The first asset of an empty index sets the realm.
pub fn set_realm<T: Target>(target: &mut T, asset: &NewAsset) {
    if realm(target).is_none() {
        target.set_realm(asset.id.realm);
    }
}

/// Checks the rules that depend on the state of the index.
pub fn check<T: Target>(target: &T, assets: &[NewAsset]) -> Result<(), Failure> {
    target.check_open()?;
    let realm = realm(target).or(assets.first().map(|first| first.id.realm));
    if let Some((realm, asset)) =
        realm.and_then(|realm| Some((realm, assets.iter().find(|asset| asset.id.realm != realm)?)))
    {
        return Err(Failure::rejected(format!(
            "Realm ID mismatch: index has realm={realm}, but asset '{}' has realm={}. \
             All assets in an index must have the same realm ID.",
            asset.id_text, asset.id.realm
        )));
    }
    check_types(target, assets)?;
    match target.matching() {
        Matching::Approximate => check_lengths(target, assets),
        Matching::Exact => Ok(()),
    }
}

/// Bounds the number of simprint types: each type adds a column to memory and to every search.
fn check_types<T: Target>(target: &T, assets: &[NewAsset]) -> Result<(), Failure> {
    let mut added: HashSet<&str> = HashSet::new();
    for (name, list) in assets.iter().filter_map(|asset| asset.simprints.as_ref()).flatten() {
        if list.is_empty() || target.simprint_bits(name).is_some() || !added.insert(name) {
            continue;
        }
        if target.simprint_types() + added.len() > SIMPRINT_TYPES_MAX {
            return Err(Failure::rejected(format!(
                "simprint type '{name}': an index takes at most {SIMPRINT_TYPES_MAX} types"
            )));
        }
    }
    Ok(())
}

/// All simprints of a type must be as long as the first one.
fn check_lengths<T: Target>(target: &T, assets: &[NewAsset]) -> Result<(), Failure> {
    let mut added: HashMap<&str, u16> = HashMap::new();
    let all = assets
        .iter()
        .flat_map(|asset| asset.simprints.iter().flatten().map(move |one| (asset, one)));
    for (asset, (name, list)) in all {
        let known = target.simprint_bits(name);
        for simprint in list {
            let bits = simprint.body.bits();
            let fixed = known.unwrap_or_else(|| *added.entry(name).or_insert(bits));
            if bits != fixed {
                return Err(length_mismatch(
                    &format!("'{name}' of asset '{}'", asset.id_text),
                    bits,
                    fixed,
                ));
            }
        }
    }
    Ok(())
}
