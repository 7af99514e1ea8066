//! Limits of CBOR that hold before a decoder sees it.
//!
//! The `c2pa` crate's decoder allocates memory for a string before reading it: four manipulated
//! bytes would cost gigabytes and a second. It calls itself for each tag without counting them, so
//! that 12,000 bytes would overflow the stack and end the process.

/// Maximum nesting depth of arrays, maps, tags and strings of indefinite length.
pub const DEPTH_MAX: usize = 64;
/// Maximum number of tags directly in each other.
pub const TAGS_MAX: usize = 16;

/// Major types of heads (RFC 8949, 3.1).
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const ARRAY: u8 = 4;
const MAP: u8 = 5;
const TAG: u8 = 6;
/// Argument of a head whose items end with a break.
const INDEFINITE: u8 = 31;
const BREAK: u8 = 0xff;

/// The rule that `cbor` breaks.
///
/// Walks over the heads of all data items without calling itself. Other faults are left to the
/// decoder. The decoder is never deeper in the items than this walk, even if it ends an array
/// before its last item: the bytes that remain are then items of a surrounding array.
pub fn check(mut cbor: &[u8]) -> Result<(), &'static str> {
    let mut open = OpenItems::default();
    while let Some((&head, rest)) = cbor.split_first() {
        let Some((argument, rest)) = argument(head & 0x1f, rest) else { return Ok(()) };
        let major = head >> 5;
        cbor = rest;
        open.tags = if major == TAG { open.tags + 1 } else { 0 };
        match (major, head & 0x1f) {
            (BYTES..=MAP, INDEFINITE) => open.push(None)?,
            (BYTES | TEXT, _) => {
                let length = usize::try_from(argument).ok();
                cbor = length
                    .and_then(|length| rest.get(length..))
                    .ok_or("a CBOR string is longer than its box")?;
                open.end_item();
            }
            (ARRAY | MAP, _) if argument == 0 => open.end_item(),
            (ARRAY, _) => open.push(Some(argument))?,
            (MAP, _) => open.push(Some(argument.saturating_mul(2)))?,
            (TAG, _) => open.push(Some(1))?,
            _ if head == BREAK => open.end_indefinite(),
            _ => open.end_item(),
        }
    }
    Ok(())
}

/// The items around the next one.
#[derive(Default)]
struct OpenItems {
    /// How many items each still needs, the outermost first; `None` until a break.
    missing: Vec<Option<u64>>,
    /// Number of tags directly before the next item.
    tags: usize,
}

impl OpenItems {
    fn push(&mut self, items: Option<u64>) -> Result<(), &'static str> {
        if self.tags > TAGS_MAX {
            return Err("a CBOR item has more than 16 tags");
        }
        if self.missing.len() == DEPTH_MAX {
            return Err("CBOR is nested more than 64 deep");
        }
        self.missing.push(items);
        Ok(())
    }

    /// An item has ended, and with it those of which it was the last one.
    fn end_item(&mut self) {
        while let Some(Some(items)) = self.missing.last_mut() {
            *items -= 1;
            if *items > 0 {
                break;
            }
            self.missing.pop();
        }
    }

    /// A break. A decoder rejects one in an item of definite length, if it is still in that item.
    fn end_indefinite(&mut self) {
        let innermost = self.missing.iter().rposition(Option::is_none);
        self.missing.truncate(innermost.unwrap_or(0));
        self.end_item();
    }
}

/// The number after a head, and the bytes after it; `None` if it is truncated or reserved.
fn argument(info: u8, rest: &[u8]) -> Option<(u64, &[u8])> {
    let bytes = match info {
        0..24 => return Some((info.into(), rest)),
        24..28 => 1 << (info - 24),
        INDEFINITE => return Some((0, rest)),
        _ => return None,
    };
    let (number, rest) = rest.split_at_checked(bytes)?;
    Some((number.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(cbor: &[u8]) -> bool {
        check(cbor).is_ok()
    }

    #[test]
    fn only_strings_beyond_the_end_are_detected() {
        // {"a": h'0102', "b": [1, -500, 1.5, tag(0) "x"], "c": (_ "y", "z")}
        let good = b"\xa3aaB\x01\x02ab\x84\x01\x39\x01\xf3\xf9\x3e\x00\xc0axac\x7fayaz\xff";
        assert!(fits(good) && fits(b"") && fits(b"\x40") && fits(b"\x78\x01a"));
        // Other faults, or an array that is too long: the decoder allocates nothing for these.
        assert!(
            fits(b"\x1c") && fits(b"\x19\x01") && fits(b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff")
        );
        assert!(fits(b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff\x00") && fits(b"\xff\xff\x82\xff\x00"));
        assert!(!fits(b"\x41") && !fits(b"\x61") && !fits(b"\xa1aa\x5a\x7f\xff\xff\xff\x00"));
        assert!(!fits(b"\x7b\xff\xff\xff\xff\xff\xff\xff\xff") && !fits(&good[..5]));
    }

    /// An item with `depth` items around it, each opened by `head` and closed by `end`.
    fn nested(head: &[u8], depth: usize, end: &[u8]) -> Vec<u8> {
        [head.repeat(depth), vec![0], end.repeat(depth)].concat()
    }

    #[test]
    fn depth_is_limited() {
        let deep = Err("CBOR is nested more than 64 deep");
        // [x], {0: x}, [_ x], {_ 0: x}, [tag(1) x]
        for (head, levels, end) in [
            (&b"\x81"[..], 1, &b""[..]),
            (b"\xa1\x00", 1, b""),
            (b"\x9f", 1, b"\xff"),
            (b"\xbf\x00", 1, b"\xff"),
            (b"\x81\xc1", 2, b""),
        ] {
            let most = nested(head, DEPTH_MAX / levels, end);
            assert_eq!(check(&most), Ok(()), "{head:x?}");
            // Items beside each other are not deeper.
            assert_eq!(check(&[&b"\x9f"[..], &b"\x82\x00\x81\x00".repeat(100)].concat()), Ok(()));
            assert_eq!(check(&nested(head, DEPTH_MAX / levels + 1, end)), deep, "{head:x?}");
            assert_eq!(check(&head.repeat(100_000)), deep, "{head:x?}");
        }
        // An indefinite string is the innermost item.
        let chunks = [&b"\x81".repeat(DEPTH_MAX - 1)[..], b"\x7faaaa\xff"].concat();
        assert_eq!(check(&chunks), Ok(()));
        assert_eq!(check(&[b"\x81", &chunks[..]].concat()), deep);
    }

    #[test]
    fn items_after_a_break_or_the_last_item_are_outside() {
        let closed = [nested(b"\x9f", 40, b"\xff"), nested(b"\x81", 60, b"")].concat();
        assert_eq!(check(&closed), Ok(()));
        // A decoder may leave an array early and then accept the break of the array around it.
        let early = [&b"\x9f\x83\x00\x00\xff"[..], &nested(b"\x81", DEPTH_MAX, b"")].concat();
        assert_eq!(check(&early), Ok(()));
        let inside = [&b"\x9f\x83\x00\x00"[..], &nested(b"\x81", DEPTH_MAX - 1, b"")].concat();
        assert!(!fits(&inside));
    }

    #[test]
    fn tags_in_each_other_are_limited() {
        let most = nested(b"\xc1", TAGS_MAX, b"");
        assert_eq!(check(&most), Ok(()));
        // Tags of items beside each other, and of an item in a tagged array.
        assert_eq!(check(&[&b"\x83"[..], &most, &most, &most].concat()), Ok(()));
        let array = [&b"\xd9\x01\x00".repeat(TAGS_MAX)[..], b"\x81", &most].concat();
        assert_eq!(check(&array), Ok(()));
        let many = Err("a CBOR item has more than 16 tags");
        assert_eq!(check(&nested(b"\xc1", TAGS_MAX + 1, b"")), many);
        assert_eq!(check(&nested(b"\xd9\x01\x00", TAGS_MAX + 1, b"")), many);
        assert_eq!(check(&[b"\xc1".repeat(100_000), vec![0]].concat()), many);
    }
}
