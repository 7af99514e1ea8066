//! Detects SVG.

/// Whether the first element of an XML document is `svg` in the SVG namespace.
pub(super) fn is_root(head: &[u8]) -> bool {
    let Some(start) = first_element(head) else { return false };
    let tag = &head[start..];
    let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
    let Some(name) = tag.iter().position(ends).map(|end| &tag[..end]) else { return false };
    let declaration = match name.iter().position(|byte| *byte == b':') {
        None if name == b"svg" => b"xmlns=".to_vec(),
        Some(colon) if &name[colon..] == b":svg" => [b"xmlns:", &name[..colon], b"="].concat(),
        _ => return false,
    };
    [DOUBLE_QUOTED, SINGLE_QUOTED]
        .iter()
        .any(|namespace| contains(tag, &[&declaration, *namespace].concat()))
}

const DOUBLE_QUOTED: &[u8] = b"\"http://www.w3.org/2000/svg\"";
const SINGLE_QUOTED: &[u8] = b"'http://www.w3.org/2000/svg'";

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
        // Skips declarations (`<?`) and document types (`<!`).
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
