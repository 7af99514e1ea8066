//! Binary presentation, `.ppt` ([MS-PPT]): per slide its text and notes, as in the reference.

use std::collections::{HashMap, HashSet};

use super::ole::{Ole, latin1, u32_at, utf16};
use super::{Document, DocumentError};

/// Maximum depth of records in records. Real files have about ten levels.
const DEPTH_MAX: u32 = 32;

/// Maximum bytes of text. The first ten million characters count, so the rest is not needed.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// Maximum saved versions of a presentation.
const EDITS_MAX: usize = 1000;

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
    pub const TEXT_BOX: u16 = 0xF00D;
}

pub fn read(mut ole: Ole<'_>) -> Result<Document, DocumentError> {
    let user = ole.stream("/Current User")?;
    let stream = ole.stream("/PowerPoint Document")?;
    let properties = ole.properties()?;
    let places = persisted(&stream, &user).unwrap_or_default();
    let mut text = String::new();
    let document = places.values().filter_map(|at| Record::at(&stream, *at));
    if let Some(document) = document.into_iter().find(|record| record.kind == kind::DOCUMENT) {
        let show = Show { stream: &stream, places };
        show.append(&document, &mut text);
    }
    Ok(Document { text, properties, cover: None })
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

    /// Calls `visit` for each text box in the record.
    fn for_each_text_box(self, depth: u32, visit: &mut impl FnMut(Record<'a>)) {
        if self.kind == kind::TEXT_BOX {
            visit(self);
        } else if self.is_container && depth < DEPTH_MAX {
            self.children().for_each(|child| child.for_each_text_box(depth + 1, visit));
        }
    }
}

/// Offsets of the persistent objects by number. Newer versions replace older ones.
fn persisted(stream: &[u8], user: &[u8]) -> Option<HashMap<u32, usize>> {
    const CURRENT_EDIT: usize = 16;
    let mut places = HashMap::new();
    let mut at = u32_at(user, CURRENT_EDIT)? as usize;
    for _ in 0..EDITS_MAX {
        let Some(edit) = Record::at(stream, at).filter(|it| it.kind == kind::USER_EDIT) else {
            break;
        };
        let directory = Record::at(stream, u32_at(edit.data, 12)? as usize)?;
        if directory.kind == kind::PERSIST_DIRECTORY {
            read_directory(directory.data, &mut places);
        }
        at = u32_at(edit.data, 8)? as usize;
        if at == 0 {
            break;
        }
    }
    Some(places)
}

fn read_directory(data: &[u8], places: &mut HashMap<u32, usize>) {
    let mut at = 0;
    while let Some(header) = u32_at(data, at) {
        let (first, count) = (header & 0xF_FFFF, header >> 20);
        at += 4;
        for index in 0..count {
            let Some(offset) = u32_at(data, at) else { return };
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
    places: HashMap<u32, usize>,
}

impl Show<'_> {
    fn append(&self, document: &Record<'_>, text: &mut String) {
        const SLIDES: u16 = 0;
        const NOTES: u16 = 2;
        let list = |instance: u16| {
            let lists = document.children().filter(|it| it.kind == kind::SLIDE_LIST);
            lists.filter(move |it| it.instance == instance).flat_map(listed).collect::<Vec<_>>()
        };
        let mut notes: HashMap<u32, Listed> =
            list(NOTES).into_iter().map(|it| (it.id, it)).collect();
        let mut seen = HashSet::new();
        for slide in list(SLIDES) {
            // A slide appears once, so that a damaged list cannot multiply it.
            if text.len() > TEXT_BYTES_MAX || !seen.insert(slide.reference) {
                continue;
            }
            let record = self.record(&slide);
            append_sheet(record, &slide.outline, text);
            text.push('\n');
            let id = record.and_then(|slide| {
                let atom = slide.children().find(|it| it.kind == kind::SLIDE_ATOM)?;
                u32_at(atom.data, 16)
            });
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

/// Appends the texts of the outline, then those of the other shapes.
fn append_sheet(sheet: Option<Record<'_>>, outline: &[String], text: &mut String) {
    outline.iter().for_each(|paragraphs| append_paragraphs(paragraphs, text));
    let Some(sheet) = sheet else { return };
    for drawing in sheet.children().filter(|it| it.kind == kind::DRAWING) {
        drawing.for_each_text_box(0, &mut |shape: Record<'_>| {
            let is_outline = shape.children().any(|it| it.kind == kind::OUTLINE_REFERENCE);
            if !is_outline {
                let texts = shape.children().filter_map(|it| it.text());
                texts.for_each(|paragraphs| append_paragraphs(&paragraphs, text));
            }
        });
    }
}

fn append_paragraphs(paragraphs: &str, text: &mut String) {
    let is_line_end = |character: char| matches!(character, '\r' | '\u{b}');
    text.push_str(&paragraphs.replace(is_line_end, "\n"));
    text.push('\n');
}
