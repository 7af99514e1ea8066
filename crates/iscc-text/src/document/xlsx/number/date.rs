//! Dates and times, as in the reference: with the pattern letters of Java, in US English.

use std::cell::Cell;

use super::decimal::{Decimal, java_double};
use super::{Number, fallback};

/// Days from 1899-12-30 to 1970-01-01. The first is day zero of spreadsheets from March 1900 on.
const UNIX_EPOCH_DAYS: i64 = 25_569;

/// The last serial day before the 29th of February 1900, which spreadsheets believe existed.
const EARLY_DAYS: i64 = 60;

const DAY_MS: i64 = 86_400_000;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const WEEKDAYS: [&str; 7] =
    ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// Whether a number format is one of dates (rules of Apache POI).
pub fn is_date(code: &str) -> bool {
    let mut code = without_escapes(code);
    if elapsed(&code).is_some() {
        return true;
    }
    if code.starts_with("[$-")
        && let Some((_, rest)) = code.split_once(']')
    {
        code = rest.to_owned();
    }
    if let Some((colour, rest)) = code.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && colour.chars().all(|letter| letter.is_ascii_alphabetic())
    {
        code = rest.to_owned();
    }
    if let Some(at) = code.find(';').filter(|at| *at > 0 && at + 1 < code.len()) {
        code.truncate(at);
    }
    let is_allowed = |character: char| "[]yYmMdDhHsS-T/年月日,. :\"\\".contains(character);
    let rest = code.trim_start_matches(is_allowed).trim_start_matches('0');
    code.contains(|letter: char| "yYmMdDhHsS".contains(letter))
        && rest.chars().all(|character| "ampAMP/".contains(character))
}

/// Removes backslashes before separators, and `;@`.
fn without_escapes(code: &str) -> String {
    let mut output = String::with_capacity(code.len());
    let mut characters = code.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some('-' | ',' | '.' | ' ' | '\\')) => {}
            (';', Some('@')) => {
                characters.next();
            }
            _ => output.push(character),
        }
    }
    output
}

/// The unit at the start of a code for elapsed time: `[h]`, `[m]` or `[s]`.
fn elapsed(code: &str) -> Option<char> {
    let (inner, _) = code.strip_prefix('[')?.split_once(']')?;
    let unit = inner.chars().next()?.to_ascii_lowercase();
    let is_unit = |letter: char| letter.to_ascii_lowercase() == unit;
    (matches!(unit, 'h' | 'm' | 's') && inner.chars().all(is_unit)).then_some(unit)
}

/// A format of dates. What it gives for negative numbers, which are not dates, depends on the number
/// before, because the reference keeps one formatter for each code.
#[derive(Debug, Clone, PartialEq)]
pub struct DateFormat {
    code: String,
    /// The format as one of numbers, if it has digits.
    number: Option<Number>,
    state: Cell<State>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Unused,
    /// Used for dates, of which this was the last.
    Dates(f64),
    /// First used for a negative number, with digits in the code.
    Numbers,
}

impl DateFormat {
    pub fn new(code: String) -> Self {
        let number = code.contains(['0', '#']).then(|| Number::parse(&code)).flatten();
        Self { code, number, state: Cell::new(State::Unused) }
    }

    pub fn format(&self, value: f64) -> String {
        match (value < 0.0, self.state.get()) {
            (false, State::Numbers) => value.to_string(),
            (false, _) => match format(value, &self.code) {
                Some(text) => {
                    self.state.set(State::Dates(value));
                    text
                }
                None => fallback(value),
            },
            (true, State::Dates(last)) => {
                let moment = Moment::of_milliseconds(value, last);
                let text = moment.and_then(|moment| moment.format(&tokens(&self.code)));
                text.unwrap_or_else(|| java_double(value))
            }
            (true, _) => match &self.number {
                Some(number) => {
                    self.state.set(State::Numbers);
                    number.format(Decimal::new(value))
                }
                None => java_double(value),
            },
        }
    }
}

/// Formats a date. `None` for dates before 1900 and for invalid patterns.
pub fn format(serial: f64, code: &str) -> Option<String> {
    const SERIAL_MAX: f64 = 1e10;
    if !(0.0..SERIAL_MAX).contains(&serial) {
        return None;
    }
    Moment::new(serial).format(&tokens(code))
}

/// A piece of a date format.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Literal(char),
    /// A letter of Java's patterns and its repetitions; upper-case `H` counts to 23.
    Field(char, usize),
    /// Elapsed units in brackets.
    Elapsed(char, usize),
    /// Fractions of a second.
    Fraction(usize),
}

/// Splits a format into tokens. `m` is a minute after an hour and before a second, else a month.
fn tokens(code: &str) -> Vec<Token> {
    let code = ["\\-", "\\,", "\\.", "\\ ", "\\/"]
        .iter()
        .fold(code.to_owned(), |code, escape| code.replace(escape, &escape[1..]));
    let code = code.replace(";@", "").replace("\"/\"", "/").replace("\\T", "T");
    let (code, has_half_days) = with_half_days(&code);
    let mut tokens: Vec<Token> = Vec::new();
    let mut is_month = true;
    let mut months: Vec<usize> = Vec::new();
    let mut rest = code.as_str();
    while let Some(character) = rest.chars().next() {
        if let Some(unit) = elapsed(rest)
            && let Some(end) = rest.find(']')
        {
            tokens.push(Token::Elapsed(unit, end - 1));
            is_month = false;
            rest = &rest[end + 1..];
            continue;
        }
        let same = rest.chars().take_while(|next| next.eq_ignore_ascii_case(&character)).count();
        let count = if character.is_ascii_alphabetic() { same } else { 1 };
        rest = &rest[character.len_utf8() * count..];
        match character.to_ascii_lowercase() {
            'h' => {
                is_month = false;
                tokens.push(Token::Field(if has_half_days { 'h' } else { 'H' }, count));
            }
            'm' if is_month => {
                months.push(tokens.len());
                tokens.push(Token::Field('M', count));
            }
            'm' => tokens.push(Token::Field('m', count)),
            's' => {
                for month in months.drain(..) {
                    if let Token::Field(letter, _) = &mut tokens[month] {
                        *letter = 'm';
                    }
                }
                is_month = true;
                tokens.push(Token::Field('s', count));
                if let Some(fraction) = rest.strip_prefix('.') {
                    let digits = fraction.len() - fraction.trim_start_matches('0').len();
                    if (1..=3).contains(&digits) {
                        tokens.push(Token::Fraction(digits));
                        rest = &fraction[digits..];
                    }
                }
            }
            letter if character.is_alphabetic() => {
                is_month = true;
                months.clear();
                let is_field = matches!(letter, 'y' | 'd') || character.is_ascii_alphabetic();
                let letter = if matches!(letter, 'y' | 'd') { letter } else { character };
                tokens.push(if is_field {
                    Token::Field(letter, count)
                } else {
                    Token::Literal(character)
                });
            }
            _ => {
                if character.is_whitespace() {
                    months.clear();
                }
                tokens.push(Token::Literal(character));
            }
        }
    }
    tokens
}

/// Replaces `AM/PM` by Java's letter; also returns whether there was one.
fn with_half_days(code: &str) -> (String, bool) {
    let upper = code.to_ascii_uppercase();
    for mark in ["AM/PM", "A/P"] {
        if let Some(at) = upper.find(mark) {
            return (format!("{}a{}", &code[..at], &code[at + mark.len()..]), true);
        }
    }
    (code.to_owned(), false)
}

/// A date and time of the proleptic Gregorian calendar.
struct Moment {
    /// The serial number, for elapsed time and short fractions of a second.
    serial: f64,
    year: i64,
    month: usize,
    day: i64,
    /// Days since 1970-01-01.
    days: i64,
    ms: i64,
}

impl Moment {
    fn new(serial: f64) -> Self {
        let whole = serial.floor();
        let ms = ((serial - whole) * DAY_MS as f64 + 0.5) as i64;
        let whole = whole as i64;
        let days = whole - UNIX_EPOCH_DAYS + i64::from(whole <= EARLY_DAYS);
        let (year, month, day) = civil(days);
        Self { serial, year, month, day, days, ms }
    }

    /// A negative number as milliseconds since 1970, without fractions. Elapsed times and short
    /// fractions of a second are those of the date before. `None` before the Gregorian calendar.
    fn of_milliseconds(value: f64, last: f64) -> Option<Self> {
        const GREGORIAN_MS: f64 = -12_219_292_800_000.0;
        if value < GREGORIAN_MS {
            return None;
        }
        let total = value as i64;
        let days = total.div_euclid(DAY_MS);
        let (year, month, day) = civil(days);
        Some(Self { serial: last, year, month, day, days, ms: total.rem_euclid(DAY_MS) })
    }

    fn format(&self, tokens: &[Token]) -> Option<String> {
        let mut text = String::new();
        for token in tokens {
            match token {
                Token::Literal(character) => text.push(*character),
                Token::Field(letter, width) => text.push_str(&self.field(*letter, *width)?),
                Token::Elapsed(unit, width) => {
                    let per_day = match unit {
                        'h' => 24.0,
                        'm' => 1440.0,
                        _ => 86_400.0,
                    };
                    // The reference has single precision here.
                    let elapsed = (f64::from(self.serial as f32) * per_day).floor();
                    text.push_str(&format!("{elapsed:0width$.0}", width = *width));
                }
                Token::Fraction(digits) => {
                    let part = self.second_fraction(*digits);
                    text.push_str(&format!(".{part:0width$}", width = *digits));
                }
            }
        }
        Some(text)
    }

    /// The fraction of the second with the given number of digits. Those with one or two are rounded
    /// in single precision, so that one digit may become `10`.
    fn second_fraction(&self, digits: usize) -> i64 {
        if digits > 2 {
            return self.ms % 1000;
        }
        let seconds = ((self.serial - self.serial.floor()) * 24.0 * 60.0 * 60.0) as f32;
        let scale = if digits == 1 { 10.0_f32 } else { 100.0 };
        (seconds.fract() * scale).round() as i64
    }

    /// A field of Java's `SimpleDateFormat`; `None` for letters that have no meaning.
    fn field(&self, letter: char, width: usize) -> Option<String> {
        let hour = self.ms / 3_600_000;
        let number = |value: i64| Some(format!("{value:0width$}"));
        match (letter, width) {
            ('y', 1 | 2) => Some(format!("{:02}", self.year.rem_euclid(100))),
            ('y', _) => number(self.year),
            ('M', 5..) => Some(MONTHS[self.month - 1][..1].to_owned()),
            ('M', 4) => Some(MONTHS[self.month - 1].to_owned()),
            ('M', 3) => Some(MONTHS[self.month - 1][..3].to_owned()),
            ('M', _) => number(self.month as i64),
            ('d', 3..) => {
                let weekday = WEEKDAYS[self.days.rem_euclid(7) as usize];
                Some(weekday[..if width == 3 { 3 } else { weekday.len() }].to_owned())
            }
            ('d', _) => number(self.day),
            ('H', _) => number(hour),
            ('h', _) => number((hour + 11) % 12 + 1),
            ('m', _) => number(self.ms / 60_000 % 60),
            ('s', _) => number(self.ms / 1000 % 60),
            ('a', _) => Some(if hour < 12 { "AM" } else { "PM" }.to_owned()),
            ('T', _) => Some("T".repeat(width)),
            _ => None,
        }
    }
}

/// Year, month (1 to 12) and day of a day count from 1970-01-01 (Hinnant, "chrono-compatible
/// low-level date algorithms", `civil_from_days`).
fn civil(days: i64) -> (i64, usize, i64) {
    const ERA_DAYS: i64 = 146_097;
    let shifted = days + 719_468;
    let era = shifted.div_euclid(ERA_DAYS);
    let day_of_era = shifted.rem_euclid(ERA_DAYS);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month as usize, day)
}

#[cfg(test)]
mod tests {
    use super::{DateFormat, format, is_date};

    #[test]
    fn a_negative_number_depends_on_the_one_before() {
        let formatted = |code: &str, values: &[f64]| {
            let format = DateFormat::new(code.to_owned());
            values.iter().map(|value| format.format(*value)).collect::<Vec<_>>().join(" ")
        };
        for (code, values, text) in [
            (
                "yyyy-mm-dd",
                [-1.0, 1.5, -1.0, -86_400_001.0],
                "-1.0 1900-01-01 1969-12-31 1969-12-30",
            ),
            ("d/m/yy", [-0.5, 0.0, -0.5, -1e12], "-0.5 31/12/99 1/1/70 24/4/38"),
            ("[h]:mm", [-1.0, 1.0, -1.0, -0.2], "-1.0 24:00 24:59 24:00"),
            ("[mm]:ss", [1.0, -1.0, 2.5, -1.0], "1440:00 1440:59 3600:00 3600:59"),
            (
                "[h]:mm:ss.000",
                [1.5, -1.0, -1500.7, 0.0],
                "36:00:00.000 36:59:59.999 36:59:58.500 0:00:00.000",
            ),
            ("mm:ss.0", [1.123_456, -1.0, 2.0, -1.0], "57:46.6 59:59.6 00:00.0 59:59.0"),
            ("mm:ss.0", [-1.0, 1.5, -0.001, 12_345_678.0], "-mm:ss1.0 1.5 -mm:ss.0 12345678"),
        ] {
            assert_eq!(formatted(code, &values), text, "{code}");
        }
        assert_eq!(formatted("yyyy", &[1.0, -1e300]), "1900 -1.0E300");
    }

    #[test]
    fn formats_dates_and_times() {
        for (code, serial, text) in [
            ("m/d/yy", 45_000.0, "3/15/23"),
            ("yyyy\\-mm\\-dd", 45_000.0, "2023-03-15"),
            ("d-mmm-yy", 45_000.5, "15-Mar-23"),
            ("dddd, d. mmmm yyyy", 45_000.0, "Wednesday, 15. March 2023"),
            ("h:mm AM/PM", 45_000.75, "6:00 PM"),
            ("yyyy-mm-dd hh:mm:ss", 45_000.503_472_222_2, "2023-03-15 12:05:00"),
            ("mm:ss", 0.001_388_888_9, "02:00"),
            ("hh:mm:ss.000", 46_348.999_999, "23:59:59.914"),
            ("mm:ss.0", 0.256, "08:38.4"),
            ("mm:ss.0", 1.123_456, "57:46.6"),
            ("ss.00", 0.300_580_143_058_927_9, "50.13"),
            ("ss.0", 0.053_382_523_148_148_155, "52.3"),
            ("[h]:mm:ss", 45_000.75, "1080018:00:00"),
            ("[mm]:ss", 1.5, "2160:00"),
            ("yyyy-mm-dd", 0.0, "1899-12-31"),
            ("yyyy-mm-dd", 59.0, "1900-02-28"),
            ("yyyy-mm-dd", 61.0, "1900-03-01"),
            ("dd\"/\"mm\"/\"yyyy", 45_000.0, "15/03/2023"),
            ("mmmmm", 45_000.0, "M"),
            ("m/d/yy h:mm;@", 45_000.75, "3/15/23 18:00"),
        ] {
            assert_eq!(format(serial, code).as_deref(), Some(text), "{code}");
        }
        assert_eq!(format(-1.0, "d"), None);
        assert_eq!(format(f64::NAN, "d"), None);
        assert_eq!(format(1.0, "d\" de \"mmmm"), None);
    }

    #[test]
    fn recognises_date_formats() {
        for code in ["m/d/yy", "[$-407]d. mmmm yyyy;@", "[Red]dd", "[h]:mm", "h:mm AM/PM", "ss.00"]
        {
            assert!(is_date(code), "{code}");
        }
        for code in ["General", "0.00", "kg 0.0", "0\" Tage\"", "d\" Tage\"", "@", ""] {
            assert!(!is_date(code), "{code}");
        }
    }
}
