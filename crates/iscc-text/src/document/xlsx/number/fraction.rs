//! Formats with fractions such as `# ?/?`, as in the reference.

use super::decimal::Decimal;

/// Denominators of a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denominator {
    /// At most this.
    Max(u64),
    /// Exactly this.
    Exact(u64),
}

/// A format with a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fraction {
    /// Whether the integer part is separate.
    is_mixed: bool,
    denominator: Denominator,
}

impl Fraction {
    /// Parses a format; `None` if it has no fraction.
    pub fn parse(format: &str) -> Option<Self> {
        let is_digit = |character: char| matches!(character, '#' | '?');
        let at = format.find("#/").or_else(|| format.find("?/"))?;
        let (numerator, denominator) = (&format[..=at], &format[at + 2..]);
        let end = denominator.find(|c: char| !is_digit(c) && !c.is_ascii_digit());
        let denominator = &denominator[..end.unwrap_or(denominator.len())];
        let denominator = match denominator.parse() {
            Ok(exact @ 1..) => Denominator::Exact(exact),
            _ => Denominator::Max(10_u64.pow(denominator.len().clamp(1, 4) as u32) - 1),
        };
        let before = numerator.trim_end_matches(is_digit);
        Some(Self { is_mixed: before.contains(['#', '?', '0']), denominator })
    }

    pub fn format(self, value: f64) -> String {
        let sign = if value < 0.0 { "-" } else { "" };
        let value = Decimal::nearest(value.abs());
        let whole = if self.is_mixed { value.floor() } else { 0.0 };
        let part = value - whole;
        if value.fract() == 0.0 {
            return format!("{sign}{value:.0}");
        }
        let (numerator, denominator) = match self.denominator {
            Denominator::Exact(exact) => ((part * exact as f64).round(), exact),
            Denominator::Max(max) => approximate(part, max),
        };
        if self.is_mixed && numerator == denominator as f64 {
            return format!("{sign}{:.0}", whole + 1.0);
        }
        match (whole > 0.0, numerator > 0.0 || !self.is_mixed) {
            (true, true) => format!("{sign}{whole:.0} {numerator:.0}/{denominator}"),
            (false, true) => format!("{sign}{numerator:.0}/{denominator}"),
            (_, false) => format!("{sign}{whole:.0}"),
        }
    }
}

/// The last convergent of the continued fraction whose denominator is at most `max`.
fn approximate(value: f64, max: u64) -> (f64, u64) {
    const STEPS_MAX: usize = 100;
    const EPSILON: f64 = 1e-12;
    let (mut previous, mut current) = ((1.0, 0_u64), (value.floor(), 1_u64));
    let mut rest = value;
    for _ in 0..STEPS_MAX {
        let fraction = rest - rest.floor();
        if fraction < EPSILON || (current.0 / current.1 as f64 - value).abs() < EPSILON {
            break;
        }
        rest = 1.0 / fraction;
        let term = rest.floor();
        let denominator = term * current.1 as f64 + previous.1 as f64;
        if denominator > max as f64 {
            break;
        }
        (previous, current) = (current, (term * current.0 + previous.0, denominator as u64));
    }
    current
}

#[cfg(test)]
mod tests {
    use super::Fraction;

    #[test]
    fn approximates_with_small_denominators() {
        for (format, value, text) in [
            ("# ?/?", 1_234_567.891, "1234567 8/9"),
            ("# ??/??", 1_234_567.891, "1234567 49/55"),
            ("# ??/??", 0.256, "11/43"),
            ("# ?/?", -1234.5, "-1234 1/2"),
            ("# ?/?", 12.0, "12"),
            ("# ?/?", 0.0, "0"),
            ("# ?/8", 0.4, "3/8"),
            ("# ??/100", 1234.5, "1234 50/100"),
            ("?/?", 1234.5, "2469/2"),
            ("# ?/?", 999.995, "1000"),
            ("# ?/?", -999.995, "-1000"),
            ("# ??/??", 0.999_995, "1"),
            ("# ?/8", 1.95, "2"),
            ("# ?/?", -0.001, "-0"),
            ("?/?", 999.995, "1000/1"),
            ("?/8", -8.99, "-72/8"),
            ("?/?", 0.001, "0/1"),
            ("?/?", 12.0, "12"),
            ("?/8", 0.0, "0"),
        ] {
            assert_eq!(Fraction::parse(format).unwrap().format(value), text, "{format}");
        }
        assert_eq!(Fraction::parse("0.00"), None);
    }
}
