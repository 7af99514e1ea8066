//! Writes the file of a segment.
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use bytemuck::{Pod, bytes_of};
use durable_files::sync_names;
use iscc_columns::sections::{SealError, Section};

use super::content::FileContent;
use super::format::{Header, LARGE_PAGE, START_BYTES, aligned, end_of, file_hash, start};
use super::{SEGMENTS, SealedFile, path_of, temporary_path_of};

/// Bytes that are written, hashed and written back at a time: a commit waits for those under way (`benches/sealing.rs`).
const STEP_BYTES: usize = 1 << 20;

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

/// A file that does not exist yet.
pub struct NewFile<'a> {
    /// Folder of the index. Locked for writing while it is renamed.
    pub index_folder: &'a RwLock<PathBuf>,
    /// Identifies the index's store.
    pub store: &'a str,
    /// Identifies the file.
    pub uid: u64,
    /// Names of simprint types, by their numbers.
    pub simprint_names: &'a [String],
}

impl NewFile<'_> {
    /// Writes content, durably, and gives the file its name.
    ///
    /// The space is allocated first, so that a full disk shows before a byte is written. After a failure, no file is left.
    pub(super) fn write_content(
        &self,
        content: FileContent<'_>,
        pace: &Paced<'_>,
    ) -> Result<SealedFile, SealError> {
        let uid = self.uid;
        let written = self.write_file(content, pace).and_then(|file| {
            let folder = self.folder();
            let path = path_of(&folder, uid);
            if path.exists() {
                return Err(SealError::Damaged("a file of this name exists"));
            }
            fs::rename(temporary_path_of(&folder, uid), &path)?;
            sync_names(&folder.join(SEGMENTS))?;
            sync_names(&folder)?;
            Ok(file)
        });
        if written.is_err() {
            let _ = fs::remove_file(temporary_path_of(&self.folder(), uid));
        }
        written
    }

    /// Present folder of the index. A rename waits until it is released.
    fn folder(&self) -> RwLockReadGuard<'_, PathBuf> {
        self.index_folder.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the file under its temporary name. Does not create the folder of the index: one that was removed must not
    /// appear again.
    fn create(&self) -> io::Result<File> {
        let folder = self.folder();
        match fs::create_dir(folder.join(SEGMENTS)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        File::options().write(true).create_new(true).open(temporary_path_of(&folder, self.uid))
    }

    fn write_file(
        &self,
        content: FileContent<'_>,
        pace: &Paced<'_>,
    ) -> Result<SealedFile, SealError> {
        let FileContent { slots, columns, parts, last } = content;
        let sections = layout(parts.iter().flat_map(|part| &part.bytes));
        let (store, uid) = (self.store.to_owned(), self.uid);
        let mut header = Header { store, uid, slots, columns, sections };
        let mut file = self.create()?;
        reserve(&file, header.offset() + json(&header)?.len() as u64)?;
        let mut writer = SectionWriter {
            file: PacedWriter::new(&mut file, pace),
            sections: std::mem::take(&mut header.sections),
            written: 0,
            buffer: Vec::new(),
        };
        for write in parts.into_iter().map(|part| part.write).chain(last) {
            write(&mut writer)?;
        }
        header.sections = writer.sections;
        let json = json(&header)?;
        let (header_offset, header_bytes) = (header.offset(), json.len() as u64);
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
            is_warm: AtomicBool::new(true),
            sections: header.sections,
            graphs: BTreeMap::new(),
            pages: None,
        })
    }
}

/// The sections with these lengths, without their hashes.
fn layout<'a>(lengths: impl Iterator<Item = &'a u64>) -> Vec<Section> {
    let mut end = START_BYTES as u64;
    let section = |&bytes: &u64| {
        let offset = aligned(end, bytes);
        end = offset + bytes;
        // A hash of the final length, so that the length of the header is known.
        Section { offset, bytes, hash: "0".repeat(blake3::OUT_LEN * 2) }
    };
    lengths.map(section).collect()
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

/// Writes the sections of a file one after the other.
pub struct SectionWriter<'a, 'f> {
    file: PacedWriter<'a, 'f>,
    sections: Vec<Section>,
    /// Number of sections that are written.
    written: usize,
    buffer: Vec<u8>,
}

/// A section that is being written.
pub struct OpenSection<'s, 'a, 'f> {
    writer: &'s mut SectionWriter<'a, 'f>,
    hasher: blake3::Hasher,
    bytes: u64,
}

impl<'a> SectionWriter<'a, '_> {
    /// Writes the next section in pieces.
    pub fn pieces<'p>(
        &mut self,
        mut pieces: impl Iterator<Item = &'p [u8]>,
    ) -> Result<(), SealError> {
        self.section(|section| pieces.try_for_each(|piece| section.push_bytes(piece)))
    }

    /// Writes the next section number by number.
    pub fn items<T: Pod>(&mut self, mut items: impl Iterator<Item = T>) -> Result<(), SealError> {
        self.section(|section| items.try_for_each(|item| section.push(&item)))
    }

    /// Writes the next section.
    pub fn section(
        &mut self,
        fill: impl FnOnce(&mut OpenSection<'_, '_, '_>) -> Result<(), SealError>,
    ) -> Result<(), SealError> {
        let other = SealError::Damaged("a section has another length than was planned");
        let number = self.written;
        let Some(planned) = self.sections.get(number) else { return Err(other) };
        let (offset, planned) = (planned.offset, planned.bytes);
        let (bytes, hash) = self.write_at(offset, fill)?;
        if bytes != planned {
            return Err(other);
        }
        self.sections[number].hash = hash;
        self.written += 1;
        Ok(())
    }

    /// Writes a section whose length was not planned. All planned ones must be written.
    pub fn append(
        &mut self,
        fill: impl FnOnce(&mut OpenSection<'_, '_, '_>) -> Result<(), SealError>,
    ) -> Result<(), SealError> {
        let offset = aligned(end_of(&self.sections), LARGE_PAGE);
        let (bytes, hash) = self.write_at(offset, fill)?;
        self.sections.push(Section { offset, bytes, hash });
        self.written += 1;
        Ok(())
    }

    /// Writes a section, and returns its length and its hash.
    fn write_at(
        &mut self,
        offset: u64,
        fill: impl FnOnce(&mut OpenSection<'_, '_, '_>) -> Result<(), SealError>,
    ) -> Result<(u64, String), SealError> {
        self.file.file.seek(SeekFrom::Start(offset))?;
        let mut section = OpenSection { writer: self, hasher: blake3::Hasher::new(), bytes: 0 };
        fill(&mut section)?;
        section.flush()?;
        Ok((section.bytes, section.hasher.finalize().to_hex().to_string()))
    }

    /// Whether to go on. `false` stops the work.
    pub fn should_continue(&self) -> &'a (dyn Fn() -> bool + Sync) {
        self.file.pace.should_continue
    }
}

impl OpenSection<'_, '_, '_> {
    /// Appends a number.
    pub fn push<T: Pod>(&mut self, item: &T) -> Result<(), SealError> {
        self.push_bytes(bytes_of(item))
    }

    /// Appends bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Result<(), SealError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = STEP_BYTES - self.writer.buffer.len();
            let (now, later) = rest.split_at(rest.len().min(room));
            self.writer.buffer.extend_from_slice(now);
            rest = later;
            if self.writer.buffer.len() == STEP_BYTES {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SealError> {
        let SectionWriter { file, buffer, .. } = &mut *self.writer;
        self.bytes += buffer.len() as u64;
        self.hasher.update(buffer);
        let written = file.write(buffer);
        buffer.clear();
        written
    }
}

/// Writes in steps. The data of each one is on disk before the next one is written; the file is durable after its last sync.
struct PacedWriter<'a, 'f> {
    file: &'f mut File,
    pace: &'a Paced<'a>,
    since: Instant,
    total: u64,
    unsynced: usize,
}

/// Writes what the file has in memory to the disk. On Linux without a commit of the file system's journal, which the commits
/// of LMDB would wait for: their p99 was 2.1 to 2.3 times as long as without a file being written, and is 1.3 to 2.0 times.
fn write_back(file: &File) -> std::io::Result<()> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::os::fd::AsRawFd;
        let flags = libc::SYNC_FILE_RANGE_WAIT_BEFORE
            | libc::SYNC_FILE_RANGE_WRITE
            | libc::SYNC_FILE_RANGE_WAIT_AFTER;
        // SAFETY: the call touches no memory of this process, and the descriptor is open.
        if unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, flags) } == 0 {
            return Ok(());
        }
        let error = std::io::Error::last_os_error();
        // Other errors are reported once: the last sync would succeed.
        if !matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL | libc::EOPNOTSUPP)) {
            return Err(error);
        }
    }
    file.sync_data()
}

impl<'a, 'f> PacedWriter<'a, 'f> {
    /// Writes at the file's position.
    pub fn new(file: &'f mut File, pace: &'a Paced<'a>) -> Self {
        Self { file, pace, since: Instant::now(), total: 0, unsynced: 0 }
    }

    /// Writes a step of at most [`STEP_BYTES`].
    pub fn write(&mut self, step: &[u8]) -> Result<(), SealError> {
        self.file.write_all(step)?;
        self.unsynced += step.len();
        if self.unsynced >= STEP_BYTES {
            // Otherwise the last sync would write all of it at once, and commits would wait for it.
            write_back(self.file)?;
            self.total += self.unsynced as u64;
            self.unsynced = 0;
            self.pace.wait(self.since, self.total)?;
        }
        Ok(())
    }
}
