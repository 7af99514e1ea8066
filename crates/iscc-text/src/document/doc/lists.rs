//! Numbers of list paragraphs, counted like those of Office Open XML.

use super::super::docx::numbering::{Level, Numbering, PATTERN_CHARACTERS_MAX};
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

    /// The number of the paragraph between the places of its first character and of its mark.
    pub fn next(&mut self, formatting: &Formatting, first: u32, mark: u32) -> Option<String> {
        let paragraph = formatting.paragraph(first, mark)?;
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
                let definition;
                (definition, levels) = read_level(levels)?;
                self.numbering.define(&id, level, definition);
            }
        }
        Some(())
    }

    fn read_overrides(&mut self, main: &[u8], table: &[u8]) -> Option<()> {
        const OVERRIDE: usize = 16;
        let overrides = pair(main, table, fib::LIST_OVERRIDES)?;
        let count = (u32_at(overrides, 0)? as usize).min(overrides.len() / OVERRIDE);
        for index in 0..count {
            let id = u32_at(overrides, 4 + index * OVERRIDE)?.to_string();
            self.numbering.refer(&(index + 1).to_string(), &id);
        }
        // The levels of all lists follow.
        let start = u32_at(main, fib::LIST_OVERRIDES)? as usize + 4 + count * OVERRIDE;
        let mut rest = table.get(start..)?;
        for index in 0..count {
            let levels = *overrides.get(4 + index * OVERRIDE + 12)?;
            rest = rest.get(4..)?;
            for _ in 0..levels {
                rest = self.read_override(&(index + 1).to_string(), rest)?;
            }
        }
        Some(())
    }

    /// Reads a level that a list replaces or restarts ([MS-DOC] 2.9.132); returns what follows it.
    fn read_override<'a>(&mut self, list: &str, bytes: &'a [u8]) -> Option<&'a [u8]> {
        const LEVEL: u32 = 0xF;
        const HAS_START: u32 = 0x10;
        const HAS_LEVEL: u32 = 0x20;
        let (start, flags) = (u32_at(bytes, 0)?, u32_at(bytes, 4)?);
        let level = (flags & LEVEL) as usize;
        let rest = bytes.get(8..)?;
        if flags & HAS_LEVEL > 0 {
            let (definition, rest) = read_level(rest)?;
            if let Some(start) = definition.start.filter(|_| flags & HAS_START > 0) {
                self.numbering.restart(list, level, start);
            }
            self.numbering.replace(list, level, definition);
            return Some(rest);
        }
        if flags & HAS_START > 0 {
            self.numbering.restart(list, level, u64::from(start));
        }
        Some(rest)
    }
}

/// Reads a level ([MS-DOC] 2.9.150); returns what follows it.
fn read_level(bytes: &[u8]) -> Option<(Level, &[u8])> {
    const HEADER: usize = 28;
    const IS_LEGAL: u8 = 4;
    const NEVER_RESTARTS: u8 = 8;
    let flags = *bytes.get(5)?;
    let at = HEADER + usize::from(*bytes.get(24)?) + usize::from(*bytes.get(25)?);
    let length = usize::from(u16_at(bytes, at)?);
    let text = utf16(slice(bytes, at + 2, length * 2)?);
    // Characters below nine stand for the numbers of the levels.
    let pattern: String = text
        .chars()
        .take(PATTERN_CHARACTERS_MAX)
        .map(|character| match character as usize {
            level @ 0..LEVELS => format!("%{}", level + 1),
            _ => character.to_string(),
        })
        .collect();
    let level = Level {
        start: Some(u64::from(u32_at(bytes, 0)?)),
        format: format_name(*bytes.get(4)?).to_owned(),
        pattern,
        is_legal: flags & IS_LEGAL > 0,
        restart: (flags & NEVER_RESTARTS > 0).then(|| usize::from(bytes[26])),
    };
    Some((level, bytes.get(at + 2 + length * 2..)?))
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
