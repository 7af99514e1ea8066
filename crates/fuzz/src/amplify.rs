//! Changes that know structure: heads that repeat, boxes and elements in each other, lengths that grow with their content.
//!
//! Flipped bits seldom build ten thousand boxes in boxes, because each one needs a right length. Here the lengths of all
//! boxes around a change grow with it.

use crate::mutate::Random;

/// How a box of a format begins.
#[derive(Debug, Clone, Copy)]
enum Layout {
    /// Length of all bytes, then a type: ISO base media, JUMBF.
    SizeType,
    /// Type, then the length of the content in the order of Intel: RIFF.
    TypeSize,
    /// Type, then the length of the content in the order of networks: AIFF.
    TypeSizeBig,
    /// Type, then the length of the content in seven bits per byte, then flags: ID3v2.
    TypeSizeSyncsafe,
}

const LAYOUTS: [Layout; 4] =
    [Layout::SizeType, Layout::TypeSize, Layout::TypeSizeBig, Layout::TypeSizeSyncsafe];

/// Pairs that documents without boxes nest.
const BRACKETS: [(&[u8], &[u8]); 6] =
    [(b"{", b"}"), (b"[", b"]"), (b"(", b")"), (b"<<", b">>"), (b"q ", b"Q "), (b"&", b";")];

/// Times that something is repeated: 2^4 to 2^14.
const POWERS: (usize, usize) = (4, 15);

/// A box whose length fits into its file.
#[derive(Debug, Clone, Copy)]
struct Found {
    layout: Layout,
    start: usize,
    /// Bytes before the content.
    head: usize,
    end: usize,
}

/// A copy that nests or repeats one of its pieces, of at most `bytes_max` bytes.
pub fn amplified(input: &[u8], bytes_max: usize, random: &mut Random) -> Vec<u8> {
    let times = 1 << (POWERS.0 + random.below(POWERS.1 - POWERS.0));
    let nested = match random.below(4) {
        0 => nest_box(input, times, bytes_max, random),
        1 => nest_element(input, times, bytes_max, random),
        2 => nest_brackets(input, times, bytes_max, random),
        _ => None,
    };
    nested.unwrap_or_else(|| repeat(input, times, bytes_max, random))
}

/// Repeats a head of a few bytes, or a whole box.
fn repeat(input: &[u8], times: usize, bytes_max: usize, random: &mut Random) -> Vec<u8> {
    let (start, end) = match any_box(input, random) {
        Some(found) if random.below(2) == 0 => (found.start, found.end),
        _ => {
            let start = random.below(input.len());
            (start, (start + 1 + random.below(16)).min(input.len()))
        }
    };
    let piece = &input[start.min(end)..end];
    around(input, (start, start), &copies(piece, times, input.len(), bytes_max), &[])
}

/// Puts a box into copies of itself. The copies keep up to one first child, which says what the box is in JUMBF.
fn nest_box(input: &[u8], times: usize, bytes_max: usize, random: &mut Random) -> Option<Vec<u8>> {
    let found = any_box(input, random)?;
    let inside = found.start + found.head;
    let child = box_at(input, inside, found.layout).filter(|child| child.end <= found.end);
    let kept = match child {
        Some(child) if random.below(2) == 0 => child.end,
        _ => (inside + random.below(8)).min(found.end),
    };
    let head = &input[found.start..kept];
    let room = bytes_max.saturating_sub(input.len()) / head.len();
    let times = times.min(room);
    let mut heads = Vec::with_capacity(times * head.len());
    for level in (0..times).rev() {
        let at = heads.len();
        heads.extend_from_slice(head);
        let length = (found.end - found.start) + (level + 1) * head.len();
        write_length(&mut heads[at..], found.layout, found.head, length);
    }
    Some(around(input, (found.start, found.start), &heads, &[]))
}

/// Puts an element of a markup into copies of its tags.
fn nest_element(
    input: &[u8],
    times: usize,
    bytes_max: usize,
    random: &mut Random,
) -> Option<Vec<u8>> {
    let start = find(input, b"<", random)?;
    let opened = start + input[start..].iter().position(|byte| *byte == b'>')? + 1;
    let name = input[start + 1..opened].iter().take_while(|byte| !b" \t\r\n/>".contains(byte));
    let name: Vec<u8> = name.copied().collect();
    let close = [b"</", name.as_slice(), b">"].concat();
    let closed = opened + position(&input[opened..], &close)? + close.len();
    let open = &input[start..opened];
    let times =
        times.min(bytes_max.saturating_sub(input.len()) / (open.len() + close.len()).max(1));
    Some(around(input, (start, closed), &open.repeat(times), &close.repeat(times)))
}

/// Puts one place into many brackets.
fn nest_brackets(
    input: &[u8],
    times: usize,
    bytes_max: usize,
    random: &mut Random,
) -> Option<Vec<u8>> {
    let (open, close) = BRACKETS[random.below(BRACKETS.len())];
    let at = find(input, open, random)?;
    let times = times.min(bytes_max.saturating_sub(input.len()) / (open.len() + close.len()));
    // Half of the time the brackets stay open.
    let close = if random.below(2) == 0 { close.repeat(times) } else { Vec::new() };
    Some(around(input, (at, at), &open.repeat(times), &close))
}

/// The input with pieces before and after a span, and longer boxes around it.
fn around(input: &[u8], (start, end): (usize, usize), before: &[u8], after: &[u8]) -> Vec<u8> {
    let mut bytes = [&input[..start], before, &input[start..end], after, &input[end..]].concat();
    let more = before.len() + after.len();
    for at in 0..start {
        for layout in LAYOUTS {
            let Some(found) = box_at(input, at, layout) else { continue };
            if found.start + found.head <= start && end <= found.end {
                let length = found.end - found.start + more;
                write_length(&mut bytes[at..], layout, found.head, length);
            }
        }
    }
    bytes
}

fn copies(piece: &[u8], times: usize, taken: usize, bytes_max: usize) -> Vec<u8> {
    piece.repeat(times.min(bytes_max.saturating_sub(taken) / piece.len().max(1)))
}

/// A box at or after a random place.
fn any_box(input: &[u8], random: &mut Random) -> Option<Found> {
    let from = random.below(input.len());
    (from..input.len())
        .chain(0..from)
        .find_map(|at| LAYOUTS.iter().find_map(|layout| box_at(input, at, *layout)))
}

fn box_at(input: &[u8], at: usize, layout: Layout) -> Option<Found> {
    let bytes = input.get(at..at.checked_add(8)?)?;
    let number = |bytes: &[u8]| -> [u8; 4] { [bytes[0], bytes[1], bytes[2], bytes[3]] };
    let (kind, head, length) = match layout {
        Layout::SizeType => (&bytes[4..], 8, u32::from_be_bytes(number(bytes)) as usize),
        Layout::TypeSize => (&bytes[..4], 8, 8 + u32::from_le_bytes(number(&bytes[4..])) as usize),
        Layout::TypeSizeBig => {
            (&bytes[..4], 8, 8 + u32::from_be_bytes(number(&bytes[4..])) as usize)
        }
        Layout::TypeSizeSyncsafe => {
            let digits = &bytes[4..8];
            let length = digits.iter().fold(0, |sum, digit| sum << 7 | usize::from(digit & 127));
            (&bytes[..4], 10, 10 + length)
        }
    };
    let is_type = kind.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b' ');
    let end = at.checked_add(length).filter(|end| *end <= input.len())?;
    (is_type && length > head).then_some(Found { layout, start: at, head, end })
}

/// Writes the length of a box of `length` bytes with its head.
fn write_length(bytes: &mut [u8], layout: Layout, head: usize, length: usize) {
    let content = length - head;
    let (at, number) = match layout {
        Layout::SizeType => (0, (length as u32).to_be_bytes()),
        Layout::TypeSize => (4, (content as u32).to_le_bytes()),
        Layout::TypeSizeBig => (4, (content as u32).to_be_bytes()),
        Layout::TypeSizeSyncsafe => (4, [21, 14, 7, 0].map(|shift| (content >> shift & 127) as u8)),
    };
    bytes[at..at + 4].copy_from_slice(&number);
}

/// A place of these bytes, at or after a random one.
fn find(input: &[u8], wanted: &[u8], random: &mut Random) -> Option<usize> {
    let from = random.below(input.len());
    position(&input[from..], wanted).map(|at| from + at).or_else(|| position(input, wanted))
}

fn position(input: &[u8], wanted: &[u8]) -> Option<usize> {
    input.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How deep boxes of this type are in each other.
    fn depth(bytes: &[u8], kind: &[u8]) -> usize {
        let inside = |found: Found| depth(&bytes[8..found.end], kind) + 1;
        let found = box_at(bytes, 0, Layout::SizeType).filter(|_| &bytes[4..8] == kind);
        found.map_or(0, inside)
    }

    fn some(input: &[u8], wanted: impl Fn(&[u8]) -> bool) -> bool {
        let mut random = Random::new(1);
        (0..2000).any(|_| wanted(&amplified(input, 1 << 16, &mut random)))
    }

    #[test]
    fn boxes_nest_with_right_lengths() {
        let one = b"\0\0\0\x0cjumb\0\0\0\0";
        assert!(some(one, |bytes| depth(bytes, b"jumb") > 500));
        let two = b"\0\0\0\x14moov\0\0\0\x0cjumb\0\0\0\0";
        let within = |bytes: &[u8]| {
            let whole = box_at(bytes, 0, Layout::SizeType);
            whole.is_some_and(|found| found.end == bytes.len())
                && bytes.len() > 8
                && depth(&bytes[8..], b"jumb") > 500
        };
        assert!(some(two, within));
    }

    #[test]
    fn elements_and_brackets_nest() {
        assert!(some(b"<a><b c='d'>e</b></a>", |bytes| {
            let opened = bytes.windows(9).filter(|part| part == b"<b c='d'>").count();
            let closed = bytes.windows(4).filter(|part| part == b"</b>").count();
            opened > 500 && opened == closed
        }));
        assert!(some(b"{\\rtf1 a}", |bytes| bytes.starts_with(&b"{".repeat(500))));
    }

    #[test]
    fn heads_repeat_and_the_limit_of_bytes_holds() {
        let tag = b"\0\0\0\x0acbor\xc1\0";
        assert!(some(tag, |bytes| bytes[8..].starts_with(&[0xc1; 1000])));
        let mut random = Random::new(2);
        for input in [&b""[..], b"a", tag, b"<a></a>"] {
            for _ in 0..500 {
                assert!(amplified(input, 4096, &mut random).len() <= 4096);
            }
        }
    }
}
