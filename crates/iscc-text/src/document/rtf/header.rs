//! The header of a document: what comes before its first paragraph. The reference shows only the last part of its text.

use super::words::BODY_WORDS;

pub struct Header {
    pub is_open: bool,
    pub text: String,
    /// Where the last part of the text begins, which belongs to the first paragraph.
    paragraph_at: usize,
    /// Depth of the table of fonts, and whether a word outside of it has followed.
    fonts_depth: usize,
    fonts_end: bool,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            is_open: true,
            text: String::new(),
            paragraph_at: 0,
            fonts_depth: 0,
            fonts_end: false,
        }
    }
}

impl Header {
    /// A table of fonts begins in a group of some depth.
    pub fn begin_fonts(&mut self, depth: usize) {
        self.fonts_depth = depth;
    }

    /// The next text is not part of the same paragraph.
    pub fn end_part(&mut self) {
        self.paragraph_at = self.text.len();
    }

    /// A control word; returns the text that belongs to the first paragraph if the word begins it. Words in groups without
    /// text do not.
    pub fn word(&mut self, name: &str, value: Option<i32>, depth: usize, is_text: bool) -> &str {
        self.fonts_end |= depth < self.fonts_depth;
        let is_body_word = match value {
            None => BODY_WORDS.contains(&name),
            // The first font after the table of fonts.
            Some(_) => name == "f" && self.fonts_end,
        };
        if !self.is_open || !is_text || !is_body_word {
            return "";
        }
        self.is_open = false;
        &self.text[self.paragraph_at..]
    }
}
