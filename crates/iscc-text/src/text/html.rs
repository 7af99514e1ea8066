//! HTML: the text of the body and the metadata of the head.
//!
//! White space follows the reference's extractor: block elements end a line, list items and cells
//! start with a tab. Scripts, styles and alternative texts of images are not text.

pub mod embed;
mod reader;

use std::borrow::Cow;

use encoding_rs::Encoding;
use html5gum::{DefaultEmitter, StartTag, State, Token, Tokenizer};

use self::reader::{Pause, PausingReader};
use super::Extracted;
use iscc_media::charset;
use iscc_media::metadata::text::Keys;

/// Decodes by byte order mark, else by the encoding in a `meta` element or XML declaration, else
/// like text.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    const PRESCAN_BYTES: usize = 8192;
    charset::decode_by_bom(bytes)
        .or_else(|| {
            let encoding = declared(&bytes[..bytes.len().min(PRESCAN_BYTES)])?;
            Some(encoding.decode_without_bom_handling(bytes).0)
        })
        .unwrap_or_else(|| charset::decode_without_bom(bytes))
}

/// The encoding in the first `meta` element with a usable one, else in the XML declaration. As in
/// the reference, a `meta` element in a comment counts only if there is no other.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let head: String = head.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let in_xml = || {
        let declaration = head.trim_start().strip_prefix("<?xml")?.split("?>").next()?;
        labelled(declaration.split_once("encoding")?.1)
    };
    in_meta(&without_comments(&head)).or_else(|| in_meta(&head)).or_else(in_xml)
}

fn without_comments(head: &str) -> String {
    let mut pieces = head.split("<!--");
    let mut output = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        output.push_str(piece.split_once("-->").map_or("", |(_, after)| after));
    }
    output
}

/// The encoding in the `meta` elements. Other elements also have attributes `charset`.
fn in_meta(head: &str) -> Option<&'static Encoding> {
    head.split('<')
        .skip(1)
        .filter_map(|tag| tag.trim_start().strip_prefix("meta"))
        .filter(|rest| rest.starts_with(|c: char| c == '/' || c.is_ascii_whitespace()))
        .filter_map(|rest| rest.split('>').next())
        .find_map(|attributes| attributes.split("charset").skip(1).find_map(labelled))
}

/// The encoding of the label after an attribute's name.
fn labelled(value: &str) -> Option<&'static Encoding> {
    let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let end = value.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)));
    charset::for_label(&value[..end.unwrap_or(value.len())])
}

/// Extracts text and metadata of decoded HTML.
pub fn extract(html: &str) -> Extracted {
    let TextBuilder { text, title, mut keys, .. } = read(html, FRAMES_DEPTH_MAX);
    keys.put_first("dc:title", &title);
    Extracted { text, metadata: keys.metadata(), ..Extracted::default() }
}

/// Maximum levels of documents in attributes of frames.
const FRAMES_DEPTH_MAX: u32 = 16;

fn read(html: &str, depth: u32) -> TextBuilder {
    let mut tokens =
        Tokenizer::new_with_emitter(PausingReader::new(html), DefaultEmitter::default());
    let mut builder = TextBuilder::default();
    while let Some(token) = tokens.next() {
        let token = match token {
            Ok(token) => token,
            Err(Pause) => continue,
        };
        match token {
            Token::StartTag(tag) => {
                builder.start(&tag);
                if let Some(inner) = document_of(&tag).filter(|_| depth > 0) {
                    let inner = read(&inner, depth - 1).text;
                    builder.text.extend([inner.as_str(), "\n"]);
                }
                if let Some(state) = content_state(&tag.name, tag.self_closing) {
                    tokens.set_state(state);
                }
            }
            Token::EndTag(tag) => builder.end(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => builder.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    builder
}

/// The document in an attribute of a frame.
fn document_of(tag: &StartTag<()>) -> Option<String> {
    let is_frame = *tag.name == b"iframe"[..];
    let document = tag.attributes.get(&b"srcdoc"[..]).filter(|_| is_frame)?;
    (!document.is_empty()).then(|| String::from_utf8_lossy(document).into_owned())
}

/// The tokenizer's state after start tags of elements whose content is not markup.
fn content_state(name: &[u8], is_self_closing: bool) -> Option<State> {
    match name {
        // `<script/>` is XHTML and has no end tag.
        _ if is_self_closing => None,
        b"script" => Some(State::ScriptData),
        b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => Some(State::RawText),
        b"textarea" | b"title" => Some(State::RcData),
        _ => None,
    }
}

/// Elements of the head.
const HEAD: [&str; 9] =
    ["base", "head", "html", "link", "meta", "noscript", "script", "style", "title"];

/// Elements that end a line.
const LINES: [&str; 30] = [
    "address",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "noframes",
    "noscript",
    "ol",
    "option",
    "p",
    "pre",
    "select",
    "table",
    "tr",
    "ul",
    "tbody",
    "thead",
    "tfoot",
];

/// Whether an element ends a line.
pub(crate) fn ends_line(name: &str) -> bool {
    LINES.contains(&name)
}

/// Whether an element starts with a tab.
pub(crate) fn starts_with_tab(name: &str) -> bool {
    TABS.contains(&name)
}

/// Elements that start with a tab.
const TABS: [&str; 6] = ["dd", "dt", "frame", "li", "td", "th"];

/// Elements without content.
const EMPTY: [&str; 14] = [
    "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param",
    "source", "wbr",
];

/// Elements that end an open paragraph.
const ENDS_PARAGRAPH: [&str; 30] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "dir",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "ul",
];

/// For a start tag: the open elements it ends, and the elements that limit the search for them.
const ENDS_SIBLING: [(&str, &[&str], &[&str]); 8] = [
    ("li", &["li"], &["ol", "ul"]),
    ("dt", &["dt", "dd"], &["dl"]),
    ("dd", &["dt", "dd"], &["dl"]),
    ("td", &["td", "th"], &["table", "tr"]),
    ("th", &["td", "th"], &["table", "tr"]),
    ("tr", &["tr"], &["table"]),
    ("option", &["option"], &["select"]),
    ("optgroup", &["option", "optgroup"], &["select"]),
];

/// Maximum depth of open elements. Deeper elements only lack their line ends.
const DEPTH_MAX: usize = 256;

/// Builds the text and metadata from tokens.
#[derive(Default)]
struct TextBuilder {
    text: String,
    title: String,
    keys: Keys,
    /// Open elements, outermost first.
    open: Vec<String>,
    is_in_body: bool,
}

impl TextBuilder {
    fn start(&mut self, tag: &StartTag<()>) {
        let name = String::from_utf8_lossy(&tag.name);
        if name == "meta" {
            self.read_meta(tag);
        }
        if !self.is_in_body {
            self.is_in_body = name == "body" || !HEAD.contains(&&*name);
        }
        if self.is_in_body {
            self.end_implied(&name);
            if TABS.contains(&&*name) {
                self.text.push('\t');
            }
        }
        if tag.self_closing || EMPTY.contains(&&*name) {
            self.close(&name);
        } else if self.open.len() < DEPTH_MAX {
            self.open.push(name.into_owned());
        }
    }

    /// Ends the elements that a start tag ends implicitly (HTML 13.2.6.4.7).
    fn end_implied(&mut self, name: &str) {
        if ENDS_PARAGRAPH.contains(&name) && self.reaches(&["p"], &["button", "table"]) {
            self.end("p");
        }
        for (start, ended, limits) in ENDS_SIBLING {
            if start == name
                && let Some(sibling) = ended.iter().find(|end| self.reaches(&[end], limits))
            {
                self.end(sibling);
            }
        }
    }

    /// Whether one of `names` is open inside of the innermost open element of `limits`.
    fn reaches(&self, names: &[&str], limits: &[&str]) -> bool {
        let inner = self.open.iter().rev().take_while(|open| !limits.contains(&open.as_str()));
        inner.into_iter().any(|open| names.contains(&open.as_str()))
    }

    fn end(&mut self, name: &str) {
        if name == "head" {
            self.open.retain(|open| open != "head");
            return;
        }
        let Some(at) = self.open.iter().rposition(|open| open == name) else { return };
        while self.open.len() > at {
            if let Some(ended) = self.open.pop() {
                self.close(&ended);
            }
        }
    }

    fn close(&mut self, name: &str) {
        if self.is_in_body && LINES.contains(&name) {
            self.text.push('\n');
        }
    }

    fn text(&mut self, text: &str) {
        let is_open = |name: &str| self.open.last().is_some_and(|open| open == name);
        if is_open("script") || is_open("style") {
            return;
        }
        if !self.is_in_body {
            if is_open("title") {
                self.title.push_str(text);
                return;
            }
            if self.open.iter().any(|open| open == "noscript") || text.trim().is_empty() {
                return;
            }
            // Text ends the head, even without an end tag.
            self.is_in_body = true;
        }
        self.text.push_str(text);
    }

    /// Reads the attributes `name` or `property`, and `content`.
    fn read_meta(&mut self, tag: &StartTag<()>) {
        let attribute = |name: &[u8]| {
            tag.attributes.get(name).map(|value| String::from_utf8_lossy(value).into_owned())
        };
        let key = attribute(b"name").or_else(|| attribute(b"property"));
        if let (Some(key), Some(content)) = (key, attribute(b"content")) {
            self.keys.put_html_meta(&key, &content);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_text_has_the_lines_of_the_reference() {
        let html = "<html><head><title>T</title><style>p{}</style><noscript>no</noscript></head>
            <body>Text <p>para<br>two<ul><li>a<li>b</ul><script>x<b></script><table><tr><td>c1<td>c2
            </table>&copy; 1 < 2</body></html>";
        let text = extract(html).text;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..6], ["Text para", "two", "\ta", "\tb", "", "\tc1\tc2"]);
        assert_eq!(text.trim_end().lines().last(), Some("© 1 < 2"));
    }

    #[test]
    fn documents_in_frames_are_text_without_their_titles() {
        let inner = "&lt;title&gt;T&lt;/title&gt;&lt;p&gt;in &amp;amp; out&lt;/p&gt;\
            &lt;iframe srcdoc='deep'&gt;&lt;/iframe&gt;";
        let html = format!("<p>a</p><iframe srcdoc=\"{inner}\">rest</iframe>b<p srcdoc=x>c");
        let extracted = extract(&html);
        let words: Vec<&str> = extracted.text.split_whitespace().collect();
        assert_eq!(words, ["a", "in", "&", "out", "deep", "restbc"]);
        assert_eq!(extracted.metadata.name, None);
        assert_eq!(extract("<iframe srcdoc=''>a</iframe>").text, "a");
        let nested = (0..40).fold("end".to_owned(), |html, _| {
            format!("<iframe srcdoc=\"{}\">", html.replace('&', "&amp;").replace('"', "&quot;"))
        });
        assert_eq!(extract(&nested).text.trim(), "");
    }

    #[test]
    fn reads_incomplete_documents() {
        assert_eq!(extract("just text").text, "just text");
        assert_eq!(extract("<p>a<p>b").text, "a\nb");
        assert_eq!(extract("<script/>x").text, "x");
        assert_eq!(extract("<title>never closed").text, "");
        assert_eq!(extract(&"<div>".repeat(100_000)).text, "");
    }

    /// The tokenizer must not recurse per attribute, tag, comment or reference.
    #[test]
    fn repeated_markup_does_not_overflow_the_stack() {
        const REPEATS: usize = 300_000;
        for (before, unit, after) in [
            ("<p", " a=\"v\"", ">"),
            ("<p", " a=\"\"\t", "/>"),
            ("<p", " a=\"v\"b=\"&amp;\"", ">"),
            ("<p", " a='v'", ">"),
            ("<p", " a=v", ">"),
            ("<p", " a = \"v\"\r\n", ">"),
            ("<p", " a", ">"),
            ("<p", "/", ">"),
            ("<p", "=", ">"),
            ("<p a=\"", "&amp;\0", "\">"),
            ("<p></p", " a=\"v\"", ">"),
            ("", "<p a=\"v\">", ""),
            ("", "<!-- c -->", ""),
            ("<!--", "<!--", "-->"),
            ("<!doctype html \"", "x\" \"", "\">"),
            ("<script>", "<!--<script>--></script>", "</script>"),
            ("<script>", "<!--<", "--></script>"),
            ("<style>", "</", "</style>"),
            ("<textarea>", "</a &", "</textarea>"),
            ("<![CDATA[", "]]", "]]>"),
            ("<?", "?", ">"),
        ] {
            let html = format!("{before}{}{after}the text", unit.repeat(REPEATS));
            assert!(extract(&html).text.trim().ends_with("the text"), "{before}{unit}");
        }
    }

    #[test]
    fn finds_attributes_among_many() {
        let many = |from: usize| -> String {
            (from..from + 30_000).map(|i| format!(" a{i}=\"{i}\"")).collect()
        };
        let html =
            format!("<meta{} name=\"author\"{} content=\"A &amp; B\">x", many(0), many(30_000));
        let Extracted { text, metadata, .. } = extract(&html);
        assert_eq!((text.as_str(), metadata.creator.as_deref()), ("x", Some("A & B")));
    }

    #[test]
    fn reads_metadata_of_the_head() {
        let extracted = extract(
            "<title> A &amp; B </title><meta name=description content='D <i>x</i>'>
            <meta name=author content=One><meta name=author content=Two><meta name=keywords content='k, l'>",
        );
        let metadata = extracted.metadata;
        assert_eq!(metadata.name.as_deref(), Some("A & B"));
        assert_eq!(metadata.description.as_deref(), Some("D x"));
        assert_eq!(metadata.creator.as_deref(), Some("One, Two"));
        assert_eq!(metadata.keywords.as_deref(), Some("k, l"));
    }

    #[test]
    fn decodes_with_the_encoding_in_the_head() {
        assert_eq!(decode(b"<meta charset='windows-1251'>\xc0"), "<meta charset='windows-1251'>А");
        let long = b"<META http-equiv=content-type content=\"text/html; charset=iso-8859-7\">\xc1";
        assert!(decode(long).ends_with('Α'));
        assert!(decode("<p>ü".as_bytes()).ends_with('ü'));
        assert!(decode(b"\xef\xbb\xbf<meta charset=latin1>\xc3\xbc").ends_with('ü'));
    }

    #[test]
    fn only_meta_elements_declare_the_encoding() {
        const META: &str =
            "<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>";
        for before in [
            "<meta name=viewport content='width=1'><script src=x charset=utf-8></script>",
            "<meta name=a><link charset=utf-8><META\ncontent=charset><meta charset=unknown>",
            "<metadata charset=utf-8>",
            "<!-- <meta charset=utf-8> -->",
        ] {
            let html = [before.as_bytes(), META.as_bytes(), b"\xc0"].concat();
            assert!(decode(&html).ends_with('А'), "{before}");
        }
        // Without another declaration, one in a comment counts, as in the reference.
        assert!(decode(b"<!-- <meta charset=windows-1251> -->\xc0").ends_with('А'));
        assert!(decode(b"<meta/charset=windows-1251>\xc0").ends_with('А'));
        assert!(decode(b"meta charset=windows-1251>\xc3\xbc").ends_with('ü'));
    }

    #[test]
    fn an_encoding_without_decoder_is_detected() {
        let html = "<meta charset=iso-2022-kr><p>text";
        assert_eq!(decode(html.as_bytes()), html);
        assert!(decode(b"<meta charset=iso-2022-kr>\x1b$)C\x0e0!\x0f").ends_with(">가"));
    }

    #[test]
    fn elements_below_the_limit_of_depth_lack_their_line_ends() {
        // The body is open, too.
        let lines = |depth: usize| extract(&format!("<body>{}<p>a</p>b", "<b>".repeat(depth))).text;
        assert_eq!(lines(DEPTH_MAX - 2).trim(), "a\nb");
        assert_eq!(lines(DEPTH_MAX - 1).trim(), "ab");
    }
}
