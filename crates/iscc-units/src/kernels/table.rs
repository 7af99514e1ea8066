//! What to do with each code point under Unicode 16.0, in a two-step table.
//!
//! The build script creates the tables from crates with data of 16.0. Characters of later versions
//! are unassigned here and are removed, as in iscc-lib 0.7.

/// Code points per block.
const BLOCK: u32 = 64;

/// Number of blocks in the whole code space.
const NUMBERS: usize = 0x11_0000 / BLOCK as usize;

/// What a pass does with one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Keep it.
    Keep,
    /// Remove it.
    Drop,
    /// Replace it, regardless of its neighbours, with a text that is not longer.
    Short(Short),
    /// Replace it with a text, regardless of its neighbours.
    Long(&'static str),
    /// Replace it with a text that may merge or swap with its neighbours, so NFKC must process
    /// both.
    Compose(&'static str),
    /// A mark that never merges, but may swap with other marks.
    Mark,
    /// Line break (clean) or capital sigma (collapse).
    Special,
}

/// Up to three bytes of text, not longer than the character that it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Short {
    /// The text, followed by unused bytes.
    pub(crate) bytes: [u8; 4],
    pub(crate) len: usize,
}

/// The tables of a pass.
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

    /// The action of an entry.
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

/// A packed [`Action`]. The kind has three bits. A short text has its length in two more bits and
/// its bytes in the upper three bytes; other texts have their index there. An empty text means
/// drop.
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

    /// Whether it is [`Action::Keep`].
    #[inline(always)]
    pub(crate) const fn is_keep(self) -> bool {
        self.kind() == Self::KEEP
    }

    /// Whether it is [`Action::Keep`], [`Action::Short`] or [`Action::Drop`].
    #[inline(always)]
    pub(crate) const fn is_simple(self) -> bool {
        self.kind() <= Self::SHORT
    }

    /// The text of [`Action::Short`]; empty for [`Action::Drop`].
    #[inline(always)]
    pub(crate) const fn short(self) -> Short {
        Short { bytes: (self.0 >> 8).to_le_bytes(), len: (self.0 >> 3 & 3) as usize }
    }

    /// The replacement of a character with a simple entry; `kept` if the character stays.
    #[inline(always)]
    pub(crate) fn instead_of(self, kept: Short) -> Short {
        debug_assert!(self.is_simple());
        std::hint::select_unpredictable(self.is_keep(), kept, self.short())
    }
}

/// The role of a character in the final sigma rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordPosition {
    /// Neither cased nor ignorable.
    Break,
    /// Ignored in the search for a letter.
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
