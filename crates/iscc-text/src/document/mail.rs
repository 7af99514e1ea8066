//! Mail, `.eml` (RFC 5322, MIME): the text of its body and of attached documents, with subject and sender
//! as properties. Of alternatives, HTML is preferred, as in the reference.

mod recognition;

pub use recognition::is_mail;

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, NO_PAD};
use encoding_rs::Encoding;

use super::container::Budget;
use super::properties::Properties;
use super::{Document, DocumentError, attached};
use iscc_media::charset;

/// Maximum levels of parts in parts.
const DEPTH_MAX: u32 = 16;

/// Maximum parts of a mail.
const PARTS_MAX: usize = 1000;

/// Base64 whose last digit may have bits that are not in the last byte.
const LENIENT: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT_CONFIG);

const LENIENT_CONFIG: GeneralPurposeConfig = NO_PAD.with_decode_allow_trailing_bits(true);

pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    let part = Part::new(bytes);
    let mut properties = Properties::default();
    if let Some(subject) = part.header("subject") {
        properties.add("dc:title", &decode_words(&subject));
    }
    if let Some(from) = part.header("from") {
        properties.add("dc:creator", &sender(&decode_words(&from)));
    }
    let mut reader = Reader { budget, parts: 0, text: String::new() };
    reader.append(&part, 0)?;
    Ok(Document { text: reader.text, properties, ..Document::default() })
}

/// The name in front of an address; the address without a name.
fn sender(from: &str) -> String {
    let name = from.split('<').next().unwrap_or_default().trim().trim_matches('"').trim();
    let address = from.trim().trim_start_matches('<').trim_end_matches('>');
    if name.is_empty() { address } else { name }.to_owned()
}

/// Headers and body of a mail or of a part of it.
struct Part<'a> {
    headers: Vec<(String, String)>,
    body: &'a [u8],
}

impl<'a> Part<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut headers: Vec<(String, String)> = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (line, after) = split_line(rest);
            rest = after;
            let line = String::from_utf8_lossy(line);
            if line.is_empty() {
                break;
            }
            if line.starts_with([' ', '\t']) {
                if let Some((_, value)) = headers.last_mut() {
                    value.push(' ');
                    value.push_str(line.trim());
                }
            } else if let Some((name, value)) = line.split_once(':') {
                headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
            }
        }
        Self { headers, body: rest }
    }

    fn header(&self, name: &str) -> Option<String> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// The media type; text without a declaration.
    fn mediatype(&self) -> String {
        let declared = self.header("content-type").unwrap_or_default();
        let mediatype = declared.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if mediatype.contains('/') { mediatype } else { "text/plain".to_owned() }
    }

    /// A parameter of a header such as `boundary`.
    fn parameter(&self, header: &str, name: &str) -> Option<String> {
        let value = self.header(header)?;
        value.split(';').skip(1).find_map(|parameter| {
            let (key, value) = parameter.split_once('=')?;
            let value = value.trim().trim_matches('"').to_owned();
            key.trim().eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// The body without its transfer encoding.
    fn content(&self) -> Vec<u8> {
        match self.header("content-transfer-encoding").map(|it| it.trim().to_ascii_lowercase()) {
            Some(encoding) if encoding == "base64" => decode_base64(self.body),
            Some(encoding) if encoding == "quoted-printable" => decode_quoted(self.body, false),
            _ => self.body.to_vec(),
        }
    }

    /// The parts of a multipart body. The last one may lack its end.
    fn parts(&self) -> Vec<Part<'a>> {
        let Some(boundary) = self.parameter("content-type", "boundary") else { return Vec::new() };
        let mark = format!("--{boundary}");
        let mut parts = Vec::new();
        let mut start = None;
        let mut rest = self.body;
        while !rest.is_empty() && parts.len() < PARTS_MAX {
            let at = self.body.len() - rest.len();
            let (line, after) = split_line(rest);
            rest = after;
            let Some(tail) = line.strip_prefix(mark.as_bytes()) else { continue };
            let is_end = tail.starts_with(b"--");
            // Other boundaries may start like this one.
            if !is_end && tail.first().is_some_and(|byte| !byte.is_ascii_whitespace()) {
                continue;
            }
            if let Some(start) = start {
                parts.push(Part::new(&self.body[start..at]));
            }
            start = (!is_end).then_some(self.body.len() - rest.len());
            if is_end {
                break;
            }
        }
        if let Some(start) = start
            && parts.len() < PARTS_MAX
        {
            parts.push(Part::new(&self.body[start..]));
        }
        parts
    }
}

/// A line without its end, and what follows.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let line = &bytes[..end];
    (line.strip_suffix(b"\r").unwrap_or(line), bytes.get(end + 1..).unwrap_or_default())
}

struct Reader<'b> {
    budget: &'b mut Budget,
    parts: usize,
    text: String,
}

impl Reader<'_> {
    fn append(&mut self, part: &Part<'_>, depth: u32) -> Result<(), DocumentError> {
        self.parts += 1;
        if depth > DEPTH_MAX || self.parts > PARTS_MAX {
            return Ok(());
        }
        let mediatype = part.mediatype();
        if mediatype == "multipart/alternative" {
            let parts = part.parts();
            let is = |part: &&Part<'_>, kinds: &[&str]| kinds.contains(&part.mediatype().as_str());
            let rich = ["text/html", "multipart/related", "multipart/mixed"];
            let chosen = parts.iter().rfind(|it| is(it, &rich)).or(parts.first());
            return chosen.map_or(Ok(()), |part| self.append(part, depth + 1));
        }
        if mediatype.starts_with("multipart/") {
            return part.parts().iter().try_for_each(|part| self.append(part, depth + 1));
        }
        if mediatype == "message/rfc822" {
            return self.append(&Part::new(&part.content()), depth + 1);
        }
        let name = part
            .parameter("content-disposition", "filename")
            .or_else(|| part.parameter("content-type", "name"));
        if let Some(name) = name {
            self.text.push_str(&decode_words(&name));
            self.text.push('\n');
        }
        let content = part.content();
        attached::append(&mut self.text, &mediatype, label(part), &content, self.budget)
    }
}

fn label(part: &Part<'_>) -> Option<&'static Encoding> {
    charset::encoding(&part.parameter("content-type", "charset")?)
}

/// Decodes base64 up to the first padding, as the reference does. White space and other foreign characters are ignored,
/// and so are bits and a digit that are less than a byte.
fn decode_base64(bytes: &[u8]) -> Vec<u8> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let end = bytes.iter().position(|&byte| byte == b'=').unwrap_or(bytes.len());
    let mut digits: Vec<u8> = bytes[..end].iter().copied().filter(is_digit).collect();
    if digits.len() % 4 == 1 {
        digits.pop();
    }
    // Such digits are always valid.
    LENIENT.decode(&digits).unwrap_or_default()
}

/// Decodes quoted-printable; in headers an underscore is a space.
fn decode_quoted(bytes: &[u8], is_header: bool) -> Vec<u8> {
    let mut output = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'=' => match after {
                [b'\r', b'\n', tail @ ..] | [b'\n', tail @ ..] => rest = tail,
                [high, low, tail @ ..] => {
                    let digits = [*high, *low];
                    let value = str::from_utf8(&digits).ok();
                    match value.and_then(|it| u8::from_str_radix(it, 16).ok()) {
                        Some(value) => {
                            output.push(value);
                            rest = tail;
                        }
                        None => output.push(b'='),
                    }
                }
                _ => {}
            },
            b'_' if is_header => output.push(b' '),
            other => output.push(*other),
        }
    }
    output
}

/// Decodes the encoded words of a header (RFC 2047).
fn decode_words(value: &str) -> String {
    let mut output = String::new();
    let mut rest = value;
    let mut follows_word = false;
    while let Some((before, after)) = rest.split_once("=?") {
        // White space between encoded words is not text.
        if !follows_word || !before.trim().is_empty() {
            output.push_str(before);
        }
        match decode_word(after) {
            Some((word, tail)) => {
                output.push_str(&word);
                rest = tail;
                follows_word = true;
            }
            None => {
                output.push_str("=?");
                rest = after;
                follows_word = false;
            }
        }
    }
    output + rest
}

/// The word after `=?`, and what follows it.
fn decode_word(text: &str) -> Option<(String, &str)> {
    /// RFC 2047 allows 75. Without a limit, each start of a word would be searched for its end.
    const WORD_BYTES_MAX: usize = 1024;
    let within = &text[..text.floor_char_boundary(WORD_BYTES_MAX)];
    let (label, rest) = within.split_once('?')?;
    let (method, rest) = rest.split_once('?')?;
    let (word, unread) = rest.split_once("?=")?;
    let tail = &text[within.len() - unread.len()..];
    let bytes = match method {
        "B" | "b" => decode_base64(word.as_bytes()),
        "Q" | "q" => decode_quoted(word.as_bytes(), true),
        _ => return None,
    };
    let word = charset::decode_labelled(label.split('*').next()?, &bytes)?;
    Some((word.into_owned(), tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(mail: &str) -> Document {
        read(mail.as_bytes(), &mut Budget::default()).unwrap()
    }

    #[test]
    fn parts_in_parts_are_read_up_to_a_depth() {
        let nested = |depth: u32| {
            (0..depth).fold("\nword\n".to_owned(), |inner, at| {
                format!(
                    "Content-Type: multipart/mixed; boundary=b{at:02}\n\n--b{at:02}\n{inner}\n--b{at:02}--\n"
                )
            })
        };
        assert_eq!(text_of(&nested(DEPTH_MAX)).text.trim(), "word");
        assert_eq!(text_of(&nested(DEPTH_MAX + 1)).text.trim(), "");
    }

    #[test]
    fn decodes_headers_and_bodies() {
        let mail = "From: \"M\u{fc}ller, J.\" <j@example.org>\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\n\
            \t=?iso-8859-1?B?5A==?= end\nContent-Type: text/plain; charset=iso-8859-1\n\
            Content-Transfer-Encoding: quoted-printable\n\nK=F6ln a=\nb\n";
        let document = text_of(mail);
        assert_eq!(document.properties.title.as_deref(), Some("Gr\u{fc}\u{df}e\u{e4} end"));
        assert_eq!(document.properties.creators, ["M\u{fc}ller, J."]);
        assert_eq!(document.text.trim(), "K\u{f6}ln ab");
    }

    #[test]
    fn prefers_html_and_reads_all_mixed_parts() {
        let mail = "Content-Type: multipart/mixed; boundary=a\n\n--a\n\
            Content-Type: multipart/alternative; boundary=b\n\n--b\n\nplain\n--b\n\
            Content-Type: text/html\n\n<p>rich</p>\n--b--\n--a\nContent-Type: text/plain; name=x.txt\n\n\
            attached\n--a--\n";
        let words: Vec<_> = text_of(mail).text.split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, ["rich", "x.txt", "attached"]);
    }

    #[test]
    fn a_header_of_many_starts_of_words_is_read_once() {
        // An encoded word has an end within a kilobyte, and what follows it is read.
        let value = format!("=?utf-8?Q?{}?= end", "a".repeat(900));
        assert_eq!(decode_words(&value), format!("{} end", "a".repeat(900)));
        let value = format!("=?utf-8?Q?{}?=", "a".repeat(1100));
        assert_eq!(decode_words(&value), value);
        // A search to the end for each start takes minutes.
        let starts = "=?a?b ".repeat(1 << 20);
        assert_eq!(decode_words(&starts), starts);
    }

    #[test]
    fn any_bytes_give_a_result() {
        for mail in ["", "\n", ":", "=?", "Subject: =?utf-8?B?!?=\n\n", "Subject: =?=?=?=?\n\nx"] {
            text_of(mail);
        }
        let nested = "Content-Type: message/rfc822\n\n".repeat(100);
        assert_eq!(text_of(&nested).text, "");
    }

    #[test]
    fn an_encoding_without_decoder_is_detected() {
        let mail = |body: &str| format!("Content-Type: text/plain; charset=iso-2022-kr\n\n{body}");
        assert_eq!(text_of(&mail("plain")).text, "plain\n");
        assert_eq!(text_of(&mail("\x1b$)C\x0e0!\x0f b")).text, "가 b\n");
        assert_eq!(decode_words("=?iso-2022-kr?B?GyQpQw4wIQ8=?="), "가");
        assert_eq!(decode_words("=?no-such-label?Q?a?="), "=?no-such-label?Q?a?=");
    }

    #[test]
    fn a_mail_without_its_end_has_its_last_part() {
        let words = |mail: &str| -> Vec<String> {
            text_of(mail).text.split_whitespace().map(str::to_owned).collect()
        };
        const HEAD: &str = "Content-Type: multipart/mixed; boundary=a\n\n";
        assert_eq!(words(&format!("{HEAD}preamble\n--a\n\none\n--a\n\ntwo\n")), ["one", "two"]);
        // The inner end is followed by that of the outer part.
        let inner = "--a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--a\n\ntwo";
        assert_eq!(words(&format!("{HEAD}{inner}")), ["one", "two"]);
        // What follows the end is not a part.
        assert_eq!(words(&format!("{HEAD}--a\n\none\n--a--\nepilogue\n--a\n\nno")), ["one"]);
        for (sent, read) in [(PARTS_MAX - 1, PARTS_MAX - 1), (PARTS_MAX + 1, PARTS_MAX)] {
            let many = format!("{HEAD}{}", "--a\n\nx\n".repeat(sent));
            assert_eq!(Part::new(many.as_bytes()).parts().len(), read);
        }
    }

    #[test]
    fn a_boundary_is_not_the_start_of_another_one() {
        let mail = "Content-Type: multipart/mixed; boundary=bound\n\n--bound \n\
            Content-Type: multipart/alternative; boundary=bound-alt\n\n--bound-alt\n\nplain\n\
            --bound-alt\nContent-Type: text/html\n\n<p>rich</p>\n--bound-alt--\n\
            --bound\n\nsecond\n--boundary\n--bound--\n";
        let words: Vec<_> = text_of(mail).text.split_whitespace().map(str::to_owned).collect();
        assert_eq!(words, ["rich", "second", "--boundary"]);
    }

    #[test]
    fn base64_is_decoded_despite_damage() {
        assert_eq!(decode_base64(b"YWJj\r\nZGU="), b"abcde");
        // Bits after the last byte.
        assert_eq!(decode_base64(b"YWJjZGV"), b"abcde");
        assert_eq!(decode_base64(b"YWJjZGW="), b"abcde");
        assert_eq!(decode_base64(b"YWJjZf"), b"abce");
        // One digit is not a byte.
        assert_eq!(decode_base64(b"YWJjZ"), b"abc");
        // The reference ends at the first padding.
        assert_eq!(decode_base64(b"YQ!==\nYmM=\nZGVm"), b"a");
    }
}
