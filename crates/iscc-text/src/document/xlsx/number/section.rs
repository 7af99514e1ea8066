//! Formats with sections for positive, negative and zero numbers, or with conditions (rules of
//! Apache POI).

use super::decimal::{Decimal, java_double};
use super::pattern::Pattern;
use super::{date, fallback};

/// A section of a format.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    condition: Option<Condition>,
    content: Content,
}

#[derive(Debug, Clone, PartialEq)]
enum Content {
    General,
    Text,
    Date(String),
    Literal(String),
    Number { before: String, number: Box<Number>, width: usize, after: String },
}

#[derive(Debug, Clone, PartialEq)]
struct Number {
    pattern: Pattern,
    /// Power of ten that the number is multiplied by.
    exponent: i32,
}

/// A condition such as `[>=100]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    operator: &'static str,
    value: f64,
}

impl Condition {
    /// Parses a condition after its opening bracket.
    pub fn parse(text: &str) -> Option<Self> {
        const OPERATORS: [&str; 6] = [">=", "<=", "<>", ">", "<", "="];
        let text = text.split(']').next()?.trim();
        let operator = OPERATORS.into_iter().find(|operator| text.starts_with(operator))?;
        let value = text[operator.len()..].trim().parse().ok()?;
        Some(Self { operator, value })
    }

    fn applies(self, value: f64) -> bool {
        match self.operator {
            ">=" => value >= self.value,
            "<=" => value <= self.value,
            "<>" => value != self.value,
            ">" => value > self.value,
            "<" => value < self.value,
            _ => value == self.value,
        }
    }
}

/// Whether the content of brackets is a colour.
pub fn is_colour(inner: &str) -> bool {
    const COLOURS: [&str; 8] =
        ["black", "blue", "cyan", "green", "magenta", "red", "white", "yellow"];
    let inner = inner.to_ascii_lowercase();
    COLOURS.contains(&inner.as_str())
        || inner.strip_prefix("color").is_some_and(|number| number.trim().parse::<u8>().is_ok())
}

/// Parses the sections of a format; empty ones are ignored.
pub fn parse(code: &str) -> Vec<Section> {
    let mut sections = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = code.chars();
    while let Some(character) = characters.next() {
        match character {
            ';' if !is_quoted => {
                sections.push(String::new());
                continue;
            }
            '"' => is_quoted = !is_quoted,
            _ => {}
        }
        if let Some(section) = sections.last_mut() {
            section.push(character);
            if character == '\\' {
                section.extend(characters.next());
            }
        }
    }
    sections.iter().filter(|section| !section.is_empty()).map(|it| Section::parse(it)).collect()
}

/// Formats a number with the section that applies.
pub fn format(sections: &[Section], value: f64) -> String {
    // Negative numbers are not dates, whatever their own section says.
    if let (true, Some(Section { condition: None, content: Content::Date(_) })) =
        (value < 0.0, sections.first())
    {
        return java_double(value);
    }
    let condition = |index: usize| sections.get(index).and_then(|section| section.condition);
    let is_conditional = condition(0).is_some() || condition(1).is_some();
    // A section for negative numbers has its own sign.
    let hides_sign = match sections.len() {
        0 | 1 => false,
        2 => !is_conditional,
        _ => condition(1).is_none(),
    };
    let (index, value) = if value < 0.0 && hides_sign && condition(0).is_none() {
        (1, -value)
    } else {
        let default: [fn(f64) -> bool; 2] = match sections.len() {
            2 => [|value| value >= 0.0, |_| true],
            _ => [|value| value > 0.0, |value| value < 0.0],
        };
        let applies = |index: usize| match condition(index) {
            Some(condition) => condition.applies(value),
            None => default[index](value),
        };
        match sections.len() {
            // A single section applies without condition.
            1 if condition(0).is_some_and(|condition| !condition.applies(value)) => (1, value),
            0 | 1 => (0, value),
            _ if applies(0) => (0, value),
            _ if applies(1) => (1, value),
            _ => (2, value),
        }
    };
    sections.get(index).map_or_else(|| fallback(value), |section| section.format(value))
}

impl Section {
    fn parse(section: &str) -> Self {
        let mut condition = None;
        let mut rest = section;
        while let Some((inner, tail)) = rest.strip_prefix('[').and_then(|it| it.split_once(']')) {
            match Condition::parse(inner) {
                Some(found) => condition = Some(found),
                None if is_colour(inner) => {}
                None => break,
            }
            rest = tail;
        }
        // The language of a date does not matter.
        if rest.starts_with("[$-")
            && date::is_date(rest)
            && let Some((_, date)) = rest.split_once(']')
        {
            rest = date;
        }
        Self { condition, content: Content::parse(rest) }
    }

    fn format(&self, value: f64) -> String {
        match &self.content {
            Content::General => fallback(value),
            Content::Text => java_double(value),
            Content::Date(code) if value != 0.0 => {
                date::format(value, code).unwrap_or_else(|| java_double(value))
            }
            Content::Date(code) => code.clone(),
            Content::Literal(text) => text.clone(),
            Content::Number { before, number, width, after } => {
                let mut decimal = Decimal::shortest(value).shifted(number.exponent);
                let sign = if decimal.is_negative { "-" } else { "" };
                decimal = decimal.absolute();
                let digits = number.pattern.format(decimal);
                format!("{sign}{before}{digits:>width$}{after}")
            }
        }
        .trim()
        .to_owned()
    }
}

impl Content {
    fn parse(section: &str) -> Self {
        if section.eq_ignore_ascii_case("general") {
            return Self::General;
        }
        if date::is_date(section) {
            return Self::Date(section.to_owned());
        }
        // Question marks are digits that are spaces if they are not needed.
        let mut width = 0;
        let (mut before, mut placeholders, mut after) =
            (String::new(), String::new(), String::new());
        let mut percent = 0;
        let mut rest = section;
        while let Some(character) = rest.chars().next() {
            let tail = &rest[character.len_utf8()..];
            let next = tail.chars().next();
            let literals = if placeholders.is_empty() { &mut before } else { &mut after };
            rest = tail;
            match character {
                '@' => return Self::Text,
                '"' => {
                    let (text, after_quote) = tail.split_once('"').unwrap_or((tail, ""));
                    literals.push_str(text);
                    rest = after_quote;
                    continue;
                }
                '[' => {
                    let (inner, after_bracket) = tail.split_once(']').unwrap_or(("", tail));
                    let symbol = inner.strip_prefix('$').unwrap_or_default();
                    literals.push_str(symbol.split('-').next().unwrap_or_default());
                    rest = after_bracket;
                    continue;
                }
                '\\' => literals.extend(next),
                '_' => literals.push(' '),
                // Fillings have the width of three characters.
                '*' => literals.extend(next.into_iter().cycle().take(3)),
                '0' | '#' | '?' | '.' | ',' => {
                    let is_space = character == '?' && (width > 0 || placeholders.is_empty());
                    width = if is_space { width + 1 } else { 0 };
                    placeholders.push(if character == '?' { '#' } else { character });
                    continue;
                }
                'E' if matches!(next, Some('+' | '-')) => {
                    placeholders.push('E');
                    rest = &tail[1..];
                    continue;
                }
                other => {
                    percent += i32::from(other == '%') * 2;
                    literals.push(other);
                    continue;
                }
            }
            rest = next.map_or("", |next| &tail[next.len_utf8()..]);
        }
        let trimmed = placeholders.trim_end_matches(',');
        let thousands = (placeholders.len() - trimmed.len()) as i32;
        match Pattern::parse(trimmed, ',') {
            Some(pattern) if trimmed.contains(['0', '#']) => {
                let number = Number { pattern, exponent: percent - 3 * thousands };
                Self::Number { before, number: Box::new(number), width, after }
            }
            _ => Self::Literal(before + &after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{format, parse};

    #[test]
    fn sections_equal_the_reference() {
        let accounting = r#"_-* #,##0.00\ "€"_-;\-* #,##0.00\ "€"_-;_-* "-"??\ "€"_-;_-@_-"#;
        for (code, value, text) in [
            ("0;-0;\"zero\"", 1234.5, "1235"),
            ("0;-0;\"zero\"", -1234.5, "-1235"),
            ("0;-0;\"zero\"", 0.0, "zero"),
            ("0;-0;;@", 0.0, "0.0"),
            ("0;;", -1234.5, "-1235"),
            ("0.00;;0", -1234.5, "1235"),
            ("0.00;;0", 0.0, "0.00"),
            ("#,##0;-#,##0;#", 0.0, "0"),
            ("0%;-0%;\"null\"", -0.4, "-40%"),
            (accounting, 1234.5, "1,234.50 €"),
            (accounting, -1234.5, "-   1,234.50 €"),
            (accounting, 0.0, "- 0 €"),
            ("[<1]0.0%;0%", 1234.5, "123450%"),
            ("[<1]0.0%;0%", -1234.5, "-123450.0%"),
            ("[=0]\"null\";0.0", 0.0, "null"),
            ("[=0]\"null\";0.0", -0.4, "-0.4"),
            ("[>=1000]#,##0,\"k\";0", 123_456_789_012.0, "123,456,789k"),
            ("[>=1000]#,##0,\"k\";0", -1234.5, "-1235"),
            ("[Red][<0]0;[Blue]0", -1234.5, "-1235"),
            ("[>5]\"a;b\"0", 12.5, "a;b13"),
            ("[>5]\"a;b\"0", 1.0, "1"),
            ("[>5]0.0;", -1.0, "-1"),
            ("General;[Red]-General;\"null\"", 1234.5, "1234.5"),
        ] {
            assert_eq!(format(&parse(code), value), text, "{code}");
        }
    }
}
