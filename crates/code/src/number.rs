//! Numbers, rounded as the reference does, and in JSON as JavaScript writes them: `1`, not `1.0`.

use serde::Serializer;

/// Rounds to an integer, ties to even.
pub fn half_even(value: f64) -> f64 {
    value.round_ties_even()
}

/// Rounds to three decimals, ties to even. A tie is an odd multiple of 1/16, so `value * 1000` is exact.
pub fn thousandths(value: f64) -> f64 {
    let sixteenths = value * 16.0;
    let is_tie = sixteenths.fract() == 0.0 && sixteenths % 2.0 != 0.0;
    match is_tie {
        true => half_even(value * 1000.0) / 1000.0,
        false => format!("{value:.3}").parse().unwrap_or(value),
    }
}

/// Serialises a number without the fraction of whole numbers.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true => serializer.serialize_i64(*number as i64),
        false => serializer.serialize_f64(*number),
    }
}

/// The same for a number that may be absent.
pub mod optional {
    use serde::Serializer;

    #[expect(clippy::ref_option, reason = "serde passes references")]
    pub fn serialize<S: Serializer>(
        number: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match number {
            Some(number) => super::serialize(number, serializer),
            None => serializer.serialize_none(),
        }
    }
}
