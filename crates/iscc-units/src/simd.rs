//! The SIMD level of this machine, detected at first use.
//!
//! `ISCCD_SIMD=portable|avx2|avx512` in the environment lowers it, for tests and to check whether
//! a kernel causes a wrong result. It cannot raise the level above that of the machine.

use std::sync::LazyLock;

/// The families of kernels. Every kernel has at least a portable form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Plain Rust for the target's baseline.
    Portable,
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT (Haswell, Zen and newer).
    Avx2,
    /// The features of AVX2, and AVX-512 F, BW, CD, DQ, VL, VBMI and VBMI2 (Ice Lake, Zen 4 and
    /// newer).
    Avx512,
}

impl InstructionSet {
    /// The value for `ISCCD_SIMD`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }
}

/// An instruction set that this machine has.
///
/// Only [`level`] and [`levels`] create values, so a value proves that its instructions may be
/// executed. The dispatch of the kernels relies on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(InstructionSet);

impl Level {
    /// Plain Rust, which runs on every machine.
    pub const PORTABLE: Self = Self(InstructionSet::Portable);

    /// The lower one of this level and `highest`.
    pub fn at_most(self, highest: InstructionSet) -> Self {
        Self(self.0.min(highest))
    }

    /// The instruction set, for a kernel's dispatch.
    #[inline]
    pub const fn set(self) -> InstructionSet {
        self.0
    }
}

/// The level that kernels use unless the caller passes another one.
#[inline]
pub fn level() -> Level {
    static LEVEL: LazyLock<Level> =
        LazyLock::new(|| choose(detected(), std::env::var("ISCCD_SIMD").ok().as_deref()));
    *LEVEL
}

/// All levels of this machine in ascending order, regardless of `ISCCD_SIMD`.
pub fn levels() -> impl Iterator<Item = Level> {
    let highest = detected();
    InstructionSet::ALL.into_iter().filter(move |set| *set <= highest).map(Level)
}

fn choose(detected: InstructionSet, wanted: Option<&str>) -> Level {
    let wanted = wanted.and_then(InstructionSet::from_name).unwrap_or(detected);
    Level(wanted.min(detected))
}

#[cfg(target_arch = "x86_64")]
fn detected() -> InstructionSet {
    macro_rules! have {
        ($($feature:tt),*) => { $(is_x86_feature_detected!($feature))&&* };
    }
    if !have!("avx2", "bmi1", "bmi2", "lzcnt", "popcnt") {
        InstructionSet::Portable
    } else if !have!(
        "avx512f",
        "avx512bw",
        "avx512cd",
        "avx512dq",
        "avx512vl",
        "avx512vbmi",
        "avx512vbmi2"
    ) {
        InstructionSet::Avx2
    } else {
        InstructionSet::Avx512
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> InstructionSet {
    InstructionSet::Portable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_lowers_but_never_raises_the_level() {
        use InstructionSet::{Avx2, Avx512, Portable};
        assert_eq!(choose(Avx512, None), Level(Avx512));
        assert_eq!(choose(Avx512, Some("avx2")), Level(Avx2));
        assert_eq!(choose(Avx512, Some("portable")), Level(Portable));
        assert_eq!(choose(Avx2, Some("avx512")), Level(Avx2));
        assert_eq!(choose(Avx2, Some("sse9")), Level(Avx2));
    }

    #[test]
    fn levels_ascend_from_portable() {
        let found: Vec<_> = levels().collect();
        assert_eq!(found[0], Level::PORTABLE);
        assert!(found.is_sorted());
        assert!(found.contains(&level()));
    }
}
