//! The directory of a compound file ([MS-CFB] 2.6), in the order in which the reference visits it.

use std::collections::HashSet;

use super::{slice, u16_at, u32_at, utf16};

/// Bytes of an entry of the directory.
const ENTRY: usize = 128;

/// Maximum entries. A document with more objects than this has its first ones.
const ENTRIES_MAX: usize = 100_000;

/// Entries by number; each storage refers to the root of a tree of its own entries.
#[derive(Default)]
pub struct Directory {
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    is_storage: bool,
    left: usize,
    right: usize,
    child: usize,
}

impl Directory {
    /// Reads the directory of a file; empty for damaged ones.
    pub fn of(file: &[u8]) -> Self {
        Self { entries: entries(file).unwrap_or_default() }
    }

    /// Names of the storages directly in a storage. The reference visits a tree from its root, the
    /// right side before the left one.
    pub fn storages(&self, path: &str) -> Vec<String> {
        let mut at = 0;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let children = self.children(at);
            match children.into_iter().find(|&it| self.entries[it].name.eq_ignore_ascii_case(name))
            {
                Some(child) => at = child,
                None => return Vec::new(),
            }
        }
        let storages = self.children(at).into_iter().map(|child| &self.entries[child]);
        storages.filter(|entry| entry.is_storage).map(|entry| entry.name.clone()).collect()
    }

    fn children(&self, storage: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut open: Vec<usize> =
            self.entries.get(storage).map(|it| it.child).into_iter().collect();
        while let Some(at) = open.pop() {
            let Some(entry) = self.entries.get(at).filter(|_| seen.insert(at)) else { continue };
            found.push(at);
            open.extend([entry.left, entry.right]);
        }
        found
    }
}

/// The file with zeros up to the last sector that its table of chains may describe; `None` for files that
/// are long enough.
pub fn padded(file: &[u8]) -> Option<Vec<u8>> {
    const TABLES_MAX: u32 = 64;
    let shift = u16_at(file, 30).filter(|shift| matches!(shift, 9 | 12))?;
    let size = 1_usize << shift;
    let tables = u32_at(file, 44).filter(|tables| *tables <= TABLES_MAX)? as usize;
    let length = (tables * size / 4 + 1) * size;
    (file.len() < length).then(|| {
        let mut padded = file.to_vec();
        padded.resize(length, 0);
        padded
    })
}

fn entries(file: &[u8]) -> Option<Vec<Entry>> {
    const STORAGE: u8 = 1;
    const ROOT: u8 = 5;
    let shift = u16_at(file, 30).filter(|shift| matches!(shift, 9 | 12))?;
    let sectors = Sectors { file, size: 1 << shift };
    let mut sector = u32_at(file, 48)?;
    let mut found = Vec::new();
    while let Some(bytes) = sectors.bytes(sector).filter(|_| found.len() < ENTRIES_MAX) {
        for entry in bytes.chunks_exact(ENTRY) {
            let length = usize::from(u16_at(entry, 64)?).clamp(2, 64) - 2;
            let number = |at| Some(u32_at(entry, at)? as usize);
            found.push(Entry {
                name: utf16(&entry[..length]),
                is_storage: matches!(entry[66], STORAGE | ROOT),
                left: number(68)?,
                right: number(72)?,
                child: number(76)?,
            });
        }
        let Some(next) = sectors.next(sector) else { break };
        sector = next;
    }
    Some(found)
}

/// The sectors of a file, and the chains that they form.
struct Sectors<'a> {
    file: &'a [u8],
    size: usize,
}

impl<'a> Sectors<'a> {
    fn bytes(&self, sector: u32) -> Option<&'a [u8]> {
        slice(self.file, (sector as usize).checked_add(1)?.checked_mul(self.size)?, self.size)
    }

    /// The sector after another one in its chain.
    fn next(&self, sector: u32) -> Option<u32> {
        let per_table = self.size / 4;
        let table = self.table(sector as usize / per_table)?;
        u32_at(self.bytes(table)?, sector as usize % per_table * 4)
    }

    /// The sector with a part of the table of chains.
    fn table(&self, index: usize) -> Option<u32> {
        const IN_HEADER: usize = 109;
        if index < IN_HEADER {
            return u32_at(self.file, 76 + index * 4);
        }
        let per_list = self.size / 4 - 1;
        let mut list = u32_at(self.file, 68)?;
        for _ in 0..(index - IN_HEADER) / per_list {
            list = u32_at(self.bytes(list)?, self.size - 4)?;
        }
        u32_at(self.bytes(list)?, (index - IN_HEADER) % per_list * 4)
    }
}
