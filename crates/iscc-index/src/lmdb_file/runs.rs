//! Pages of a tree, read in runs: one call of the system for neighbours that are needed next.

use super::{FileError, LmdbFile, Page};

/// Bytes of a run.
const RUN_BYTES: usize = 256 * 1024;
/// Pages of a run that may be unneeded between two needed ones: reading them costs less than another call.
const GAP: u64 = 4;

/// Reads the pages of a tree.
pub struct Runs<'a> {
    file: &'a LmdbFile,
    /// Pages from `first` on.
    bytes: Vec<u8>,
    first: u64,
}

impl<'a> Runs<'a> {
    /// Without pages.
    pub fn new(file: &'a LmdbFile) -> Self {
        Self { file, bytes: Vec::new(), first: 0 }
    }

    /// Reads and checks a page. `next` are the pages that are needed after it, in their order.
    pub fn page(
        &mut self,
        number: u64,
        next: impl Iterator<Item = u64>,
    ) -> Result<Page<&[u8]>, FileError> {
        self.file.check_number(number)?;
        let page_bytes = self.file.page_bytes;
        let has = (self.bytes.len() / page_bytes) as u64;
        if !(self.first..self.first + has).contains(&number) {
            self.read(number, last_of_run(number, (RUN_BYTES / page_bytes) as u64, next))?;
        }
        let at = (number - self.first) as usize * page_bytes;
        Ok(Page::new(number, &self.bytes[at..][..page_bytes])?)
    }

    fn read(&mut self, first: u64, last: u64) -> Result<(), FileError> {
        self.first = first;
        let last = last.min(self.file.pages - 1);
        // A sector that can't be read belongs to one page; its neighbours are sound.
        self.read_pages(last - first + 1).or_else(|_| self.read_pages(1))
    }

    fn read_pages(&mut self, count: u64) -> Result<(), FileError> {
        self.bytes.resize(count as usize * self.file.page_bytes, 0);
        let read = self.file.read_pages(self.first, &mut self.bytes);
        if read.is_err() {
            self.bytes.clear();
        }
        Ok(read?)
    }
}

/// The last page of the run that starts with `first`: the next pages follow it closely.
fn last_of_run(first: u64, pages_max: u64, next: impl Iterator<Item = u64>) -> u64 {
    let mut last = first;
    for page in next {
        if page <= last || page - last > GAP || page - first >= pages_max {
            break;
        }
        last = page;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_before_a_page_behind_far_away_or_beyond_its_size() {
        for (next, last) in [
            (vec![], 10),
            (vec![11, 12, 13], 13),
            (vec![11, 15, 19], 19),
            (vec![11, 16, 17], 11),
            (vec![12, 11, 13], 12),
            (vec![10, 11], 10),
            ((11..100).collect(), 25),
        ] {
            assert_eq!(last_of_run(10, 16, next.iter().copied()), last, "{next:?}");
        }
    }
}
