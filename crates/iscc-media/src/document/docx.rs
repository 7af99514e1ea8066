//! Office Open XML text: `w:t` in document order, body only, no headers and footers.

use super::container::Container;
use super::properties;
use super::xml::{self, Token};
use super::{Document, DocumentError};

const BODY: &str = "word/document.xml";

pub fn read(bytes: &[u8]) -> Result<Document, DocumentError> {
    let mut container = Container::open(bytes)?;
    let body = container.part(BODY)?;
    let mut text = BodyText::default();
    xml::for_each_token(BODY, &body, |token| text.take(&token))?;
    let properties = properties::office_open_xml(&mut container)?;
    Ok(Document { text: text.text, properties, cover: None })
}

/// The white space around text: a line per paragraph, a tab before each cell, a line per row.
#[derive(Default)]
struct BodyText {
    text: String,
    in_run_text: u32,
    cells: u32,
    /// The alternative for old readers repeats what the choice before it says.
    in_fallback: u32,
    /// A paragraph of the current cell has ended; another one would start a new line.
    line_owed: bool,
}

impl BodyText {
    fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::Open { name: "mc:Fallback", .. } => self.in_fallback += 1,
            Token::Close { name: "mc:Fallback" } => {
                self.in_fallback = self.in_fallback.saturating_sub(1);
            }
            _ if self.in_fallback > 0 => {}
            Token::Open { name, .. } => self.open(name),
            Token::Text(piece) if self.in_run_text > 0 => self.push(piece),
            Token::Text(_) => {}
            Token::Close { name } => self.close(name),
        }
    }

    fn open(&mut self, name: &str) {
        match name {
            "w:t" => self.in_run_text += 1,
            "w:tab" | "w:ptab" => self.push("\t"),
            "w:br" | "w:cr" => self.push("\n"),
            "w:noBreakHyphen" => self.push("\u{2011}"),
            "w:tc" => {
                self.cells += 1;
                self.line_owed = false;
                self.text.push('\t');
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "w:t" => self.in_run_text = self.in_run_text.saturating_sub(1),
            "w:p" if self.cells > 0 => self.line_owed = true,
            "w:p" | "w:tr" => self.text.push('\n'),
            "w:tc" => {
                self.cells = self.cells.saturating_sub(1);
                self.line_owed = false;
            }
            _ => {}
        }
    }

    fn push(&mut self, piece: &str) {
        if std::mem::take(&mut self.line_owed) {
            self.text.push('\n');
        }
        self.text.push_str(piece);
    }
}
