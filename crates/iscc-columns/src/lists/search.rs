//! Searches the lists of a column as planned.

use super::cost::{Costs, costs};
use super::rings::ring;
use super::{Entries, List, Lists, Plan};
use crate::column::{word_count, word_mask};
use crate::scan::{Columns, Hit, Probe, check_rows, prefetch, scan};

/// Keys whose offsets and buckets are requested from memory together.
const KEYS_PER_STEP: usize = 64;
/// Candidates that are compared together.
const CANDIDATES: usize = 512;
/// Entries of a bucket that are compared before the budget is checked again.
const ENTRIES_PER_STEP: usize = 1024;

/// A search in progress.
struct Search<'a> {
    columns: &'a Columns<'a>,
    probe: Probe,
    bits: u16,
    /// Rows that are near in one list, to be compared.
    candidates: Vec<u32>,
    hits: Vec<Hit>,
    /// Hits within one bucket.
    near: Vec<Hit>,
    costs: Costs,
    /// Cost so far. Counted, not expected: rows may be made to share keys.
    spent: f64,
    budget: f64,
}

impl Lists {
    /// The rows whose first `bits` bits are within the probe's distance, ascending. `columns` has as many words as these
    /// bits.
    ///
    /// Returns `None` if the buckets turn out to be larger than planned, so that the cost would exceed `budget`.
    pub fn search(
        &self,
        columns: &Columns<'_>,
        probe: &Probe,
        bits: u16,
        plan: &Plan,
        budget: f64,
    ) -> Option<Vec<Hit>> {
        let mut search = Search {
            columns,
            probe: *probe,
            bits,
            candidates: Vec::with_capacity(CANDIDATES),
            hits: Vec::new(),
            near: Vec::new(),
            costs: costs(),
            spent: 0.0,
            budget,
        };
        for (list, &radius) in self.lists.iter().zip(&plan.radii) {
            let key = list.part.key(probe.words[list.part.word()]);
            for radius in 0..=radius {
                for masks in ring(list.part.bits(), radius as usize)?.chunks(KEYS_PER_STEP) {
                    let buckets = Buckets::find(list, key, masks, columns);
                    search.spend(buckets.keys as f64 * search.costs.key)?;
                    search.check(list, &buckets)?;
                    for &span in buckets.spans() {
                        search.bucket(list, span)?;
                    }
                }
            }
        }
        Some(search.finish())
    }
}

/// The non-empty buckets of a step.
struct Buckets {
    spans: [(u32, u32); KEYS_PER_STEP],
    count: usize,
    keys: usize,
}

impl Buckets {
    fn find(list: &List, key: u32, masks: &[u32], columns: &Columns<'_>) -> Self {
        let mut found =
            Self { spans: [(0, 0); KEYS_PER_STEP], count: 0, keys: masks.len().min(KEYS_PER_STEP) };
        masks.iter().for_each(|mask| prefetch(&list.offsets, (key ^ mask) as usize));
        for mask in &masks[..found.keys] {
            let bucket = list.bucket(key ^ mask);
            if bucket.is_empty() {
                continue;
            }
            match &list.entries {
                Entries::Column => prefetch(columns.word(0), bucket.start),
                Entries::WithWords { words, .. } => prefetch(words, bucket.start),
                Entries::Rows(rows) => prefetch(rows, bucket.start),
            }
            found.spans[found.count] = (bucket.start as u32, bucket.end as u32);
            found.count += 1;
        }
        found
    }

    fn spans(&self) -> &[(u32, u32)] {
        &self.spans[..self.count]
    }
}

impl Search<'_> {
    /// Adds a cost. Returns `None` if the budget is exceeded.
    fn spend(&mut self, cost: f64) -> Option<()> {
        self.spent += cost;
        (self.spent <= self.budget).then_some(())
    }

    /// Returns `None` if comparing the rows of buckets would exceed the budget. Their sizes are known before the first
    /// comparison, so that large buckets cost nothing.
    fn check(&self, list: &List, buckets: &Buckets) -> Option<()> {
        let entries: f64 = buckets.spans().iter().map(|(start, end)| f64::from(end - start)).sum();
        (self.spent + entries * self.entry_cost(list) <= self.budget).then_some(())
    }

    fn entry_cost(&self, list: &List) -> f64 {
        if list.has_words() { self.costs.inline } else { self.costs.fetched }
    }

    /// Compares the rows of a bucket. Returns `None` if that would exceed the budget.
    fn bucket(&mut self, list: &List, (start, end): (u32, u32)) -> Option<()> {
        for start in (start..end).step_by(ENTRIES_PER_STEP) {
            let span = start as usize..(end as usize).min(start as usize + ENTRIES_PER_STEP);
            self.spend(span.len() as f64 * self.entry_cost(list))?;
            match &list.entries {
                Entries::Column => {
                    self.compare_words(&self.columns.word(0)[span], |entry| start + entry)?;
                }
                Entries::WithWords { rows, words } => {
                    let rows = &rows[span.clone()];
                    self.compare_words(&words[span], |entry| rows[entry as usize])?;
                }
                Entries::Rows(rows) => self.candidates.extend_from_slice(&rows[span]),
            }
            if self.candidates.len() >= CANDIDATES {
                self.compare_candidates();
            }
        }
        Some(())
    }

    /// Compares first words. `row` converts a position into a row.
    fn compare_words(&mut self, words: &[u64], row: impl Fn(u32) -> u32) -> Option<()> {
        let mask = word_mask(self.bits, 0);
        scan(&Columns::new(&[words]), mask, std::slice::from_ref(&self.probe), &mut self.near);
        if self.bits > 64 {
            self.candidates.extend(self.near.iter().map(|hit| row(hit.row)));
            self.spend(self.near.len() as f64 * self.costs.fetched)?;
        } else {
            self.hits.extend(self.near.iter().map(|hit| Hit { row: row(hit.row), ..*hit }));
        }
        self.near.clear();
        Some(())
    }

    fn compare_candidates(&mut self) {
        // Row numbers of a damaged file may be anything.
        let rows = self.columns.rows() as u32;
        self.candidates.retain(|&row| row < rows);
        let mask = word_mask(self.bits, word_count(self.bits) - 1);
        check_rows(self.columns, mask, &self.probe, &self.candidates, &mut self.hits);
        self.candidates.clear();
    }

    /// A row may be near in several lists.
    fn finish(mut self) -> Vec<Hit> {
        self.compare_candidates();
        let rows = self.columns.rows() as u32;
        self.hits.retain(|hit| hit.row < rows);
        self.hits.sort_unstable_by_key(|hit| hit.row);
        self.hits.dedup_by_key(|hit| hit.row);
        self.hits
    }
}
