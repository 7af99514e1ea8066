//! Reads the LMDB files of the reference service, iscc-search 0.3.
//!
//! `__assets__` maps an ISCC-ID to the JSON of its entry without simprints: the text of the ID in the exact backend, its
//! eight bytes in the approximate one. `__sp_<type>__` maps a simprint to the places where it occurs: body of the
//! ISCC-ID, offset and size, all big-endian. The program that wrote the file must not be running.
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use iscc_codec::base::base64url;
use iscc_index::json::push_string;
use iscc_index::lmdb_file::{LmdbFile, Row, Rows, Tree, Value};

use super::lines;
use super::reader::{Batch, ReadError};

const ASSETS: &str = "__assets__";
/// Simprints are grouped by asset for as many assets at a time as have about this many simprints together.
const WINDOW_SIMPRINTS: u64 = 2_000_000;

/// Offset, size and value.
type Chunk = (u32, u32, Vec<u8>);
/// Simprints of an asset, by number of their type.
type Simprints = Vec<Vec<Chunk>>;

/// Reads an LMDB file of the reference service.
pub struct ReferenceReader {
    file: Arc<LmdbFile>,
    assets: Tree,
    /// Simprint types and their trees.
    simprints: Vec<(String, Tree)>,
    rows: Rows,
    /// Number of rows read.
    done: u64,
    window: HashMap<u64, Simprints>,
    /// Number of rows up to which `window` has the simprints.
    window_end: u64,
}

impl ReferenceReader {
    /// Opens a file and skips the first rows.
    pub fn open(path: &Path, skip: u64) -> Result<Self, ReadError> {
        let file = Arc::new(LmdbFile::open(path)?);
        let mut failure = None;
        let databases = file.databases(|error| failure = Some(error));
        if let Some(error) = failure {
            return Err(error.into());
        }
        let find = |wanted: &str| databases.iter().find(|(name, _)| name == wanted);
        let assets = find(ASSETS).ok_or(ReadError::NotReference)?.1;
        let simprints = databases.iter().filter_map(|(name, tree)| {
            let kind = name.strip_prefix("__sp_")?.strip_suffix("__")?;
            (!kind.starts_with("assets_")).then(|| (kind.to_owned(), *tree))
        });
        let mut rows = Rows::new(&file, &assets);
        for _ in 0..skip {
            rows.next().transpose()?;
        }
        Ok(Self {
            assets,
            simprints: simprints.collect(),
            rows,
            done: skip,
            window: HashMap::new(),
            window_end: skip,
            file,
        })
    }

    /// Number of assets.
    pub fn assets(&self) -> u64 {
        self.assets.entries
    }

    /// The next assets.
    pub fn next(&mut self, limit: usize) -> Result<Batch, ReadError> {
        let mut batch = Batch::default();
        while (batch.count as usize) < limit {
            if self.done >= self.window_end {
                self.load_window()?;
            }
            match self.rows.next() {
                None => return Ok(batch),
                Some(Err(error)) => batch.problems.push(format!("assets: {error}")),
                Some(Ok(Row { key, value })) => {
                    self.done += 1;
                    batch.count += 1;
                    match (id_of(&key), value) {
                        (id, Value::Bytes(json)) => {
                            let simprints = id.and_then(|id| self.window.remove(&id));
                            let entry = self.entry(&json, simprints.unwrap_or_default());
                            lines::push(&mut batch.lines, &entry);
                        }
                        _ => batch.problems.push("assets: a row has several values".to_owned()),
                    }
                }
            }
        }
        batch.position = Some(self.done.to_string());
        Ok(batch)
    }

    /// Adds the simprints to the stored JSON.
    fn entry(&self, json: &[u8], simprints: Simprints) -> Vec<u8> {
        let mut entry = json.trim_ascii_end().to_vec();
        if simprints.iter().all(Vec::is_empty) || entry.pop() != Some(b'}') {
            return json.to_vec();
        }
        entry.extend_from_slice(b",\"simprints\":{");
        let mut is_first = true;
        for (mut chunks, (name, _)) in simprints.into_iter().zip(&self.simprints) {
            if chunks.is_empty() {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                entry.push(b',');
            }
            push_string(&mut entry, name);
            // The places in the content give the order, which is not stored.
            chunks.sort_unstable();
            let texts = chunks.iter().map(|(offset, size, value)| {
                let simprint = base64url::encode(value);
                format!("{{\"simprint\":\"{simprint}\",\"offset\":{offset},\"size\":{size}}}")
            });
            let list = texts.collect::<Vec<String>>().join(",");
            entry.extend_from_slice(format!(":[{list}]").as_bytes());
        }
        entry.extend_from_slice(b"}}");
        entry
    }

    /// Reads the simprints of the next assets. They are stored by value, so each window reads all of them.
    fn load_window(&mut self) -> Result<(), ReadError> {
        let total: u64 = self.simprints.iter().map(|(_, tree)| tree.entries).sum();
        let windows = total.div_ceil(WINDOW_SIMPRINTS).max(1);
        let count = self.assets.entries.div_ceil(windows).max(1);
        self.window_end = self.done + count;
        self.window = HashMap::new();
        if total == 0 {
            return Ok(());
        }
        let mut ahead = Rows::new(&self.file, &self.assets);
        for row in ahead.by_ref().skip(self.done as usize).take(count as usize) {
            if let Ok(Row { key, .. }) = row
                && let Some(id) = id_of(&key)
            {
                self.window.insert(id, Simprints::new());
            }
        }
        let types = self.simprints.len();
        for (kind, (_, tree)) in self.simprints.iter().enumerate() {
            for row in Rows::new(&self.file, tree) {
                let Row { key: simprint, value } = row?;
                let mut add = |place: &[u8]| {
                    let Some((id, offset, size)) = place_of(place) else { return };
                    let Some(simprints) = self.window.get_mut(&id) else { return };
                    simprints.resize_with(types, Vec::new);
                    simprints[kind].push((offset, size, simprint.clone()));
                };
                match value {
                    Value::Bytes(place) => add(&place),
                    Value::Several(places) => places.iter().for_each(|place| add(place)),
                    Value::Tree(places) => {
                        for row in Rows::new(&self.file, &places) {
                            add(&row?.key);
                        }
                    }
                    Value::Large { .. } => {}
                }
            }
        }
        Ok(())
    }
}

/// Body of the ISCC-ID in a key of eight bytes. Text keys belong to the backend without simprints.
fn id_of(key: &[u8]) -> Option<u64> {
    key.try_into().ok().map(u64::from_be_bytes)
}

fn place_of(place: &[u8]) -> Option<(u64, u32, u32)> {
    let place: &[u8; 16] = place.try_into().ok()?;
    let number = u128::from_be_bytes(*place);
    Some(((number >> 64) as u64, (number >> 32) as u32, number as u32))
}
