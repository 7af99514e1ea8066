//! Pages of a search: a cursor is the position of the last match of a page in the order of all matches.
//!
//! It holds values of the match, not a number: a change of the index between two pages neither repeats nor skips a
//! match that stays.

use std::cmp::Ordering;

use iscc_codec::IsccId;
use iscc_codec::base::base64url;

use crate::score::{ChunkMatch, GlobalMatch, higher_first};

/// The first page.
const START: &str = "*";
const FORMAT: u8 = 1;
/// Bytes of a position: where it is, score, number of types, id.
const POSITION_BYTES: usize = 1 + 8 + 4 + 8;

/// A position in the order of matches: score, number of matching types (for global matches), ISCC-ID.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Position {
    /// Before the first match.
    Start,
    /// After a match.
    After { score: f64, types: u32, id: u64 },
    /// After the last match.
    End,
}

/// Where to continue in both lists of matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cursor {
    /// In the global matches.
    pub global: Position,
    /// In the chunk matches.
    pub chunks: Position,
}

impl Cursor {
    /// The start of both lists.
    pub const START: Self = Self { global: Position::Start, chunks: Position::Start };

    /// Parses `*` or the text of a cursor.
    pub fn parse(text: &str) -> Option<Self> {
        if text == START {
            return Some(Self::START);
        }
        let bytes = base64url::decode(text.as_bytes()).ok()?;
        let (&format, positions) = bytes.split_first()?;
        if format != FORMAT || positions.len() != 2 * POSITION_BYTES {
            return None;
        }
        let (global, chunks) = positions.split_at(POSITION_BYTES);
        Some(Self { global: Position::read(global)?, chunks: Position::read(chunks)? })
    }

    /// The text of the cursor; `None` at the end of both lists.
    pub fn text(&self) -> Option<String> {
        if self.global == Position::End && self.chunks == Position::End {
            return None;
        }
        let mut bytes = vec![FORMAT];
        self.global.write(&mut bytes);
        self.chunks.write(&mut bytes);
        Some(base64url::encode(&bytes))
    }
}

impl Position {
    fn read(bytes: &[u8]) -> Option<Self> {
        let number =
            |from: usize| Some(u64::from_be_bytes(bytes.get(from..from + 8)?.try_into().ok()?));
        match bytes.first()? {
            0 => Some(Self::Start),
            1 => {
                let score = f64::from_bits(number(1)?);
                let types = u32::from_be_bytes(bytes.get(9..13)?.try_into().ok()?);
                (!score.is_nan()).then_some(Self::After { score, types, id: number(13)? })
            }
            2 => Some(Self::End),
            _ => None,
        }
    }

    fn write(self, bytes: &mut Vec<u8>) {
        let (kind, score, types, id) = match self {
            Self::Start => (0, 0.0, 0, 0),
            Self::After { score, types, id } => (1, score, types, id),
            Self::End => (2, 0.0, 0, 0),
        };
        bytes.push(kind);
        bytes.extend_from_slice(&f64::to_bits(score).to_be_bytes());
        bytes.extend_from_slice(&u32::to_be_bytes(types));
        bytes.extend_from_slice(&u64::to_be_bytes(id));
    }
}

/// A match with a position. The order of a list is that of its positions.
pub trait Ranked {
    /// The position after the match.
    fn position(&self) -> Position;
    /// ISCC-ID body and score.
    fn id_and_score(&self) -> (u64, f64);
    /// Order of two ISCC-IDs with the same score.
    fn id_order(a: u64, b: u64) -> Ordering;

    /// Whether the match comes after a position.
    fn is_after(&self, position: &Position) -> bool {
        let Position::After { score, types, id } = self.position() else { return false };
        match *position {
            Position::Start => true,
            Position::End => false,
            Position::After { score: last, types: last_types, id: last_id } => {
                higher_first(last, score)
                    .then(types.cmp(&last_types))
                    .then(Self::id_order(last_id, id))
                    .is_lt()
            }
        }
    }
}

impl Ranked for GlobalMatch {
    fn position(&self) -> Position {
        Position::After { score: self.score, types: self.types.len() as u32, id: self.id }
    }

    fn id_and_score(&self) -> (u64, f64) {
        (self.id, self.score)
    }

    fn id_order(a: u64, b: u64) -> Ordering {
        IsccId::text_order(a).cmp(&IsccId::text_order(b))
    }
}

impl Ranked for ChunkMatch {
    fn position(&self) -> Position {
        Position::After { score: self.score, types: 0, id: self.id }
    }

    fn id_and_score(&self) -> (u64, f64) {
        (self.id, self.score)
    }

    fn id_order(a: u64, b: u64) -> Ordering {
        a.cmp(&b)
    }
}

/// The matches of a page, and where the next one starts. `all` is in order; `accepts` may fail.
pub fn page<M: Ranked, E>(
    all: Vec<M>,
    from: Position,
    limit: usize,
    mut accepts: impl FnMut(&M) -> Result<bool, E>,
) -> Result<(Vec<M>, Position), E> {
    let mut page: Vec<M> = Vec::new();
    for matched in all {
        if !matched.is_after(&from) || !accepts(&matched)? {
            continue;
        }
        if page.len() == limit {
            let last = page.last().map_or(from, Ranked::position);
            return Ok((page, last));
        }
        page.push(matched);
    }
    Ok((page, Position::End))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_parses_to_the_same_cursor() {
        let after = Position::After { score: 0.75, types: 3, id: 1 << 60 };
        for global in [Position::Start, after, Position::End] {
            let cursor = Cursor { global, chunks: after };
            assert_eq!(Cursor::parse(&cursor.text().unwrap()), Some(cursor));
        }
        assert_eq!(Cursor { global: Position::End, chunks: Position::End }.text(), None);
        for text in ["", "**", "AQ", "not base64!"] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }

    #[test]
    fn pages_join_to_the_whole_list() {
        let list = |count: u64| -> Vec<ChunkMatch> {
            let matched = |n: u64| ChunkMatch {
                id: n % 3,
                score: 1.0 - (n / 3) as f64 / 10.0,
                types: Vec::new(),
            };
            (0..count).map(matched).collect()
        };
        for (count, limit) in [(0, 1), (7, 1), (7, 3), (6, 3), (5, 10)] {
            let (mut joined, mut from, mut pages) = (Vec::new(), Position::Start, 0);
            while from != Position::End {
                let accepts = |matched: &ChunkMatch| Ok::<_, ()>(matched.id != 1);
                let (matches, next) = page(list(count), from, limit, accepts).unwrap();
                joined.extend(matches);
                from = next;
                pages += 1;
            }
            let wanted: Vec<_> =
                list(count).into_iter().filter(|matched| matched.id != 1).collect();
            assert_eq!(pages, wanted.len().div_ceil(limit).max(1));
            assert_eq!(joined, wanted);
        }
    }
}
