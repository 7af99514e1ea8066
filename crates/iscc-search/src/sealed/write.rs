//! Writes the file of a sealed segment.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::content::{Pieces, SegmentContent};
use super::format::{Header, START_BYTES, Section, aligned, file_hash, start};
use super::{SEGMENTS, SealError, SealedFile, path_of, temporary_path_of};
use crate::index_files::sync_names;
use crate::segment::Segment;

/// Bytes that are written, hashed and synced at a time.
const STEP_BYTES: usize = 4 << 20;

/// How fast a file is written, so that searches and commits do not wait for the disk.
pub struct Paced<'a> {
    /// Bytes per second.
    pub bytes_per_second: u64,
    /// Called between steps. `false` stops the work.
    pub should_continue: &'a (dyn Fn() -> bool + Sync),
}

impl Paced<'_> {
    /// Waits until `bytes` bytes may have been processed since `since`.
    pub(super) fn wait(&self, since: Instant, bytes: u64) -> Result<(), SealError> {
        if !(self.should_continue)() {
            return Err(SealError::Stopped);
        }
        let due = Duration::from_secs_f64(bytes as f64 / self.bytes_per_second as f64);
        std::thread::sleep(due.saturating_sub(since.elapsed()));
        Ok(())
    }
}

/// Writes a segment to a new file, durably, and gives it its name. `store` identifies the index's store.
///
/// The space is allocated first, so that a full disk shows before a byte is written. After a failure, no file is left.
pub fn write(
    index_folder: &Path,
    store: &str,
    uid: u64,
    segment: &Segment,
    simprint_names: &[String],
    pace: &Paced<'_>,
) -> Result<SealedFile, SealError> {
    let content = SegmentContent::new(segment, simprint_names);
    let header = Header {
        store: store.to_owned(),
        uid,
        slots: segment.slots.len(),
        columns: content.columns,
        sections: layout(&content.sections),
    };
    fs::create_dir_all(index_folder.join(SEGMENTS))?;
    let (temporary, path) = (temporary_path_of(index_folder, uid), path_of(index_folder, uid));
    let written = write_file(&temporary, header, &content.sections, pace).and_then(|file| {
        if path.exists() {
            return Err(SealError::Damaged("a file of this name exists"));
        }
        fs::rename(&temporary, &path)?;
        sync_names(&index_folder.join(SEGMENTS))?;
        sync_names(index_folder)?;
        Ok(file)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The sections, without their hashes.
fn layout(sections: &[Pieces<'_>]) -> Vec<Section> {
    let mut end = START_BYTES as u64;
    let section = |pieces: &Pieces<'_>| {
        let bytes = pieces.iter().map(|piece| piece.len() as u64).sum();
        let offset = aligned(end, bytes);
        end = offset + bytes;
        // A hash of the final length, so that the length of the header is known.
        Section { offset, bytes, hash: "0".repeat(blake3::OUT_LEN * 2) }
    };
    sections.iter().map(section).collect()
}

fn write_file(
    path: &Path,
    mut header: Header,
    sections: &[Pieces<'_>],
    pace: &Paced<'_>,
) -> Result<SealedFile, SealError> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    let end = header.sections.last().map_or(START_BYTES as u64, |last| last.offset + last.bytes);
    let header_offset = aligned(end, 0);
    let header_bytes = json(&header)?.len() as u64;
    reserve(&file, header_offset + header_bytes)?;
    let mut writer =
        PacedWriter { file: &mut file, pace, since: Instant::now(), total: 0, unsynced: 0 };
    for (section, pieces) in header.sections.iter_mut().zip(sections) {
        writer.file.seek(SeekFrom::Start(section.offset))?;
        section.hash = writer.write_hashed(pieces)?;
    }
    let json = json(&header)?;
    let start = start(header_offset, header_bytes);
    file.seek(SeekFrom::Start(header_offset))?;
    file.write_all(&json)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&start)?;
    file.sync_all()?;
    Ok(SealedFile {
        uid: header.uid,
        bytes: header_offset + header_bytes,
        hash: file_hash(&start, &json),
        is_checked: AtomicBool::new(true),
        sections: header.sections,
    })
}

fn json(header: &Header) -> Result<Vec<u8>, SealError> {
    serde_json::to_vec(header).map_err(|error| SealError::File(error.into()))
}

/// Sets the length of a file, and allocates it where the file system can.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => {}
            allocated => return Ok(allocated?),
        }
    }
    file.set_len(bytes)
}

struct PacedWriter<'a, 'f> {
    file: &'f mut File,
    pace: &'a Paced<'a>,
    since: Instant,
    total: u64,
    unsynced: usize,
}

impl PacedWriter<'_, '_> {
    /// Writes a section and returns its hash, in hex.
    fn write_hashed(&mut self, pieces: &Pieces<'_>) -> Result<String, SealError> {
        let mut hasher = blake3::Hasher::new();
        for step in pieces.iter().flat_map(|piece| piece.chunks(STEP_BYTES)) {
            hasher.update(step);
            self.file.write_all(step)?;
            self.unsynced += step.len();
            if self.unsynced >= STEP_BYTES {
                // Otherwise the last sync would write all of it at once, and commits would wait for it.
                self.file.sync_data()?;
                self.total += self.unsynced as u64;
                self.unsynced = 0;
                self.pace.wait(self.since, self.total)?;
            }
        }
        Ok(hasher.finalize().to_hex().to_string())
    }
}
