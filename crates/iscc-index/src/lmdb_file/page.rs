//! One page: header, nodes, and the checks that make them safe to read.

use std::ops::Deref;

use super::{HEADER, Tree, number};

/// Flag of a page that holds a large value.
pub const OVERFLOW: u8 = 0x04;
/// Flag of a meta page.
pub const META: u8 = 0x08;
const BRANCH: u16 = 0x01;
const LEAF: u16 = 0x02;
const FIXED: u16 = 0x20;
const DIRTY: u16 = 0x10;
const SUB_PAGE: u16 = 0x40;

const NODE_HEADER: usize = 8;
// Flags of a node.
const LARGE: u16 = 0x01;
const TREE: u16 = 0x02;
const DUPLICATES: u16 = 0x04;

/// A page that breaks a rule of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("page {page} is damaged: it breaks the rule that {rule}")]
pub struct Damage {
    /// Number of the page.
    pub page: u64,
    /// The rule.
    pub rule: &'static str,
}

/// A checked page of a tree, which owns its bytes or borrows them.
pub struct Page<B = Vec<u8>> {
    number: u64,
    bytes: B,
    flags: u16,
    /// Length of a key on a page of keys of equal length.
    fixed_bytes: usize,
    count: usize,
    /// Whether all values are on the page and not made of parts
    is_plain: bool,
}

/// The value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// The bytes.
    Bytes(Vec<u8>),
    /// Bytes in pages of their own.
    Large {
        /// First page.
        page: u64,
        /// Length of the value.
        bytes: u32,
    },
    /// A tree: a named database, or the many values of one key.
    Tree(Tree),
    /// Several values of one key.
    Several(Vec<Vec<u8>>),
}

/// Where the value of a row is.
pub enum Place<'a> {
    /// On the page.
    Inline(&'a [u8]),
    /// On pages of its own: the first one, and the length in bytes.
    Large(u64, u32),
    /// In a tree.
    Tree(Tree),
    /// Several values on a page inside the row. They are the keys of that page.
    Several(Page<&'a [u8]>),
}

impl<B: Deref<Target = [u8]>> Page<B> {
    /// Checks a page of a tree and all its nodes.
    pub fn new(number: u64, bytes: B) -> Result<Self, Damage> {
        let page = Self::header(number, bytes)?;
        let is_plain = page.check_nodes()?;
        Ok(Self { is_plain, ..page })
    }

    fn header(expected: u64, bytes: B) -> Result<Self, Damage> {
        let damage = |rule| Damage { page: expected, rule };
        if number(&bytes, 0) != expected {
            return Err(damage("a page starts with its own number"));
        }
        Self::body(expected, bytes).map_err(damage)
    }

    /// The part of the checks that also holds for pages inside a value.
    fn body(number: u64, bytes: B) -> Result<Self, &'static str> {
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let flags = word(10) & !(DIRTY | SUB_PAGE);
        if ![BRANCH, LEAF, LEAF | FIXED].contains(&flags) {
            return Err("a page of a tree is a branch or a leaf");
        }
        let (lower, upper) = (usize::from(word(12)), usize::from(word(14)));
        // 65,536 does not fit into the field.
        let upper = if upper == 0 { bytes.len() } else { upper };
        if lower < HEADER || lower > upper || upper > bytes.len() {
            return Err("the free space of a page lies within it");
        }
        let count = (lower - HEADER) / 2;
        let fixed_bytes = usize::from(word(8));
        if flags & FIXED != 0 && (fixed_bytes == 0 || HEADER + count * fixed_bytes > bytes.len()) {
            return Err("the keys of a page lie within it");
        }
        if flags == BRANCH && count < 2 {
            return Err("a branch has at least two children");
        }
        Ok(Self { number, bytes, flags, fixed_bytes, count, is_plain: false })
    }

    /// Its place in the file.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether the children are pages.
    pub fn is_branch(&self) -> bool {
        self.flags == BRANCH
    }

    /// Number of children or rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Page number of a child of a branch.
    pub fn child(&self, index: usize) -> u64 {
        let node = self.node(index);
        let [lo, hi, top] = [0, 2, 4].map(|at| u64::from(self.word(node + at)));
        lo | hi << 16 | top << 32
    }

    /// The key of a row, or the lowest key below a child. The first child has an empty one.
    pub fn key(&self, index: usize) -> &[u8] {
        if self.flags & FIXED != 0 {
            return &self.bytes[HEADER + index * self.fixed_bytes..][..self.fixed_bytes];
        }
        let node = self.node(index);
        &self.bytes[node + NODE_HEADER..][..usize::from(self.word(node + 6))]
    }

    /// The value of a row. Rows of fixed length have only a key.
    pub fn value(&self, index: usize) -> Result<Value, Damage> {
        Ok(match self.place(index)? {
            Place::Inline(bytes) => Value::Bytes(bytes.to_vec()),
            Place::Large(page, bytes) => Value::Large { page, bytes },
            Place::Tree(tree) => Value::Tree(tree),
            Place::Several(page) => {
                Value::Several((0..page.count).map(|index| page.key(index).to_vec()).collect())
            }
        })
    }

    /// Where the value of a row is.
    pub fn place(&self, index: usize) -> Result<Place<'_>, Damage> {
        if self.flags & FIXED != 0 {
            return Ok(Place::Inline(&[]));
        }
        let damage = |rule| Damage { page: self.number, rule };
        let node = self.node(index);
        let flags = self.word(node + 4);
        let data = self.data(index);
        if flags & LARGE != 0 {
            return Ok(Place::Large(number(data, 0), self.length(node)));
        }
        if flags & TREE != 0 {
            return Tree::read(data).map(Place::Tree).ok_or(damage("a tree takes 48 bytes"));
        }
        if flags & DUPLICATES != 0 {
            return sub_page(data).map(Place::Several).map_err(damage);
        }
        Ok(Place::Inline(data))
    }

    /// Whether all values are on the page itself, and none of them is a tree or several values.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Whether the keys ascend, from `lowest` on. The first key of a branch is empty and does not count.
    pub fn has_ordered_keys(&self, lowest: &[u8]) -> bool {
        let mut keys = (usize::from(self.is_branch())..self.count).map(|index| self.key(index));
        let Some(mut last) = keys.next() else { return true };
        last >= lowest
            && keys.all(|key| {
                let ascends = is_less(last, key);
                last = key;
                ascends
            })
    }

    /// Checks all nodes in one pass: a start reads every page of an index. Returns whether the page is
    /// plain.
    fn check_nodes(&self) -> Result<bool, Damage> {
        if self.flags & FIXED != 0 {
            return Ok(true);
        }
        let outside = Damage { page: self.number, rule: "the rows of a page lie within it" };
        let start = HEADER + self.count * 2;
        let bytes = &self.bytes[..];
        let mut is_plain = true;
        for (index, place) in bytes[HEADER..start].as_chunks::<2>().0.iter().enumerate() {
            let node = usize::from(u16::from_le_bytes(*place));
            let head =
                bytes.get(node..).and_then(<[u8]>::first_chunk::<NODE_HEADER>).ok_or(outside)?;
            // Length of the value (4 bytes), flags and length of the key.
            let head = u64::from_le_bytes(*head);
            let (length, flags, key) =
                (head as u32 as usize, (head >> 32) as u16, (head >> 48) as usize);
            let value = match self.is_branch() {
                true => 0,
                false if flags & LARGE != 0 => 8,
                false => length,
            };
            if node < start || node + NODE_HEADER + key + value > bytes.len() {
                return Err(outside);
            }
            if !self.is_branch() && flags & (LARGE | TREE | DUPLICATES) != 0 {
                is_plain = false;
                self.place(index)?;
            }
        }
        Ok(is_plain)
    }

    fn data(&self, index: usize) -> &[u8] {
        let node = self.node(index);
        let start = node + NODE_HEADER + usize::from(self.word(node + 6));
        let is_large = self.word(node + 4) & LARGE != 0;
        let bytes = if is_large { 8 } else { self.length(node) as usize };
        &self.bytes[start..start + bytes]
    }

    fn node(&self, index: usize) -> usize {
        usize::from(self.word(HEADER + index * 2))
    }

    fn length(&self, node: usize) -> u32 {
        u32::from(self.word(node)) | u32::from(self.word(node + 2)) << 16
    }

    fn word(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }
}

/// Compares keys. Ids are compared as numbers, which is faster.
fn is_less(key: &[u8], other: &[u8]) -> bool {
    match (<&[u8; 8]>::try_from(key), <&[u8; 8]>::try_from(other)) {
        (Ok(key), Ok(other)) => u64::from_be_bytes(*key) < u64::from_be_bytes(*other),
        _ => key < other,
    }
}

/// Checks the page inside a row that holds the values of a key.
fn sub_page(bytes: &[u8]) -> Result<Page<&[u8]>, &'static str> {
    if bytes.len() < HEADER {
        return Err("the values of a key are a page");
    }
    let page = Page::body(0, bytes)?;
    let is_plain = page.check_nodes().map_err(|damage| damage.rule)?;
    Ok(Page { is_plain, ..page })
}
