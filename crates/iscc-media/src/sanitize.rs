//! Converts untrusted metadata values to plain text, without markup and character references.

use quick_xml::escape::resolve_html5_entity;

/// Elements whose content is not text, with their end tags.
const CODE_ELEMENTS: [(&str, &str); 2] = [("<script", "</script>"), ("<style", "</style>")];

/// Removes scripts, styles, tags and comments, resolves character references that end with a
/// semicolon, collapses each run of white space into one space, and trims.
///
/// Text that only resembles markup is unchanged: `1 < 2`, `<3`, a tag without end. Takes linear
/// time. The result is never longer than `value`.
pub fn plain_text(value: &str) -> String {
    let text = without_tags(&without_code(value));
    let mut plain = String::with_capacity(text.len());
    let mut is_space_pending = false;
    resolve_references(&text, |character| {
        if is_space(character) {
            is_space_pending = !plain.is_empty();
            return;
        }
        if std::mem::take(&mut is_space_pending) {
            plain.push(' ');
        }
        plain.push(character);
    });
    plain
}

/// White space as in Python, which includes the information separators.
fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

fn without_code(value: &str) -> String {
    let mut rest = value;
    let mut output = String::with_capacity(value.len());
    // If one start tag has no end tag, no later one has.
    let mut open = [true; CODE_ELEMENTS.len()];
    while let Some(start) = rest.find('<') {
        output.push_str(&rest[..start]);
        rest = &rest[start..];
        let element = (0..CODE_ELEMENTS.len())
            .find(|&index| open[index] && starts_with(rest, CODE_ELEMENTS[index].0));
        match element.map(|index| (index, code_length(rest, CODE_ELEMENTS[index].1))) {
            Some((_, Some(length))) => rest = &rest[length..],
            other => {
                if let Some((index, None)) = other {
                    open[index] = false;
                }
                output.push('<');
                rest = &rest[1..];
            }
        }
    }
    output.push_str(rest);
    output
}

/// Bytes of an element from its start tag to the end of its end tag; `None` if either is
/// incomplete.
fn code_length(text: &str, end_tag: &str) -> Option<usize> {
    let content = text.find('>')? + 1;
    let mut from = content;
    while let Some(found) = text[from..].find("</") {
        let at = from + found;
        if starts_with(&text[at..], end_tag) {
            return Some(at + end_tag.len());
        }
        from = at + 2;
    }
    None
}

fn starts_with(text: &str, prefix: &str) -> bool {
    text.as_bytes()
        .get(..prefix.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
}

fn without_tags(value: &str) -> String {
    let mut rest = value;
    let mut output = String::with_capacity(value.len());
    while let Some(start) = rest.find('<') {
        output.push_str(&rest[..start]);
        rest = &rest[start..];
        let length = match Markup::of(rest) {
            Markup::Comment => Some(rest.find("-->").map_or(rest.len(), |end| end + 3)),
            Markup::Declaration => Some(rest.find('>').map_or(rest.len(), |end| end + 1)),
            Markup::Tag => tag_length(rest),
            Markup::None => {
                output.push('<');
                rest = &rest[1..];
                continue;
            }
        };
        match length {
            Some(length) => rest = &rest[length..],
            // A tag without end is text, and so is everything after it.
            None => break,
        }
    }
    output.push_str(rest);
    output
}

enum Markup {
    Comment,
    /// Also a processing instruction, and `</>`.
    Declaration,
    Tag,
    None,
}

impl Markup {
    fn of(text: &str) -> Self {
        if text.starts_with("<!--") {
            return Self::Comment;
        }
        match text.as_bytes().get(1..) {
            Some([b'!' | b'?', ..]) => Self::Declaration,
            Some([b'/', b'>', ..]) => Self::Declaration,
            Some([b'/', letter, ..]) if letter.is_ascii_alphabetic() => Self::Tag,
            Some([letter, ..]) if letter.is_ascii_alphabetic() => Self::Tag,
            _ => Self::None,
        }
    }
}

/// Bytes of a tag up to and including its `>`, skipping quoted attribute values.
fn tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = b' ';
    for (index, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(index + 1),
            (None, b'"' | b'\'') if before == b'=' => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    None
}

fn resolve_references(text: &str, mut put: impl FnMut(char)) {
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        rest[..start].chars().for_each(&mut put);
        rest = &rest[start + 1..];
        match reference(rest, &mut put) {
            Some(length) => rest = &rest[length..],
            None => put('&'),
        }
    }
    rest.chars().for_each(put);
}

/// Maximum bytes of an HTML character reference's name, with its semicolon.
const REFERENCE_BYTES_MAX: usize = 32;

/// Resolves the reference at the start of `text` (after its `&`) and returns its length; `None` if
/// it is not a reference.
fn reference(text: &str, put: &mut impl FnMut(char)) -> Option<usize> {
    let end = text.bytes().take(REFERENCE_BYTES_MAX).position(|byte| byte == b';')?;
    let name = &text[..end];
    match name.strip_prefix('#') {
        Some(number) => {
            if let Some(character) = numeric(number)? {
                put(character);
            }
        }
        None => resolve_html5_entity(name)?.chars().for_each(put),
    }
    Some(end + 1)
}

/// The character of a numeric reference, by the rules of HTML. `Some(None)` for control characters,
/// which are dropped; `None` for an invalid number.
fn numeric(number: &str) -> Option<Option<char>> {
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    // A number that does not fit is not a Unicode character either.
    let code = u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
    Some(match code {
        0 => Some(char::REPLACEMENT_CHARACTER),
        0x80..=0x9f => Some(WINDOWS_1252[code as usize - 0x80]),
        1..=8 | 0xb | 0xe..=0x1f | 0x7f => None,
        _ => Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
    })
}

/// Characters that HTML assigns to the numbers of C1 control characters.
#[rustfmt::skip]
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of the reference library's function.
    #[test]
    fn results_equal_the_reference() {
        let cases = [
            ("a < b", "a < b"),
            ("a<b>c", "ac"),
            ("x &amp; y &auml; &copy &notit; &#65; &#x1F600;", "x & y ä &copy &notit; A 😀"),
            ("<script>alert(1)</script>hi", "hi"),
            ("<STYLE>x</style >k", "xk"),
            ("a<!-- c -->b", "ab"),
            ("1 <2 and 3> 2", "1 <2 and 3> 2"),
            ("<p>hi</p>there", "hithere"),
            ("&lt;b&gt;x&lt;/b&gt;", "<b>x</b>"),
            ("&amp;lt;", "&lt;"),
            ("a\u{a0}b\u{200b}c\td", "a b\u{200b}c d"),
            ("<a href='x>y'>t</a>", "t"),
            ("x</b>", "x"),
            ("<>", "<>"),
            ("< b>", "< b>"),
            ("<3 love", "<3 love"),
            ("a<b", "a<b"),
            ("a <!DOCTYPE x> b", "a b"),
            ("<?php x ?> y", "y"),
            ("<![CDATA[zz]]>", ""),
            ("a & b", "a & b"),
            ("&", "&"),
            ("&#0;", "\u{fffd}"),
            ("&#xD800;", "\u{fffd}"),
            ("&#128;", "€"),
            ("<a ' >x", "x"),
            ("a</>b", "ab"),
            ("a</ b>c", "a</ b>c"),
            ("x <a href=\"1>2\" c>z", "x z"),
            ("<b>1 <c 2", "1 <c 2"),
            ("a</b", "a</b"),
            ("a<!x", "a"),
            ("<svg><title>t</title></svg>z", "tz"),
            ("<!-- unclosed", ""),
            ("abc<", "abc<"),
        ];
        for (value, plain) in cases {
            assert_eq!(plain_text(value), plain, "{value:?}");
        }
    }

    #[test]
    fn white_space_is_collapsed_and_trimmed() {
        assert_eq!(plain_text(" \r\n a \u{1d}\u{2028} b&nbsp;\n"), "a b");
        assert_eq!(plain_text(" <p> </p> "), "");
    }

    #[test]
    fn scripts_end_with_their_own_tag_ignoring_case() {
        assert_eq!(
            plain_text("a<SCRIPT src=x>if (a</b) {</scr</ScRiPt>b<style>p{}</style>c"),
            "abc"
        );
        assert_eq!(plain_text("<script>open <style>p</style>x"), "open x");
    }

    #[test]
    fn markup_without_end_takes_linear_time() {
        for unit in ["<script>", "<a '", "<!--", "<!", "&", "</", "<style", "&#"] {
            let value = unit.repeat(200_000);
            let start = std::time::Instant::now();
            plain_text(&value);
            assert!(start.elapsed().as_secs() < 5, "{unit}");
        }
    }
}
