//! Numbers of list paragraphs (ECMA-376 part 1, 17.9), as the reference writes them.

use std::collections::HashMap;

use super::super::DocumentError;
use super::super::container::{Container, TEXT_BYTES_MAX};
use super::super::prefix;
use iscc_media::xml::Token;

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
    /// The number that each level used last; `None` before the first use.
    counts: Vec<Option<u64>>,
}

/// How a level counts and looks.
#[derive(Debug, Default, Clone)]
pub struct Level {
    pub start: Option<u64>,
    pub format: String,
    /// Text with `%1` to `%9` for the numbers of the levels.
    pub pattern: String,
    /// Whether all numbers are decimal.
    pub is_legal: bool,
    /// The number of the last level that restarts this one, counted from 1: 0 for a level that never
    /// restarts. Without it, all levels before this one do.
    pub restart: Option<usize>,
}

impl Level {
    /// The first number. Without a declared one it is 0 (ECMA-376 part 1, 17.9.25); letters and Roman
    /// numbers have none for that.
    fn first(&self) -> u64 {
        let has_zero = matches!(self.format.as_str(), "" | "decimal" | "decimalZero" | "ordinal");
        self.start.unwrap_or(u64::from(!has_zero))
    }

    fn set_pattern(&mut self, pattern: &str) {
        self.pattern = pattern.chars().take(PATTERN_CHARACTERS_MAX).collect();
    }
}

#[derive(Default)]
struct List {
    abstract_id: String,
    /// New starts by level, until they are used.
    starts: HashMap<usize, u64>,
    /// Levels that replace those of the definition.
    levels: HashMap<usize, Level>,
}

/// A document has nine levels; more are not counted.
const LEVELS_MAX: usize = 9;

/// Maximum characters of a level's pattern. Real patterns have a few.
pub const PATTERN_CHARACTERS_MAX: usize = 255;

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
    pub fn define(&mut self, id: &str, level: usize, definition: Level) {
        if level < LEVELS_MAX {
            let AbstractList { levels, counts } =
                self.abstract_lists.entry(id.to_owned()).or_default();
            if levels.len() <= level {
                levels.resize(level + 1, Level { start: Some(1), ..Level::default() });
                counts.resize(level + 1, None);
            }
            levels[level] = definition;
        }
    }

    /// Adds a list that uses a definition.
    pub fn refer(&mut self, list: &str, definition: &str) {
        let abstract_id = definition.to_owned();
        self.lists.insert(list.to_owned(), List { abstract_id, ..List::default() });
    }

    /// Gives a list a new start of a level.
    pub fn restart(&mut self, list: &str, level: usize, start: u64) {
        if let Some(list) = self.lists.get_mut(list) {
            list.starts.insert(level, start);
        }
    }

    /// Gives a list a level of its own.
    pub fn replace(&mut self, list: &str, level: usize, definition: Level) {
        if let Some(list) = self.lists.get_mut(list) {
            list.levels.insert(level, definition);
        }
    }

    /// The text of the next number in a list; `None` if the list has no visible number, and after
    /// more numbers than count: a short paragraph may have a long number.
    pub fn next(&mut self, list: &str, level: usize) -> Option<String> {
        if self.used > TEXT_BYTES_MAX {
            return None;
        }
        let list = self.lists.get_mut(list)?;
        let AbstractList { levels, counts } = self.abstract_lists.get_mut(&list.abstract_id)?;
        if level >= levels.len() {
            return None;
        }
        if let Some(start) = list.starts.remove(&level) {
            let own = list.levels.get_mut(&level);
            own.unwrap_or(&mut levels[level]).start = Some(start);
            counts[level] = None;
        }
        let levels: Vec<&Level> = levels
            .iter()
            .enumerate()
            .map(|(index, shared)| list.levels.get(&index).unwrap_or(shared))
            .collect();
        for (count, upper) in counts.iter_mut().zip(&levels).take(level) {
            count.get_or_insert(upper.first());
        }
        let next = counts[level].map_or(levels[level].first(), |count| count.saturating_add(1));
        counts[level] = Some(next);
        for (count, lower) in counts.iter_mut().zip(&levels).skip(level + 1) {
            if lower.restart.is_none_or(|restart| level < restart) {
                *count = None;
            }
        }
        let text = text(&levels, counts, level);
        self.used += text.len();
        Some(text).filter(|text| !text.is_empty())
    }
}

fn text(levels: &[&Level], counts: &[Option<u64>], level: usize) -> String {
    let Level { format, pattern, is_legal, .. } = levels[level];
    if format == "bullet" {
        return "\u{b7}".to_owned();
    }
    let mut text = String::new();
    let mut rest = pattern.as_str();
    while let Some((before, after)) = rest.split_once('%') {
        text.push_str(before);
        let digit = after.chars().next().and_then(|digit| digit.to_digit(10));
        let index = digit.and_then(|digit| (digit as usize).checked_sub(1));
        match index.and_then(|index| Some((levels.get(index)?, counts.get(index)?))) {
            Some((level, count)) => {
                let format = if *is_legal { "decimal" } else { &level.format };
                text.push_str(&number(count.unwrap_or(1), format));
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
        if self.level >= LEVELS_MAX && name != "w:abstractNumId" {
            return;
        }
        let level = if let Some(list) = &self.list_id {
            match name {
                "w:abstractNumId" => numbering.refer(list, &value()),
                "w:startOverride" => {
                    if let Ok(start) = value().parse() {
                        numbering.restart(list, self.level, start);
                    }
                }
                "w:lvl" => numbering.replace(list, self.level, Level::default()),
                _ => {}
            }
            let list = numbering.lists.get_mut(list);
            list.and_then(|list| list.levels.get_mut(&self.level))
        } else if let Some(id) = &self.abstract_id {
            if name == "w:lvl" {
                numbering.define(id, self.level, Level::default());
            }
            let list = numbering.abstract_lists.get_mut(id);
            list.and_then(|list| list.levels.get_mut(self.level))
        } else {
            None
        };
        let Some(level) = level else { return };
        match name {
            "w:start" => level.start = value().parse().ok(),
            "w:numFmt" => level.format = value(),
            "w:lvlText" => level.set_pattern(&value()),
            "w:lvlRestart" => level.restart = value().parse().ok(),
            "w:isLgl" => level.is_legal = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(format: &str, pattern: &str) -> Level {
        Level {
            start: Some(1),
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
            ..List::default()
        };
        let counts = vec![None; levels.len()];
        Numbering {
            abstract_lists: HashMap::from([("0".to_owned(), AbstractList { levels, counts })]),
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

    fn read(xml: &str) -> Numbering {
        let mut numbering = Numbering::default();
        let mut reader = Reader::default();
        iscc_media::xml::for_each_token("numbering", xml.as_bytes(), |token| {
            reader.read(&token, &mut numbering);
        })
        .unwrap();
        numbering
    }

    #[test]
    fn a_list_may_replace_levels_and_a_level_may_not_restart() {
        let mut numbering = read(concat!(
            r#"<w:numbering><w:abstractNum w:abstractNumId="7">"#,
            r#"<w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1"/></w:lvl>"#,
            r#"<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/>"#,
            r#"<w:lvlRestart w:val="0"/><w:lvlText w:val="%1.%2"/></w:lvl>"#,
            r#"<w:lvl w:ilvl="2"><w:numFmt w:val="lowerLetter"/><w:lvlRestart w:val="1"/>"#,
            r#"<w:lvlText w:val="%3)"/></w:lvl></w:abstractNum>"#,
            r#"<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>"#,
            r#"<w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0">"#,
            r#"<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperLetter"/>"#,
            r#"<w:lvlText w:val="(%1)"/></w:lvl></w:lvlOverride></w:num></w:numbering>"#
        ));
        let mut next = |(list, level)| numbering.next(list, level).unwrap();
        // Decimal numbers without a start begin with 0, letters with the first one.
        assert_eq!([("1", 0), ("1", 1), ("1", 2)].map(&mut next), ["0", "0.I", "a)"]);
        assert_eq!([("1", 1), ("1", 2), ("1", 0)].map(&mut next), ["0.II", "b)", "1"]);
        assert_eq!([("1", 1), ("1", 2)].map(&mut next), ["1.III", "a)"]);
        assert_eq!([("2", 0), ("2", 1), ("1", 0)].map(&mut next), ["(B)", "B.IV", "3"]);
    }

    #[test]
    fn numbers_end_where_text_does_not_count() {
        let mut numbering = Numbering::default();
        let level = Level { start: Some(u64::MAX), ..level("lowerLetter", &"%1".repeat(127)) };
        numbering.define("0", 0, level);
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
