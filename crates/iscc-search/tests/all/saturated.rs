//! Background work on a processor that is never idle.

use std::time::Instant;

use crate::common::busy::{BUSY_MAX, on_busy_processor};
use crate::common::twins::{Twins, files, kinds, sealed};

#[test]
fn segments_are_sealed_next_to_a_thread_that_never_pauses() {
    let started = Instant::now();
    on_busy_processor(|| {
        let twins = Twins::filled("usearch", sealed());
        assert!(started.elapsed() < BUSY_MAX);
        assert_eq!(kinds(&twins.sealed), ["sealed", "sealed", "sealed", "growing"]);
        assert_eq!(files(&twins.folder()).len(), 3);
        twins.check("sealed on a busy processor");
    });
}
