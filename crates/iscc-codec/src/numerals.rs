//! Bodies as numerals: binary digits, and decimal numbers of more than 64 bits.

use crate::limits::BODY_BYTES_MAX;

/// One character `0` or `1` per bit, most significant first.
pub(crate) fn binary(byte: u8) -> [u8; 8] {
    std::array::from_fn(|index| b'0' + (byte >> (7 - index) & 1))
}

/// The largest power of ten below 2^32: each division yields nine digits.
const GROUP: u64 = 1_000_000_000;
const GROUP_DIGITS: usize = 9;
const DIGITS_MAX: usize = (BODY_BYTES_MAX * 8).div_ceil(29) * GROUP_DIGITS;

/// The unsigned big-endian number in decimal, without leading zeros; up to 78 digits for 256 bits.
pub(crate) fn decimal(bytes: &[u8]) -> String {
    let mut limbs = limbs(bytes);
    let mut number = &mut limbs[..];
    // Filled from the end: each division yields the least significant digits of the rest.
    let mut digits = [b'0'; DIGITS_MAX];
    let mut start = DIGITS_MAX;
    while let Some(first) = number.iter().position(|&limb| limb != 0) {
        number = &mut number[first..];
        let mut remainder = 0;
        for limb in number.iter_mut() {
            let dividend = remainder << 32 | u64::from(*limb);
            *limb = (dividend / GROUP) as u32;
            remainder = dividend % GROUP;
        }
        // Below 2^32, where division is fast.
        let mut group = remainder as u32;
        for digit in digits[start - GROUP_DIGITS..start].iter_mut().rev() {
            *digit = b'0' + (group % 10) as u8;
            group /= 10;
        }
        start -= GROUP_DIGITS;
    }
    let leading = digits[start..].iter().take_while(|&&digit| digit == b'0').count();
    let significant = &digits[(start + leading).min(DIGITS_MAX - 1)..];
    String::from_utf8_lossy(significant).into_owned()
}

/// The number in 32-bit limbs, most significant first.
fn limbs(bytes: &[u8]) -> [u32; BODY_BYTES_MAX / 4] {
    let mut padded = [0; BODY_BYTES_MAX];
    let used = bytes.len().min(BODY_BYTES_MAX);
    padded[BODY_BYTES_MAX - used..].copy_from_slice(&bytes[bytes.len() - used..]);
    let (limbs, _) = padded.as_chunks::<4>();
    std::array::from_fn(|index| u32::from_be_bytes(limbs[index]))
}

/// A time in microseconds since 1970 as `YYYY-MM-DDThh:mm:ss.ffffffZ`, in the Gregorian calendar.
pub(crate) fn iso_8601(timestamp_us: u64) -> String {
    let (seconds, micros) = (timestamp_us / 1_000_000, timestamp_us % 1_000_000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil_date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

/// Year, month and day of a number of days since 1970-01-01.
///
/// Uses years that start in March, so the leap day is the last day of a year, and eras of 400
/// years, after which the calendar repeats.
fn civil_date(days_since_1970: u64) -> (u64, u64, u64) {
    const DAYS_FROM_0000_03_01_TO_1970: u64 = 719_468;
    const ERA_DAYS: u64 = 146_097;
    let days = days_since_1970 + DAYS_FROM_0000_03_01_TO_1970;
    let (era, day_of_era) = (days / ERA_DAYS, days % ERA_DAYS);
    // A leap year every 4 years, except every 100, except every 400.
    let leap_days = day_of_era / 1460 + day_of_era / (ERA_DAYS - 1) - day_of_era / 36_524;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Starting in March, five months have 153 days: 31, 30, 31, 30, 31.
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, later_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * era + year_of_era + later_year, month, day)
}
