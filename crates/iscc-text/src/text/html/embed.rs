//! Writes metadata into the head of a copy.
//!
//! The file is edited byte by byte: everything else stays as it is. New text is ASCII, with
//! character references for other characters, so it is right in every encoding.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use html5gum::{DefaultEmitter, Token, Tokenizer};

use super::reader::{Pause, PausingReader};
use super::{HEAD, content_state};
use iscc_media::charset;

/// Places of an HTML document and their values: `title`, or `meta:` and the name of a meta element.
pub type Properties<'a> = [(&'a str, &'a str)];

/// A copy of the document with the given title and meta elements, which replace all old ones with the
/// same names. UTF-16 and UTF-32 become UTF-8.
pub fn embed(bytes: &[u8], properties: &Properties<'_>) -> Vec<u8> {
    const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";
    if !bytes.starts_with(UTF_8_MARK)
        && let Some(text) = charset::decode_by_bom(bytes)
    {
        let marked = [UTF_8_MARK, text.as_bytes()].concat();
        return edited(&marked, properties);
    }
    edited(bytes, properties)
}

fn edited(bytes: &[u8], properties: &Properties<'_>) -> Vec<u8> {
    let (text, positions) = tokenizable(bytes);
    let mut scan = Scan::of(&text, properties);
    let block = block(properties);
    let at = |position: usize| positions.as_ref().map_or(position, |all| all[position]);
    scan.removed.sort_by_key(|range| range.start);
    let mut copy = Vec::with_capacity(bytes.len() + block.len());
    let mut written = 0;
    let insert_at = scan.insert_at;
    let mut is_inserted = false;
    for range in scan.removed.iter().cloned().chain(iter::once(text.len()..text.len())) {
        let (start, end) = (at(range.start), at(range.end));
        if !is_inserted && insert_at <= range.start {
            copy.extend_from_slice(&bytes[written..at(insert_at)]);
            copy.extend_from_slice(block.as_bytes());
            written = at(insert_at);
            is_inserted = true;
        }
        if start >= written {
            copy.extend_from_slice(&bytes[written..start]);
            written = end;
        }
    }
    copy
}

/// The text for the tokenizer and, unless it equals the bytes, the byte of each position. In all
/// encodings of HTML but UTF-16, the bytes of markup are ASCII.
fn tokenizable(bytes: &[u8]) -> (Cow<'_, str>, Option<Vec<usize>>) {
    if let Ok(text) = str::from_utf8(bytes) {
        return (text.into(), None);
    }
    let mut text = String::with_capacity(bytes.len() * 2);
    let mut positions = Vec::with_capacity(bytes.len() * 2);
    for (index, byte) in bytes.iter().enumerate() {
        text.push(char::from(*byte));
        positions.resize(text.len(), index);
    }
    positions.push(bytes.len());
    (text.into(), Some(positions))
}

/// Where to edit.
struct Scan {
    removed: Vec<Range<usize>>,
    /// After the start tag of the head, of the document, or after its type.
    insert_at: usize,
}

impl Scan {
    fn of(html: &str, properties: &Properties<'_>) -> Self {
        let is_given =
            |place: &str| properties.iter().any(|(it, _)| it.eq_ignore_ascii_case(place));
        let emitter = DefaultEmitter::<usize>::new_with_span();
        let mut tokens = Tokenizer::new_with_emitter(PausingReader::new(html), emitter);
        let bom = if html.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut scan = Self { removed: Vec::new(), insert_at: bom };
        let mut title_start = None;
        let mut is_in_body = false;
        let mut head_seen = false;
        while let Some(token) = tokens.next() {
            let token = match token {
                Ok(token) => token,
                Err(Pause) => continue,
            };
            match token {
                Token::Doctype(doctype) if !head_seen => scan.insert_at = doctype.span.end,
                Token::StartTag(tag) => {
                    let name = String::from_utf8_lossy(&tag.name).into_owned();
                    is_in_body |= name == "body" || !HEAD.contains(&&*name);
                    if matches!(&*name, "html" | "head") && !is_in_body && !head_seen {
                        scan.insert_at = tag.span.end;
                        head_seen = name == "head";
                    }
                    if name == "title" && !is_in_body && is_given("title") && !tag.self_closing {
                        title_start = Some(tag.span.start);
                    }
                    let attribute = |name: &[u8]| {
                        let value = tag.attributes.get(name)?;
                        Some(String::from_utf8_lossy(value).into_owned())
                    };
                    let key = attribute(b"name").or_else(|| attribute(b"property"));
                    if name == "meta" && key.is_some_and(|key| is_given(&format!("meta:{key}"))) {
                        scan.removed.push(tag.span.start..tag.span.end);
                    }
                    if let Some(state) = spanned_state(&tag) {
                        tokens.set_state(state);
                    }
                }
                Token::EndTag(tag) if &tag.name[..] == b"title" => {
                    if let Some(start) = title_start.take() {
                        scan.removed.push(start..tag.span.end);
                    }
                }
                _ => {}
            }
        }
        scan
    }
}

fn spanned_state(tag: &html5gum::StartTag<usize>) -> Option<html5gum::State> {
    content_state(&tag.name, tag.self_closing)
}

fn block(properties: &Properties<'_>) -> String {
    let mut block = String::new();
    for (place, value) in properties {
        let value = escaped(value);
        match place.strip_prefix("meta:") {
            Some(name) => {
                block.push_str(&format!(r#"<meta name="{}" content="{value}"/>"#, escaped(name)));
            }
            None => block.push_str(&format!("<title>{value}</title>")),
        }
    }
    block
}

/// ASCII text for an attribute or a title.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            ' '..='~' => escaped.push(character),
            other => escaped.push_str(&format!("&#{};", u32::from(other))),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::{decode, extract};
    use super::embed;

    const PROPERTIES: [(&str, &str); 4] = [
        ("title", "Neu & <b>"),
        ("meta:description", "Größe \"x\"\n中"),
        ("meta:author", "A"),
        ("meta:iscc_rights", "(c)"),
    ];

    fn assert_embedded(html: &[u8]) {
        let before = extract(&decode(html));
        let copy = embed(html, &PROPERTIES);
        let shown = String::from_utf8_lossy(&copy).into_owned();
        let after = extract(&decode(&copy));
        assert_eq!(after.text, before.text, "{shown}");
        let metadata = after.metadata;
        assert_eq!(metadata.description.as_deref(), Some("Größe \"x\" 中"), "{shown}");
        assert_eq!(metadata.creator.as_deref(), Some("A"), "{shown}");
        assert_eq!(metadata.rights.as_deref(), Some("(c)"), "{shown}");
        assert!(metadata.name.is_some_and(|name| name.starts_with("Neu &")), "{shown}");
        assert_eq!(embed(&copy, &PROPERTIES), copy, "{shown}");
    }

    #[test]
    fn fields_are_read_back_and_the_text_is_unchanged() {
        for html in [
            "<!DOCTYPE html><html lang=de><head><meta charset=utf-8><title>Alt</title><meta name='AUTHOR' content=O><meta name=author content=P></head><body>Text ü<svg><title>S</title></svg></body></html>",
            "<p>only text",
            "",
            "<html><body><title>in body</title>x",
            "<!-- c --><!DOCTYPE html><title>a</title>words<meta name=description content=d>",
            "<head><script>var a='<title>x</title>'</script></head>y",
        ] {
            assert_embedded(html.as_bytes());
        }
    }

    #[test]
    fn keeps_the_encoding() {
        assert_embedded(b"<meta charset=iso-8859-1><title>\xe4</title><p>\xfc\xdf</p>");
        assert_embedded(b"\xef\xbb\xbf<title>\xc3\xa4</title><p>x");
        let wide: Vec<u8> =
            "\u{feff}<title>ä</title><p>中".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_embedded(&wide);
    }
}
