//! Numbers and dates as a spreadsheet shows them (ECMA-376 part 1, 18.8.30 and 18.8.31).
//!
//! The common formats: general, fixed decimals, thousands, per cent, dates and times. Of others the
//! first section counts and letters that mean nothing are left out; the digits, which the Text-Code
//! keeps, are right.

/// Days from 1899-12-30, the day zero of spreadsheets, to 1970-01-01.
const UNIX_EPOCH_DAYS: f64 = 25_569.0;

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

/// The format code of a built-in number format.
pub fn built_in(id: &str) -> Option<&'static str> {
    Some(match id {
        "1" => "0",
        "2" => "0.00",
        "3" => "#,##0",
        "4" => "#,##0.00",
        "9" => "0%",
        "10" => "0.00%",
        "14" => "m/d/yy",
        "15" => "d-mmm-yy",
        "16" => "d-mmm",
        "17" => "mmm-yy",
        "18" => "h:mm AM/PM",
        "19" => "h:mm:ss AM/PM",
        "20" => "h:mm",
        "21" => "h:mm:ss",
        "22" => "m/d/yy h:mm",
        _ => return None,
    })
}

/// A parsed format code.
#[derive(Debug, Clone, PartialEq)]
pub enum NumberFormat {
    General,
    Decimal { decimals: usize, grouped: bool, percent: bool },
    Date { code: String },
}

impl NumberFormat {
    pub fn new(code: &str) -> Self {
        let section = without_literals(code.split(';').next().unwrap_or_default());
        if section.is_empty() || section.eq_ignore_ascii_case("general") || section.contains('@') {
            return Self::General;
        }
        if section.contains(['y', 'm', 'd', 'h', 's', 'Y', 'M', 'D', 'H', 'S']) {
            return Self::Date { code: section };
        }
        let (whole, fraction) = section.split_once('.').unwrap_or((&section, ""));
        if !section.contains(['0', '#']) || section.contains(['E', 'e', '/']) {
            return Self::General;
        }
        Self::Decimal {
            decimals: fraction.chars().filter(|digit| matches!(digit, '0' | '#')).count(),
            grouped: whole.contains(','),
            percent: section.contains('%'),
        }
    }

    pub fn show(&self, value: f64) -> String {
        match self {
            Self::General => general(value),
            Self::Decimal { decimals, grouped, percent } => {
                let shown = if *percent { value * 100.0 } else { value };
                let digits = format!("{shown:.decimals$}");
                let digits = if *grouped { group(&digits) } else { digits };
                if *percent { digits + "%" } else { digits }
            }
            Self::Date { code } => date(value, code),
        }
    }
}

/// Up to eleven significant digits, as the general format has room for.
pub fn general(value: f64) -> String {
    const DIGITS: usize = 11;
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-5..DIGITS as i32).contains(&exponent) {
        let text = format!("{value:.5E}");
        let (mantissa, power) = text.split_once('E').unwrap_or((&text, "0"));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        let sign = if power.starts_with('-') { '-' } else { '+' };
        return format!("{mantissa}E{sign}{:0>2}", power.trim_start_matches('-'));
    }
    let decimals = (DIGITS as i32 - 1 - exponent).clamp(0, DIGITS as i32) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Leaves out quoted and escaped text, colours and conditions: `[Red]"total" 0.00` is `0.00`.
fn without_literals(section: &str) -> String {
    let mut kept = String::new();
    let mut characters = section.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => while characters.next().is_some_and(|inner| inner != '"') {},
            '[' => while characters.next().is_some_and(|inner| inner != ']') {},
            '\\' | '_' | '*' => {
                // A backslash before a separator is how writers put dashes into dates.
                kept.extend(characters.next().filter(|next| matches!(next, '-' | '/' | ' ')));
            }
            other => kept.push(other),
        }
    }
    kept.trim().to_owned()
}

fn group(digits: &str) -> String {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |rest| ("-", rest));
    let mut grouped = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !fraction.is_empty() {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    grouped
}

fn date(value: f64, code: &str) -> String {
    let moment = Moment::new(value);
    let twelve_hours = code.to_ascii_uppercase().contains("AM/PM");
    let mut shown = String::new();
    let mut after_hours = false;
    let mut rest = code;
    while let Some(character) = rest.chars().next() {
        if rest.get(..5).is_some_and(|mark| mark.eq_ignore_ascii_case("AM/PM")) {
            shown.push_str(if moment.hour < 12 { "AM" } else { "PM" });
            rest = &rest[5..];
            continue;
        }
        let letter = character.to_ascii_lowercase();
        let same = rest.chars().take_while(|next| next.to_ascii_lowercase() == letter);
        let width = if character.is_ascii_alphabetic() { same.count() } else { 1 };
        let (token, tail) = rest.split_at(width * character.len_utf8());
        // A month between hours and seconds is minutes.
        let minutes =
            letter == 'm' && (after_hours || tail.trim_start_matches(':').starts_with(['s', 'S']));
        match letter {
            'm' if minutes => shown.push_str(&padded(moment.minute, width)),
            'h' if twelve_hours => shown.push_str(&padded((moment.hour + 11) % 12 + 1, width)),
            'y' | 'm' | 'd' | 'h' | 's' => shown.push_str(&moment.part(letter, width)),
            _ => shown.push_str(token),
        }
        after_hours = letter == 'h' || (after_hours && !character.is_ascii_alphabetic());
        rest = tail;
    }
    shown
}

fn padded(value: i64, width: usize) -> String {
    if width > 1 { format!("{value:02}") } else { value.to_string() }
}

/// A date and time of the proleptic Gregorian calendar.
struct Moment {
    year: i64,
    month: usize,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

impl Moment {
    fn new(serial: f64) -> Self {
        const DAY_SECONDS: i64 = 86_400;
        let seconds = ((serial - UNIX_EPOCH_DAYS) * DAY_SECONDS as f64).round() as i64;
        let (days, rest) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
        let (year, month, day) = civil(days);
        Self { year, month, day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60 }
    }

    fn part(&self, letter: char, width: usize) -> String {
        match (letter, width) {
            ('y', 1 | 2) => format!("{:02}", self.year.rem_euclid(100)),
            ('y', _) => self.year.to_string(),
            ('m', 3) => MONTHS[self.month - 1][..3].to_owned(),
            ('m', 4..) => MONTHS[self.month - 1].to_owned(),
            ('m', _) => padded(self.month as i64, width),
            ('d', _) => padded(self.day, width),
            ('h', _) => padded(self.hour, width),
            _ => padded(self.second, width),
        }
    }
}

/// Year, month (1 to 12) and day of a day count from 1970-01-01 (Hinnant, "chrono-compatible
/// low-level date algorithms", `civil_from_days`).
fn civil(days: i64) -> (i64, usize, i64) {
    const ERA_DAYS: i64 = 146_097;
    let shifted = days.saturating_add(719_468);
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
    use super::{NumberFormat, general};

    #[test]
    fn numbers_look_as_in_the_sheet() {
        for (code, value, shown) in [
            ("General", 0.1 + 0.2, "0.3"),
            ("General", 1234567.0, "1234567"),
            ("General", 1.5e-7, "1.5E-07"),
            ("0.00", 2.34567, "2.35"),
            ("#,##0.00", -1234567.891, "-1,234,567.89"),
            ("0%", 0.256, "26%"),
            ("[Red]\"about \"0.0;-0.0", 2.25, "2.2"),
            ("m/d/yy", 45_000.0, "3/15/23"),
            ("yyyy-mm-dd", 45_000.0, "2023-03-15"),
            ("yyyy\\-mm\\-dd", 45_000.0, "2023-03-15"),
            ("d-mmm-yy", 45_000.5, "15-Mar-23"),
            ("h:mm AM/PM", 45_000.75, "6:00 PM"),
            ("yyyy-mm-dd hh:mm:ss", 45_000.503_472_222_2, "2023-03-15 12:05:00"),
            ("mm:ss", 0.001_388_888_9, "02:00"),
        ] {
            assert_eq!(NumberFormat::new(code).show(value), shown, "{code}");
        }
    }

    #[test]
    fn any_number_and_code_give_text() {
        for value in [f64::MAX, f64::MIN, f64::NAN, f64::INFINITY, 1e300, -1.0, 0.0] {
            for code in ["yyyy-mm-dd", "0.00", "#,##0", "", "\"", "[", "\\", "é m", "AM/PM"] {
                NumberFormat::new(code).show(value);
            }
            general(value);
        }
    }
}
