//! Rich Text Format 1.9: text of the body in order, without the tables and pictures around it.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::properties::Properties;
use super::{Document, DocumentError};

/// Groups inside groups; real documents stay below a hundred.
const DEPTH_MAX: usize = 10_000;

/// Groups whose text is not the body's. A group that starts with `\*` is one too.
const DESTINATIONS: [&str; 27] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "pict",
    "object",
    "themedata",
    "colorschememapping",
    "latentstyles",
    "datastore",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "generator",
    "xmlnstbl",
    "fldinst",
    "bkmkstart",
    "bkmkend",
    "filetbl",
    "revtbl",
];

pub fn read(bytes: &[u8]) -> Result<Document, DocumentError> {
    if !bytes.starts_with(b"{\\rtf") {
        return Err(DocumentError::NotRtf);
    }
    let mut parser = Parser::default();
    let mut rest = bytes;
    while let Some((token, tail)) = Token::next(rest) {
        rest = parser.take(&token, tail);
    }
    parser.flush_bytes();
    Ok(Document { text: parser.body, properties: parser.properties, cover: None })
}

/// One lexical element (specification 1.9.1, "RTF Syntax").
enum Token<'a> {
    Open,
    Close,
    Word {
        name: &'a str,
        value: Option<i32>,
    },
    Symbol(u8),
    /// `\'hh`: a byte in the document's code page.
    Byte(u8),
    /// Bytes as they stand.
    Plain(&'a [u8]),
}

impl<'a> Token<'a> {
    fn next(rest: &'a [u8]) -> Option<(Self, &'a [u8])> {
        match rest {
            [] => None,
            [b'{', tail @ ..] => Some((Self::Open, tail)),
            [b'}', tail @ ..] => Some((Self::Close, tail)),
            [b'\\', b'\'', high, low, tail @ ..] => {
                let digit = |digit: &u8| char::from(*digit).to_digit(16).unwrap_or(0) as u8;
                Some((Self::Byte(digit(high) << 4 | digit(low)), tail))
            }
            [b'\\', letter, ..] if letter.is_ascii_alphabetic() => Some(Self::word(&rest[1..])),
            [b'\\', symbol, tail @ ..] => Some((Self::Symbol(*symbol), tail)),
            [b'\\'] => Some((Self::Symbol(b'\\'), &[])),
            _ => {
                let end = rest.iter().position(|byte| matches!(byte, b'{' | b'}' | b'\\'));
                let (plain, tail) = rest.split_at(end.unwrap_or(rest.len()));
                Some((Self::Plain(plain), tail))
            }
        }
    }

    fn word(rest: &'a [u8]) -> (Self, &'a [u8]) {
        const NAME_BYTES_MAX: usize = 32;
        let letters =
            rest.iter().take(NAME_BYTES_MAX).take_while(|byte| byte.is_ascii_alphabetic());
        let (name, rest) = rest.split_at(letters.count());
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest[sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let end = if digits == 0 { 0 } else { sign + digits };
        let value = str::from_utf8(&rest[..end]).ok().and_then(|digits| digits.parse().ok());
        let rest = rest[end..].strip_prefix(b" ").unwrap_or(&rest[end..]);
        (Self::Word { name: str::from_utf8(name).unwrap_or(""), value }, rest)
    }
}

/// Where a group's text goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Body,
    Nowhere,
    /// The information group, outside of its parts.
    Info,
    /// One part of the information group, by its element's name.
    Property(&'static str),
}

#[derive(Clone, Copy)]
struct Group {
    place: Place,
    /// Characters that follow `\u` for readers without Unicode, to be left out.
    fallback_characters: usize,
}

struct Parser {
    body: String,
    properties: Properties,
    property: String,
    groups: Vec<Group>,
    /// Groups beyond [`DEPTH_MAX`], which only count.
    too_deep: usize,
    current: Group,
    encoding: &'static Encoding,
    /// Bytes of the code page that wait to be decoded together: a character may have several.
    bytes: Vec<u8>,
    high_surrogate: Option<u16>,
    to_skip: usize,
}

impl Default for Parser {
    fn default() -> Self {
        Self {
            body: String::new(),
            properties: Properties::default(),
            property: String::new(),
            groups: Vec::new(),
            too_deep: 0,
            current: Group { place: Place::Body, fallback_characters: 1 },
            encoding: WINDOWS_1252,
            bytes: Vec::new(),
            high_surrogate: None,
            to_skip: 0,
        }
    }
}

impl Parser {
    /// Takes one token, and gives what is left to read.
    fn take<'a>(&mut self, token: &Token<'a>, rest: &'a [u8]) -> &'a [u8] {
        if !matches!(token, Token::Byte(_)) {
            self.flush_bytes();
        }
        match token {
            Token::Open => self.open(),
            Token::Close => self.close(),
            Token::Word { name: "bin", value } => {
                let length = value.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
                return &rest[length.min(rest.len())..];
            }
            Token::Word { name, value } => self.word(name, *value),
            Token::Symbol(symbol) => self.symbol(*symbol),
            Token::Byte(byte) if self.to_skip == 0 => self.bytes.push(*byte),
            Token::Byte(_) => self.to_skip -= 1,
            Token::Plain(plain) => self.plain(plain),
        }
        rest
    }

    fn open(&mut self) {
        self.to_skip = 0;
        if self.groups.len() < DEPTH_MAX {
            self.groups.push(self.current);
        } else {
            self.too_deep += 1;
        }
    }

    fn close(&mut self) {
        self.to_skip = 0;
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let outer = self.groups.pop().unwrap_or(self.current);
        if let Place::Property(name) = self.current.place
            && outer.place != self.current.place
        {
            self.properties.add(name, &std::mem::take(&mut self.property));
        }
        self.current = outer;
    }

    fn word(&mut self, name: &str, value: Option<i32>) {
        match (name, self.current.place) {
            ("info", _) => self.current.place = Place::Info,
            ("title", Place::Info) => self.current.place = Place::Property("dc:title"),
            ("author", Place::Info) => self.current.place = Place::Property("dc:creator"),
            ("doccomm", Place::Info) => self.current.place = Place::Property("dc:description"),
            ("keywords", Place::Info) => self.current.place = Place::Property("cp:keywords"),
            ("ansicpg", _) => self.code_page(value.unwrap_or(0)),
            ("uc", _) => {
                self.current.fallback_characters = value.unwrap_or(1).clamp(0, 255) as usize;
            }
            ("u", _) => {
                // The specification writes values above 32767 as negative numbers.
                self.code_unit(value.unwrap_or(0) as u16);
                self.to_skip = self.current.fallback_characters;
            }
            (name, _) if DESTINATIONS.contains(&name) => self.current.place = Place::Nowhere,
            (name, _) => self.push(spoken(name)),
        }
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'*' => self.current.place = Place::Nowhere,
            b'~' => self.push("\u{a0}"),
            b'_' => self.push("-"),
            b'\n' | b'\r' => self.push("\n"),
            b'{' | b'}' | b'\\' => self.plain(&[symbol]),
            _ => {}
        }
    }

    fn plain(&mut self, plain: &[u8]) {
        for byte in plain.iter().filter(|byte| !matches!(byte, b'\r' | b'\n' | 0)) {
            if self.to_skip > 0 {
                self.to_skip -= 1;
            } else {
                self.bytes.push(*byte);
            }
        }
        self.flush_bytes();
    }

    fn code_page(&mut self, number: i32) {
        let label = match number {
            932 => "shift_jis".to_owned(),
            936 => "gbk".to_owned(),
            949 => "euc-kr".to_owned(),
            950 => "big5".to_owned(),
            10_000 => "macintosh".to_owned(),
            65_001 => "utf-8".to_owned(),
            other => format!("windows-{other}"),
        };
        self.encoding = Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252);
    }

    fn code_unit(&mut self, unit: u16) {
        let pair = self.high_surrogate.take().map(|high| [high, unit]);
        if let Some(Ok(character)) = pair.and_then(|pair| char::decode_utf16(pair).next()) {
            self.push(character.encode_utf8(&mut [0; 4]));
        } else if (0xD800..0xDC00).contains(&unit) {
            self.high_surrogate = Some(unit);
        } else if let Some(character) = char::from_u32(u32::from(unit)) {
            self.push(character.encode_utf8(&mut [0; 4]));
        }
    }

    fn flush_bytes(&mut self) {
        if !self.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.bytes);
            let decoded = self.encoding.decode_without_bom_handling(&bytes).0;
            self.push(&decoded);
        }
    }

    fn push(&mut self, text: &str) {
        match self.current.place {
            Place::Body => self.body.push_str(text),
            Place::Property(_) => self.property.push_str(text),
            Place::Nowhere | Place::Info => {}
        }
    }
}

/// The text that a control word stands for; most stand for none.
fn spoken(word: &str) -> &'static str {
    match word {
        "par" | "line" | "row" | "sect" | "page" => "\n",
        "tab" | "cell" => "\t",
        "emdash" => "\u{2014}",
        "endash" => "\u{2013}",
        "emspace" => "\u{2003}",
        "enspace" => "\u{2002}",
        "lquote" => "\u{2018}",
        "rquote" => "\u{2019}",
        "ldblquote" => "\u{201c}",
        "rdblquote" => "\u{201d}",
        "bullet" => "\u{2022}",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    fn text(rtf: &str) -> String {
        read(rtf.as_bytes()).unwrap().text
    }

    #[test]
    fn text_is_read_in_its_encoding() {
        assert_eq!(text(r"{\rtf1\ansi\ansicpg1252 caf\'e9\par}"), "café\n");
        assert_eq!(text(r"{\rtf1\ansi\ansicpg932 \'93\'fa\'96\'7b}"), "日本");
        assert_eq!(text(r"{\rtf1 \u233?\u-10179?\u-8704?x}"), "é😀x");
        assert_eq!(text(r"{\rtf1\uc2 \u945\'61\'62b}"), "αb");
        assert_eq!(text(r"{\rtf1 a\{b\}\\c\~d}"), "a{b}\\c\u{a0}d");
    }

    #[test]
    fn what_is_not_body_is_left_out() {
        let document = read(
            br"{\rtf1{\fonttbl{\f0 Arial;}}{\*\generator X;}{\info{\title T\'e9}{\author A}}{\header H}{\pict 0102}\pard Body{\field{\*\fldinst HYPERLINK}{\fldrslt link}}\par}",
        )
        .unwrap();
        assert_eq!(document.text, "Bodylink\n");
        assert_eq!(document.properties.title.as_deref(), Some("Té"));
        assert_eq!(document.properties.creators, ["A"]);
    }

    #[test]
    fn anything_is_survived() {
        for rtf in
            ["{\\rtf", "{\\rtf1\\", "{\\rtf1}}}}x", "{\\rtf1\\bin999 x", "{\\rtf1\\'", "{\\rtf1\\u"]
        {
            text(rtf);
        }
        text(&format!("{{\\rtf1{}", "{".repeat(100_000)));
    }
}
