//! The units of a code, without allocation.

use std::ops::Deref;

use crate::kind::Kind;
use crate::limits::UNITS_MAX;
use crate::unit::Unit;

/// One to five units. Dereferences to a slice.
#[derive(Debug, Clone, Copy)]
pub struct Units {
    count: u8,
    units: [Unit; UNITS_MAX],
}

impl Units {
    pub(crate) fn new() -> Self {
        // Callers only see the first `count` units, so the initial value does not matter.
        Self { count: 0, units: [Unit::filled(Kind::META, &[0; 4]); UNITS_MAX] }
    }

    /// Adds a unit; false if there is no room.
    pub(crate) fn push(&mut self, unit: Unit) -> bool {
        let place = self.units.get_mut(usize::from(self.count));
        let free = place.is_some();
        if let Some(place) = place {
            *place = unit;
            self.count += 1;
        }
        free
    }

    /// Sorts by MainType, the body order of an ISCC-CODE.
    pub(crate) fn sort(&mut self) {
        self.units[..usize::from(self.count)].sort_by_key(|unit| unit.kind().main());
    }
}

impl Deref for Units {
    type Target = [Unit];

    fn deref(&self) -> &[Unit] {
        &self.units[..usize::from(self.count)]
    }
}
