//! An index in memory only, which matches equal ISCC-CODEs. For experiments.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use crate::asset::Content;
use crate::asset_match::{self, AssetMatch};
use crate::failure::{Failure, Response};
use crate::filter::Filter;
use crate::id::{self, IsccId};
use crate::index::no_path;
use crate::paths::Paths;
use crate::query::{Query, QueryAsset};
use crate::record::{Record, StoredSimprints, merge_simprints};
use crate::request::entry::{self, Entry};
use crate::request::query::QueryBody;
use crate::request::selection::Selection;
use crate::response::{self, AddStatus, Fields, FoundForm, IndexInfo, Metadata};
use crate::score::GlobalMatch;
use crate::segment::Matching;
use crate::transfer::lines::{self, LinesResult};
use crate::transfer::{self, AssetPage, Form, PageRequest, PageWriter};

/// An index in memory only.
pub struct MemoryIndex {
    name: RwLock<String>,
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    realm: Option<u8>,
    /// In order of creation. `None` is a deleted asset.
    assets: Vec<Option<Stored>>,
    /// Position in `assets` by ISCC-ID.
    by_id: HashMap<String, usize>,
    /// Declared metadata paths. Listings read all assets.
    paths: Paths,
}

#[derive(Clone)]
struct Stored {
    id: String,
    record: Vec<u8>,
    code: Option<String>,
    simprints: StoredSimprints,
}

impl MemoryIndex {
    /// An empty index.
    pub fn new(name: &str) -> Self {
        Self { name: RwLock::new(name.to_owned()), state: RwLock::default() }
    }

    /// Name of the index.
    pub fn name(&self) -> String {
        self.name.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the name.
    pub fn set_name(&self, name: &str) {
        name.clone_into(&mut self.name.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// The index's description for clients.
    pub fn info(&self) -> IndexInfo {
        let assets = self.read().by_id.len() as u64;
        IndexInfo { name: self.name(), assets, bytes: None, segments: None }
    }

    /// Adds a batch: all or none.
    pub fn add(&self, entries: Vec<Entry<'_>>) -> Response {
        let statuses = self.put_all(entries)?;
        let statuses: Vec<_> = statuses.iter().map(|(id, status)| (id.as_str(), *status)).collect();
        Ok(response::added(&statuses))
    }

    fn put_all(&self, entries: Vec<Entry<'_>>) -> Result<Vec<(String, AddStatus)>, Failure> {
        let mut prepared = Vec::with_capacity(entries.len());
        for entry in entries {
            prepared.push(prepare(entry)?);
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        // An index without assets accepts either realm.
        let mut realm = state.realm.filter(|_| !state.by_id.is_empty());
        for (_, stored, _) in &prepared {
            // Other codes than ISCC-IDs are accepted here: this index compares only texts.
            let Ok(id) = IsccId::parse(&stored.id) else { continue };
            let expected = *realm.get_or_insert(id.realm);
            if id.realm != expected {
                return Err(Failure::rejected(format!(
                    "Realm ID mismatch: index has realm={expected}, but asset '{}' has realm={}. \
                     All assets in an index must have the same realm ID.",
                    stored.id, id.realm
                )));
            }
        }
        state.realm = realm;
        let mut statuses = Vec::with_capacity(prepared.len());
        for (id, stored, simprints) in prepared {
            statuses.push((id, state.put(stored, &simprints)));
        }
        Ok(statuses)
    }

    /// Adds each line that follows the rules.
    pub fn add_lines(&self, body: &[u8], first: u64) -> Vec<u8> {
        let mut result = LinesResult::default();
        let mut count = 0;
        for (number, line) in lines::numbered(body, first) {
            count += 1;
            let mut id = None;
            let added = entry::read_one(line).and_then(|entry| {
                id = entry.iscc_id.as_ref().map(|id| id.to_string());
                self.put_all(vec![entry])
            });
            match added {
                Ok(added) => added.iter().for_each(|(_, status)| result.add(*status)),
                Err(failure) => result.refuse(number, id, failure),
            }
        }
        result.json(count)
    }

    /// Deletes the assets that exist.
    pub fn delete_all(&self, ids: &[Cow<'_, str>]) -> Vec<u8> {
        let statuses = ids.iter().map(|id| (&**id, self.delete(id).is_ok()));
        response::deleted(&statuses.collect::<Vec<_>>())
    }

    /// A page of all assets.
    pub fn assets(
        &self,
        after: Option<&str>,
        limit: usize,
        form: Form,
        filters: &[Filter],
    ) -> Result<AssetPage, Failure> {
        let after = transfer::after(after)?;
        let mut writer = PageWriter::new(PageRequest { after, limit, form });
        let state = self.read();
        let is_known = |filter: &Filter| state.paths.prefixes_of(filter).is_some();
        if !filters.is_empty() && !filters.iter().any(is_known) {
            return Err(no_path());
        }
        let body = |id: &str| IsccId::parse(id).map_or(0, |id| id.body);
        let mut all: Vec<_> = state.assets.iter().flatten().collect();
        all.sort_by_key(|stored| (body(&stored.id), &stored.id));
        let rest =
            all.into_iter().filter(|stored| after.is_none_or(|after| body(&stored.id) > after));
        for stored in rest {
            let metadata = stored.record()?.metadata;
            if !filters.iter().all(|filter| filter.accepts(metadata)) {
                continue;
            }
            if writer.is_full() {
                return Ok(writer.finish(state.realm.or(Some(0))));
            }
            let entry = response::entry(
                &stored.id,
                &stored.record()?,
                &stored.simprints,
                &Fields::default(),
            );
            writer.add(body(&stored.id), &entry);
        }
        Ok(writer.finish(None))
    }

    /// The declared paths.
    pub fn paths(&self) -> Paths {
        self.read().paths.clone()
    }

    /// Declares these paths instead of the present ones.
    pub fn declare_paths(&self, wanted: &[String]) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.paths = Paths::default().replaced(wanted, true);
    }

    /// Response to a get request.
    pub fn asset(&self, id: &str, fields: &Fields) -> Response {
        let state = self.read();
        let stored = self.stored(&state, id)?;
        Ok(response::entry(&stored.id, &stored.record()?, &stored.simprints, fields))
    }

    /// Deletes an asset.
    pub fn delete(&self, id: &str) -> Response {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let name = id::name(id).map_err(Failure::rejected)?;
        let position = state.by_id.remove(&*name).ok_or_else(|| self.no_asset(id))?;
        state.assets[position] = None;
        Ok(Vec::new())
    }

    /// Response to a search request.
    pub fn search(
        &self,
        body: QueryBody<'_>,
        limit: usize,
        selection: &Selection,
        bytes_max: usize,
    ) -> Response {
        let state = self.read();
        let (query, mut matches) = self.find(&state, body)?;
        if !selection.is_all() {
            matches.retain(|matched| state.accepts(selection, matched));
        }
        matches.truncate(limit);
        let id_text = |position| state.id(position).to_owned();
        let metadata = |position| state.metadata(position);
        let form = FoundForm { cursor: None, fields: &selection.fields, bytes_max };
        response::found(&query, id_text, &matches, &[], &form, metadata)
    }

    /// The typed result of a search.
    pub fn matches(&self, body: QueryBody<'_>, limit: usize) -> Result<Vec<AssetMatch>, Failure> {
        let state = self.read();
        let (_, mut matches) = self.find(&state, body)?;
        matches.truncate(limit);
        let id_text = |position| state.id(position).to_owned();
        AssetMatch::list(id_text, &matches, |position| state.metadata(position))
    }

    /// Member `gateway` of an asset's metadata, if it is a string.
    pub fn gateway(&self, id: &str) -> Result<Option<String>, Failure> {
        let state = self.read();
        let stored = self.stored(&state, id)?;
        Ok(stored.record()?.metadata.and_then(asset_match::gateway))
    }

    /// The query in normal form, and its matches. Their `id` is the position of the asset.
    fn find(
        &self,
        state: &State,
        body: QueryBody<'_>,
    ) -> Result<(Query, Vec<GlobalMatch>), Failure> {
        let mut own_position = None;
        let query = Query::new(body, |id| {
            let stored = self.stored(state, id)?;
            own_position = state.by_id.get(&stored.id).copied();
            // The id only marks a query by ISCC-ID. This index identifies assets by position.
            Ok(QueryAsset::new(0, stored.record()?, stored.simprints.clone()))
        })?;
        let mut types: Vec<_> = Vec::with_capacity(query.units.len());
        for unit in &query.units {
            if !types.iter().any(|(known, _)| *known == unit.kind) {
                types.push((unit.kind, 1.0));
            }
        }
        let equal = |(position, stored): (usize, &Option<Stored>)| {
            let stored = stored.as_ref()?;
            let is_equal = stored.code.is_some() && stored.code == query.code;
            let matches = is_equal && Some(position) != own_position;
            matches.then(|| GlobalMatch {
                id: position as u64,
                score: 1.0,
                types: types.clone(),
                compared: Vec::new(),
            })
        };
        let mut matches: Vec<GlobalMatch> =
            state.assets.iter().enumerate().filter_map(equal).collect();
        matches.sort_by_key(|matched| state.id(matched.id));
        Ok((query, matches))
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The asset with an ISCC-ID, of either version.
    fn stored<'s>(&self, state: &'s State, id: &str) -> Result<&'s Stored, Failure> {
        let name = id::name(id).map_err(Failure::rejected)?;
        let position = state.by_id.get(&*name);
        let stored = position.and_then(|&position| state.assets[position].as_ref());
        stored.ok_or_else(|| self.no_asset(id))
    }

    fn no_asset(&self, id: &str) -> Failure {
        Failure::not_found(format!("Asset '{id}' not found in index '{}'", self.name()))
    }
}

impl State {
    fn id(&self, position: u64) -> &str {
        self.assets[position as usize].as_ref().map_or("", |stored| &stored.id)
    }

    fn metadata(&self, position: u64) -> Result<Metadata<'_>, Failure> {
        let stored = self.assets[position as usize].as_ref();
        Ok(stored.and_then(|stored| Record::read_metadata(&stored.record)))
    }

    fn accepts(&self, selection: &Selection, matched: &GlobalMatch) -> bool {
        let Some(stored) = &self.assets[matched.id as usize] else { return false };
        // Other codes than ISCC-IDs are accepted here. They cannot be excluded.
        let is_wanted = IsccId::parse(&stored.id)
            .map_or(true, |id| selection.accepts(id.realm, id.body, matched.score));
        is_wanted && selection.accepts_metadata(Record::read_metadata(&stored.record).flatten())
    }

    /// Adds or replaces an asset whose simprints are still to be merged with the stored ones.
    fn put(&mut self, mut stored: Stored, simprints: &StoredSimprints) -> AddStatus {
        let position = self.by_id.get(&stored.id).copied();
        if let Some(old) = position.and_then(|position| self.assets[position].take()) {
            stored.simprints = old.simprints;
        }
        merge_simprints(&mut stored.simprints, simprints);
        if let Some(position) = position {
            self.assets[position] = Some(stored);
            return AddStatus::Updated;
        }
        self.by_id.insert(stored.id.clone(), self.assets.len());
        self.assets.push(Some(stored));
        AddStatus::Created
    }
}

impl Stored {
    fn record(&self) -> Result<Record<'_>, Failure> {
        Record::read(&self.record).ok_or_else(|| Failure::broken("a record in memory is damaged"))
    }
}

/// The ISCC-ID as it was sent, the asset without simprints, and the simprints to merge with the stored ones.
fn prepare(entry: Entry<'_>) -> Result<(String, Stored, StoredSimprints), Failure> {
    let Some(id) = entry.iscc_id else {
        return Err(Failure::rejected("Asset must have iscc_id field when adding to index"));
    };
    let name = id::name(&id).map_err(Failure::rejected)?.into_owned();
    let (code, units) = (entry.iscc_code, entry.units);
    // Simprints may have any length, because this index does not compare distances.
    let content = Content::new(&code, &units, entry.simprints, Matching::Exact)?;
    let code = code.map(String::from);
    let record = Record {
        code: code.clone(),
        units: units.map(|units| units.into_iter().map(String::from).collect()),
        metadata: entry.metadata.map(str::as_bytes),
        has_simprints: false,
    };
    let simprints = StoredSimprints::new();
    Ok((
        id.into_owned(),
        Stored { id: name, record: record.write(), code, simprints },
        content.simprints.unwrap_or_default(),
    ))
}
