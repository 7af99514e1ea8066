//! Properties for any input: nothing panics, encoding and decoding are inverse, and results equal
//! those of the slow codec in `crates/reference`.

mod composites;
mod forms;
mod ids;
mod refusals;
mod seq;
mod units;

use iscc_codec::{Kind, Mode, Unit};
use proptest::prelude::*;
use reference::codec::{Fields, bits};

/// Any SubType of a Semantic- or Content-Code.
fn mode() -> impl Strategy<Value = Mode> {
    prop::sample::select(vec![Mode::Text, Mode::Image, Mode::Audio, Mode::Video, Mode::Mixed])
}

/// Any kind of unit that an ISCC-CODE can contain.
fn part_kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::META),
        mode().prop_map(Kind::semantic),
        mode().prop_map(Kind::content),
        Just(Kind::DATA),
        Just(Kind::INSTANCE),
    ]
}

/// A unit of this kind, of any length from `bits_min`.
fn unit_of(kind: Kind, bits_min: usize) -> impl Strategy<Value = Unit> {
    let digest = prop::array::uniform32(any::<u8>());
    (digest, bits_min / 32..=8).prop_map(move |(digest, length)| {
        Unit::new(kind, &digest, 32 * length).expect("a valid length")
    })
}

/// Any Meta-, Semantic-, Content-, Data-, Instance-Code or Flake.
fn unit() -> impl Strategy<Value = Unit> {
    prop_oneof![part_kind(), Just(Kind::FLAKE)].prop_flat_map(|kind| unit_of(kind, 32))
}

/// A unit in the form that the slow codec uses.
fn fields(unit: &Unit) -> Fields {
    let kind = unit.kind();
    let length = unit.bits() as u32 / 32 - 1;
    (kind.main() as u32, kind.sub().into(), kind.version() as u32, length, bits(unit.body()))
}
