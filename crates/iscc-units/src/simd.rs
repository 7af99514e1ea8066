//! The instruction-set level of this machine, found once at the first use.
//!
//! `ISCCD_SIMD=portable|avx2|avx512` in the environment lowers it, for tests and to rule a kernel
//! out when a result is in doubt. A level the machine lacks is never used, whatever the variable says.

use std::sync::LazyLock;

/// The families of kernels that exist. Every kernel has at least its portable form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Plain Rust for the target's baseline.
    Portable,
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT and POPCNT (Haswell, Zen and newer).
    Avx2,
    /// AVX2's list and AVX-512 F, BW, CD, DQ, VL, VBMI and VBMI2 (Ice Lake, Zen 4 and newer).
    Avx512,
}

impl InstructionSet {
    /// The name that `ISCCD_SIMD` takes.
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
/// Values come only from [`level`] and [`levels`], so holding one proves that its instructions may
/// be executed: the kernels' dispatch rests on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(InstructionSet);

impl Level {
    /// Plain Rust, which every machine has.
    pub const PORTABLE: Self = Self(InstructionSet::Portable);

    /// This level, or a lower one if it is above `highest`.
    pub fn at_most(self, highest: InstructionSet) -> Self {
        Self(self.0.min(highest))
    }

    /// The instruction set, for a kernel's dispatch.
    #[inline]
    pub const fn set(self) -> InstructionSet {
        self.0
    }
}

/// The level every kernel uses unless it is given another.
#[inline]
pub fn level() -> Level {
    static LEVEL: LazyLock<Level> =
        LazyLock::new(|| choose(detected(), std::env::var("ISCCD_SIMD").ok().as_deref()));
    *LEVEL
}

/// All levels of this machine, lowest first, whatever `ISCCD_SIMD` says.
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
    fn the_variable_lowers_the_level_and_never_raises_it() {
        use InstructionSet::{Avx2, Avx512, Portable};
        assert_eq!(choose(Avx512, None), Level(Avx512));
        assert_eq!(choose(Avx512, Some("avx2")), Level(Avx2));
        assert_eq!(choose(Avx512, Some("portable")), Level(Portable));
        assert_eq!(choose(Avx2, Some("avx512")), Level(Avx2));
        assert_eq!(choose(Avx2, Some("sse9")), Level(Avx2));
    }

    #[test]
    fn levels_start_at_portable_and_rise() {
        let found: Vec<_> = levels().collect();
        assert_eq!(found[0], Level::PORTABLE);
        assert!(found.is_sorted());
        assert!(found.contains(&level()));
    }
}
