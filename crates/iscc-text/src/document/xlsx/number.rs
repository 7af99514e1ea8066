//! Numbers and dates as a spreadsheet displays them (ECMA-376 part 1, 18.8.30 and 18.8.31).
//!
//! Text-Codes depend on the digits, so this module follows the reference, which formats with the
//! rules of Apache POI, including its treatment of formats that it does not support.

mod date;
pub mod decimal;
mod fraction;
mod pattern;
mod section;

use self::date::DateFormat;
use self::decimal::{Decimal, java_double};
use self::fraction::Fraction;
use self::pattern::Pattern;
use self::section::Section;

/// The format code of a built-in number format.
pub fn built_in(id: &str) -> Option<&'static str> {
    Some(match id {
        "1" => "0",
        "2" => "0.00",
        "3" => "#,##0",
        "4" => "#,##0.00",
        "5" => "\"$\"#,##0_);(\"$\"#,##0)",
        "6" => "\"$\"#,##0_);[Red](\"$\"#,##0)",
        "7" => "\"$\"#,##0.00_);(\"$\"#,##0.00)",
        "8" => "\"$\"#,##0.00_);[Red](\"$\"#,##0.00)",
        "9" => "0%",
        "10" => "0.00%",
        "11" => "0.00E+00",
        "12" => "# ?/?",
        "13" => "# ??/??",
        "14" => "m/d/yy",
        "15" => "d-mmm-yy",
        "16" => "d-mmm",
        "17" => "mmm-yy",
        "18" => "h:mm AM/PM",
        "19" => "h:mm:ss AM/PM",
        "20" => "h:mm",
        "21" => "h:mm:ss",
        "22" => "m/d/yy h:mm",
        "37" => "#,##0_);(#,##0)",
        "38" => "#,##0_);[Red](#,##0)",
        "39" => "#,##0.00_);(#,##0.00)",
        "40" => "#,##0.00_);[Red](#,##0.00)",
        "41" => "_(* #,##0_);_(* (#,##0);_(* \"-\"_);_(@_)",
        "42" => "_(\"$\"* #,##0_);_(\"$\"* (#,##0);_(\"$\"* \"-\"_);_(@_)",
        "43" => "_(* #,##0.00_);_(* (#,##0.00);_(* \"-\"??_);_(@_)",
        "44" => "_(\"$\"* #,##0.00_);_(\"$\"* (#,##0.00);_(\"$\"* \"-\"??_);_(@_)",
        "45" => "mm:ss",
        "46" => "[h]:mm:ss",
        "47" => "mm:ss.0",
        "48" => "##0.0E+0",
        "49" => "@",
        _ => return None,
    })
}

/// A parsed format code.
#[derive(Debug, Clone, PartialEq)]
pub enum NumberFormat {
    General,
    Date(DateFormat),
    Fraction(Fraction),
    Decimal(Number),
    /// Digits in groups with a hyphen between them, such as US social security numbers.
    Grouped(&'static [usize]),
    /// Three or more sections, or sections with conditions.
    Sections(Vec<Section>),
    /// Not a format of numbers.
    Plain,
    /// Invalid, or the format of text.
    Fallback,
}

/// A decimal format.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    pattern: Pattern,
    /// Thousands that the number is divided by.
    thousands: i32,
    /// Whether positive exponents have a sign.
    has_sign: bool,
}

impl NumberFormat {
    pub fn new(code: &str) -> Self {
        // Spreadsheets limit codes to 255 characters; longer ones could have huge results.
        const CODE_BYTES_MAX: usize = 1024;
        match code {
            "General" | "general" => return Self::General,
            _ if code.len() > CODE_BYTES_MAX => return Self::General,
            // The reference leaves other spellings to Apache POI.
            _ if code.eq_ignore_ascii_case("general") => return Self::Fallback,
            _ => {}
        }
        let has_sections =
            code.matches(';').count() > 1 || code.contains(';') && has_condition(code);
        if has_sections {
            return Self::Sections(section::parse(code));
        }
        let code = without_brackets(code);
        match code.as_str() {
            "00000-0000" | "00000\\-0000" => return Self::Grouped(&[5, 4]),
            "000-00-0000" | "000\\-00\\-0000" => return Self::Grouped(&[3, 2, 4]),
            _ if code.trim().is_empty() || code == "@" => return Self::Fallback,
            _ if date::is_date(&code) => return Self::Date(DateFormat::new(code)),
            _ => {}
        }
        if let Some(fraction) = Fraction::parse(&code) {
            return Self::Fraction(fraction);
        }
        if !code.contains(['0', '#']) {
            return Self::Plain;
        }
        Number::parse(&code).map_or(Self::Fallback, Self::Decimal)
    }

    pub fn format(&self, value: f64) -> String {
        if !value.is_finite() {
            return "0".to_owned();
        }
        match self {
            Self::General => general(value),
            Self::Date(date) => date.format(value),
            Self::Fraction(fraction) => fraction.format(value),
            Self::Decimal(number) => number.format(Decimal::new(value)),
            Self::Grouped(sizes) => grouped(value, sizes),
            Self::Sections(sections) => section::format(sections, value),
            Self::Plain => java_double(value),
            Self::Fallback => fallback(value),
        }
    }
}

impl Number {
    /// Parses a format with one or two sections. `None` for formats that Java does not accept.
    fn parse(code: &str) -> Option<Self> {
        let mut pattern = without_escapes(code);
        // The reference looks for these in the code, not in the exponent.
        let lower = code.to_ascii_lowercase();
        let has_sign = lower.contains("e+0") || lower.contains("general");
        let separator = separator(&pattern);
        if let Some((at, other)) = separator {
            let group = at..at + 1 + other.len_utf8() + 3;
            let replaced = pattern[group.clone()].replace(other, ",");
            pattern = pattern.replace(&pattern[group].to_owned(), &replaced);
        }
        let trimmed = pattern.trim_end_matches(',');
        let thousands = (pattern.len() - trimmed.len()) as i32;
        let pattern = Pattern::parse(trimmed, separator.map_or(',', |(_, other)| other))?;
        Some(Self { pattern, thousands, has_sign })
    }

    fn format(&self, number: Decimal) -> String {
        let number = match self.thousands {
            0 => number,
            thousands => {
                // The division keeps the number of fraction digits.
                let digits = number.fraction_digits();
                let scaled = number.shifted(-3 * thousands).rounded(digits);
                if scaled.is_zero() { scaled.absolute() } else { scaled }
            }
        };
        let text = self.pattern.format(number);
        match text.split_once('E') {
            Some((mantissa, exponent))
                if self.has_sign && exponent.starts_with(|c: char| c.is_ascii_digit()) =>
            {
                format!("{mantissa}E+{exponent}")
            }
            _ => text,
        }
    }
}

/// A group separator other than the comma, as in `# ##0`, with the place before it.
fn separator(pattern: &str) -> Option<(usize, char)> {
    let is_digit = |byte: &u8| matches!(byte, b'#' | b'0');
    pattern.char_indices().find_map(|(at, first)| {
        let other = pattern[at..].chars().nth(1)?;
        let digits = pattern.as_bytes().get(at + 1 + other.len_utf8()..)?.get(..3)?;
        let is_group = matches!(first, '#' | '0')
            && !matches!(other, '.' | '#' | '0' | ',')
            && digits.iter().all(is_digit);
        is_group.then_some((at, other))
    })
}

/// Whether a section has a condition such as `[>=100]`.
fn has_condition(code: &str) -> bool {
    code.split('[').skip(1).any(|part| section::Condition::parse(part).is_some())
}

/// Removes colours, and replaces `[$€-407]` by its currency symbol.
fn without_brackets(code: &str) -> String {
    let mut output = String::with_capacity(code.len());
    let mut rest = code;
    while let Some((before, after)) = rest.split_once('[') {
        output.push_str(before);
        let Some((inner, tail)) = after.split_once(']') else {
            rest = &rest[before.len()..];
            break;
        };
        if let Some((symbol, _)) = inner.strip_prefix('$').and_then(|it| it.split_once('-')) {
            output.push_str(symbol);
        } else if !section::is_colour(inner) {
            output.push_str(&format!("[{inner}]"));
        }
        rest = tail;
    }
    output + rest
}

/// Removes quotes, backslashes, signs of exponents, and the spaces and fillings that `_` and `*`
/// stand for.
fn without_escapes(code: &str) -> String {
    let mut output = String::with_capacity(code.len());
    let mut characters = code.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '_' | '*' => {
                characters.next();
            }
            '\\' => output.extend(characters.next_if(|next| matches!(next, '_' | '*'))),
            '"' => {}
            '+' | '-' if output.ends_with('E') => {}
            other => output.push(other),
        }
    }
    output
}

/// The digits of a number, filled up with zeros, with hyphens between groups.
fn grouped(value: f64, sizes: &[usize]) -> String {
    let digits = Decimal::new(Decimal::nearest(value).round_ties_even());
    let sign = if digits.is_negative { "-" } else { "" };
    let text = format!("{sign}{}", digits.integer(sizes.iter().sum()));
    let mut rest = text.as_str();
    let groups = sizes.iter().map(|size| {
        let (group, tail) = rest.split_at((*size).min(rest.len()));
        rest = tail;
        group
    });
    groups.collect::<Vec<_>>().join("-")
}

/// Digits after the decimal point in both general formats.
const FRACTION_DIGITS_MAX: usize = 10;

/// The general format of the reference: up to 15 significant digits, of which 10 after the decimal
/// point. Numbers below the normal ones are zero.
pub fn general(value: f64) -> String {
    const PLAIN_MAX: f64 = 1e15;
    const PLAIN_MIN: f64 = 1e-15;
    let magnitude = value.abs();
    if magnitude > PLAIN_MAX || magnitude <= PLAIN_MIN && magnitude > f64::MIN_POSITIVE {
        return scientific(Decimal::new(value), "E+");
    }
    rounded_as_binary(Decimal::nearest(value))
}

/// A number with at most [`FRACTION_DIGITS_MAX`] digits after the decimal point. As Java does, it takes a half for what
/// the binary number is.
fn rounded_as_binary(value: f64) -> String {
    let number = Decimal::shortest(value);
    if number.fraction_digits() <= FRACTION_DIGITS_MAX {
        return plain(number);
    }
    plain(Decimal::exact(value).rounded(FRACTION_DIGITS_MAX))
}

/// The general format of Apache POI: up to 10 significant digits.
fn fallback(value: f64) -> String {
    const PRECISION: usize = 10;
    let magnitude = value.abs();
    let number = Decimal::new(value);
    if magnitude >= 1e11 || magnitude > 0.0 && magnitude <= 1e-10 {
        scientific(number.rounded_to_precision(6), "E")
    } else if magnitude >= 1e10 || value.fract() == 0.0 {
        plain(number.rounded(0))
    } else {
        let short = plain(number.rounded_to_precision(PRECISION));
        short.parse().map_or(short, rounded_as_binary)
    }
}

fn plain(number: Decimal) -> String {
    let sign = if number.is_negative && !number.is_zero() { "-" } else { "" };
    let point = if number.fraction_digits() > 0 { "." } else { "" };
    format!("{sign}{}{point}{}", number.integer(1), number.fraction(0))
}

fn scientific(number: Decimal, mark: &str) -> String {
    let sign = if number.is_negative { "-" } else { "" };
    let exponent = number.magnitude() - 1;
    let mark = if exponent < 0 { "E" } else { mark };
    let digits = number.significant(number.precision().max(1));
    let point = if digits.len() > 1 { "." } else { "" };
    format!("{sign}{}{point}{}{mark}{exponent}", &digits[..1], &digits[1..])
}

/// A number in four bytes ([MS-XLS] 2.5.122).
pub fn rk(value: u32) -> f64 {
    let number = if value & 2 == 0 {
        f64::from_bits(u64::from(value & !3) << 32)
    } else {
        f64::from((value as i32) >> 2)
    };
    if value & 1 == 0 { number } else { number / 100.0 }
}

#[cfg(test)]
mod tests {
    use super::{NumberFormat, built_in, general};

    #[test]
    fn other_spellings_of_general_have_ten_digits() {
        let format = NumberFormat::new("GENERAL");
        for (value, text) in [
            (15.817018300653599, "15.8170183"),
            (-10_643.024_995, "-10643.025"),
            (-12_543.717_765, "-12543.71777"),
            (-0.037_131_648_447_417_78, "-0.0371316484"),
        ] {
            assert_eq!(format.format(value), text);
        }
    }

    #[test]
    fn general_numbers_equal_the_reference() {
        for (value, text) in [
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.3333333333"),
            (100.0 / 3.0, "33.3333333333"),
            (1_234_567.0, "1234567"),
            (9_781_234_500_000.0, "9781234500000"),
            (-9_781_234_500_000.0, "-9781234500000"),
            (123_456_789.123_456_79, "123456789.123457"),
            (2_341.000_068_204_647_5, "2341.0000682046"),
            (1_968.772_870_593_146_3, "1968.7728705931"),
            (1_829.151_464_613_552, "1829.1514646135"),
            (-7_479.344_781_085_954, "-7479.3447810859"),
            (0.000_488_281_25, "0.0004882813"),
            (1e-15, "1E-15"),
            (1.535_414_142_692_959_6e-15, "0"),
            (5.457_808_888_457_623_6e-92, "5.45780888845762E-92"),
            (8.961_137_297_347_982e-308, "8.96113729734798E-308"),
            (5e-311, "0"),
            (0.000_000_1, "0.0000001"),
            (-0.000_000_1, "-0.0000001"),
            (1e-11, "0"),
            (1e15, "1000000000000000"),
            (1_234_567_890_123_456.0, "1.23456789012346E+15"),
            (1e100, "1E+100"),
        ] {
            assert_eq!(general(value), text);
        }
    }

    #[test]
    fn formatted_numbers_equal_the_reference() {
        for (code, value, text) in [
            ("General", 0.0, "0"),
            ("0.00", 2.345, "2.35"),
            ("0", -1234.5, "-1235"),
            ("#,##0.00", -1_234_567.891, "-1,234,567.89"),
            ("0%", 0.256, "26%"),
            ("#,##0.00 €", 1234.5, "1,234.50 €"),
            ("#,##0.00 [$€-407]", 1234.5, "1,234.50 €"),
            ("[$-409]0.0", 1.0, "1.0"),
            (r"[$-F400]h:mm:ss\ AM/PM;[$-F400]h:mm:ss\ AM/PM;-", 40_293.5, "12:00:00 PM"),
            (r"[$-F400]h:mm:ss\ AM/PM;[$-F400]h:mm:ss\ AM/PM;-", -3.25, "-3.25"),
            ("h:mm AM/PM;-0;x", -3.25, "-3.25"),
            ("[$-407]d. mmmm yyyy;;", 40_293.5, "25. April 2010"),
            ("[$€-2] #,##0.00", -12.0, "-€ 12.00"),
            ("[Red]\"about \"0.0;-0.0", 2.25, "about 2.3"),
            ("0.00E+00", 0.256, "2.56E-01"),
            ("0.00E+00", 45_000.75, "4.50E+04"),
            ("# ?/?", 1.5, "1 1/2"),
            ("0.0E0", 1234.5, "1.2E3"),
            ("0.0E00", 1e15, "1.0E15"),
            ("##0.0E0", 1.0, "1.0E0"),
            ("0.0E-0", 1234.5, "1.2E3"),
            ("0.00E-00;-0.00E+00", -0.001, "-1.00E-03"),
            ("\"E-\"0", 1.0, "E1"),
            ("0.0E+0", 1.0, "1.0E+0"),
            ("\"General \"0.0E0", 1.0, "General 1.0E+0"),
            ("\"a;b\"0", 12.5, "12.5"),
            ("0\"a;b\"", -1.0, "b1"),
            ("\"a;b\"0;-0", 12.5, "a;b13"),
            ("000\\-00\\-0000", 1_234_567.0, "001-23-4567"),
            ("# ##0", 1_234_567.0, "1 234 567"),
            ("#'##0.00", 1234.5, "1'234.50"),
            ("0.0,", 45_000.75, "45.0"),
            ("#,##0,", -0.4, "0"),
            ("0.0,,\"M\"", 1234.5, "1234.5"),
            ("\\#0", 12.0, "12"),
            ("@", 9_781_234_500_000.0, "9.78123E12"),
            ("General\" Stk\"", 12.0, "12.0"),
            ("d\" Tage\"", 0.0, "0.0"),
            ("yyyy-mm-dd", 45_000.0, "2023-03-15"),
            ("yyyy-mm-dd", -1.0, "-1.0"),
            ("kg 0.0", 1.0, "kg 1.0"),
        ] {
            assert_eq!(NumberFormat::new(code).format(value), text, "{code}");
        }
        let dollars = NumberFormat::new(built_in("7").unwrap());
        assert_eq!(dollars.format(-1234.5), "($1,234.50)");
    }

    #[test]
    fn any_number_and_code_give_text() {
        let values = [f64::MAX, f64::MIN, f64::NAN, f64::INFINITY, 1e300, 5e-324, -1.0, 0.0];
        let codes = [
            "yyyy-mm-dd",
            "0.00",
            "#,##0",
            "",
            "\"",
            "[",
            "\\",
            "é m",
            "AM/PM",
            "[h",
            "_",
            "*",
            "0E",
            "é0é000",
            "# ?/0",
            "?/",
            ";;;",
            "[>",
            "[=1]0;",
            "0.0E+0",
            "[$",
            "[$-]0",
            "0,,,,",
            "mmmmmmm",
        ];
        for value in values {
            for code in codes {
                NumberFormat::new(code).format(value);
            }
            general(value);
        }
    }
}
