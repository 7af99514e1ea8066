//! Binary Word document, `.doc` ([MS-DOC]): the main text without field codes, then text boxes, footnotes, comments and
//! endnotes with them, as in the reference. Deleted text is left out.

mod formatting;
mod lists;
mod old;

use encoding_rs::WINDOWS_1252;

use self::formatting::Formatting;
use self::lists::Lists;
use super::container::Budget;
use super::encryption::binary::Keys;
use super::ole::{Ole, slice, u16_at, u32_at};
use super::{Document, DocumentError, blip, object};

/// Places of numbers and of pairs of offset and length in the file information block.
mod fib {
    pub const MAGIC: u16 = 0xA5EC;
    pub const FLAGS: usize = 10;
    pub const IS_ENCRYPTED: u16 = 0x0100;
    pub const USES_TABLE_1: u16 = 0x0200;
    /// Bytes of the encryption's header, which is at the start of the table.
    pub const ENCRYPTION_HEADER: usize = 14;
    /// Characters of the main text; those of the other stories follow.
    pub const MAIN: usize = 76;
    pub const FOOTNOTES: usize = 80;
    pub const HEADERS: usize = 84;
    pub const MACROS: usize = 88;
    pub const COMMENTS: usize = 92;
    pub const ENDNOTES: usize = 96;
    pub const TEXT_BOXES: usize = 100;
    pub const STYLES: usize = 162;
    pub const CHARACTER_FORMATS: usize = 250;
    pub const PARAGRAPH_FORMATS: usize = 258;
    pub const PIECES: usize = 418;
    pub const LISTS: usize = 738;
    pub const LIST_OVERRIDES: usize = 746;
}

pub fn read(ole: &mut Ole<'_>) -> Result<Document, DocumentError> {
    let main = ole.stream("/WordDocument")?;
    let flags = u16_at(&main, fib::FLAGS).unwrap_or(0);
    let magic = u16_at(&main, 0);
    if magic != Some(fib::MAGIC) && magic != Some(old::MAGIC) {
        return Err(DocumentError::Unsupported("documents older than Word 6"));
    }
    let is_encrypted = flags & fib::IS_ENCRYPTED > 0;
    if magic == Some(old::MAGIC) {
        if is_encrypted {
            return Err(DocumentError::Encrypted);
        }
        let text = old::text(&main).unwrap_or_default();
        return Ok(Document { text, properties: ole.properties()?, ..Document::default() });
    }
    let table = if flags & fib::USES_TABLE_1 > 0 { "/1Table" } else { "/0Table" };
    let mut streams = [main, ole.stream(table)?, ole.optional("/Data")?.unwrap_or_default()];
    if is_encrypted {
        decrypt(&mut streams).ok_or(DocumentError::Encrypted)?;
    }
    let [main, table, pictures] = streams;
    let mut story = Story {
        characters: characters(&main, &table).unwrap_or_default(),
        formatting: Formatting::read(&main, &table),
        lists: Lists::read(&main, &table),
        pictures,
        text: String::new(),
    };
    let count = |place| u32_at(&main, place).unwrap_or(0) as usize;
    let (text, footnotes, comments) =
        (count(fib::MAIN), count(fib::FOOTNOTES), count(fib::COMMENTS));
    let endnotes_at = text
        .saturating_add(footnotes)
        .saturating_add(count(fib::HEADERS))
        .saturating_add(count(fib::MACROS))
        .saturating_add(comments);
    let boxes_at = endnotes_at.saturating_add(count(fib::ENDNOTES));
    story.append(0, text, false, ole.budget())?;
    for (start, length) in [
        (boxes_at, count(fib::TEXT_BOXES)),
        (text, footnotes),
        (endnotes_at.saturating_sub(comments), comments),
        (endnotes_at, count(fib::ENDNOTES)),
    ] {
        story.append(start, length, true, ole.budget())?;
    }
    let mut text = story.text;
    object::append_storages(ole, "/ObjectPool", |name| name.starts_with('_'), &mut text)?;
    let properties = ole.properties()?;
    Ok(Document { text, properties, ..Document::default() })
}

/// Decrypts the streams with the main text, the tables and the pictures, if the default password is right
/// ([MS-DOC] 2.2.6).
fn decrypt(streams: &mut [Vec<u8>; 3]) -> Option<()> {
    const BLOCK_BYTES: usize = 512;
    /// The start of the file information block is not encrypted.
    const PLAIN_BYTES: usize = 68;
    let header_bytes = u32_at(&streams[0], fib::ENCRYPTION_HEADER)? as usize;
    let keys = Keys::read(slice(&streams[1], 0, header_bytes)?)?;
    let plain = slice(&streams[0], 0, PLAIN_BYTES)?.to_vec();
    streams.iter_mut().try_for_each(|stream| keys.decrypt(stream, BLOCK_BYTES))?;
    streams[0][..PLAIN_BYTES].copy_from_slice(&plain);
    Some(())
}

/// Bytes of a pair of offset and length in the file information block.
fn pair<'a>(main: &[u8], table: &'a [u8], place: usize) -> Option<&'a [u8]> {
    slice(table, u32_at(main, place)? as usize, u32_at(main, place + 4)? as usize)
}

/// The characters of all stories with their places in the file, from the piece table.
fn characters(main: &[u8], table: &[u8]) -> Option<Vec<(char, u32)>> {
    const PROPERTIES: u8 = 1;
    const PIECES: u8 = 2;
    let clx = pair(main, table, fib::PIECES)?;
    let mut at = 0;
    while *clx.get(at)? == PROPERTIES {
        at += 3 + usize::from(u16_at(clx, at + 1)?);
    }
    if *clx.get(at)? != PIECES {
        return None;
    }
    let pieces = slice(clx, at + 5, u32_at(clx, at + 1)? as usize)?;
    let count = pieces.len().checked_sub(4)? / 12;
    let mut characters = Vec::new();
    for index in 0..count {
        let start = u32_at(pieces, index * 4)?;
        let length = u32_at(pieces, index * 4 + 4)?.checked_sub(start)? as usize;
        let place = u32_at(pieces, (count + 1) * 4 + index * 8 + 2)?;
        append_piece(main, place, length, &mut characters)?;
    }
    Some(characters)
}

/// Appends a piece: 8 bits per character if its place is marked, else 16.
fn append_piece(
    main: &[u8],
    place: u32,
    length: usize,
    characters: &mut Vec<(char, u32)>,
) -> Option<()> {
    const IS_COMPRESSED: u32 = 1 << 30;
    // Pieces may overlap in a damaged file, which must not multiply its text.
    if characters.len() > main.len() {
        return None;
    }
    if place & IS_COMPRESSED > 0 {
        let start = (place & !IS_COMPRESSED) / 2;
        let bytes = slice(main, start as usize, length)?;
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
        characters.extend(text.chars().zip(start..));
        return Some(());
    }
    let units = slice(main, place as usize, length.checked_mul(2)?)?;
    let units = units.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    let mut at = place;
    for character in char::decode_utf16(units) {
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        characters.push((character, at));
        // A position of the text is a UTF-16 code unit.
        if character.len_utf16() == 2 {
            characters.push(('\0', at));
        }
        at += 2 * character.len_utf16() as u32;
    }
    Some(())
}

/// Maximum fields in fields. Word allows twenty levels.
const FIELDS_MAX: usize = 32;

/// A character with its place in the file.
type Character = (char, u32);

/// Characters that begin, divide and end a field, and one for pictures.
mod mark {
    pub const BEGIN: char = '\u{13}';
    pub const RESULT: char = '\u{14}';
    pub const END: char = '\u{15}';
    pub const FLOATING: char = '\u{8}';
}

struct Story {
    characters: Vec<Character>,
    formatting: Formatting,
    lists: Lists,
    /// The stream with pictures.
    pictures: Vec<u8>,
    text: String,
}

impl Story {
    /// Appends a story.
    fn append(
        &mut self,
        start: usize,
        length: usize,
        is_note: bool,
        budget: &mut Budget,
    ) -> Result<(), DocumentError> {
        let end = start.saturating_add(length).min(self.characters.len());
        let Some(story) = self.characters.get(start.min(end)..end) else { return Ok(()) };
        let story = story.to_vec();
        if is_note {
            for (character, place) in story {
                self.append_note_character(character, place, budget)?;
            }
        } else {
            for paragraph in story.split_inclusive(|(it, _)| matches!(it, '\r' | '\u{7}' | '\u{c}'))
            {
                self.append_paragraph(paragraph, budget)?;
            }
        }
        self.text.push('\n');
        Ok(())
    }

    /// Appends a paragraph of the main text, with its number.
    fn append_paragraph(
        &mut self,
        paragraph: &[Character],
        budget: &mut Budget,
    ) -> Result<(), DocumentError> {
        if let [(_, first), ..] = paragraph
            && let [.., (_, mark)] = paragraph
            && let Some(number) = self.lists.next(&self.formatting, *first, *mark)
        {
            self.text.push_str(&number);
            self.text.push(' ');
        }
        let is_same_run =
            |a: &Character, b: &Character| self.formatting.run(a.1) == self.formatting.run(b.1);
        let runs: Vec<&[Character]> = paragraph.chunk_by(is_same_run).collect();
        let mut at = 0;
        while let Some(run) = runs.get(at) {
            match run[0].0 {
                mark::BEGIN if run.len() == 1 => at += self.append_field(&runs, at, 1, budget)?,
                // Of the run of a picture that floats, only the picture counts.
                mark::FLOATING => {}
                _ => self.append_run(run, budget)?,
            }
            at += 1;
        }
        self.text.push('\n');
        Ok(())
    }

    /// Appends the result of the field that begins at a run, and returns how many runs follow that belong to it. As in the
    /// reference, a field ends with its paragraph; of the marks in a run only the first counts; the end of a
    /// field in a field ends both, and its result comes first; without a result, a field has its code.
    fn append_field(
        &mut self,
        runs: &[&[Character]],
        index: usize,
        depth: usize,
        budget: &mut Budget,
    ) -> Result<usize, DocumentError> {
        let (mut codes, mut results) = (Vec::new(), Vec::new());
        let mut has_result = false;
        let mut at = index + 1;
        while let Some(run) = runs.get(at) {
            let mark = run[0].0;
            match mark {
                mark::BEGIN if run.len() == 1 && depth < FIELDS_MAX => {
                    at += self.append_field(runs, at + 1, depth + 1, budget)?;
                }
                mark::RESULT => has_result = true,
                mark::END => {
                    if !has_result {
                        results = codes;
                    }
                    break;
                }
                _ if has_result => results.push(*run),
                _ => codes.push(*run),
            }
            at += 1;
        }
        results.into_iter().try_for_each(|run| self.append_run(run, budget))?;
        Ok(at - index)
    }

    /// Appends the characters of a run that are not deleted.
    fn append_run(&mut self, run: &[Character], budget: &mut Budget) -> Result<(), DocumentError> {
        for &(character, place) in run {
            if self.formatting.is_deleted(place) {
                continue;
            }
            match character {
                // The caller ends the paragraph.
                '\r' | '\u{7}' | '\u{c}' => {}
                '\u{b}' | '\u{2}' => self.text.push('\n'),
                '\t' => self.text.push('\t'),
                '\u{1e}' => self.text.push('\u{2011}'),
                '\u{1f}' => self.text.push('\u{200b}'),
                '\u{1}' => self.append_picture(place, budget)?,
                control if control < ' ' => {}
                other => self.text.push(other),
            }
        }
        Ok(())
    }

    /// Appends a character of a note or a text box. The reference has its characters as they are stored: marks of notes,
    /// fields and so on become replacement characters.
    fn append_note_character(
        &mut self,
        character: char,
        place: u32,
        budget: &mut Budget,
    ) -> Result<(), DocumentError> {
        if self.formatting.is_deleted(place) {
            return Ok(());
        }
        match character {
            '\0' => {}
            '\r' => self.text.push('\n'),
            '\t' | '\n' => self.text.push(character),
            control if control < ' ' => {
                self.text.push(char::REPLACEMENT_CHARACTER);
                if control == '\u{1}' {
                    self.append_picture(place, budget)?;
                }
            }
            other => self.text.push(other),
        }
        Ok(())
    }

    /// Appends the text of a picture that is a metafile ([MS-DOC] 2.9.190), once.
    fn append_picture(&mut self, place: u32, budget: &mut Budget) -> Result<(), DocumentError> {
        const HAS_NAME: u16 = 0x66;
        let Some(at) = self.formatting.take_picture(place) else { return Ok(()) };
        let found = || {
            let picture =
                slice(&self.pictures, at as usize, u32_at(&self.pictures, at as usize)? as usize)?;
            let mut start = usize::from(u16_at(picture, 4)?);
            if u16_at(picture, 6)? == HAS_NAME {
                start += 1 + usize::from(*picture.get(start)?);
            }
            picture.get(start..)
        };
        match found() {
            Some(records) => blip::append(records, budget, &mut self.text),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of a story whose runs are between bars.
    fn story(text: &str, is_note: bool) -> String {
        let runs: Vec<&str> = text.split('|').collect();
        let length = |runs: &[&str]| runs.iter().map(|run| run.chars().count() as u32).sum();
        let bounds = (0..runs.len()).map(|at| (length(&runs[..at]), length(&runs[..at + 1])));
        let mut story = Story {
            characters: runs.concat().chars().zip(0..).collect(),
            formatting: Formatting::of_runs(bounds),
            lists: Lists::default(),
            pictures: Vec::new(),
            text: String::new(),
        };
        story.append(0, text.len(), is_note, &mut Budget::default()).unwrap();
        story.text
    }

    #[test]
    fn only_notes_have_the_codes_of_their_fields() {
        let text = "\u{2}|see |\u{13}| HYPERLINK \"a\" |\u{1}|\u{14}|there|\u{15}|\u{b}\tx\r";
        assert_eq!(story(text, false), "\nsee there\n\tx\n\n");
        let marked = text
            .replace('|', "")
            .replace(['\u{1}', '\u{2}', '\u{b}', '\u{13}', '\u{14}', '\u{15}'], "\u{fffd}");
        assert_eq!(story(text, true), marked.replace('\r', "\n") + "\n");
    }

    #[test]
    fn fields_in_fields_are_read_as_in_the_reference() {
        // A table of contents: the number of the first page comes first. Recorded.
        let contents = concat!(
            "\u{13}| TOC |\u{14}|1. First\t|\u{13}| PAGEREF a |\u{1}|\u{14}|3|\u{15}|\r",
            "2. Second\t|\u{13}| PAGEREF b |\u{1}|\u{14}|4|\u{15}|\r|\u{15}|\r",
        );
        assert_eq!(story(contents, false), "31. First\t\n2. Second\t4\n\n\n");
        // Where a field follows another directly, its code is text.
        let adjacent = "\u{13}| A |\u{14}|one|\u{15}\u{13}| B |\u{14}|two|\u{15}|\r";
        assert_eq!(story(adjacent, false), "one B two\n\n");
        assert_eq!(story("\u{13}| SYMBOL 65 |\u{15}|\r", false), " SYMBOL 65 \n\n");
        assert_eq!(story(&"\u{13}|a|".repeat(100), false), "\n\n");
    }
}
