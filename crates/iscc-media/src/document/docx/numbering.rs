//! Numbers of list paragraphs (ECMA-376 part 1, 17.9), as the reference writes them.

use std::collections::HashMap;

use super::super::DocumentError;
use super::super::container::{Container, TEXT_BYTES_MAX};
use super::super::prefix;
use crate::xml::Token;

/// Lists and the numbers that they have reached.
#[derive(Default)]
pub struct Numbering {
    abstract_lists: HashMap<String, AbstractList>,
    lists: HashMap<String, List>,
    /// Bytes of all numbers so far.
    used: usize,
}

/// Levels with their counters, which all lists of the same definition share.
#[derive(Default)]
struct AbstractList {
    levels: Vec<Level>,
}

#[derive(Default, Clone)]
struct Level {
    start: u64,
    format: String,
    /// Text with `%1` to `%9` for the numbers of the levels.
    pattern: String,
    /// Whether all numbers are decimal.
    is_legal: bool,
    /// The number that was used last; `None` before the first use.
    count: Option<u64>,
}

#[derive(Default)]
struct List {
    abstract_id: String,
    /// New starts by level, until they are used.
    starts: HashMap<usize, u64>,
}

/// A document has nine levels; more are not counted.
const LEVELS_MAX: usize = 9;

/// Maximum characters of a level's pattern. Real patterns have a few.
const PATTERN_CHARACTERS_MAX: usize = 255;

impl Numbering {
    /// Reads the numbering that a part refers to.
    pub fn read(container: &mut Container<'_>, part: &str) -> Result<Self, DocumentError> {
        let mut numbering = Self::default();
        for part in container.related(part, "numbering")? {
            let content = container.part(&part)?;
            let mut reader = Reader::default();
            prefix::for_each_token(&part, &content, |token| reader.read(&token, &mut numbering))?;
        }
        Ok(numbering)
    }

    /// Adds a level of a list's definition.
    pub fn define(
        &mut self,
        id: &str,
        level: usize,
        start: u64,
        format: &str,
        pattern: &str,
        is_legal: bool,
    ) {
        if level < LEVELS_MAX {
            let levels = &mut self.abstract_lists.entry(id.to_owned()).or_default().levels;
            levels.resize(levels.len().max(level + 1), Level::default());
            let pattern = pattern.chars().take(PATTERN_CHARACTERS_MAX).collect();
            let format = format.to_owned();
            levels[level] = Level { start, format, pattern, is_legal, count: None };
        }
    }

    /// Adds a list that uses a definition.
    pub fn refer(&mut self, list: &str, definition: &str) {
        let abstract_id = definition.to_owned();
        self.lists.insert(list.to_owned(), List { abstract_id, ..List::default() });
    }

    /// The text of the next number in a list; `None` if the list has no visible number, and after
    /// more numbers than count: a short paragraph may have a long number.
    pub fn next(&mut self, list: &str, level: usize) -> Option<String> {
        if self.used > TEXT_BYTES_MAX {
            return None;
        }
        let list = self.lists.get_mut(list)?;
        let levels = &mut self.abstract_lists.get_mut(&list.abstract_id)?.levels;
        if level >= levels.len() {
            return None;
        }
        if let Some(start) = list.starts.remove(&level) {
            levels[level].start = start;
            levels[level].count = None;
        }
        for upper in &mut levels[..level] {
            upper.count.get_or_insert(upper.start);
        }
        let current = &mut levels[level];
        current.count = Some(current.count.map_or(current.start, |count| count.saturating_add(1)));
        for lower in &mut levels[level + 1..] {
            lower.count = None;
        }
        let text = text(levels, level);
        self.used += text.len();
        Some(text).filter(|text| !text.is_empty())
    }
}

fn text(levels: &[Level], level: usize) -> String {
    let Level { format, pattern, is_legal, .. } = &levels[level];
    if format == "bullet" {
        return "\u{b7}".to_owned();
    }
    let mut text = String::new();
    let mut rest = pattern.as_str();
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let digit = after.chars().next().and_then(|digit| digit.to_digit(10));
        match digit.and_then(|digit| levels.get((digit as usize).checked_sub(1)?)) {
            Some(level) => {
                let format = if *is_legal { "decimal" } else { &level.format };
                text.push_str(&number(level.count.unwrap_or(1), format));
                rest = &after[1..];
            }
            None => {
                text.push('%');
                rest = after;
            }
        }
    }
    text + rest
}

fn number(count: u64, format: &str) -> String {
    match format {
        "lowerLetter" => letters(count),
        "upperLetter" => letters(count).to_uppercase(),
        "lowerRoman" => roman(count),
        "upperRoman" => roman(count).to_uppercase(),
        "ordinal" => ordinal(count),
        "decimalZero" => format!("{count:02}"),
        "bullet" | "none" => String::new(),
        _ => count.to_string(),
    }
}

/// a to z, then aa to zz, and so on: letters are repeated.
fn letters(count: u64) -> String {
    const REPEATS_MAX: u64 = 32;
    let index = count.saturating_sub(1);
    let letter = char::from(b'a' + (index % 26) as u8);
    std::iter::repeat_n(letter, (index / 26).min(REPEATS_MAX) as usize + 1).collect()
}

fn roman(count: u64) -> String {
    const NUMERALS: [(u64, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    const ROMAN_MAX: u64 = 9999;
    if count > ROMAN_MAX {
        return count.to_string();
    }
    let mut rest = count;
    let mut text = String::new();
    for (value, numeral) in NUMERALS {
        while rest >= value {
            text.push_str(numeral);
            rest -= value;
        }
    }
    text
}

fn ordinal(count: u64) -> String {
    let suffix = match (count % 100, count % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{count}{suffix}")
}

/// Reads the definitions.
#[derive(Default)]
struct Reader {
    abstract_id: Option<String>,
    list_id: Option<String>,
    level: usize,
}

impl Reader {
    fn read(&mut self, token: &Token<'_>, numbering: &mut Numbering) {
        let (name, attributes) = match token {
            Token::Open { name, attributes } => (*name, attributes),
            Token::Close { name: "w:abstractNum" } => return self.abstract_id = None,
            Token::Close { name: "w:num" } => return self.list_id = None,
            Token::Close { .. } | Token::Text(_) => return,
        };
        let value = || attributes.get("w:val").unwrap_or_default();
        match name {
            "w:abstractNum" => self.abstract_id = attributes.get("w:abstractNumId"),
            "w:num" => {
                self.list_id = attributes.get("w:numId");
                if let Some(id) = &self.list_id {
                    numbering.lists.insert(id.clone(), List::default());
                }
            }
            "w:lvl" | "w:lvlOverride" => {
                let level = attributes.get("w:ilvl").and_then(|level| level.parse().ok());
                self.level = level.unwrap_or(LEVELS_MAX);
            }
            _ => {}
        }
        if let Some(list) = self.list_id.as_ref().and_then(|id| numbering.lists.get_mut(id)) {
            match name {
                "w:abstractNumId" => list.abstract_id = value(),
                "w:startOverride" => {
                    list.starts.extend(value().parse().ok().map(|start| (self.level, start)));
                }
                _ => {}
            }
        } else if let Some(id) = &self.abstract_id
            && self.level < LEVELS_MAX
        {
            let levels = &mut numbering.abstract_lists.entry(id.clone()).or_default().levels;
            if levels.len() <= self.level {
                levels.resize(self.level + 1, Level { start: 1, ..Level::default() });
            }
            let level = &mut levels[self.level];
            match name {
                "w:start" => level.start = value().parse().unwrap_or(1),
                "w:numFmt" => level.format = value(),
                "w:lvlText" => {
                    level.pattern = value().chars().take(PATTERN_CHARACTERS_MAX).collect();
                }
                "w:isLgl" => level.is_legal = true,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(format: &str, pattern: &str) -> Level {
        Level {
            start: 1,
            format: format.to_owned(),
            pattern: pattern.to_owned(),
            ..Level::default()
        }
    }

    fn numbering() -> Numbering {
        let levels = vec![
            level("decimal", "%1."),
            level("lowerLetter", "%2)"),
            Level { is_legal: true, ..level("upperRoman", "§ %1.%3") },
            level("bullet", "o"),
            level("none", ""),
        ];
        let list = |starts: &[(usize, u64)]| List {
            abstract_id: "0".to_owned(),
            starts: starts.iter().copied().collect(),
        };
        Numbering {
            abstract_lists: HashMap::from([("0".to_owned(), AbstractList { levels })]),
            lists: HashMap::from([("1".to_owned(), list(&[])), ("2".to_owned(), list(&[(0, 5)]))]),
            used: 0,
        }
    }

    #[test]
    fn numbers_levels_and_restarts_lower_ones() {
        let mut numbering = numbering();
        let mut next = |level| numbering.next("1", level).unwrap_or_default();
        let numbers: Vec<_> = [1, 0, 1, 1, 2, 0, 1, 3, 4].into_iter().map(&mut next).collect();
        assert_eq!(numbers, ["a)", "2.", "a)", "b)", "§ 2.1", "3.", "a)", "\u{b7}", ""]);
        assert_eq!(numbering.next("1", 9), None);
        assert_eq!(numbering.next("9", 0), None);
    }

    #[test]
    fn a_list_may_override_the_start() {
        let mut numbering = numbering();
        assert_eq!(numbering.next("1", 0).as_deref(), Some("1."));
        assert_eq!(numbering.next("2", 0).as_deref(), Some("5."));
        assert_eq!(numbering.next("2", 0).as_deref(), Some("6."));
    }

    #[test]
    fn numbers_end_where_text_does_not_count() {
        let mut numbering = Numbering::default();
        numbering.define("0", 0, u64::MAX, "lowerLetter", &"%1".repeat(127), false);
        numbering.refer("1", "0");
        let number = numbering.next("1", 0).unwrap().len();
        let numbers = 1 + (1..).take_while(|_| numbering.next("1", 0).is_some()).count();
        assert_eq!(numbers, TEXT_BYTES_MAX / number + 1);
    }

    #[test]
    fn formats_numbers() {
        let formats = ["lowerLetter", "upperRoman", "ordinal", "decimalZero", "chicago"];
        assert_eq!(formats.map(|format| number(28, format)), ["bb", "XXVIII", "28th", "28", "28"]);
        assert_eq!([1, 2, 3, 11, 112, 121].map(ordinal).join(" "), "1st 2nd 3rd 11th 112th 121st");
        assert_eq!(number(u64::MAX, "lowerRoman"), u64::MAX.to_string());
        assert_eq!(number(u64::MAX, "lowerLetter").len(), 33);
    }
}
