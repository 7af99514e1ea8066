//! ISCC-IDs.

use iscc_codec::{Compat, IsccId, explain};
use proptest::prelude::*;

/// Days of a month, counted by the rule of leap years.
fn days_of(year: u64, month: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// From 1970 to 2112, when the 52 bits of the time end.
#[test]
fn explanations_name_every_day() {
    const DAY_US: u64 = 86_400_000_000;
    let (mut year, mut month, mut day) = (1970, 1, 1);
    for days in 0..(1 << 52) / DAY_US {
        let id = IsccId::new(0, days * DAY_US, 0).expect("in range");
        let readable = explain(&id.to_string(), Compat::default()).expect("a code").readable;
        let date = format!("{year}-{month:02}-{day:02}T00:00:00.000000Z");
        assert!(readable.contains(&date), "{date}: {readable}");
        day += 1;
        if day > days_of(year, month) {
            (month, day) = (month + 1, 1);
        }
        if month > 12 {
            (year, month) = (year + 1, 1);
        }
    }
    assert_eq!((year, month), (2112, 9));
}

proptest! {
    #[test]
    fn text_order_sorts_ids_like_their_texts(a in any::<u64>(), b in any::<u64>(), realm in 0u8..2) {
        let text = |body| IsccId::from_body(realm, body).expect("a valid realm").to_string();
        prop_assert_eq!(IsccId::text_order(a).cmp(&IsccId::text_order(b)), text(a).cmp(&text(b)));
    }
}
