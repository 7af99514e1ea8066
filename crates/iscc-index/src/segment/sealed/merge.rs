//! Writes segments to a file, column by column: one that is full, one with many dead slots, or several.
//!
//! The rows are read in order, mostly from other files, and written at once, so that the memory needed does not depend on the
//! size of the segments, but on that of a list of one column, or of a graph if columns have graphs.
use std::collections::BTreeSet;

use iscc_columns::array::Array;
use iscc_columns::column::{Body, Column, word_count};
use iscc_columns::frozen::{FrozenColumn, Owner, several_entry};
use iscc_columns::graph::{self, Graph};
use iscc_columns::lists::{ListForm, ListSizes, Lists};
use iscc_columns::prefix_runs::PrefixRuns;
use iscc_columns::scan::WORDS_MAX;
use iscc_columns::sections::SealError;

use super::content::{FileContent, sorted_bytes};
use super::format::{Bodies, Content, unit_numbers};
use super::write::{NewFile, SectionWriter};
use super::{Paced, SealedFile};
use crate::options::SegmentSizes;
use crate::segment::{DEAD, Segment, SegmentRows};

/// Maximum number of sources of a column.
const SOURCES_MAX: usize = 64;

/// Set in a step if its row has another body than the one before.
const NEW: u8 = 0x80;
/// Set in a step if all owners of its row are dead.
const SKIP: u8 = 0x40;

/// A file of merged segments.
pub struct Merged {
    /// The file.
    pub file: SealedFile,
    /// For each source, the new slots by old ones. Those of dead slots are [`DEAD`].
    pub moves: Vec<Vec<u32>>,
}

/// Writes the live assets of segments to a file, in the order of their ISCC-ID bodies. `sizes` says which columns have lists
/// and graphs.
pub fn merge(
    target: &NewFile<'_>,
    sources: &[&Segment],
    sizes: &SegmentSizes,
    pace: &Paced<'_>,
) -> Result<Merged, SealError> {
    let mut moves: Vec<Vec<u32>> =
        sources.iter().map(|source| vec![DEAD; source.slots.len() as usize]).collect();
    let mut slots = 0;
    for (source, slot, _) in ids(sources) {
        moves[source][slot as usize] = slots;
        slots += 1;
    }
    let mut content = FileContent { slots, ..FileContent::default() };
    let bodies = || ids(sources).map(|(_, _, id)| id);
    content.add_ids(bodies(), move |writer: &mut SectionWriter<'_, '_>| writer.items(bodies()));
    let columns = Columns { sources, moves: &moves, names: target.simprint_names, sizes };
    columns.add_all(&mut content)?;
    let file = target.write_content(content, pace)?;
    Ok(Merged { file, moves })
}

/// Source, slot and ISCC-ID body of all live assets, in the order of the bodies.
fn ids(sources: &[&Segment]) -> impl Iterator<Item = (usize, u32, u64)> {
    let mut rest: Vec<_> = sources.iter().map(|one| one.slots.ascending().peekable()).collect();
    std::iter::from_fn(move || {
        let heads = rest.iter_mut().enumerate();
        let heads = heads.filter_map(|(number, ids)| Some((ids.peek()?.1, number)));
        let (_, number) = heads.min()?;
        let (slot, id) = rest[number].next()?;
        Some((number, slot, id))
    })
}

/// What all columns are made of.
struct Columns<'a> {
    sources: &'a [&'a Segment],
    moves: &'a [Vec<u32>],
    names: &'a [String],
    sizes: &'a SegmentSizes,
}

impl<'a> Columns<'a> {
    fn add_all<'c>(&self, content: &mut FileContent<'c>) -> Result<(), SealError>
    where
        'a: 'c,
    {
        let units = |unit| Bodies::Units(unit_numbers(unit));
        let simprints = |kind| Bodies::Simprints(self.names[usize::from(kind)].clone());
        for key in self.keys(|one| one.unit_columns().map(|(key, _)| key)) {
            let rows = self.rows(move |one| match &one.rows {
                SegmentRows::Tail(tail) => tail.units.get(&key).map(Plain),
                SegmentRows::File(file) => file.columns.units.get(&key).map(Frozen),
            });
            let lists = Some(self.sizes.lists);
            let distinct = frozen(content, units(key.0), key.1, rows, lists, self.sizes.rows_min)?;
            let rows_min = self.sizes.graph_rows_min.filter(|_| key.1 >= graph::BITS_MIN);
            if rows_min.is_some_and(|rows_min| distinct >= rows_min.max(1)) {
                content.graph(move |writer| write_graph(writer, &rows()?, key.1));
            }
        }
        for key in self.keys(|one| one.sorted().units.keys().copied()) {
            let rows = self.rows(move |one| one.sorted().units.get(&key).map(Sorted));
            sorted(content, units(key.0), key.1, rows)?;
        }
        for key in self.keys(|one| one.simprint_columns().map(|(key, _)| key)) {
            let rows = self.rows(move |one| match &one.rows {
                SegmentRows::Tail(tail) => tail.simprints.get(&key).map(Plain),
                SegmentRows::File(file) => file.columns.simprints.get(&key).map(Frozen),
            });
            let lists = self.sizes.simprint_list_sizes();
            frozen(content, simprints(key.0), key.1, rows, lists, self.sizes.rows_min)?;
        }
        for key in self.keys(|one| one.sorted().simprints.keys().copied()) {
            let rows = self.rows(move |one| one.sorted().simprints.get(&key).map(Sorted));
            sorted(content, simprints(key.0), key.1, rows)?;
        }
        Ok(())
    }

    /// The different keys of all sources.
    fn keys<K: Ord, I: Iterator<Item = K>>(&self, keys: impl Fn(&'a Segment) -> I) -> BTreeSet<K> {
        self.sources.iter().flat_map(|source| keys(source)).collect()
    }

    /// Reads the rows of a column of all sources.
    fn rows<O: Owner>(
        &self,
        of: impl Fn(&'a Segment) -> Option<Rows<'a, O>> + Copy + 'a,
    ) -> impl Fn() -> Result<Steps<'a, O>, SealError> + Copy + 'a {
        let (sources, moves) = (self.sources, self.moves);
        move || {
            let all = sources
                .iter()
                .zip(moves)
                .filter_map(|(segment, moves)| Some(Source::new(of(segment)?, segment, moves)));
            Steps::new(all.collect())
        }
    }
}

#[cfg(test)]
mod tests;

use Rows::{Frozen, Plain, Sorted};

/// The rows of a column in a source.
enum Rows<'a, O: Owner> {
    Plain(&'a Column<O>),
    Frozen(&'a FrozenColumn<O>),
    Sorted(&'a PrefixRuns<O>),
}

/// Ascending rows of a source.
struct Source<'a, O: Owner> {
    rows: Ascending<'a, O>,
    moves: &'a [u32],
}

enum Ascending<'a, O: Owner> {
    Own(Box<FrozenColumn<O>>),
    Frozen(&'a FrozenColumn<O>),
    Sorted { width: usize, words: Array<u64>, owners: Array<O> },
}

impl<'a, O: Owner> Source<'a, O> {
    fn new(rows: Rows<'a, O>, segment: &Segment, moves: &'a [u32]) -> Self {
        let rows = match rows {
            Plain(column) => {
                let column = FrozenColumn::new(column, |slot| segment.slots.is_live(slot));
                Ascending::Own(Box::new(column))
            }
            Frozen(column) => Ascending::Frozen(column),
            Sorted(rows) => {
                let (words, owners) = rows.to_sorted();
                Ascending::Sorted { width: word_count(rows.bits()), words, owners }
            }
        };
        Self { rows, moves }
    }

    fn rows(&self) -> usize {
        match &self.rows {
            Ascending::Own(column) => column.rows(),
            Ascending::Frozen(column) => column.rows(),
            Ascending::Sorted { owners, .. } => owners.len(),
        }
    }

    fn words(&self, row: usize) -> [u64; WORDS_MAX] {
        match &self.rows {
            Ascending::Own(column) => *column.body(row).words(),
            Ascending::Frozen(column) => *column.body(row).words(),
            Ascending::Sorted { width, words, .. } => {
                let mut body = [0; WORDS_MAX];
                body[..*width].copy_from_slice(&words[row * width..(row + 1) * width]);
                body
            }
        }
    }

    fn word(&self, row: usize, word: usize) -> u64 {
        match &self.rows {
            Ascending::Own(column) => column.word(row, word),
            Ascending::Frozen(column) => column.word(row, word),
            Ascending::Sorted { width, words, .. } => words[row * width + word],
        }
    }

    /// The owners of a row that are live, with their new slots.
    fn live(&self, row: usize) -> impl Iterator<Item = O> {
        let owners = match &self.rows {
            Ascending::Own(column) => column.owners(row),
            Ascending::Frozen(column) => column.owners(row),
            Ascending::Sorted { owners, .. } => std::slice::from_ref(&owners[row]),
        };
        owners.iter().filter_map(|owner| {
            // Slots of a damaged file may be anything.
            let slot = *self.moves.get(owner.slot() as usize)?;
            (slot != DEAD).then(|| owner.with_slot(slot))
        })
    }
}

/// The order in which the rows of all sources follow each other.
struct Steps<'a, O: Owner> {
    sources: Vec<Source<'a, O>>,
    /// The source of each row, with [`NEW`] and [`SKIP`].
    steps: Vec<u8>,
    counts: Counts,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    /// Distinct bodies.
    rows: usize,
    /// Owners of all bodies.
    owners: usize,
    /// Bodies with several owners.
    several: usize,
    /// Owners of these.
    several_owners: usize,
}

impl<'a, O: Owner> Steps<'a, O> {
    fn new(sources: Vec<Source<'a, O>>) -> Result<Self, SealError> {
        if sources.len() > SOURCES_MAX {
            return Err(SealError::Damaged("a merged column has too many sources"));
        }
        let mut steps = Vec::with_capacity(sources.iter().map(Source::rows).sum());
        let mut counts = Counts::default();
        let mut cursors = vec![0; sources.len()];
        let head =
            |source: &Source<'a, O>, row: usize| (row < source.rows()).then(|| source.words(row));
        let mut heads: Vec<_> = sources.iter().map(|source| head(source, 0)).collect();
        let (mut last, mut owners_of_last) = (None, 0);
        loop {
            let present = heads.iter().enumerate();
            let present = present.filter_map(|(number, head)| Some(((*head)?, number)));
            let Some((words, number)) = present.min() else { break };
            let row = cursors[number];
            cursors[number] += 1;
            heads[number] = head(&sources[number], row + 1);
            let live = sources[number].live(row).count();
            if live == 0 {
                steps.push(number as u8 | SKIP);
                continue;
            }
            let is_new = last != Some(words);
            if is_new {
                counts.end_row(owners_of_last);
                owners_of_last = 0;
                last = Some(words);
            }
            owners_of_last += live;
            steps.push(number as u8 | if is_new { NEW } else { 0 });
        }
        counts.end_row(owners_of_last);
        Ok(Self { sources, steps, counts })
    }

    /// The source and the row of each step that begins another body.
    fn new_rows(&self) -> impl Iterator<Item = (&Source<'a, O>, usize)> {
        let mut cursors = [0; SOURCES_MAX];
        self.steps.iter().filter_map(move |step| {
            let number = usize::from(step & !(NEW | SKIP));
            cursors[number] += 1;
            (step & NEW != 0).then(|| (&self.sources[number], cursors[number] - 1))
        })
    }

    /// A word of all distinct bodies.
    fn word(&self, word: usize) -> impl Iterator<Item = u64> {
        self.new_rows().map(move |(source, row)| source.word(row, word))
    }

    /// Calls `each` with each distinct body and its owners, ascending.
    fn for_each(
        &self,
        mut each: impl FnMut(&[u64; WORDS_MAX], &[O]) -> Result<(), SealError>,
    ) -> Result<(), SealError> {
        let mut cursors = [0; SOURCES_MAX];
        let (mut words, mut owners) = ([0; WORDS_MAX], Vec::new());
        for step in &self.steps {
            let number = usize::from(step & !(NEW | SKIP));
            let (source, row) = (&self.sources[number], cursors[number]);
            cursors[number] += 1;
            if step & NEW != 0 {
                if !owners.is_empty() {
                    owners.sort_unstable();
                    each(&words, &owners)?;
                    owners.clear();
                }
                words = source.words(row);
            }
            if step & SKIP == 0 {
                owners.extend(source.live(row));
            }
        }
        if owners.is_empty() {
            return Ok(());
        }
        owners.sort_unstable();
        each(&words, &owners)
    }
}

impl Counts {
    fn end_row(&mut self, owners: usize) {
        self.rows += usize::from(owners > 0);
        self.owners += owners;
        if owners > 1 {
            self.several += 1;
            self.several_owners += owners;
        }
    }
}

/// Adds a column of distinct bodies, and returns their number. Their order is computed once for the lengths of the sections
/// and again when they are written, so that only that of one column is in memory.
fn frozen<'c, O: Owner>(
    content: &mut FileContent<'c>,
    of: Bodies,
    bits: u16,
    read: impl Fn() -> Result<Steps<'c, O>, SealError> + 'c,
    sizes: Option<ListSizes>,
    rows_min: usize,
) -> Result<usize, SealError> {
    let Counts { rows, several, several_owners, .. } = read()?.counts;
    let has_lists = |sizes: &ListSizes| rows >= sizes.rows_min.max(rows_min);
    let form = sizes.filter(has_lists).map(|sizes| sizes.form(rows));
    if rows == 0 {
        return Ok(0);
    }
    let mut bytes = vec![(rows * 8) as u64; word_count(bits)];
    bytes.push((rows * size_of::<O>()) as u64);
    bytes.push((several * 4) as u64);
    bytes.push((several_owners * size_of::<O>()) as u64);
    bytes.extend(form.iter().flat_map(|form| Lists::section_bytes(rows, bits, *form)));
    content.column(Content::Frozen(of, form), bits, rows);
    content.add(bytes, move |writer| {
        let steps = read()?;
        for word in 0..word_count(bits) {
            writer.items(steps.word(word))?;
        }
        write_owners(writer, &steps)?;
        form.map_or(Ok(()), |form| write_lists(writer, &steps, bits, form))
    });
    Ok(rows)
}

/// Writes the three arrays of owners.
fn write_owners<O: Owner>(
    writer: &mut SectionWriter<'_, '_>,
    steps: &Steps<'_, O>,
) -> Result<(), SealError> {
    writer.section(|section| {
        let mut several = 0;
        steps.for_each(|_, owners| match owners {
            [owner] => section.push(owner),
            _ => {
                several += 1;
                section.push(&several_entry::<O>(several - 1))
            }
        })
    })?;
    writer.section(|section| {
        let mut end = 0;
        steps.for_each(|_, owners| {
            if owners.len() == 1 {
                return Ok(());
            }
            end += owners.len() as u32;
            section.push(&end)
        })
    })?;
    writer.section(|section| {
        steps.for_each(|_, owners| match owners {
            [_] => Ok(()),
            _ => section.push_bytes(bytemuck::cast_slice(owners)),
        })
    })
}

fn write_lists<O: Owner>(
    writer: &mut SectionWriter<'_, '_>,
    steps: &Steps<'_, O>,
    bits: u16,
    form: ListForm,
) -> Result<(), SealError> {
    let words = |word| steps.word(word);
    Lists::build_each(bits, steps.counts.rows, form, words, &mut |array| {
        writer.pieces([array].into_iter())
    })
}

/// Builds and writes a graph. Takes as much memory as the graph, and the bodies once more.
fn write_graph<O: Owner>(
    writer: &mut SectionWriter<'_, '_>,
    steps: &Steps<'_, O>,
    bits: u16,
) -> Result<(), SealError> {
    let body = |(source, row): (&Source<'_, O>, usize)| Body::from_words(source.words(row), bits);
    let bodies: Vec<Body> = steps.new_rows().map(body).collect();
    let graph = Graph::build(&bodies, writer.should_continue())?.ok_or(SealError::Stopped)?;
    drop(bodies);
    writer.append(|section| graph.save(|step| section.push_bytes(step))?)
}

/// Adds a column of bodies in order.
fn sorted<'c, O: Owner>(
    content: &mut FileContent<'c>,
    of: Bodies,
    bits: u16,
    read: impl Fn() -> Result<Steps<'c, O>, SealError> + 'c,
) -> Result<(), SealError> {
    let Counts { owners, .. } = read()?.counts;
    if owners == 0 {
        return Ok(());
    }
    content.column(Content::Sorted(of), bits, owners);
    content.add(sorted_bytes::<O>(bits, owners), move |writer| {
        let steps = read()?;
        writer.section(|section| {
            steps.for_each(|words, owners| {
                let words = &words[..word_count(bits)];
                owners.iter().try_for_each(|_| section.push_bytes(bytemuck::cast_slice(words)))
            })
        })?;
        writer.section(|section| {
            steps.for_each(|_, owners| section.push_bytes(bytemuck::cast_slice(owners)))
        })
    });
    Ok(())
}
