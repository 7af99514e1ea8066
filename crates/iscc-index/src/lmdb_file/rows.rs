//! Rows of a tree in key order, beyond damaged pages.

use std::sync::Arc;

use super::{Content, FileError, LmdbFile, Page, Tree, Value};

/// A row. Large values are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The key.
    pub key: Vec<u8>,
    /// The value.
    pub value: Value,
}

/// Iterates over the rows of a tree. A page that cannot be read is an error; the rows after it follow.
pub struct Rows {
    file: Arc<LmdbFile>,
    /// Pages from the root down, with the next child or row of each.
    path: Vec<(Page, usize)>,
    error: Option<FileError>,
}

/// More levels than any file can have: a damaged page that points upwards ends here.
const LEVELS_MAX: usize = 32;

impl Rows {
    /// All rows.
    pub fn new(file: &Arc<LmdbFile>, tree: &Tree) -> Self {
        let mut rows = Self { file: Arc::clone(file), path: Vec::new(), error: None };
        if let Some(root) = tree.root {
            rows.push(root);
        }
        rows
    }

    /// Rows with keys from `key` on.
    pub fn from(file: &Arc<LmdbFile>, tree: &Tree, key: &[u8]) -> Self {
        let mut rows = Self::new(file, tree);
        while let Some((page, next)) = rows.path.last_mut() {
            if !page.is_branch() {
                *next = (0..page.count()).take_while(|&index| page.key(index) < key).count();
                break;
            }
            // The first child has no key.
            let child = (1..page.count()).take_while(|&index| page.key(index) <= key).count();
            *next = child + 1;
            let number = page.child(child);
            if !rows.push(number) {
                break;
            }
        }
        rows
    }

    fn push(&mut self, number: u64) -> bool {
        if self.path.len() >= LEVELS_MAX {
            let rule = "a tree has at most 32 levels";
            self.error = Some(super::Damage { page: number, rule }.into());
            return false;
        }
        match self.file.page(number) {
            Ok(page) => self.path.push((page, 0)),
            Err(error) => self.error = Some(error),
        }
        self.error.is_none()
    }
}

impl Iterator for Rows {
    type Item = Result<Row, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(error) = self.error.take() {
                return Some(Err(error));
            }
            let (page, next) = self.path.last_mut()?;
            if *next >= page.count() {
                self.path.pop();
                continue;
            }
            let index = *next;
            *next += 1;
            if page.is_branch() {
                let child = page.child(index);
                self.push(child);
                continue;
            }
            let key = page.key(index).to_vec();
            let value = match page.value(index) {
                Ok(Value::Large { page, bytes }) => {
                    self.file.large_value(page, bytes, Content::Rows).map(Value::Bytes)
                }
                other => other.map_err(FileError::from),
            };
            return Some(value.map(|value| Row { key, value }));
        }
    }
}
