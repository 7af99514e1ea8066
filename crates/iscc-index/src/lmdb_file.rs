//! A reader of LMDB files that maps nothing and believes nothing: it reads pages with `pread`, checks each one, and
//! returns an error where LMDB would crash.
//!
//! It serves three purposes: to find damage before LMDB maps a file ([`check`]), to salvage the readable rows of a
//! damaged one, and to read files of other programs. It reads the format of LMDB 0.9 on little-endian 64-bit machines:
//! see `mdb.c`, section "Page Format". No other process may write to the file meanwhile.

mod check;
mod page;
mod rows;
mod runs;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

pub use check::{Pages, check, check_state, check_watched, free_pages, visit};
pub use page::{Damage, Page, Value};
pub use rows::{Row, Rows};

const MAGIC: u32 = 0xBEEF_C0DE;
const FORMAT: u32 = 1;
/// Size of the header of a page.
const HEADER: usize = 16;
/// Name of the database with the dead slots of segments, one bit each. Its pages may be all zeros.
pub const DEAD: &str = "dead";

/// Root of an empty tree.
const NO_PAGE: u64 = u64::MAX;
/// Number of meta pages.
const METAS: u64 = 2;
/// Sizes of a page that LMDB supports.
const PAGE_BYTES: [usize; 8] = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

/// Largest file that [`is_blank`] reads: room for what the creation of an index writes, with the largest pages.
const BLANK_BYTES_MAX: u64 = 1 << 20;

/// Whether a file holds no committed data because the power failed when it was created: it is empty, or small and all
/// zeros. Larger files of zeros held data once, so they count as damaged.
pub fn is_blank(path: &Path) -> std::io::Result<bool> {
    let bytes = std::fs::metadata(path)?.len();
    Ok(bytes == 0 || bytes <= BLANK_BYTES_MAX && std::fs::read(path)?.iter().all(|&byte| byte == 0))
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system failed to open or read it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A page breaks a rule.
    #[error(transparent)]
    Damage(#[from] Damage),
}

/// What the values of a tree are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Assets, simprints and their like, of which no page is all zeros.
    Rows,
    /// Bits, which may be all zeros for many pages.
    Bits,
}

/// A B-tree of the file: the list of free pages, the main database, or a named one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tree {
    /// Number of the root page, if the tree is not empty.
    pub root: Option<u64>,
    /// Size of a value in trees of fixed-size values without keys.
    pub fixed_bytes: u32,
    /// Whether keys are integers in native byte order.
    pub has_integer_keys: bool,
    /// Number of values.
    pub entries: u64,
}

impl Tree {
    /// Size of an encoded tree.
    pub const BYTES: usize = 48;

    /// Decodes a tree. `None` if `bytes` has another size.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().ok()?;
        const INTEGER_KEY: u16 = 0x08;
        let root = number(bytes, 40);
        Some(Self {
            root: (root != NO_PAGE).then_some(root),
            fixed_bytes: number(bytes, 0) as u32,
            has_integer_keys: bytes[4] & INTEGER_KEY as u8 != 0,
            entries: number(bytes, 32),
        })
    }
}

/// The start of one committed state.
#[derive(Debug, Clone, Copy)]
pub struct Meta {
    /// Pages that no tree uses, by the transaction that freed them.
    pub free: Tree,
    /// The main database: names to trees.
    pub main: Tree,
    /// Number of the last used page.
    pub last_page: u64,
    /// Number of the transaction.
    pub transaction: u64,
}

/// An LMDB file.
pub struct LmdbFile {
    file: File,
    page_bytes: usize,
    pages: u64,
    meta: Option<Meta>,
}

impl LmdbFile {
    /// Opens a file and finds its last committed state.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = File::open(path)?;
        let mut found: Option<(usize, Meta)> = None;
        // The second meta page starts after the first one, whose size is unknown if the first one is damaged.
        for offset in std::iter::once(0).chain(PAGE_BYTES) {
            let mut head = [0; 256];
            if read_at(&file, &mut head, offset as u64).is_err() {
                continue;
            }
            if let Some((page_bytes, meta)) = read_meta(&head)
                && (offset == 0 || offset == page_bytes)
                && found.is_none_or(|(_, known)| known.transaction < meta.transaction)
            {
                found = Some((page_bytes, meta));
            }
        }
        let page_bytes = found.map_or(4096, |(page_bytes, _)| page_bytes);
        // After the state: another process may be writing, and the file grows before a state is committed.
        let pages = file.metadata()?.len() / page_bytes as u64;
        Ok(Self { file, page_bytes, pages, meta: found.map(|(_, meta)| meta) })
    }

    /// Checks what both meta pages must have in common. LMDB picks the one with the higher transaction number and believes
    /// it: a wrong page size there would let it read beyond the file.
    pub fn check_metas(&self) -> Result<(), FileError> {
        let mut fixed = Vec::new();
        for page in 0..METAS {
            let mut head = [0; 256];
            match read_at(&self.file, &mut head, page * self.page_bytes as u64) {
                // The file ends before the page, which has no magic number then.
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {}
                read => read?,
            }
            let is_meta = head[10] == page::META && head[11] == 0;
            if !is_meta || read_meta(&head).is_none_or(|(bytes, _)| bytes != self.page_bytes) {
                let rule = "a meta page has LMDB's magic number and the page size of the file";
                return Err(Damage { page, rule }.into());
            }
            fixed.push(tree_flags(&head));
        }
        if fixed.windows(2).any(|pair| pair[0] != pair[1]) {
            let rule = "both meta pages have the same flags";
            return Err(Damage { page: 1, rule }.into());
        }
        Ok(())
    }

    /// The last committed state. `None` if both meta pages are damaged, or if the file is not an LMDB file.
    pub fn meta(&self) -> Option<&Meta> {
        self.meta.as_ref()
    }

    /// Number of whole pages in the file.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Reads and checks a page of a tree.
    pub fn page(&self, number: u64) -> Result<Page, FileError> {
        self.check_number(number)?;
        let mut bytes = vec![0; self.page_bytes];
        self.read_pages(number, &mut bytes)?;
        Ok(Page::new(number, bytes)?)
    }

    fn check_number(&self, number: u64) -> Result<(), Damage> {
        let rule = "a tree refers to pages within the file: it is truncated";
        let is_inside = (METAS..self.pages).contains(&number);
        is_inside.then_some(()).ok_or(Damage { page: number, rule })
    }

    /// Fills `bytes` with pages from `first` on.
    fn read_pages(&self, first: u64, bytes: &mut [u8]) -> std::io::Result<()> {
        read_at(&self.file, bytes, first * self.page_bytes as u64)
    }

    /// Reads a value that is stored in pages of its own. `first` is the first of them.
    pub fn large_value(
        &self,
        first: u64,
        bytes: u32,
        content: Content,
    ) -> Result<Vec<u8>, FileError> {
        let damage = |rule| Damage { page: first, rule };
        let count = self.value_pages(bytes);
        if first < METAS || first.saturating_add(count) > self.pages {
            return Err(damage("the pages of a value are within the file: it is truncated").into());
        }
        let mut all = vec![0; count as usize * self.page_bytes];
        self.read_pages(first, &mut all)?;
        if number(&all, 0) != first || all[10] != page::OVERFLOW || all[11] != 0 {
            return Err(damage("a large value starts with a page header").into());
        }
        // JSON has no zero bytes, and a simprint starts with its length, so they have no page of zeros.
        let is_zero = |page: &[u8]| page.iter().all(|&byte| byte == 0);
        if content == Content::Rows && all.chunks_exact(self.page_bytes).any(is_zero) {
            return Err(damage("no page of a large value is all zeros").into());
        }
        all.truncate(HEADER + bytes as usize);
        all.drain(..HEADER);
        Ok(all)
    }

    /// Number of pages that a value of its own pages takes.
    pub fn value_pages(&self, bytes: u32) -> u64 {
        (HEADER as u64 + u64::from(bytes)).div_ceil(self.page_bytes as u64)
    }

    /// The keys of the children on the highest level of a tree that has at least `count` of them, in order; empty if
    /// the tree has no branches. Pages that cannot be read are skipped.
    pub fn branch_keys(&self, tree: &Tree, count: usize) -> Vec<Vec<u8>> {
        let mut keys = Vec::new();
        let mut level: Vec<u64> = tree.root.into_iter().collect();
        loop {
            let pages = level.iter().filter_map(|&number| self.page(number).ok());
            let branches: Vec<Page> = pages.take_while(Page::is_branch).collect();
            if branches.is_empty() || keys.len() >= count {
                return keys;
            }
            let children = |page: &Page| (0..page.count()).map(|index| page.child(index)).collect();
            level = branches.iter().flat_map(|page| -> Vec<u64> { children(page) }).collect();
            let below = |page: &Page| -> Vec<Vec<u8>> {
                (0..page.count()).map(|index| page.key(index).to_vec()).collect()
            };
            // The first child of a page has no key; its lowest one is that of the page.
            keys = branches.iter().flat_map(below).filter(|key| !key.is_empty()).collect();
        }
    }

    /// The named databases. Pages that cannot be read are reported to `damaged`.
    pub fn databases(self: &Arc<Self>, mut damaged: impl FnMut(FileError)) -> Vec<(String, Tree)> {
        let mut found = Vec::new();
        let Some(meta) = &self.meta else { return found };
        for row in Rows::new(self, &meta.main) {
            match row {
                Ok(Row { key, value: Value::Tree(tree) }) => {
                    found.push((String::from_utf8_lossy(&key).into_owned(), tree));
                }
                Ok(_) => {}
                Err(error) => damaged(error),
            }
        }
        found
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[count..];
        offset += count as u64;
    }
    Ok(())
}

/// Where the trees of a meta page start, after its header.
const TREES: usize = 24;

/// The flags of the environment, which are those of the list of free pages, and of the main database. They never change.
fn tree_flags(head: &[u8; 256]) -> [u8; 4] {
    let first = HEADER + TREES + 4;
    let second = first + Tree::BYTES;
    [head[first], head[first + 1], head[second], head[second + 1]]
}

/// Page size and content of a meta page, from its first bytes.
fn read_meta(head: &[u8; 256]) -> Option<(usize, Meta)> {
    let meta = &head[HEADER..];
    let word = |at: usize| u32::from_le_bytes([meta[at], meta[at + 1], meta[at + 2], meta[at + 3]]);
    if word(0) != MAGIC || word(4) != FORMAT {
        return None;
    }
    let page_bytes = word(TREES) as usize;
    let tree = |number: usize| Tree::read(&meta[TREES + number * Tree::BYTES..][..Tree::BYTES]);
    let after = TREES + 2 * Tree::BYTES;
    let free = Tree { has_integer_keys: true, ..tree(0)? };
    let found = Meta {
        free,
        main: tree(1)?,
        last_page: number(meta, after),
        transaction: number(meta, after + 8),
    };
    PAGE_BYTES.contains(&page_bytes).then_some((page_bytes, found))
}

/// The little-endian number at an offset.
fn number(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
