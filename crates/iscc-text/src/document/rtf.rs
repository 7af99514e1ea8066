//! Rich Text Format 1.9: text in document order, as in the reference, with headers, footers, notes,
//! annotations and text boxes where they occur.

pub(super) mod charset;
mod header;
mod object;
#[cfg(test)]
mod tests;
mod token;
mod words;

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};

use self::charset::Fonts;
use self::header::Header;
use self::token::Token;
use self::words::{HEADER_TABLES, OLD_NUMBER, character};
use super::container::Budget;
use super::properties::Properties;
use super::{Document, DocumentError, metafile, object as embedded, picture};

/// Maximum depth of groups. Real documents stay below a hundred.
const DEPTH_MAX: usize = 10_000;

/// Bytes of a picture that are enough to detect its format.
const PICTURE_HEAD_BYTES: usize = 128;

pub fn read(bytes: &[u8], budget: &mut Budget) -> Result<Document, DocumentError> {
    if !has_words(bytes) {
        return Err(DocumentError::NotRtf);
    }
    let mut parser = Parser::default();
    let mut rest = bytes;
    while let Some((token, tail)) = Token::next(rest) {
        rest = parser.read(&token, tail);
        if let Some(file) = parser.file.take() {
            parser.append_file(&file, budget)?;
        }
        if matches!(token, Token::Close) && parser.groups.is_empty() {
            // What follows the document is not text.
            break;
        }
    }
    parser.flush_bytes();
    // A document without a paragraph is all header. The reference finds no text in it.
    let text = if parser.header.is_open { parser.header.text + &parser.body } else { parser.body };
    Ok(Document { text, properties: parser.properties, ..Document::default() })
}

/// Whether bytes may be a document, or a part of one without the mark of the format.
pub fn has_words(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'\\') || bytes.windows(2).any(|pair| pair == b"{\\")
}

/// Destination of a group's text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Body,
    Nowhere,
    /// The information group, outside of its parts.
    Info,
    /// A part of the information group, with its Dublin Core name.
    Property(&'static str),
    FontTable,
    Picture,
    /// Name or value of a property of a shape or a picture.
    ShapeName,
    ShapeValue,
    /// Data of an embedded object.
    ObjectData,
    /// The instruction of a field.
    Instruction,
}

/// A file inside of the document.
enum File {
    Picture { bytes: Vec<u8>, name: Option<String>, is_thumbnail: bool },
    Object(Vec<u8>),
}

#[derive(Clone, Copy)]
struct Group {
    place: Place,
    /// Whether the group is in an object, where pictures are previews.
    is_in_object: bool,
    /// Whether the group is in a picture.
    is_in_picture: bool,
    /// Place of an enclosing `\upr` group, whose `\ud` part has the text in Unicode.
    unicode_place: Place,
    /// Encoding of the current font; `None` for the document's.
    encoding: Option<&'static Encoding>,
    /// Characters after `\u` to skip; they are for readers without Unicode.
    fallback_characters: usize,
}

struct Parser {
    header: Header,
    body: String,
    properties: Properties,
    property: String,
    /// The current picture: the first bytes, or all of a metafile.
    picture: Vec<u8>,
    is_metafile: bool,
    /// Name of the current picture, from its properties.
    picture_name: Option<String>,
    /// Name and value of the last property of a shape.
    shape: (String, String),
    /// The current field's instruction.
    instruction: String,
    /// Whether the last field is a link.
    is_link: bool,
    /// Data of the current object.
    object: Vec<u8>,
    /// A file that ended with the last token.
    file: Option<File>,
    /// Previews and other files without a name so far.
    thumbnails: usize,
    files: usize,
    /// Whether the last token opened a group.
    is_at_start: bool,
    groups: Vec<Group>,
    /// Open groups deeper than [`DEPTH_MAX`].
    too_deep: usize,
    current: Group,
    encoding: &'static Encoding,
    fonts: Fonts,
    default_font: i32,
    /// Bytes to be decoded together, because a character may have several.
    bytes: Vec<u8>,
    high_surrogate: Option<u16>,
    /// Fallback characters that remain to be skipped.
    to_skip: usize,
}

impl Default for Parser {
    fn default() -> Self {
        let current = Group {
            place: Place::Body,
            is_in_object: false,
            is_in_picture: false,
            unicode_place: Place::Body,
            encoding: None,
            fallback_characters: 1,
        };
        Self {
            header: Header::default(),
            body: String::new(),
            properties: Properties::default(),
            property: String::new(),
            picture: Vec::new(),
            is_metafile: false,
            picture_name: None,
            shape: Default::default(),
            instruction: String::new(),
            is_link: false,
            object: Vec::new(),
            file: None,
            thumbnails: 0,
            files: 0,
            is_at_start: false,
            groups: Vec::new(),
            too_deep: 0,
            current,
            encoding: WINDOWS_1252,
            fonts: Fonts::default(),
            default_font: 0,
            bytes: Vec::new(),
            high_surrogate: None,
            to_skip: 0,
        }
    }
}

impl Parser {
    /// Processes a token; returns the rest of the input.
    fn read<'a>(&mut self, token: &Token<'a>, rest: &'a [u8]) -> &'a [u8] {
        if !matches!(token, Token::Byte(_)) {
            self.flush_bytes();
        }
        let is_unit = matches!(token, Token::Word { name: "u", .. });
        if !is_unit && self.to_skip == 0 && !is_blank(token) {
            self.end_surrogate();
        }
        let was_at_start = std::mem::replace(&mut self.is_at_start, matches!(token, Token::Open));
        match token {
            Token::Open => self.open(),
            Token::Close => self.close(),
            Token::Word { name: "bin", value } => {
                let length = value.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
                let (data, rest) = rest.split_at(length.min(rest.len()));
                match self.current.place {
                    Place::Picture => self.picture.extend(&data[..data.len().min(self.room())]),
                    Place::ObjectData => self.object.extend(data),
                    _ => {}
                }
                return rest;
            }
            Token::Word { name, value } => self.word(name, *value),
            // Elsewhere the mark of a destination means nothing.
            Token::Symbol(b'*') if was_at_start => self.current.place = Place::Nowhere,
            Token::Symbol(symbol) => self.symbol(*symbol),
            Token::Byte(byte) if self.to_skip == 0 => self.bytes.push(*byte),
            Token::Byte(_) => self.to_skip -= 1,
            Token::Plain(digits) if self.current.place == Place::Picture => self.picture(digits),
            Token::Plain(digits) if self.current.place == Place::ObjectData => {
                push_hexadecimal(digits, usize::MAX, &mut self.object);
            }
            Token::Plain(plain) => self.plain(plain),
        }
        rest
    }

    fn open(&mut self) {
        self.to_skip = 0;
        self.header.end_part();
        if self.groups.len() < DEPTH_MAX {
            self.groups.push(self.current);
        } else {
            self.too_deep += 1;
        }
    }

    fn close(&mut self) {
        self.to_skip = 0;
        self.header.end_part();
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        let outer = self.groups.pop().unwrap_or(self.current);
        let inner = std::mem::replace(&mut self.current, outer);
        if inner.place == outer.place {
            return;
        }
        match inner.place {
            Place::Property(name) => {
                self.properties.add(name, &std::mem::take(&mut self.property));
            }
            Place::Picture => self.end_picture(outer.is_in_object),
            Place::ShapeValue if inner.is_in_picture => self.end_shape_value(),
            Place::ObjectData => self.file = Some(File::Object(std::mem::take(&mut self.object))),
            Place::Instruction => {
                let instruction = std::mem::take(&mut self.instruction);
                self.is_link = instruction.trim_start().starts_with("HYPERLINK");
            }
            Place::Body
            | Place::Nowhere
            | Place::Info
            | Place::FontTable
            | Place::ShapeName
            | Place::ShapeValue => {}
        }
    }

    fn word(&mut self, name: &str, value: Option<i32>) {
        let number = value.unwrap_or(0);
        let is_text = self.current.place == Place::Body;
        self.body.push_str(self.header.word(name, value, self.groups.len(), is_text));
        match (name, self.current.place) {
            ("info", _) => self.current.place = Place::Info,
            ("title", Place::Info) => self.current.place = Place::Property("dc:title"),
            ("author", Place::Info) => self.current.place = Place::Property("dc:creator"),
            ("keywords", Place::Info) => self.current.place = Place::Property("cp:keywords"),
            ("upr", _) => {
                self.current.unicode_place = self.current.place;
                self.current.place = Place::Nowhere;
            }
            ("ud", _) => self.current.place = self.current.unicode_place,
            ("mac", _) => self.encoding = MACINTOSH,
            ("ansicpg", _) => self.encoding = charset::of_code_page(number),
            ("fonttbl", _) => {
                self.current.place = Place::FontTable;
                self.header.begin_fonts(self.groups.len());
            }
            ("f", Place::FontTable) => self.fonts.define(number),
            ("fcharset", Place::FontTable) => self.fonts.set_charset(number),
            ("deff", _) => self.default_font = number,
            ("f", _) => self.current.encoding = self.fonts.encoding(number),
            ("plain", _) => self.current.encoding = self.fonts.encoding(self.default_font),
            ("uc", _) => {
                self.current.fallback_characters = value.unwrap_or(1).clamp(0, 255) as usize;
            }
            ("u", _) => {
                // Values above 32767 are written as negative numbers.
                self.code_unit(number as u16);
                self.to_skip = self.current.fallback_characters;
            }
            ("pict", _) => {
                self.picture.clear();
                self.is_metafile = false;
                self.picture_name = None;
                self.current.is_in_picture = true;
                self.current.place = Place::Picture;
            }
            ("emfblip" | "wmetafile", Place::Picture) => self.is_metafile = true,
            ("sn", _) => {
                self.shape.0.clear();
                self.current.place = Place::ShapeName;
            }
            ("sv", _) => {
                self.shape.1.clear();
                self.current.place = Place::ShapeValue;
            }
            ("fldinst", _) => self.current.place = Place::Instruction,
            // The reference shows the text of a link wherever it is, for example in a note without text.
            ("fldrslt", _) if std::mem::take(&mut self.is_link) => self.current.place = Place::Body,
            ("object", _) => self.current.is_in_object = true,
            ("objdata", _) => {
                self.object.clear();
                self.current.place = Place::ObjectData;
            }
            // Text boxes and annotations are in groups that start with `\*`.
            ("shptxt", _) => self.current.place = Place::Body,
            ("atnid" | "atnauthor" | "annotation", _) => {
                self.current.place = Place::Body;
                self.push(" ");
            }
            (OLD_NUMBER, _) => self.current.place = Place::Nowhere,
            (name, _) if self.header.is_open && HEADER_TABLES.contains(&name) => {
                self.current.place = Place::Nowhere;
            }
            (name, _) => match character(name) {
                "" => {}
                text => self.push(text),
            },
        }
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'~' => self.push("\u{a0}"),
            b'_' => self.push("\u{2011}"),
            b'-' => self.push("\u{ad}"),
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
                self.end_surrogate();
                self.bytes.push(*byte);
            }
        }
        self.flush_bytes();
    }

    /// Bytes of the current picture that are still needed: all of metafiles, which have text.
    fn room(&self) -> usize {
        if self.is_metafile {
            usize::MAX
        } else {
            PICTURE_HEAD_BYTES.saturating_sub(self.picture.len())
        }
    }

    /// Reads hexadecimal picture data.
    fn picture(&mut self, digits: &[u8]) {
        let room = self.room();
        push_hexadecimal(digits, room, &mut self.picture);
    }

    fn end_picture(&mut self, is_thumbnail: bool) {
        let (bytes, name) = (std::mem::take(&mut self.picture), self.picture_name.take());
        self.file = Some(File::Picture { bytes, name, is_thumbnail });
    }

    /// The description of a picture is the path of its file.
    fn end_shape_value(&mut self) {
        let (name, value) = std::mem::take(&mut self.shape);
        let file = value.rsplit(['/', '\\']).next().unwrap_or_default();
        if name == "wzDescription" && !file.is_empty() {
            self.picture_name = Some(file.to_owned());
        }
    }

    /// Appends name and text of a file, as the reference does.
    fn append_file(&mut self, file: &File, budget: &mut Budget) -> Result<(), DocumentError> {
        match file {
            File::Picture { bytes, name, is_thumbnail } => {
                let extension = picture::extension(bytes).unwrap_or("bin");
                let name = match name {
                    Some(name) => name.clone(),
                    None if *is_thumbnail => numbered("thumbnail", &mut self.thumbnails, extension),
                    None => numbered("file", &mut self.files, extension),
                };
                self.body.push_str(&format!("{name}\n"));
                metafile::append(bytes, &mut self.body);
                self.body.push('\n');
            }
            File::Object(data) => {
                let Some(object) = object::read(data, budget)? else { return Ok(()) };
                let name = object.name.unwrap_or_else(|| {
                    let extension = embedded::extension(&object.content);
                    numbered("file", &mut self.files, extension)
                });
                self.body.push_str(&format!("{name}\n"));
                embedded::append(&name, &object.content, budget, &mut self.body)?;
            }
        }
        Ok(())
    }

    fn code_unit(&mut self, unit: u16) {
        let pair = self.high_surrogate.map(|high| [high, unit]);
        if let Some(Ok(character)) = pair.and_then(|pair| char::decode_utf16(pair).next()) {
            self.high_surrogate = None;
            self.push(character.encode_utf8(&mut [0; 4]));
            return;
        }
        self.end_surrogate();
        if (0xD800..0xDC00).contains(&unit) {
            self.high_surrogate = Some(unit);
        } else {
            let character = char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER);
            self.push(character.encode_utf8(&mut [0; 4]));
        }
    }

    /// Replaces a high surrogate without a low one.
    fn end_surrogate(&mut self) {
        if self.high_surrogate.take().is_some() {
            self.push("\u{fffd}");
        }
    }

    fn flush_bytes(&mut self) {
        if !self.bytes.is_empty() {
            let bytes = std::mem::take(&mut self.bytes);
            let encoding = self.current.encoding.unwrap_or(self.encoding);
            let text = encoding.decode_without_bom_handling(&bytes).0;
            // As the reference does: its result is XML, which has no place for control characters.
            let is_control = |it: char| it < ' ' && !matches!(it, '\t' | '\n' | '\r');
            let text = text.replace(is_control, "\u{fffd}");
            if self.header.is_open && self.current.place == Place::Body {
                self.header.text.push_str(&text);
            } else {
                self.push(&text);
            }
        }
    }

    fn push(&mut self, text: &str) {
        match self.current.place {
            Place::Body if self.header.is_open => {
                self.header.text.push_str(text);
                self.header.end_part();
            }
            Place::Body => self.body.push_str(text),
            Place::Property(_) => self.property.push_str(text),
            Place::ShapeName => self.shape.0.push_str(text),
            Place::ShapeValue => self.shape.1.push_str(text),
            Place::Instruction => self.instruction.push_str(text),
            Place::Nowhere
            | Place::Info
            | Place::FontTable
            | Place::Picture
            | Place::ObjectData => {}
        }
    }
}

/// Whether a token may be between the two halves of a character: the text for old readers.
fn is_blank(token: &Token<'_>) -> bool {
    matches!(token, Token::Plain(plain) if plain.iter().all(|byte| matches!(byte, b'\r' | b'\n')))
}

/// Appends at most `room` bytes of hexadecimal digits.
fn push_hexadecimal(digits: &[u8], room: usize, bytes: &mut Vec<u8>) {
    let digits: Vec<u8> = digits
        .iter()
        .filter_map(|digit| char::from(*digit).to_digit(16).map(|digit| digit as u8))
        .take(room.saturating_mul(2))
        .collect();
    bytes.extend(digits.as_chunks().0.iter().map(|[high, low]| high << 4 | low));
}

fn numbered(kind: &str, count: &mut usize, extension: &str) -> String {
    let name = format!("{kind}_{count}.{extension}");
    *count += 1;
    name
}
