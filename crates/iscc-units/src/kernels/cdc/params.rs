//! Chunk sizes and masks from the average size (ISO 24138, `alg_cdc_params`).

/// What decides where chunks end, all from one average size.
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
    /// Smallest and largest average size in bytes; outside, the masks are not defined or too wide.
    pub const AVERAGE_BYTES: std::ops::RangeInclusive<u32> = 2..=1 << 24;

    /// The Data-Code: 1024 bytes on average, 256 to 8192.
    pub const DATA: Self = Self::derive(1024);

    /// Text simprints: 512 UTF-32 characters on average, no character is cut in two.
    pub const TEXT_UTF32: Self = Self::derive(2048).with_unit(4);

    /// Parameters for an average of `average` bytes; `None` outside [`Self::AVERAGE_BYTES`].
    pub const fn new(average: u32) -> Option<Self> {
        if average < *Self::AVERAGE_BYTES.start() || average > *Self::AVERAGE_BYTES.end() {
            return None;
        }
        Some(Self::derive(average))
    }

    /// The same, with every end but the last rounded down to a multiple of `unit` bytes (not 0).
    pub const fn with_unit(self, unit: u32) -> Self {
        assert!(unit > 0, "unit: must be positive");
        Self { unit, ..self }
    }

    const fn derive(average: u32) -> Self {
        let min = average / 4;
        // log2, rounded: x.5 and above where the square reaches the next odd power of two.
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

    /// No chunk but the last is shorter than this plus one byte.
    pub const fn min(self) -> usize {
        self.min as usize
    }

    /// No chunk is longer.
    pub const fn max(self) -> usize {
        self.max as usize
    }

    /// From this length on the looser mask decides.
    pub const fn center(self) -> usize {
        self.center as usize
    }

    /// Bits that must be zero to end a chunk shorter than the centre.
    pub const fn mask_before_center(self) -> u32 {
        self.mask_before_center
    }

    /// Bits that must be zero to end a chunk from the centre on.
    pub const fn mask_after_center(self) -> u32 {
        self.mask_after_center
    }

    /// Ends are multiples of this many bytes, but for the last.
    pub const fn unit(self) -> usize {
        self.unit as usize
    }
}
