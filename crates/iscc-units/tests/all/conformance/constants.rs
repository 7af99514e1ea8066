//! The tables of the standard.

use super::fixture::{cases, number, read, text};
use iscc_units::kernels::cdc::GEAR;
use iscc_units::kernels::dct::divisors;
use iscc_units::kernels::minhash::{MULTIPLIER, SUMMAND};
use iscc_units::kernels::wta::PAIRS;

#[test]
fn tables_equal_the_recorded_constants() {
    let file = read("constants.json");
    let gear: Vec<_> = cases(&file, "cdc_gear").iter().map(|x| number(x) as u32).collect();
    assert_eq!(gear, GEAR);
    for (key, table) in [("minhash_a", MULTIPLIER), ("minhash_b", SUMMAND)] {
        let recorded: Vec<u64> =
            cases(&file, key).iter().map(|x| text(x).parse().expect(key)).collect();
        assert_eq!(recorded, table, "{key}");
    }
    let pairs: Vec<_> = cases(&file, "wta_pairs")
        .iter()
        .map(|pair| (number(&pair[0]) as u16, number(&pair[1]) as u16))
        .collect();
    assert_eq!(pairs, PAIRS);
}

#[test]
fn divisors_are_doubled_cosines() {
    let tables: [&[f64]; 5] = [
        &divisors::DIVISORS_2,
        &divisors::DIVISORS_4,
        &divisors::DIVISORS_8,
        &divisors::DIVISORS_16,
        &divisors::DIVISORS_32,
    ];
    for table in tables {
        let n = 2.0 * table.len() as f64;
        for (i, &divisor) in table.iter().enumerate() {
            let cosine = ((i as f64 + 0.5) * std::f64::consts::PI / n).cos();
            assert!((divisor - 2.0 * cosine).abs() <= f64::EPSILON, "{i} of {n}");
        }
    }
}
