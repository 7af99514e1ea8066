//! Decimal numbers of limited precision, rounded half up as in spreadsheets.

/// A finite number as decimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    pub is_negative: bool,
    /// Digits without leading and trailing zeros; empty for zero.
    digits: Vec<u8>,
    /// Place of the decimal point: the value is `0.digits` times ten to this power.
    point: i32,
}

impl Decimal {
    /// The number with the 15 significant digits of spreadsheets.
    pub fn new(value: f64) -> Self {
        Self::parse(&format!("{value:.14e}"))
    }

    /// The nearest number with 15 significant digits.
    pub fn nearest(value: f64) -> f64 {
        format!("{value:.14e}").parse().unwrap_or(value)
    }

    /// The binary number, with enough digits to tell it from a half.
    pub fn exact(value: f64) -> Self {
        Self::parse(&format!("{value:.40e}"))
    }

    /// The number with the fewest digits that identify it.
    pub fn shortest(value: f64) -> Self {
        Self::parse(&format!("{value:e}"))
    }

    /// Parses Rust's scientific notation.
    fn parse(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0');
        let point = exponent.parse().unwrap_or(0) + 1;
        let is_negative = mantissa.starts_with('-');
        Self { is_negative, digits: digits.collect(), point }.trimmed()
    }

    fn trimmed(mut self) -> Self {
        let zeros = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..zeros);
        self.point -= zeros as i32;
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
        self
    }

    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub fn absolute(self) -> Self {
        Self { is_negative: false, ..self }
    }

    /// Number of significant digits.
    pub fn precision(&self) -> usize {
        self.digits.len()
    }

    /// Number of digits before the decimal point; negative for zeros after it.
    pub fn magnitude(&self) -> i32 {
        self.point
    }

    /// The number times ten to the power of `exponent`.
    pub fn shifted(mut self, exponent: i32) -> Self {
        if !self.is_zero() {
            self.point += exponent;
        }
        self
    }

    /// Number of fraction digits.
    pub fn fraction_digits(&self) -> usize {
        usize::try_from(self.digits.len() as i32 - self.point).unwrap_or(0)
    }

    /// Rounds half up to `digits` fraction digits.
    pub fn rounded(self, digits: usize) -> Self {
        let kept = i64::from(self.point) + digits as i64;
        match usize::try_from(kept) {
            Ok(kept) => self.rounded_to_precision(kept),
            Err(_) => Self { digits: Vec::new(), point: 0, ..self },
        }
    }

    /// Rounds half up to `precision` significant digits.
    pub fn rounded_to_precision(mut self, precision: usize) -> Self {
        if precision >= self.digits.len() {
            return self;
        }
        let is_up = self.digits[precision] >= 5;
        self.digits.truncate(precision);
        if is_up {
            let mut at = precision;
            loop {
                if at == 0 {
                    self.digits.insert(0, 1);
                    self.point += 1;
                    break;
                }
                at -= 1;
                if self.digits[at] < 9 {
                    self.digits[at] += 1;
                    break;
                }
                self.digits[at] = 0;
            }
        }
        self.trimmed()
    }

    /// The digit at a place: 0 is the first after the decimal point, -1 the last before it.
    fn digit(&self, place: i32) -> char {
        let index = usize::try_from(i64::from(place) + i64::from(self.point)).ok();
        let digit = index.and_then(|index| self.digits.get(index)).copied().unwrap_or(0);
        char::from(b'0' + digit)
    }

    /// Digits before the decimal point, at least `min` of them.
    pub fn integer(&self, min: usize) -> String {
        let count = usize::try_from(self.point).unwrap_or(0).max(min) as i32;
        (-count..0).map(|place| self.digit(place)).collect()
    }

    /// Digits after the decimal point: all of them, but at least `min`.
    pub fn fraction(&self, min: usize) -> String {
        let count = self.fraction_digits().max(min) as i32;
        (0..count).map(|place| self.digit(place)).collect()
    }

    /// The first `count` significant digits, padded with zeros.
    pub fn significant(&self, count: usize) -> String {
        (0..count as i32).map(|index| self.digit(index - self.point)).collect()
    }
}

/// A number as Java prints it, which the reference does for formats that it does not support.
pub fn java_double(value: f64) -> String {
    let decimal = Decimal::shortest(value);
    let sign = if value.is_sign_negative() { "-" } else { "" };
    // Java switches to scientific notation below 0.001 and from 10,000,000.
    if decimal.is_zero() || (-2..=7).contains(&decimal.magnitude()) {
        return format!("{sign}{}.{}", decimal.integer(1), decimal.fraction(1));
    }
    let digits = decimal.significant(decimal.precision().max(2));
    format!("{sign}{}.{}E{}", &digits[..1], &digits[1..], decimal.magnitude() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_half_up_in_decimal() {
        let rounded = |value: f64, digits| {
            let decimal = Decimal::new(value).rounded(digits);
            format!("{}.{}", decimal.integer(1), decimal.fraction(0))
        };
        assert_eq!(rounded(1.005, 2), "1.01");
        assert_eq!(rounded(0.5, 0), "1.");
        assert_eq!(rounded(0.05, 0), "0.");
        assert_eq!(rounded(0.004, 1), "0.");
        assert_eq!(rounded(999.96, 1), "1000.");
        assert_eq!(rounded(123_456_789_012_345_680.0, 3), "123456789012346000.");
    }

    #[test]
    fn prints_like_java() {
        for (value, text) in [
            (0.0, "0.0"),
            (12.0, "12.0"),
            (-0.001, "-0.001"),
            (0.0001, "1.0E-4"),
            (9_999_999.0, "9999999.0"),
            (12_345_678.0, "1.2345678E7"),
            (9_781_234_500_000.0, "9.7812345E12"),
            (1e300, "1.0E300"),
        ] {
            assert_eq!(java_double(value), text);
        }
    }
}
