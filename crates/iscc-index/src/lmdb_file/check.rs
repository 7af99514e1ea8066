//! The check of a whole file: every page of every tree is sound, and none is used twice.

use std::path::Path;
use std::sync::Arc;

use super::page::Place;
use super::runs::Runs;
use super::{Content, DEAD, Damage, FileError, LmdbFile, METAS, Page, Tree, Value};

/// A set of pages.
pub struct Pages(Vec<u64>);

impl Pages {
    /// The empty set, for a file.
    pub fn new(file: &LmdbFile) -> Self {
        Self(vec![0; (file.pages() as usize).div_ceil(64)])
    }

    /// Adds a page. Returns whether it was missing; pages outside the file always are.
    pub fn insert(&mut self, page: u64) -> bool {
        let Some(word) = self.0.get_mut(page as usize / 64) else { return true };
        let bit = 1 << (page % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether a page is in the set.
    pub fn contains(&self, page: u64) -> bool {
        self.0.get(page as usize / 64).is_some_and(|word| word & (1 << (page % 64)) != 0)
    }
}

/// Checks the last committed state of a file.
///
/// Finds what would crash LMDB or corrupt a file further: pages outside the file, zeroed and misplaced pages, rows
/// outside their page, keys out of order, pages used twice. It does not find changed bytes inside rows: LMDB has no
/// checksums.
pub fn check(path: &Path) -> Result<(), FileError> {
    check_watched(path, &mut |_, _| true).map(|_| ())
}

/// Like [`check`]; calls `watch` with the number of pages visited and that of all pages now and then. Ends early, with
/// `false`, if `watch` returns `false`.
pub fn check_watched(
    path: &Path,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<bool, FileError> {
    check_state(&Arc::new(LmdbFile::open(path)?), watch)
}

/// Like [`check_watched`], for the state with which a file was opened.
pub fn check_state(
    file: &Arc<LmdbFile>,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<bool, FileError> {
    let Some(meta) = file.meta().copied() else {
        return Err(Damage { page: 0, rule: "a meta page starts with LMDB's magic number" }.into());
    };
    file.check_metas()?;
    let mut used = Pages::new(file);
    let mut first =
        FirstFailure { watch, visited: 0, pages: file.pages(), error: None, is_ended: false };
    visit(file, &meta.free, &mut used, &mut first);
    visit(file, &meta.main, &mut used, &mut first);
    if let Some(error) = first.error {
        return Err(error);
    }
    if first.is_ended {
        return Ok(false);
    }
    let mut failure = None;
    for page in free_pages(file, |error| failure = Some(error)) {
        if page < METAS || page > meta.last_page || !used.insert(page) {
            let rule = "a free page is not used by a tree";
            return Err(Damage { page, rule }.into());
        }
    }
    failure.map_or(Ok(true), Err)
}

/// What [`visit`] reports to.
pub trait Observer {
    /// A page cannot be read.
    fn damaged(&mut self, error: FileError);

    /// A page of a tree is about to be read. Returns whether to go on.
    fn visiting(&mut self) -> bool {
        true
    }
}

impl<F: FnMut(FileError)> Observer for F {
    fn damaged(&mut self, error: FileError) {
        self(error);
    }
}

/// Ends a visit with the first damaged page, or when `watch` ends it.
struct FirstFailure<'a> {
    watch: &'a mut dyn FnMut(u64, u64) -> bool,
    visited: u64,
    pages: u64,
    error: Option<FileError>,
    is_ended: bool,
}

/// Pages between two calls of `watch`.
const WATCHED_PAGES: u64 = 1024;

impl Observer for FirstFailure<'_> {
    fn damaged(&mut self, error: FileError) {
        self.error.get_or_insert(error);
    }

    fn visiting(&mut self) -> bool {
        self.visited += 1;
        if self.visited % WATCHED_PAGES == 1 && !(self.watch)(self.visited, self.pages) {
            self.is_ended = true;
        }
        self.error.is_none() && !self.is_ended
    }
}

/// Visits all pages of a tree and of the trees in it, adds them to `used`, and reports those that cannot be read.
pub fn visit(file: &LmdbFile, tree: &Tree, used: &mut Pages, observer: &mut dyn Observer) {
    visit_content(file, tree, (Content::Rows, DEPTH_MAX), used, observer);
}

/// Trees in each other: that of all databases, a database, and the values of a key.
const DEPTH_MAX: usize = 3;

fn visit_content(
    file: &LmdbFile,
    tree: &Tree,
    (content, depth): (Content, usize),
    used: &mut Pages,
    observer: &mut dyn Observer,
) {
    // Bounds for the keys of each page make a misplaced subtree visible.
    let mut waiting: Vec<(u64, Vec<u8>)> =
        tree.root.map(|root| (root, Vec::new())).into_iter().collect();
    let mut runs = Runs::new(file);
    while let Some((number, lowest)) = waiting.pop() {
        if !observer.visiting() {
            return;
        }
        if !used.insert(number) {
            let rule = "a page belongs to one tree";
            observer.damaged(Damage { page: number, rule }.into());
            continue;
        }
        let page = match runs.page(number, waiting.iter().rev().map(|(next, _)| *next)) {
            Ok(page) => page,
            Err(error) => {
                observer.damaged(error);
                continue;
            }
        };
        if !tree.has_integer_keys && !page.has_ordered_keys(&lowest) {
            let rule = "the keys of a tree ascend";
            observer.damaged(Damage { page: number, rule }.into());
            continue;
        }
        if page.is_branch() {
            for index in (0..page.count()).rev() {
                let lowest = if index == 0 { &lowest[..] } else { page.key(index) };
                waiting.push((page.child(index), lowest.to_vec()));
            }
        } else if !page.is_plain() {
            for index in (0..page.count()).rev() {
                visit_value(file, &page, index, (content, depth), used, observer);
            }
        }
    }
}

fn visit_value(
    file: &LmdbFile,
    page: &Page<&[u8]>,
    index: usize,
    (content, depth): (Content, usize),
    used: &mut Pages,
    observer: &mut dyn Observer,
) {
    match page.place(index) {
        Ok(Place::Large(first, bytes)) => match file.large_value(first, bytes, content) {
            Err(error) => observer.damaged(error),
            Ok(_) => {
                for number in first..first + file.value_pages(bytes) {
                    if !used.insert(number) {
                        let rule = "a page belongs to one value";
                        observer.damaged(Damage { page: number, rule }.into());
                    }
                }
            }
        },
        Ok(Place::Tree(_)) if depth <= 1 => {
            let rule = "trees are nested at most three deep";
            observer.damaged(Damage { page: page.number(), rule }.into());
        }
        Ok(Place::Tree(tree)) => {
            let content = if page.key(index) == DEAD.as_bytes() { Content::Bits } else { content };
            visit_content(file, &tree, (content, depth - 1), used, observer);
        }
        Ok(_) => {}
        Err(error) => observer.damaged(error.into()),
    }
}

/// Numbers of the free pages.
pub fn free_pages(file: &Arc<LmdbFile>, mut damaged: impl FnMut(FileError)) -> Vec<u64> {
    let mut pages = Vec::new();
    let Some(meta) = file.meta() else { return pages };
    for row in super::Rows::new(file, &meta.free) {
        match row.map(|row| row.value) {
            Ok(Value::Bytes(bytes)) => {
                // A list: its length, then that many numbers.
                let mut numbers = bytes.chunks_exact(8).map(|bytes| super::number(bytes, 0));
                let count = numbers.next().unwrap_or(0) as usize;
                pages.extend(numbers.take(count));
            }
            Ok(_) => {}
            Err(error) => damaged(error),
        }
    }
    pages
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    use heed::CommitOrAbort;
    use heed::types::{Bytes, Str};

    use super::*;
    use crate::store::Progress;
    use crate::store::{DATA_FILE, Store, StoreOptions};

    /// An index file with rows of all kinds: small, large, deleted and rewritten ones.
    fn sample(folder: &Path) {
        let store = Store::open(folder, &StoreOptions::default(), &Progress::default()).unwrap();
        for round in 0..3_u8 {
            store
                .write(|writing| {
                    for id in 0..2000_u64 {
                        let bytes = if id % 100 == 0 { 20_000 } else { 100 };
                        writing.put_asset(id << 20, &vec![round + 1; bytes])?;
                        writing.put_simprints(id << 20, &[7; 50])?;
                    }
                    for id in (0..2000_u64).step_by(3) {
                        writing.delete_asset(id << 20)?;
                    }
                    Ok(Some(()))
                })
                .unwrap();
        }
    }

    #[test]
    fn finds_every_zeroed_used_page_and_no_free_one() {
        let folder = tempfile::tempdir().unwrap();
        sample(folder.path());
        let path = folder.path().join(DATA_FILE);
        check(&path).unwrap();
        let file = Arc::new(LmdbFile::open(&path).unwrap());
        let meta = *file.meta().unwrap();
        let mut used = Pages::new(&file);
        visit(&file, &meta.free, &mut used, &mut |error: FileError| panic!("{error}"));
        visit(&file, &meta.main, &mut used, &mut |error: FileError| panic!("{error}"));
        let data = File::options().read(true).write(true).open(&path).unwrap();
        let mut count = 0;
        for page in METAS..=meta.last_page {
            let mut whole = vec![0; 4096];
            data.read_exact_at(&mut whole, page * 4096).unwrap();
            data.write_all_at(&[0; 4096], page * 4096).unwrap();
            assert_eq!(check(&path).is_err(), used.contains(page), "page {page}");
            data.write_all_at(&whole, page * 4096).unwrap();
            count += u64::from(used.contains(page));
        }
        assert!(count > 100, "{count}");
        check(&path).unwrap();
    }

    #[test]
    fn reports_trees_that_are_nested_too_deep() {
        let folder = tempfile::tempdir().unwrap();
        sample(folder.path());
        let file = LmdbFile::open(&folder.path().join(DATA_FILE)).unwrap();
        let meta = *file.meta().unwrap();
        let rules_within = |depth| {
            let mut rules = Vec::new();
            let mut add = |error: FileError| rules.push(error.to_string());
            let content = (Content::Rows, depth);
            visit_content(&file, &meta.main, content, &mut Pages::new(&file), &mut add);
            rules
        };
        assert!(rules_within(DEPTH_MAX).is_empty());
        let rules = rules_within(1);
        assert!(!rules.is_empty());
        assert!(rules.iter().all(|rule| rule.contains("nested at most")), "{rules:?}");
    }

    #[test]
    fn reports_pages_and_ends_early() {
        let folder = tempfile::tempdir().unwrap();
        sample(folder.path());
        let path = folder.path().join(DATA_FILE);
        let mut seen = Vec::new();
        let mut watch = |visited, pages| {
            seen.push((visited, pages));
            true
        };
        assert!(check_watched(&path, &mut watch).unwrap());
        let pages = std::fs::metadata(&path).unwrap().len() / 4096;
        assert_eq!(seen[0], (1, pages));
        assert!(seen.iter().all(|&(visited, all)| visited <= pages && all == pages), "{seen:?}");
        assert!(!check_watched(&path, &mut |_, _| false).unwrap());
    }

    #[test]
    fn only_bits_may_have_pages_of_zeros() {
        for (name, is_sound) in [(DEAD, true), ("assets", false)] {
            let folder = tempfile::tempdir().unwrap();
            let mut options = heed::EnvOpenOptions::new();
            // SAFETY: nothing else opens the new folder.
            let env = unsafe { options.max_dbs(1).open(folder.path()) }.unwrap();
            env.create_databases_and_commit(env.write_txn().unwrap(), |opener, txn| {
                let database = opener.create_database::<Str, Bytes>(txn, Some(name))?;
                database.put(txn, "a", &[0; 20_000])?;
                Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(()))
            })
            .unwrap();
            assert_eq!(check(&folder.path().join(DATA_FILE)).is_ok(), is_sound, "{name}");
        }
    }

    /// LMDB believes the meta page with the higher transaction number, so a fault would be a bus error here.
    #[test]
    fn lmdb_reads_every_file_with_damaged_meta_pages_that_passes() {
        let folder = tempfile::tempdir().unwrap();
        sample(folder.path());
        let path = folder.path().join(DATA_FILE);
        let whole = std::fs::read(&path).unwrap();
        let mut refused = 0;
        for (page, at) in (0..METAS as usize).flat_map(|page| (8..160).map(move |at| (page, at))) {
            let mut bytes = whole.clone();
            for (byte, salt) in bytes[page * 4096 + at..].iter_mut().zip([0x5A, 0xC3, 0x81]) {
                *byte ^= salt;
            }
            std::fs::write(&path, &bytes).unwrap();
            if check(&path).is_err() {
                refused += 1;
                continue;
            }
            let opened = Store::open(folder.path(), &StoreOptions::default(), &Progress::default());
            let Ok(store) = opened else { continue };
            let reading = store.read().unwrap();
            let rows = reading.asset_rows().unwrap().filter(|row| row.is_ok()).count();
            assert!(rows <= 2000, "{page}:{at}");
        }
        assert!((40..280).contains(&refused), "{refused}");
    }

    #[test]
    fn finds_truncated_swapped_and_foreign_files_without_a_panic() {
        let folder = tempfile::tempdir().unwrap();
        sample(folder.path());
        let path = folder.path().join(DATA_FILE);
        let whole = std::fs::read(&path).unwrap();
        for length in (0..whole.len() / 2).step_by(8192 * 3 + 1000) {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(check(&path).is_err(), "{length}");
        }
        std::fs::write(&path, vec![b'x'; 100_000]).unwrap();
        assert!(check(&path).is_err());
        // Pages with bytes of other pages, as after a torn write.
        let mut random = 1_u64;
        for _ in 0..300 {
            let mut torn = whole.clone();
            for _ in 0..4 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = (random >> 20) as usize % (torn.len() / 512 - 1) * 512;
                let from = (random >> 40) as usize % (torn.len() / 512 - 1) * 512;
                torn.copy_within(from..from + 512, at);
            }
            std::fs::write(&path, &torn).unwrap();
            let _ = check(&path);
        }
    }
}
