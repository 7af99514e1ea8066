//! JUMBF superboxes: a `jumb` box whose first child describes it.

use crate::boxes::{Box, boxes};
use crate::{Refusal, cbor_limits};

/// Maximum nesting depth of superboxes, including the store.
pub const DEPTH_MAX: usize = 32;

/// End of the UUIDs of the C2PA and of generic content types; four letters precede it.
const UUID_TAIL: [u8; 12] = [0, 0x11, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
const UUID_BYTES: usize = 16;
/// Toggle bit: a label follows.
const HAS_LABEL: u8 = 2;

/// A superbox with its parsed description.
#[derive(Debug)]
pub struct Superbox<'a> {
    /// The four letters of its type (`c2pa`, `c2ma`, ...), if its UUID has this form.
    pub kind: Option<[u8; 4]>,
    /// Its label; empty if it has none.
    pub label: &'a str,
    /// All boxes after the description.
    pub children: Vec<Box<'a>>,
}

impl<'a> Superbox<'a> {
    /// Parses the contents of a `jumb` box.
    pub fn read(contents: &'a [u8]) -> Result<Self, Refusal> {
        let mut children = boxes(contents)?;
        if children.first().is_none_or(|first| first.kind != *b"jumd") {
            return Err(Refusal::unreadable("a superbox does not start with its description"));
        }
        let description = children.remove(0).contents;
        let (Some(uuid), Some(&toggles)) =
            (description.first_chunk::<UUID_BYTES>(), description.get(UUID_BYTES))
        else {
            return Err(Refusal::unreadable("a superbox's description is truncated"));
        };
        let label = match toggles & HAS_LABEL {
            0 => "",
            _ => label(&description[UUID_BYTES + 1..])
                .ok_or_else(|| Refusal::unreadable("a label is not zero-terminated UTF-8"))?,
        };
        let kind = (uuid[4..] == UUID_TAIL).then(|| [uuid[0], uuid[1], uuid[2], uuid[3]]);
        Ok(Self { kind, label, children })
    }

    /// The children that are superboxes.
    pub fn superboxes(&self) -> impl Iterator<Item = Result<Superbox<'a>, Refusal>> + '_ {
        self.children
            .iter()
            .filter(|child| child.kind == *b"jumb")
            .map(|child| Superbox::read(child.contents))
    }

    /// Contents of the first child of type `kind`.
    pub fn content(&self, kind: &[u8; 4]) -> Option<&'a [u8]> {
        self.children.iter().find(|child| child.kind == *kind).map(|child| child.contents)
    }

    /// Checks that all CBOR in it is safe to decode.
    pub fn check_cbor(&self) -> Result<(), Refusal> {
        let mut cbor = self.children.iter().filter(|child| child.kind == *b"cbor");
        if let Err(rule) = cbor.try_for_each(|child| cbor_limits::check(child.contents)) {
            let code = match self.kind.as_ref() {
                Some(b"c2cl") => "claim.malformed",
                Some(b"c2cs") => "claimSignature.mismatch",
                _ => "assertion.cbor.invalid",
            };
            return Err(Refusal::new(code, rule));
        }
        for inner in self.superboxes() {
            inner?.check_cbor()?;
        }
        Ok(())
    }

    /// Parses every superbox in it. `depth` is the nesting depth of this one.
    pub fn check(&self, depth: usize) -> Result<(), Refusal> {
        if depth > DEPTH_MAX {
            return Err(Refusal::unreadable("superboxes are nested too deeply"));
        }
        for inner in self.superboxes() {
            inner?.check(depth + 1)?;
        }
        Ok(())
    }
}

fn label(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().position(|&byte| byte == 0)?;
    std::str::from_utf8(&bytes[..end]).ok()
}
