//! The tables of the standard.

use crate::fixture::{cases, number, read, text};
use iscc_units::kernels::cdc::GEAR;
use iscc_units::kernels::minhash::{MULTIPLIER, SUMMAND};

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
}
