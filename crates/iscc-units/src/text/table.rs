//! What becomes of each code point under Unicode 16.0, looked up in two steps.
//!
//! The tables are made by the build script from crates that carry 16.0 data. A character of a later
//! version is unassigned here and vanishes, as with iscc-lib 0.7.

/// Code points of a block.
const BLOCK: u32 = 64;

/// Blocks of the whole code space.
const NUMBERS: usize = 0x11_0000 / BLOCK as usize;

/// What a pass does with one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// It stays as it is.
    Keep,
    /// It vanishes.
    Drop,
    /// A text takes its place, whatever stands around it: one that is no longer.
    Short(Short),
    /// A text takes its place, whatever stands around it.
    Long(&'static str),
    /// The text may merge or change places with what is around it, so NFKC has to look at both.
    Compose(&'static str),
    /// A mark that merges with nothing, but may change places with other marks.
    Mark,
    /// Line break (clean) or capital sigma (collapse).
    Special,
}

/// Up to three bytes of text, no longer than the character that they replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Short {
    /// The text, and after it what has no meaning.
    pub(crate) bytes: [u8; 4],
    pub(crate) len: usize,
}

/// The per-character part of a pass.
pub(crate) struct Rewrites {
    numbers: &'static [u16; NUMBERS],
    blocks: &'static [[u32; BLOCK as usize]],
    starts: &'static [u32],
    texts: &'static str,
}

impl Rewrites {
    /// The entry of a scalar value.
    #[inline(always)]
    pub(crate) const fn entry(&self, c: u32) -> Entry {
        let block = self.numbers[(c / BLOCK) as usize];
        Entry(self.blocks[block as usize][(c % BLOCK) as usize])
    }

    /// An entry spelled out.
    #[inline]
    pub(crate) fn action(&self, entry: Entry) -> Action {
        match entry.kind() {
            Entry::KEEP => Action::Keep,
            Entry::SHORT if entry.short().len == 0 => Action::Drop,
            Entry::SHORT => Action::Short(entry.short()),
            Entry::LONG => Action::Long(self.text(entry)),
            Entry::COMPOSE => Action::Compose(self.text(entry)),
            Entry::MARK => Action::Mark,
            _ => Action::Special,
        }
    }

    fn text(&self, entry: Entry) -> &'static str {
        let number = (entry.0 >> 8) as usize;
        &self.texts[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

/// A packed [`Action`]: the kind in three bits; for a short text its length in two more and the text
/// in the upper three bytes; for other texts their number there. No text: dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry(u32);

impl Entry {
    const KEEP: u32 = 0;
    const SHORT: u32 = 1;
    const LONG: u32 = 2;
    const COMPOSE: u32 = 3;
    const MARK: u32 = 4;

    #[inline(always)]
    const fn kind(self) -> u32 {
        self.0 & 7
    }

    /// Is it [`Action::Keep`]?
    #[inline(always)]
    pub(crate) const fn is_keep(self) -> bool {
        self.kind() == Self::KEEP
    }

    /// Is it [`Action::Keep`], [`Action::Short`] or [`Action::Drop`]?
    #[inline(always)]
    pub(crate) const fn is_simple(self) -> bool {
        self.kind() <= Self::SHORT
    }

    /// The text of [`Action::Short`]; empty for [`Action::Drop`].
    #[inline(always)]
    pub(crate) const fn short(self) -> Short {
        Short { bytes: (self.0 >> 8).to_le_bytes(), len: (self.0 >> 3 & 3) as usize }
    }

    /// What takes the place of a character in a simple entry, if it is `kept` where it stays.
    #[inline(always)]
    pub(crate) fn instead_of(self, kept: Short) -> Short {
        debug_assert!(self.is_simple());
        std::hint::select_unpredictable(self.is_keep(), kept, self.short())
    }
}

/// What a character is to the final sigma rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordPosition {
    /// Neither of the others.
    Break,
    /// Passed over when looking for a letter.
    Ignorable,
    /// A letter with case.
    Cased,
}

/// A [`WordPosition`] for each code point.
pub(crate) struct Classes {
    numbers: &'static [u16; NUMBERS],
    blocks: &'static [[u8; BLOCK as usize]],
}

impl Classes {
    pub(crate) fn of(&self, c: char) -> WordPosition {
        let c = u32::from(c);
        let block = self.numbers[(c / BLOCK) as usize];
        match self.blocks[usize::from(block)][(c % BLOCK) as usize] {
            0 => WordPosition::Break,
            1 => WordPosition::Ignorable,
            _ => WordPosition::Cased,
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/text_tables.rs"));
