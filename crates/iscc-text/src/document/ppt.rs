//! Binary presentation, `.ppt` ([MS-PPT]): per slide its text and notes, as in the reference.

mod encrypted;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::container::Budget;
use super::ole::{Ole, latin1, u16_at, u32_at, utf16};
use super::{Document, DocumentError, blip, object};

/// Maximum depth of records in records. Real files have about ten levels.
const DEPTH_MAX: u32 = 32;

/// Maximum bytes of text. The first ten million characters count, so the rest is not needed.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// Maximum saved versions of a presentation.
const EDITS_MAX: usize = 1000;

/// Where the stream of the current user says whether the presentation is encrypted.
const HEADER_TOKEN: usize = 12;
const ENCRYPTED: u32 = 0xF3D1_C4DF;

/// Record types.
mod kind {
    pub const DOCUMENT: u16 = 0x03E8;
    pub const SLIDE_ATOM: u16 = 0x03EF;
    pub const SLIDE_PERSIST: u16 = 0x03F3;
    pub const DRAWING: u16 = 0x040C;
    pub const TEXT_HEADER: u16 = 0x0F9F;
    pub const OUTLINE_REFERENCE: u16 = 0x0F9E;
    pub const TEXT_CHARS: u16 = 0x0FA0;
    pub const TEXT_BYTES: u16 = 0x0FA8;
    pub const SLIDE_LIST: u16 = 0x0FF0;
    pub const USER_EDIT: u16 = 0x0FF5;
    pub const PERSIST_DIRECTORY: u16 = 0x1772;
    pub const DRAWING_CONTAINER: u16 = 0xF002;
    pub const GROUP: u16 = 0xF003;
    pub const SHAPE: u16 = 0xF004;
    pub const TEXT_BOX: u16 = 0xF00D;
    pub const CLIENT_DATA: u16 = 0xF011;
    pub const PLACEHOLDER: u16 = 0x0BC3;
    pub const HEADER_PLACEHOLDER: u16 = 0x0420;
    pub const OBJECT: u16 = 0x1011;
    /// A container that is not marked as one.
    pub const TAG_DATA: u16 = 0x138B;
    pub const COMMENT: u16 = 0x2EE0;
    pub const CRYPT_SESSION: u16 = 0x2F14;
    pub const STRING: u16 = 0x0FBA;
    pub const MORE_OPTIONS: u16 = 0xF122;
}

pub fn read(ole: &mut Ole<'_>) -> Result<Document, DocumentError> {
    // Files for PowerPoint 95 as well have the newer presentation in a folder.
    const NEWER: &str = "/PP97_DUALSTORAGE";
    let folder = if ole.has_storage(NEWER) { NEWER } else { "" };
    let user = ole.stream(&format!("{folder}/Current User"))?;
    let mut stream = ole.stream(&format!("{folder}/PowerPoint Document"))?;
    let properties = ole.properties()?;
    let keys = encrypted::keys(&stream, &user)?;
    let places = persisted(&stream, &user).unwrap_or_default();
    if let Some(keys) = &keys {
        encrypted::decrypt(keys, &mut stream, &places).ok_or(DocumentError::Encrypted)?;
    }
    let mut text = String::new();
    let document = places.values().filter_map(|at| Record::at(&stream, *at));
    if let Some(document) = document.into_iter().find(|record| record.kind == kind::DOCUMENT) {
        let show = Show { stream: &stream, places: places.clone() };
        show.append(&document, &mut text);
    }
    if let Some(mut pictures) = ole.optional(&format!("{folder}/Pictures"))? {
        if let Some(keys) = &keys {
            encrypted::decrypt_pictures(keys, &mut pictures).ok_or(DocumentError::Encrypted)?;
        }
        blip::append(&pictures, ole.budget(), &mut text)?;
    }
    append_objects(&stream, &places, ole.budget(), &mut text)?;
    Ok(Document { text, properties, ..Document::default() })
}

/// Appends the embedded objects, with the names that the reference gives them.
fn append_objects(
    stream: &[u8],
    places: &BTreeMap<u32, usize>,
    budget: &mut Budget,
    text: &mut String,
) -> Result<(), DocumentError> {
    const IS_COMPRESSED: u16 = 1;
    let places: BTreeSet<usize> = places.values().copied().collect();
    let objects = places.into_iter().filter_map(|at| Record::at(stream, at));
    for (index, record) in objects.filter(|it| it.kind == kind::OBJECT).enumerate() {
        let name = format!("UNKNOWN-{index}");
        if record.instance == IS_COMPRESSED {
            let mut content = Vec::new();
            // The length of the content precedes it. What was read before damage is not an object.
            let data = record.data.get(4..).unwrap_or_default();
            let _ = ZlibDecoder::new(data).take(budget.bytes + 1).read_to_end(&mut content);
            budget.take(content.len())?;
            object::append_compound(&name, &content, budget, text)?;
        } else {
            object::append_compound(&name, record.data, budget, text)?;
        }
    }
    Ok(())
}

/// A record with its header.
#[derive(Clone, Copy)]
struct Record<'a> {
    kind: u16,
    instance: u16,
    is_container: bool,
    data: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record at an offset; `None` after the end.
    fn at(bytes: &'a [u8], at: usize) -> Option<Self> {
        let header = u32_at(bytes, at)?;
        let length = u32_at(bytes, at + 4)? as usize;
        let data = bytes.get(at + 8..)?;
        Some(Self {
            kind: (header >> 16) as u16,
            instance: (header as u16) >> 4,
            is_container: header & 0xF == 0xF,
            data: &data[..length.min(data.len())],
        })
    }

    fn children(self) -> impl Iterator<Item = Record<'a>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let record = Record::at(self.data, at)?;
            at += 8 + record.data.len();
            Some(record)
        })
    }

    /// The record's text, if it is one of the two kinds of text.
    fn text(&self) -> Option<String> {
        match self.kind {
            kind::TEXT_CHARS => Some(utf16(self.data)),
            kind::TEXT_BYTES => Some(latin1(self.data)),
            _ => None,
        }
    }

    /// Whether a group of shapes is a table, as an option of its first shape says ([MS-ODRAW] 2.3.4.37).
    fn is_table(self) -> bool {
        const TABLE_OPTIONS: u16 = 0x039F;
        const OPTION_BYTES: usize = 6;
        let options = self.children().next().into_iter().flat_map(Self::children);
        options.filter(|it| it.kind == kind::MORE_OPTIONS).any(|options| {
            let entries = options.data.chunks_exact(OPTION_BYTES);
            entries.take(usize::from(options.instance)).any(|entry| {
                u16_at(entry, 0) == Some(TABLE_OPTIONS)
                    && u32_at(entry, 2).is_some_and(|it| it & 1 == 1)
            })
        })
    }

    /// Calls `visit` for each text box in the record.
    fn for_each_text_box(self, depth: u32, visit: &mut impl FnMut(Record<'a>)) {
        if self.kind == kind::TEXT_BOX {
            visit(self);
        } else if self.is_container && depth < DEPTH_MAX {
            // Groups in a group come before its shapes.
            let (groups, shapes): (Vec<_>, Vec<_>) =
                self.children().partition(|child| child.kind == kind::GROUP);
            let children = groups.into_iter().chain(shapes);
            children.for_each(|child| child.for_each_text_box(depth + 1, visit));
        }
    }
}

/// Offsets of the persistent objects by number. Newer versions replace older ones.
fn persisted(stream: &[u8], user: &[u8]) -> Option<BTreeMap<u32, usize>> {
    const CURRENT_EDIT: usize = 16;
    let mut places = BTreeMap::new();
    // Damaged versions can share a directory. Whole ones have no more entries than the stream has room for.
    let mut entries_left = stream.len() / 4;
    let mut at = u32_at(user, CURRENT_EDIT)? as usize;
    for _ in 0..EDITS_MAX {
        let Some(edit) = Record::at(stream, at).filter(|it| it.kind == kind::USER_EDIT) else {
            break;
        };
        let directory = Record::at(stream, u32_at(edit.data, 12)? as usize)?;
        if directory.kind == kind::PERSIST_DIRECTORY {
            read_directory(directory.data, &mut entries_left, &mut places);
        }
        at = u32_at(edit.data, 8)? as usize;
        if at == 0 {
            break;
        }
    }
    Some(places)
}

fn read_directory(data: &[u8], entries_left: &mut usize, places: &mut BTreeMap<u32, usize>) {
    let mut at = 0;
    while let Some(header) = u32_at(data, at) {
        let (first, count) = (header & 0xF_FFFF, header >> 20);
        at += 4;
        for index in 0..count {
            let Some(offset) = u32_at(data, at).filter(|_| *entries_left > 0) else { return };
            *entries_left -= 1;
            places.entry(first + index).or_insert(offset as usize);
            at += 4;
        }
    }
}

/// A slide in a list, with the texts of its placeholders.
struct Listed {
    reference: u32,
    id: u32,
    outline: Vec<String>,
}

struct Show<'a> {
    stream: &'a [u8],
    places: BTreeMap<u32, usize>,
}

impl Show<'_> {
    fn append(&self, document: &Record<'_>, text: &mut String) {
        const SLIDES: u16 = 0;
        const MASTERS: u16 = 1;
        const NOTES: u16 = 2;
        let list = |instance: u16| {
            let lists = document.children().filter(|it| it.kind == kind::SLIDE_LIST);
            lists.filter(move |it| it.instance == instance).flat_map(listed).collect::<Vec<_>>()
        };
        let mut notes: HashMap<u32, Listed> =
            list(NOTES).into_iter().map(|it| (it.id, it)).collect();
        let masters: HashMap<u32, Listed> =
            list(MASTERS).into_iter().map(|it| (it.id, it)).collect();
        let (mut references_seen, mut places_seen) = (HashSet::new(), HashSet::new());
        for slide in list(SLIDES) {
            // A slide appears once, so that a damaged list or directory cannot multiply it.
            let is_new = match self.places.get(&slide.reference) {
                Some(place) => places_seen.insert(*place),
                None => references_seen.insert(slide.reference),
            };
            if text.len() > TEXT_BYTES_MAX || !is_new {
                continue;
            }
            let record = self.record(&slide);
            let id_at = |at: usize| {
                let atom = record?.children().find(|it| it.kind == kind::SLIDE_ATOM)?;
                u32_at(atom.data, at)
            };
            const MASTER_AT: usize = 12;
            const NOTES_AT: usize = 16;
            if let Some(master) = id_at(MASTER_AT).and_then(|id| masters.get(&id)) {
                append_master(self.record(master), text);
            }
            append_sheet(record, &slide.outline, text);
            text.push('\n');
            if let Some(record) = record {
                append_comments(record, 0, text);
            }
            let id = id_at(NOTES_AT);
            if let Some(notes) = id.filter(|id| *id != 0).and_then(|id| notes.remove(&id)) {
                append_sheet(self.record(&notes), &notes.outline, text);
            }
            text.push('\n');
        }
    }

    fn record(&self, listed: &Listed) -> Option<Record<'_>> {
        Record::at(self.stream, *self.places.get(&listed.reference)?)
    }
}

/// The slides of a list with the texts that follow each of them.
fn listed(list: Record<'_>) -> Vec<Listed> {
    let mut slides: Vec<Listed> = Vec::new();
    for record in list.children() {
        match (record.kind, slides.last_mut()) {
            (kind::SLIDE_PERSIST, _) => {
                let (reference, id) = (u32_at(record.data, 0), u32_at(record.data, 12));
                slides.extend(reference.zip(id).map(|(reference, id)| Listed {
                    reference,
                    id,
                    outline: Vec::new(),
                }));
            }
            (kind::TEXT_HEADER, Some(slide)) => slide.outline.push(String::new()),
            (_, Some(slide)) => {
                if let (Some(last), Some(text)) = (slide.outline.last_mut(), record.text()) {
                    last.push_str(&text);
                }
            }
            _ => {}
        }
    }
    slides
}

/// Appends the texts of the outline, then those of the other shapes, of tables and of groups, as the reference does.
fn append_sheet(sheet: Option<Record<'_>>, outline: &[String], text: &mut String) {
    outline.iter().for_each(|paragraphs| append_paragraphs(paragraphs, text));
    let Some(sheet) = sheet else { return };
    for drawing in sheet.children().filter(|it| it.kind == kind::DRAWING) {
        let (mut shapes, mut tables, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for record in shapes_of(drawing) {
            match record.kind {
                kind::GROUP if record.is_table() => tables.push(record),
                kind::GROUP => groups.push(record),
                _ => shapes.push(record),
            }
        }
        for record in [shapes, tables, groups].concat() {
            record.for_each_text_box(0, &mut |text_box| append_text_box(text_box, text));
        }
    }
}

/// Appends the texts of a master's shapes, without the prompts of its placeholders.
fn append_master(master: Option<Record<'_>>, text: &mut String) {
    let Some(master) = master else { return };
    for drawing in master.children().filter(|it| it.kind == kind::DRAWING) {
        for shape in shapes_of(drawing).filter(|it| it.kind == kind::SHAPE) {
            let data = shape.children().filter(|it| it.kind == kind::CLIENT_DATA);
            let is_placeholder =
                |it: Record<'_>| matches!(it.kind, kind::PLACEHOLDER | kind::HEADER_PLACEHOLDER);
            if !data.flat_map(Record::children).any(is_placeholder) {
                shape.for_each_text_box(0, &mut |text_box| append_text_box(text_box, text));
            }
        }
    }
}

/// Appends the comments on a slide: author, initials and text.
fn append_comments(record: Record<'_>, depth: u32, text: &mut String) {
    if record.kind == kind::COMMENT {
        let string = |instance: u16| {
            let mut strings = record.children().filter(|it| it.kind == kind::STRING);
            let found = strings.find(|it| it.instance == instance);
            found.map(|it| utf16(it.data)).unwrap_or_default()
        };
        let (author, comment, initials) = (string(0), string(1), string(2));
        text.push_str(&format!("{author} ({initials}) - {comment}\n"));
    } else if (record.is_container || record.kind == kind::TAG_DATA) && depth < DEPTH_MAX {
        record.children().for_each(|child| append_comments(child, depth + 1, text));
    }
}

/// The shapes and groups directly on a sheet.
fn shapes_of<'a>(drawing: Record<'a>) -> impl Iterator<Item = Record<'a>> {
    // All shapes of a sheet are in one group.
    let parts_of = |kind: u16| {
        move |record: Record<'a>| -> Vec<Record<'a>> {
            if record.kind == kind { record.children().collect() } else { vec![record] }
        }
    };
    let parts = drawing.children().flat_map(parts_of(kind::DRAWING_CONTAINER));
    parts.flat_map(parts_of(kind::GROUP))
}

fn append_text_box(text_box: Record<'_>, text: &mut String) {
    let is_outline = text_box.children().any(|it| it.kind == kind::OUTLINE_REFERENCE);
    if !is_outline {
        let texts = text_box.children().filter_map(|it| it.text());
        texts.for_each(|paragraphs| append_paragraphs(&paragraphs, text));
    }
}

fn append_paragraphs(paragraphs: &str, text: &mut String) {
    let is_line_end = |character: char| matches!(character, '\r' | '\u{b}');
    text.push_str(&paragraphs.replace(is_line_end, "\n"));
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use super::super::container::Budget;
    use super::super::ole;
    use super::*;

    const CONTAINER: u16 = 0xF;

    fn record(kind: u16, version: u16, parts: &[&[u8]]) -> Vec<u8> {
        let data = parts.concat();
        let header = [version.to_le_bytes(), kind.to_le_bytes()].concat();
        [header, (data.len() as u32).to_le_bytes().to_vec(), data].concat()
    }

    fn numbers(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// The text of a show whose directory, shared by many versions, has one slide under many numbers.
    fn text(numbers_of_slide: u32, versions: usize) -> String {
        text_in("", numbers_of_slide, versions)
    }

    /// The same, with the streams in a folder.
    fn text_in(folder: &str, numbers_of_slide: u32, versions: usize) -> String {
        let text_box =
            record(kind::TEXT_BOX, CONTAINER, &[&record(kind::TEXT_BYTES, 0, &[b"shown"])]);
        let drawing = record(kind::DRAWING, CONTAINER, &[&text_box]);
        let mut stream = record(0x03EE, CONTAINER, &[&drawing]);
        let document_at = stream.len() as u32;
        let entries = (1..=numbers_of_slide)
            .flat_map(|number| {
                record(kind::SLIDE_PERSIST, 0, &[&numbers(&[number, 0, 0, number, 0])])
            })
            .collect::<Vec<_>>();
        let list = record(kind::SLIDE_LIST, CONTAINER, &[&entries]);
        stream.extend(record(kind::DOCUMENT, CONTAINER, &[&list]));
        let directory_at = stream.len() as u32;
        let mut directory = numbers(&[(numbers_of_slide + 1) << 20, document_at]);
        directory.extend(numbers(&vec![0; numbers_of_slide as usize]));
        stream.extend(record(kind::PERSIST_DIRECTORY, 0, &[&directory]));
        let mut edit_at = 0;
        for _ in 0..versions {
            let edit = record(kind::USER_EDIT, 0, &[&numbers(&[0, 0, edit_at, directory_at])]);
            edit_at = stream.len() as u32;
            stream.extend(edit);
        }
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        let user = numbers(&[0, 0, 0, 0, edit_at]);
        if !folder.is_empty() {
            file.create_storage(folder).unwrap();
            // The presentation of PowerPoint 95, which has other records.
            file.create_stream("/PowerPoint Document").unwrap().write_all(&[0; 64]).unwrap();
        }
        let mut write = |name: &str, bytes: &[u8]| {
            file.create_stream(format!("{folder}/{name}")).unwrap().write_all(bytes).unwrap();
        };
        write("Current User", &user);
        write("PowerPoint Document", &stream);
        file.flush().unwrap();
        let bytes = file.into_inner().into_inner();
        ole::read(&bytes, &mut Budget::default()).unwrap().text
    }

    #[test]
    fn groups_in_groups_come_before_shapes_of_groups() {
        let shape = |text: &str| {
            let text = record(kind::TEXT_BYTES, 0, &[text.as_bytes()]);
            record(kind::SHAPE, CONTAINER, &[&record(kind::TEXT_BOX, CONTAINER, &[&text])])
        };
        let inner = record(kind::GROUP, CONTAINER, &[&shape("1"), &shape("2")]);
        let outer = record(kind::GROUP, CONTAINER, &[&shape("3"), &inner]);
        let all = record(kind::GROUP, CONTAINER, &[&outer, &shape("0")]);
        let container = record(kind::DRAWING_CONTAINER, CONTAINER, &[&all]);
        let sheet = record(0x03EE, CONTAINER, &[&record(kind::DRAWING, CONTAINER, &[&container])]);
        let mut text = String::new();
        append_sheet(Record::at(&sheet, 0), &[], &mut text);
        assert_eq!(text, "0\n1\n2\n3\n");
    }

    #[test]
    fn a_slide_with_many_numbers_appears_once() {
        assert_eq!(text(1, 1), "shown\n\n\n");
        assert_eq!(text(4000, 1), "shown\n\n\n");
        assert_eq!(text(4000, EDITS_MAX), "shown\n\n\n");
    }

    #[test]
    fn the_newer_of_two_presentations_counts() {
        assert_eq!(text_in("/PP97_DUALSTORAGE", 1, 1), "shown\n\n\n");
    }

    #[test]
    fn records_below_the_limit_of_depth_are_skipped() {
        let nested = |depth: u32, inner: &[u8]| {
            (0..depth).fold(inner.to_vec(), |inner, _| record(0x1000, CONTAINER, &[&inner]))
        };
        let text_box = record(kind::TEXT_BOX, CONTAINER, &[]);
        let boxes = |depth: u32| {
            let mut count = 0;
            let bytes = nested(depth, &text_box);
            Record::at(&bytes, 0).unwrap().for_each_text_box(0, &mut |_| count += 1);
            count
        };
        assert_eq!((boxes(DEPTH_MAX), boxes(DEPTH_MAX + 1)), (1, 0));
        let comment = record(kind::COMMENT, CONTAINER, &[]);
        let comments = |depth: u32| {
            let mut text = String::new();
            let bytes = nested(depth, &comment);
            append_comments(Record::at(&bytes, 0).unwrap(), 0, &mut text);
            text
        };
        assert_eq!(comments(DEPTH_MAX), " () - \n");
        assert_eq!(comments(DEPTH_MAX + 1), "");
    }
}
