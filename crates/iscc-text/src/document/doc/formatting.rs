//! Formatting that decides about text: deletions of tracked changes, and lists of paragraphs.

use std::collections::HashMap;

use super::super::ole::{slice, u16_at, u32_at};
use super::{fib, pair};

/// Bytes of a page of formatting.
const PAGE: usize = 512;

/// Deleted ranges and list paragraphs, each by places in the file, sorted.
#[derive(Default)]
pub struct Formatting {
    /// Runs of characters, with a number for each kind of formatting.
    runs: Vec<(u32, u32, usize)>,
    deleted: Vec<(u32, u32)>,
    /// Ranges of pictures with their places in the stream of pictures; `None` once used.
    pictures: Vec<(u32, u32, Option<u32>)>,
    /// Ranges of paragraphs, whether they have more than a style, and their lists.
    paragraphs: Vec<((u32, u32), bool, Option<Paragraph>)>,
}

/// List and level of a paragraph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Paragraph {
    pub list: u16,
    pub level: u8,
}

impl Formatting {
    /// Reads the formatting. Damaged parts are ignored.
    pub fn read(main: &[u8], table: &[u8]) -> Self {
        let mut found = Self::default();
        let mut kinds: HashMap<&[u8], usize> = HashMap::new();
        let character_runs = runs(main, table, fib::CHARACTER_FORMATS, 1);
        for &(start, end, properties) in &character_runs {
            let count = kinds.len();
            let kind = *kinds.entry(own_part(properties)).or_insert(count);
            found.runs.push((start, end, kind));
            const IS_DELETED: u16 = 0x0800;
            let is_deleted = |(code, value): &(u16, &[u8])| {
                // 1, or 0x81: the opposite of the style, which never deletes.
                *code == IS_DELETED && value.first().is_some_and(|flag| *flag & 1 == 1)
            };
            if modifiers(properties).any(|it| is_deleted(&it)) {
                found.deleted.push((start, end));
            }
            const PICTURE: u16 = 0x6A03;
            let picture = modifiers(properties).find(|(code, _)| *code == PICTURE);
            if let Some(at) = picture.and_then(|(_, value)| u32_at(value, 0)) {
                found.pictures.push((start, end, Some(at)));
            }
        }
        let styles = styles(main, table).unwrap_or_default();
        for (start, end, properties) in runs(main, table, fib::PARAGRAPH_FORMATS, 13) {
            let (has_own, paragraph) = paragraph(properties, &styles);
            found.paragraphs.push(((start, end), has_own, paragraph));
        }
        found.runs.sort_unstable();
        found.deleted.sort_unstable();
        found.pictures.sort_unstable();
        found.paragraphs.sort_unstable_by_key(|(range, ..)| *range);
        found
    }

    /// The kind of formatting at a place.
    pub fn run(&self, place: u32) -> Option<usize> {
        let next = self.runs.partition_point(|(start, ..)| *start <= place);
        let (_, end, kind) = self.runs[next.checked_sub(1)?];
        (place < end).then_some(kind)
    }

    pub fn is_deleted(&self, place: u32) -> bool {
        let next = self.deleted.partition_point(|(start, _)| *start <= place);
        next.checked_sub(1).is_some_and(|at| place < self.deleted[at].1)
    }

    /// Where the data of the picture at a place is. Each picture is used once.
    pub fn take_picture(&mut self, place: u32) -> Option<u32> {
        let next = self.pictures.partition_point(|(start, ..)| *start <= place);
        let (_, end, picture) = self.pictures.get_mut(next.checked_sub(1)?)?;
        if place < *end { picture.take() } else { None }
    }

    /// The list paragraph between two places, of its first character and of its mark. As in the reference, formatting that
    /// goes on after it, as at a break of pages, is not its own, and formatting that begins before it counts only if there
    /// is more than a style.
    pub fn paragraph(&self, first: u32, mark: u32) -> Option<Paragraph> {
        const MARK_BYTES_MAX: u32 = 2;
        let next = self.paragraphs.partition_point(|(range, ..)| range.0 <= mark);
        let ((start, end), has_own, paragraph) = self.paragraphs[next.checked_sub(1)?];
        let ends = (mark + 1..=mark.saturating_add(MARK_BYTES_MAX)).contains(&end);
        paragraph.filter(|_| ends && (start == first || has_own))
    }
}

/// The runs of all pages of formatting, with their properties, which start with the length, and the rest of the page. `width` is the
/// size of a run's entry.
fn runs<'a>(main: &'a [u8], table: &[u8], place: usize, width: usize) -> Vec<(u32, u32, &'a [u8])> {
    let mut runs = Vec::new();
    let Some(pages) = pair(main, table, place) else { return runs };
    let count = pages.len().saturating_sub(4) / 8;
    // A page holds at least one run, so a file cannot have more pages than this.
    for index in 0..count.min(main.len() / PAGE + 1) {
        let Some(number) = u32_at(pages, (count + 1) * 4 + index * 4) else { break };
        let number = (number & 0x3F_FFFF) as usize;
        let Some(page) = slice(main, number * PAGE, PAGE) else { continue };
        let entries = usize::from(page[PAGE - 1]);
        for entry in 0..entries {
            let bounds = u32_at(page, entry * 4).zip(u32_at(page, entry * 4 + 4));
            let at = page.get((entries + 1) * 4 + entry * width).map(|at| usize::from(*at) * 2);
            if let (Some((start, end)), Some(at)) = (bounds, at)
                && at > 0
            {
                runs.push((start, end, &page[at..]));
            } else if let Some((start, end)) = bounds {
                runs.push((start, end, &[]));
            }
        }
    }
    runs
}

/// Whether a paragraph has properties of its own, and its list and level, from its style and these.
fn paragraph(properties: &[u8], styles: &[Option<Paragraph>]) -> (bool, Option<Paragraph>) {
    // A length of zero means that a longer one follows.
    let start = if properties.first() == Some(&0) { 2 } else { 1 };
    let style = u16_at(properties, start).map(usize::from).unwrap_or(0);
    let inherited = styles.get(style).copied().flatten();
    let own = properties.get(start + 2..).unwrap_or_default();
    let length = match properties {
        [0, words, ..] => usize::from(*words) * 2,
        [words, ..] => (usize::from(*words) * 2).saturating_sub(1),
        [] => 0,
    };
    let own = &own[..length.saturating_sub(2).min(own.len())];
    (!own.is_empty(), listed(inherited, own))
}

/// A paragraph with the modifiers of a list applied.
fn listed(inherited: Option<Paragraph>, properties: &[u8]) -> Option<Paragraph> {
    const LIST: u16 = 0x460B;
    const LEVEL: u16 = 0x260A;
    let mut found = inherited.unwrap_or_default();
    for (code, value) in modifiers_of(properties) {
        match (code, value) {
            (LIST, value) => found.list = u16_at(value, 0).unwrap_or(0),
            (LEVEL, [level, ..]) => found.level = *level,
            _ => {}
        }
    }
    // 0xF801 means that the list of the style does not apply.
    const NO_LIST: u16 = 0xF801;
    (found.list != 0 && found.list != NO_LIST).then_some(found)
}

/// The bytes of a character run, which starts with its length. What follows on the page belongs to other runs.
fn own_part(run: &[u8]) -> &[u8] {
    let (length, rest) = run.split_first().unwrap_or((&0, &[]));
    &rest[..usize::from(*length).min(rest.len())]
}

/// Modifiers of a character run.
fn modifiers(run: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    modifiers_of(own_part(run))
}

/// Codes and values of modifiers ([MS-DOC] 2.2.5.1).
fn modifiers_of(mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        const TABLE: [u16; 2] = [0xD608, 0xD609];
        let code = u16_at(rest, 0)?;
        let length = match code >> 13 {
            0 | 1 => 1,
            2 | 4 | 5 => 2,
            3 => 4,
            7 => 3,
            _ if TABLE.contains(&code) => usize::from(u16_at(rest, 2)?) + 1,
            _ => usize::from(*rest.get(2)?) + 1,
        };
        let value = slice(rest, 2, length)?;
        rest = &rest[2 + length..];
        Some((code, value))
    })
}

/// A style and those that it is based on.
const DEPTH_MAX: usize = 16;

/// The lists of the paragraph styles.
fn styles(main: &[u8], table: &[u8]) -> Option<Vec<Option<Paragraph>>> {
    let sheet = pair(main, table, fib::STYLES)?;
    let header = usize::from(u16_at(sheet, 0)?);
    let count = usize::from(u16_at(sheet, 2)?);
    let base = usize::from(u16_at(sheet, 4)?);
    let mut at = 2 + header;
    // Of each style the style that it is based on, and its own properties.
    let mut found: Vec<(usize, &[u8])> = Vec::new();
    for _ in 0..count {
        let Some(length) = u16_at(sheet, at).map(usize::from) else { break };
        let style = slice(sheet, at + 2, length).unwrap_or_default();
        found.push(own_properties(style, base).unwrap_or((usize::MAX, &[])));
        at += 2 + length;
    }
    let resolve = |mut index: usize| {
        let mut chain = Vec::new();
        while let Some((parent, own)) = found.get(index)
            && chain.len() < DEPTH_MAX
        {
            chain.push(*own);
            index = *parent;
        }
        chain.iter().rev().fold(None, |inherited, own| listed(inherited, own))
    };
    Some((0..found.len()).map(resolve).collect())
}

/// The parent of a paragraph style, and the style's paragraph properties.
fn own_properties(style: &[u8], base: usize) -> Option<(usize, &[u8])> {
    const PARAGRAPH: u16 = 1;
    let kind = u16_at(style, 2)?;
    if kind & 0xF != PARAGRAPH {
        return None;
    }
    let name = usize::from(u16_at(style, base)?);
    let mut at = base + 2 + name * 2 + 2;
    at += at % 2;
    let length = usize::from(u16_at(style, at)?);
    // The properties start with the style's own number.
    let properties = slice(style, at + 2, length)?.get(2..)?;
    Some((usize::from(kind >> 4), properties))
}

#[cfg(test)]
impl Formatting {
    /// Formatting that differs from run to run, for tests.
    pub fn of_runs(bounds: impl Iterator<Item = (u32, u32)>) -> Self {
        let runs = bounds.zip(0..).map(|((start, end), kind)| (start, end, kind)).collect();
        Self { runs, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(values: &[u16]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn modifiers_end_with_their_run() {
        const BOLD: u16 = 0x0835;
        let run = [3, 0x35, 0x08, 1, 0x00, 0x08, 1];
        let found: Vec<_> = modifiers(&run).collect();
        assert_eq!(found, [(BOLD, &[1][..])]);
        assert_eq!(modifiers(&[]).count() + modifiers(&[9]).count(), 0);
    }

    #[test]
    fn a_paragraph_that_a_break_divides_has_its_number_after_it() {
        let list = Some(Paragraph { list: 7, level: 0 });
        let numbered = |has_own: bool| {
            let paragraphs = vec![((10, 30), has_own, list)];
            let formatting = Formatting { paragraphs, ..Formatting::default() };
            [(10, 19), (20, 29), (10, 28), (10, 29)]
                .map(|(first, mark)| formatting.paragraph(first, mark).is_some())
        };
        assert_eq!(numbered(true), [false, true, true, true]);
        // With a style only, the part after the break has none.
        assert_eq!(numbered(false), [false, false, true, true]);
    }

    #[test]
    fn a_style_has_the_list_of_one_that_it_is_based_on_within_the_limit() {
        const LIST: u16 = 0x460B;
        const PARAGRAPH: u16 = 1;
        const NAME_AT: u16 = 4;
        let count = DEPTH_MAX as u16 + 1;
        let mut sheet = words(&[4, count, NAME_AT]);
        for number in 0..count {
            // The first style has a list of its own. Each other one is based on the style before it.
            let own = if number == 0 { words(&[number, LIST, 7]) } else { words(&[number]) };
            let head = [0, PARAGRAPH | number.saturating_sub(1) << 4, 0, 0, own.len() as u16];
            let style = [words(&head), own].concat();
            sheet.extend(words(&[style.len() as u16]));
            sheet.extend(style);
        }
        let mut main = vec![0; fib::STYLES];
        main.extend([0_u32, sheet.len() as u32].iter().flat_map(|number| number.to_le_bytes()));
        let lists = styles(&main, &sheet).unwrap();
        let list = Some(Paragraph { list: 7, level: 0 });
        assert_eq!(lists[..DEPTH_MAX], [list; DEPTH_MAX]);
        assert_eq!(lists[DEPTH_MAX], None);
    }
}
