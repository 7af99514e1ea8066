//! Whether XML is an SVG drawing.

/// Whether the first element is `svg` in the SVG namespace, comments aside.
pub(super) fn is_root(head: &[u8]) -> bool {
    let Some(start) = first_element(head) else { return false };
    let Some(rest) = head[start..].strip_prefix(b"svg") else { return false };
    let ends_here = rest.first().is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'>');
    ends_here && [DOUBLE_QUOTED, SINGLE_QUOTED].iter().any(|name| contains(rest, name))
}

const DOUBLE_QUOTED: &[u8] = b"xmlns=\"http://www.w3.org/2000/svg\"";
const SINGLE_QUOTED: &[u8] = b"xmlns='http://www.w3.org/2000/svg'";

/// Offset of the name of the first element.
fn first_element(head: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += head[at..].iter().position(|byte| *byte == b'<')?;
        if head[at..].starts_with(b"<!--") {
            at += find(&head[at..], b"-->")?;
            continue;
        }
        at += 1;
        // Declarations (`<?`) and document types (`<!`) are no elements.
        if head.get(at)?.is_ascii_alphabetic() {
            return Some(at);
        }
    }
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    find(haystack, needle).is_some()
}
