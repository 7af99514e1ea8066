//! The files of graphs: the bytes of the graph library, and their BLAKE3.
//!
//! The index's record names them with the same hash. A file is complete and on disk before it gets its name, and is always
//! compared with its hash before it is used.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::format::{unit_numbers, unit_type};
use super::map::FileMap;
use super::write::{PacedWriter, reserve};
use super::{Paced, SEGMENTS, SealError};
use crate::graph::{Graph, Trial};
use crate::index_files::sync_names;
use crate::segment::Key;
use crate::store::{GraphEntry, GraphFile};
use crate::unit::UnitType;

/// Ending of a file's name.
const ENDING: &str = ".graph";

/// Ending of the name of a file that is being written.
const TEMPORARY: &str = ".graph.tmp";

/// Bytes that are compared with a hash at a time.
const STEP_BYTES: usize = 4 << 20;

impl GraphEntry {
    /// What is known after a trial. `file` is `None` if the graph did not pass it.
    pub fn new(
        column: &GraphColumn<'_>,
        threshold: f64,
        trial: Trial,
        file: Option<GraphFile>,
    ) -> Self {
        let GraphColumn { key: (unit, bits), rows, .. } = *column;
        Self { unit: unit_numbers(unit), bits, rows, threshold, trial, file }
    }

    /// The column. `None` if its type is unknown.
    pub fn key(&self) -> Option<Key<UnitType>> {
        Some((unit_type(self.unit)?, self.bits))
    }

    /// The file, if the graph has all rows.
    pub fn complete(&self) -> Option<&GraphFile> {
        self.file.as_ref().filter(|file| file.nodes == self.rows)
    }

    /// The file, if it is that of an unfinished graph.
    pub fn unfinished(&self) -> Option<&GraphFile> {
        self.file.as_ref().filter(|file| file.nodes < self.rows)
    }
}

/// A column of a sealed segment, whose graph is saved.
#[derive(Debug, Clone, Copy)]
pub struct GraphColumn<'a> {
    /// Folder of the index.
    pub folder: &'a Path,
    /// Identifies the segment's file.
    pub uid: u64,
    /// The column.
    pub key: Key<UnitType>,
    /// Number of its rows.
    pub rows: usize,
}

impl GraphColumn<'_> {
    /// Path of the file of a graph with a number of nodes: that of an unfinished one has the number in its name.
    pub fn path(&self, nodes: usize) -> PathBuf {
        let part = if nodes < self.rows { format!(".{nodes}") } else { String::new() };
        self.folder.join(SEGMENTS).join(format!("{}{part}{ENDING}", self.prefix()))
    }

    fn prefix(&self) -> String {
        let (unit, bits) = self.key;
        format!("{:016x}.{unit}.{bits}", self.uid)
    }

    /// Writes a graph, durably, at a limited speed.
    pub fn write(&self, graph: &Graph, pace: &Paced<'_>) -> Result<GraphFile, SealError> {
        let path = self.path(graph.nodes());
        let temporary = path.with_extension("graph.tmp");
        let written = write_file(&temporary, graph, pace).and_then(|file| {
            fs::rename(&temporary, &path)?;
            sync_names(&self.folder.join(SEGMENTS))?;
            Ok(file)
        });
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Compares a file with its hash. Reads it instead of mapping it, so that a disk that cannot be read is an error
    /// instead of a signal.
    pub fn check(&self, file: &GraphFile, pace: &Paced<'_>) -> Result<(), SealError> {
        let mut reader = File::open(self.path(file.nodes))?;
        let hash_bytes = blake3::OUT_LEN as u64;
        if reader.metadata()?.len() != file.bytes || file.bytes < hash_bytes {
            return Err(SealError::Damaged("the file has another length"));
        }
        let (since, mut hasher) = (Instant::now(), blake3::Hasher::new());
        let (mut buffer, mut done) = (vec![0; STEP_BYTES], 0);
        while done < file.bytes - hash_bytes {
            let step =
                &mut buffer[..(file.bytes - hash_bytes - done).min(STEP_BYTES as u64) as usize];
            reader.read_exact(step)?;
            hasher.update(step);
            done += step.len() as u64;
            pace.wait(since, done)?;
        }
        let mut stored = [0; blake3::OUT_LEN];
        reader.read_exact(&mut stored)?;
        let hash = hasher.finalize();
        if hash != stored || *hash.to_hex() != *file.hash {
            return Err(SealError::Damaged("the graph has another hash"));
        }
        Ok(())
    }

    /// Opens a finished graph that was checked.
    pub fn open(
        &self,
        file: &GraphFile,
        trial: Trial,
        searchers: usize,
    ) -> Result<Graph, SealError> {
        let map = FileMap::open(&File::open(self.path(file.nodes))?, graph_bytes(file))?;
        let graph = Graph::view(map, trial.expansion, searchers)?;
        if graph.nodes() != self.rows {
            return Err(SealError::Damaged("the graph is that of another column"));
        }
        Ok(graph)
    }

    /// Loads an unfinished graph that was checked.
    pub fn load(&self, file: &GraphFile, searchers: usize) -> Result<Graph, SealError> {
        let graph = Graph::load(&self.path(file.nodes), self.rows, searchers)?;
        if graph.nodes() != file.nodes {
            return Err(SealError::Damaged("the graph is that of another column"));
        }
        Ok(graph)
    }

    /// Removes all files of the column's graph but one.
    pub fn remove_others(&self, kept: Option<&GraphFile>) {
        let kept = kept.map(|file| self.path(file.nodes));
        let prefix = self.prefix() + ".";
        let Ok(entries) = fs::read_dir(self.folder.join(SEGMENTS)) else { return };
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(&prefix) && kept.as_ref() != Some(&path) {
                // What cannot be removed now is removed at the next start.
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// Name of the file that an entry of a record names.
pub fn file_name(uid: u64, entry: &GraphEntry) -> Option<String> {
    let column = GraphColumn { folder: Path::new(""), uid, key: entry.key()?, rows: entry.rows };
    let path = column.path(entry.file.as_ref()?.nodes);
    Some(path.file_name()?.to_string_lossy().into_owned())
}

/// Whether a name is that of a graph's file, also of an interrupted one.
pub fn is_file_name(name: &str) -> bool {
    name.get(16..17) == Some(".") && (name.ends_with(ENDING) || name.ends_with(TEMPORARY))
}

/// Number of bytes of the graph itself.
fn graph_bytes(file: &GraphFile) -> u64 {
    file.bytes - blake3::OUT_LEN as u64
}

fn write_file(path: &Path, graph: &Graph, pace: &Paced<'_>) -> Result<GraphFile, SealError> {
    let mut file = File::create(path)?;
    let bytes = graph.saved_bytes() as u64 + blake3::OUT_LEN as u64;
    reserve(&file, bytes)?;
    let (mut hasher, mut written) = (blake3::Hasher::new(), 0);
    let mut writer = PacedWriter::new(&mut file, pace);
    graph.save(|step| {
        hasher.update(step);
        written += step.len() as u64;
        writer.write(step)
    })??;
    let hash = hasher.finalize();
    file.write_all(hash.as_bytes())?;
    if written + blake3::OUT_LEN as u64 != bytes {
        return Err(SealError::Damaged("the graph has another length than announced"));
    }
    file.sync_all()?;
    Ok(GraphFile { nodes: graph.nodes(), bytes, hash: hash.to_hex().to_string() })
}
