//! Patterns of decimal numbers with the semantics of Java's `DecimalFormat`, which the reference
//! uses for most number formats.

use super::decimal::Decimal;

/// A parsed pattern such as `"$"#,##0.00` (without quotes).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pattern {
    prefix: String,
    suffix: String,
    negative: Option<(String, String)>,
    integer_min: usize,
    integer_max: usize,
    fraction_min: usize,
    fraction_max: usize,
    /// Digits per group; 0 without grouping.
    group: usize,
    /// Separator of groups.
    separator: char,
    /// Power of ten that the number is multiplied by: 2 for per cent.
    exponent: i32,
    /// Digits of the exponent in scientific notation.
    exponent_digits: Option<usize>,
    /// Whether the decimal point is written without fraction.
    has_point: bool,
}

/// Placeholders while a pattern is parsed.
#[derive(Default)]
struct Counts {
    left: usize,
    zeros: usize,
    right: usize,
    group: Option<usize>,
    point: Option<usize>,
    exponent_digits: Option<usize>,
}

impl Pattern {
    /// Parses a pattern with one or two sections. `None` for invalid patterns.
    pub fn parse(pattern: &str, separator: char) -> Option<Self> {
        let (positive, negative) = match pattern.split_once(';') {
            // Java has no separator before digits, which a quoted one may be.
            Some((positive, _)) if !positive.contains(['#', '0', ',', '.']) => return None,
            Some((positive, negative)) => (positive, Some(negative)),
            None => (pattern, None),
        };
        let mut parsed = Self { separator, ..Self::default() };
        let counts = parsed.parse_positive(positive)?;
        parsed.set_counts(counts)?;
        let negative = negative.map(affixes);
        let differs = |(prefix, suffix): &(String, String)| {
            *prefix != parsed.prefix || *suffix != parsed.suffix
        };
        parsed.negative = negative.filter(differs);
        Some(parsed)
    }

    fn parse_positive(&mut self, pattern: &str) -> Option<Counts> {
        let mut counts = Counts::default();
        let mut is_before = true;
        let mut rest = pattern;
        while let Some(character) = rest.chars().next() {
            rest = &rest[character.len_utf8()..];
            match character {
                '#' | '0' | ',' | '.' => {
                    is_before = false;
                    counts.add(character)?;
                }
                'E' if !is_before && self.suffix.is_empty() && counts.left + counts.zeros > 0 => {
                    let digits = rest.len() - rest.trim_start_matches('0').len();
                    if digits == 0 || counts.exponent_digits.is_some() {
                        return None;
                    }
                    counts.exponent_digits = Some(digits);
                    rest = &rest[digits..];
                }
                '%' if self.exponent != 0 => return None,
                other => {
                    if other == '%' {
                        self.exponent = 2;
                    }
                    if is_before { &mut self.prefix } else { &mut self.suffix }.push(other);
                }
            }
        }
        Some(counts)
    }

    fn set_counts(&mut self, mut counts: Counts) -> Option<()> {
        if let (0, 1.., Some(point)) = (counts.zeros, counts.left, counts.point) {
            let point = point.max(1);
            counts.right = counts.left - point.min(counts.left);
            counts.left = point - 1;
            counts.zeros = 1;
        }
        let Counts { left, zeros, right, group, point, exponent_digits } = counts;
        let is_misplaced = point.is_some_and(|point| point < left || point > left + zeros);
        if is_misplaced || group == Some(0) {
            return None;
        }
        let total = left + zeros + right;
        let end = point.unwrap_or(total);
        self.integer_min = end - left;
        self.integer_max = end;
        self.fraction_max = total - end;
        self.fraction_min = point.map_or(0, |point| left + zeros - point);
        self.group = group.unwrap_or(0);
        self.exponent_digits = exponent_digits;
        self.has_point = point.is_some_and(|point| point == 0 || point == total) && total > 0;
        Some(())
    }

    /// Formats a number.
    pub fn format(&self, number: Decimal) -> String {
        let is_negative = number.is_negative;
        let number = number.absolute().shifted(self.exponent);
        let digits = match self.exponent_digits {
            Some(digits) => self.scientific(number, digits),
            None => self.plain(number),
        };
        match &self.negative {
            _ if !is_negative => format!("{}{digits}{}", self.prefix, self.suffix),
            Some((prefix, suffix)) => format!("{prefix}{digits}{suffix}"),
            None => format!("-{}{digits}{}", self.prefix, self.suffix),
        }
    }

    fn plain(&self, number: Decimal) -> String {
        let number = number.rounded(self.fraction_max);
        let mut integer = number.integer(self.integer_min);
        let fraction = number.fraction(self.fraction_min);
        if integer.is_empty() && fraction.is_empty() {
            integer.push('0');
        }
        let mut text = grouped(&integer, self.group, self.separator);
        if !fraction.is_empty() || self.has_point {
            text.push('.');
        }
        text + &fraction
    }

    fn scientific(&self, number: Decimal, exponent_digits: usize) -> String {
        let number = number.rounded_to_precision((self.integer_max + self.fraction_max).max(1));
        let magnitude = number.magnitude();
        let max = self.integer_max as i32;
        let (exponent, integer_min) = if number.is_zero() {
            (0, self.integer_min)
        } else if max > 1 && self.integer_max > self.integer_min {
            ((magnitude - 1).div_euclid(max) * max, 1)
        } else {
            let shown =
                if self.integer_min > 0 || self.fraction_min > 0 { self.integer_min } else { 1 };
            (magnitude - shown as i32, self.integer_min)
        };
        let integer = match number.is_zero() {
            true => integer_min,
            false => usize::try_from(magnitude - exponent).unwrap_or(0),
        };
        let count = number.precision().max(integer_min + self.fraction_min).max(integer);
        let digits = number.significant(count);
        let (integer, fraction) = digits.split_at(integer);
        let point = if fraction.is_empty() { "" } else { "." };
        let sign = if exponent < 0 { "-" } else { "" };
        let exponent = exponent.unsigned_abs();
        format!("{integer}{point}{fraction}E{sign}{exponent:0exponent_digits$}")
    }
}

impl Counts {
    fn add(&mut self, placeholder: char) -> Option<()> {
        match placeholder {
            '#' if self.zeros > 0 => self.right += 1,
            '#' => self.left += 1,
            '0' if self.right > 0 => return None,
            '0' => self.zeros += 1,
            ',' => {
                self.group = Some(0);
                return Some(());
            }
            _ => {
                let is_first = self.point.is_none();
                self.point = Some(self.left + self.zeros + self.right);
                return is_first.then_some(());
            }
        }
        if self.point.is_none() {
            self.group = self.group.map(|group| group + 1);
        }
        Some(())
    }
}

/// Prefix and suffix of a section whose placeholders do not matter.
fn affixes(section: &str) -> (String, String) {
    let is_placeholder = |character: char| "#0,.".contains(character);
    let Some(start) = section.find(is_placeholder) else {
        return (section.to_owned(), String::new());
    };
    // The digits include those of an exponent.
    let suffix = section[start..].trim_start_matches(|it| is_placeholder(it) || it == 'E');
    let suffix = suffix.chars().filter(|character| !is_placeholder(*character));
    (section[..start].to_owned(), suffix.collect())
}

/// Inserts a separator between groups of digits.
pub fn grouped(digits: &str, size: usize, separator: char) -> String {
    let mut text = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.chars().enumerate() {
        if size > 0 && index > 0 && (digits.len() - index).is_multiple_of(size) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_like_java() {
        for (pattern, value, text) in [
            ("0", -1234.5, "-1235"),
            ("0", -0.4, "-0"),
            ("#", 0.0, "0"),
            (".00", 0.4, ".40"),
            ("#.##", 0.0, "0"),
            ("#.0#", 0.4, ".4"),
            ("0.", 1.0, "1."),
            ("#,##0.00", 1_234_567.891, "1,234,567.89"),
            ("0,000", 12.0, "0,012"),
            ("$#,##0;($#,##0)", -1234.5, "($1,235)"),
            ("0.0;0.0", -1.0, "-1.0"),
            ("0 %", 0.256, "26 %"),
            ("0.00E00", 1_234_567.891, "1.23E06"),
            ("0.00E00", 0.256, "2.56E-01"),
            ("##0.0E0", 1_234_567.891, "1.235E6"),
            ("##0.0E0", 45_000.75, "45E3"),
            ("##0.0E0", 0.256, "256E-3"),
            ("##0.0E0", 0.0, "0.0E0"),
            ("##0E0", 1234.5, "1.23E3"),
            ("0E0", 0.0, "0E0"),
            ("00-00-00", 1234.5, "001235--"),
            ("Nr. 0", 1234.5, "Nr1234.5 "),
        ] {
            let parsed = Pattern::parse(pattern, ',').unwrap();
            assert_eq!(parsed.format(Decimal::new(value)), text, "{pattern}");
        }
        for invalid in ["0E", "0#.0#0", "0.0.0", "0,.", "#0,", "0%%", "a;b0"] {
            assert_eq!(Pattern::parse(invalid, ','), None, "{invalid}");
        }
    }
}
