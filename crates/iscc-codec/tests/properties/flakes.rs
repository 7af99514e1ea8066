//! Flakes and media ids.

use iscc_codec::{Flake, FlakeMaker, MediaId, Unit};
use proptest::prelude::*;

proptest! {
    #[test]
    fn media_ids_round_trip_and_sort_by_time(
        a in (0u64..1 << 48, any::<u16>()),
        b in (0u64..1 << 48, any::<u16>()),
    ) {
        let [a, b] = [a, b].map(|(time, counter)| Flake::new(time, counter).expect("in range"));
        prop_assert_eq!(a.media_id().flake(), a);
        prop_assert_eq!(a.media_id().parse::<MediaId>(), Ok(a.media_id()));
        prop_assert_eq!(a.cmp(&b), a.media_id().cmp(&b.media_id()));
        prop_assert!(a.media_id().bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'v')));
        let unit: Unit = a.to_string().parse().expect("a Flake");
        prop_assert_eq!(unit.body(), (a.time_ms() << 16 | u64::from(a.counter())).to_be_bytes());
    }

    /// Whatever the clock and the random numbers do.
    #[test]
    fn flakes_are_made_in_order(calls in prop::collection::vec((0u64..4, 0xFFF0u16..=0xFFFF), 1..99)) {
        let mut maker = FlakeMaker::default();
        let mut made = Vec::new();
        for (time, random) in calls {
            made.push(maker.next(1_700_000_000_000 + time, random).expect("in range"));
        }
        prop_assert!(made.is_sorted_by(|earlier, later| earlier < later), "{made:?}");
    }

    #[test]
    fn strange_media_ids_are_refused(text in "[0-9a-vA-W]{12,14}") {
        let expected = text.len() == 13
            && text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'v'))
            && text.ends_with(|c: char| c.to_digit(32).is_some_and(|digit| digit % 2 == 0));
        prop_assert_eq!(text.parse::<MediaId>().is_ok(), expected);
    }
}

#[test]
fn a_new_millisecond_starts_with_the_random_number() {
    let mut maker = FlakeMaker::default();
    let made = [(5, 900), (5, 7), (6, 3), (6, 8)].map(|(time, random)| {
        let flake = maker.next(time, random).expect("in range");
        (flake.time_ms(), flake.counter())
    });
    assert_eq!(made, [(5, 900), (5, 901), (6, 3), (6, 4)]);
    assert!(maker.next(1 << 48, 0).is_err());
}
