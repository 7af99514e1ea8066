//! Numbers of list paragraphs, counted like those of Office Open XML.

use super::super::docx::numbering::Numbering;
use super::super::ole::{slice, u16_at, u32_at, utf16};
use super::formatting::Formatting;
use super::{fib, pair};

/// Levels of a list.
const LEVELS: usize = 9;

/// Lists of a document.
#[derive(Default)]
pub struct Lists {
    numbering: Numbering,
}

impl Lists {
    /// Reads the lists. Damaged ones have no numbers.
    pub fn read(main: &[u8], table: &[u8]) -> Self {
        let mut lists = Self::default();
        let _ = lists.read_definitions(main, table);
        let _ = lists.read_overrides(main, table);
        lists
    }

    /// The number of the paragraph that starts at a place.
    pub fn next(&mut self, formatting: &Formatting, place: u32) -> Option<String> {
        let paragraph = formatting.paragraph(place)?;
        self.numbering.next(&paragraph.list.to_string(), usize::from(paragraph.level))
    }

    fn read_definitions(&mut self, main: &[u8], table: &[u8]) -> Option<()> {
        const DEFINITION: usize = 28;
        let definitions = pair(main, table, fib::LISTS)?;
        let count = usize::from(u16_at(definitions, 0)?);
        // The levels of all lists follow the definitions.
        let start = u32_at(main, fib::LISTS)? as usize + 2 + count * DEFINITION;
        let mut levels = table.get(start..)?;
        for index in 0..count {
            let definition = slice(definitions, 2 + index * DEFINITION, DEFINITION)?;
            let id = u32_at(definition, 0)?.to_string();
            let is_simple = definition[26] & 1 == 1;
            for level in 0..if is_simple { 1 } else { LEVELS } {
                levels = self.read_level(&id, level, levels)?;
            }
        }
        Some(())
    }

    /// Reads a level; returns what follows it.
    fn read_level<'a>(&mut self, id: &str, level: usize, bytes: &'a [u8]) -> Option<&'a [u8]> {
        const HEADER: usize = 28;
        let start = u64::from(u32_at(bytes, 0)?);
        let format = *bytes.get(4)?;
        let is_legal = bytes.get(5)? & 4 > 0;
        let at = HEADER + usize::from(*bytes.get(24)?) + usize::from(*bytes.get(25)?);
        let length = usize::from(u16_at(bytes, at)?);
        let text = utf16(slice(bytes, at + 2, length * 2)?);
        // Characters below nine stand for the numbers of the levels.
        let pattern: String = text
            .chars()
            .map(|character| match character as usize {
                level @ 0..LEVELS => format!("%{}", level + 1),
                _ => character.to_string(),
            })
            .collect();
        self.numbering.define(id, level, start, format_name(format), &pattern, is_legal);
        bytes.get(at + 2 + length * 2..)
    }

    fn read_overrides(&mut self, main: &[u8], table: &[u8]) -> Option<()> {
        const OVERRIDE: usize = 16;
        let overrides = pair(main, table, fib::LIST_OVERRIDES)?;
        for index in 0..overrides.len() / OVERRIDE {
            let id = u32_at(overrides, 4 + index * OVERRIDE)?.to_string();
            self.numbering.refer(&(index + 1).to_string(), &id);
        }
        Some(())
    }
}

/// The name of a number format in Office Open XML.
fn format_name(number: u8) -> &'static str {
    match number {
        1 => "upperRoman",
        2 => "lowerRoman",
        3 => "upperLetter",
        4 => "lowerLetter",
        5 => "ordinal",
        22 => "decimalZero",
        23 => "bullet",
        255 => "none",
        _ => "decimal",
    }
}
