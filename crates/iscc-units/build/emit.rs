//! Two-stage tables as Rust source: the upper bits of a code point select a block number, the lower
//! ones an entry of the block. Equal blocks are stored once.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use crate::character::WordPosition;
use crate::entries::Entry;

/// Code points per block. `src/kernels/table.rs` requires 64.
const BLOCK: usize = 64;

/// Maximum length of a text within an entry, in bytes.
const SHORT_MAX_BYTES: usize = 3;

/// A `Rewrites` static named `name`. `src/kernels/table.rs` documents its numbers.
pub fn rewrites(name: &str, entries: &[Entry]) -> String {
    let mut texts = Texts::default();
    let coded: Vec<u32> = (0..)
        .zip(entries)
        .map(|(code_point, entry)| match entry {
            Entry::Keep => 0,
            Entry::Drop => 1,
            Entry::Map(text) => {
                short(code_point, text).unwrap_or_else(|| 2 | texts.number(text) << 8)
            }
            Entry::Compose(text) => 3 | texts.number(text) << 8,
            Entry::Mark => 4,
            Entry::Special => 5,
        })
        .collect();
    let (numbers, blocks) = stages(&coded);
    format!(
        "pub(crate) static {name}: Rewrites = Rewrites {{ \
         numbers: &{numbers:?}, blocks: &{blocks:?}, starts: &{:?}, texts: {:?} }};\n",
        texts.starts, texts.text
    )
}

/// An entry that contains its text, if the text is not longer than the character that it replaces.
/// So the output of short entries is never longer than the input.
fn short(code_point: u32, text: &str) -> Option<u32> {
    let replaced = char::from_u32(code_point)?.len_utf8();
    let mut word = [0; 4];
    word[1..].get_mut(..text.len())?.copy_from_slice(text.as_bytes());
    let fits = text.len() <= replaced.min(SHORT_MAX_BYTES);
    fits.then(|| u32::from_le_bytes(word) | (text.len() as u32) << 3 | 1)
}

/// A `Classes` static named `name`.
pub fn classes(name: &str, positions: &[WordPosition]) -> String {
    let coded: Vec<u8> = positions.iter().map(|position| *position as u8).collect();
    let (numbers, blocks) = stages(&coded);
    format!(
        "pub(crate) static {name}: Classes = Classes {{ numbers: &{numbers:?}, blocks: &{blocks:?} }};\n"
    )
}

fn stages<T: Copy + Eq + Hash + Debug>(entries: &[T]) -> (Vec<u16>, Vec<Vec<T>>) {
    let mut known = HashMap::new();
    let mut blocks = Vec::new();
    let numbers = entries
        .chunks(BLOCK)
        .map(|block| {
            *known.entry(block).or_insert_with(|| {
                blocks.push(block.to_vec());
                u16::try_from(blocks.len() - 1).expect("fewer than 65 536 blocks")
            })
        })
        .collect();
    (numbers, blocks)
}

/// Replacement texts, each once. Text `n` is at `starts[n]..starts[n + 1]`.
struct Texts {
    known: HashMap<String, u32>,
    starts: Vec<u32>,
    text: String,
}

impl Default for Texts {
    fn default() -> Self {
        Self { known: HashMap::new(), starts: vec![0], text: String::new() }
    }
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        let number = self.known.len() as u32;
        self.text.push_str(text);
        self.starts.push(self.text.len() as u32);
        self.known.insert(text.to_owned(), number);
        number
    }
}
