//! Derives chunk sizes and masks from the average size (ISO 24138, `alg_cdc_params`).

/// The parameters of chunk boundaries, derived from one average size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    min: u32,
    max: u32,
    center: u32,
    mask_before_center: u32,
    mask_after_center: u32,
    unit: u32,
}

impl Params {
    /// Valid average sizes in bytes. Outside, the masks are undefined or too wide.
    pub const AVERAGE_BYTES: std::ops::RangeInclusive<u32> = 2..=1 << 24;

    /// The Data-Code: 1024 bytes on average, 256 to 8192.
    pub const DATA: Self = Self::derive(1024);

    /// Text simprints: 512 UTF-32 characters on average. Boundaries do not split characters.
    pub const TEXT_UTF32: Self = Self::derive(2048).with_unit(4);

    /// Parameters for an average of `average` bytes; `None` outside [`Self::AVERAGE_BYTES`].
    pub const fn new(average: u32) -> Option<Self> {
        if average < *Self::AVERAGE_BYTES.start() || average > *Self::AVERAGE_BYTES.end() {
            return None;
        }
        Some(Self::derive(average))
    }

    /// The same parameters, with every end but the last rounded down to a multiple of `unit` bytes.
    pub const fn with_unit(self, unit: u32) -> Self {
        assert!(unit > 0, "unit: must be positive");
        Self { unit, ..self }
    }

    const fn derive(average: u32) -> Self {
        let min = average / 4;
        // log2, rounded: up if the square reaches the next odd power of two.
        let floor = average.ilog2();
        let bits = floor + ((average as u64 * average as u64) >> (2 * floor + 1) != 0) as u32;
        Self {
            min,
            max: 8 * average,
            center: average - (min + min.div_ceil(2)),
            mask_before_center: (1 << (bits + 1)) - 1,
            mask_after_center: (1 << (bits - 1)) - 1,
            unit: 1,
        }
    }

    /// Every chunk but the last is longer than this.
    pub const fn min(self) -> usize {
        self.min as usize
    }

    /// Maximum length of a chunk.
    pub const fn max(self) -> usize {
        self.max as usize
    }

    /// The looser mask applies from this length.
    pub const fn center(self) -> usize {
        self.center as usize
    }

    /// Bits that must be zero at the end of a chunk shorter than the centre.
    pub const fn mask_before_center(self) -> u32 {
        self.mask_before_center
    }

    /// Bits that must be zero at the end of a chunk from the centre.
    pub const fn mask_after_center(self) -> u32 {
        self.mask_after_center
    }

    /// Every end but the last is a multiple of this number of bytes.
    pub const fn unit(self) -> usize {
        self.unit as usize
    }
}
