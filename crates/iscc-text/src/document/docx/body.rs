//! Text of a story: the body, a note or a comment.

use std::collections::HashMap;

use super::super::hashed::sort_as_hashed;
use super::super::paragraphs::Paragraphs;
use super::numbering::Numbering;
use iscc_media::xml::{Attributes, Token};

/// Texts of notes by id.
#[derive(Default)]
pub struct Notes {
    pub footnotes: HashMap<String, String>,
    pub endnotes: HashMap<String, String>,
    pub comments: HashMap<String, String>,
}

/// Builds the text of a story from its tokens.
#[derive(Default)]
pub struct Body {
    paragraphs: Paragraphs,
    notes: Notes,
    numbering: Numbering,
    /// All comments, in the order of the reference.
    comment_ids: Vec<String>,
    /// Open `w:t` and `m:t` elements.
    in_text: u32,
    /// Open elements whose content is ignored.
    ignored: u32,
    /// Comments on the current paragraph, which follow it.
    comments: String,
    /// Id and level of the current paragraph's list.
    list: (Option<String>, Option<usize>),
    /// Start and end of the annotation of the current ruby, which follows its base.
    ruby: (Option<usize>, Option<usize>),
}

impl Body {
    pub fn new(notes: Notes, numbering: Numbering) -> Self {
        let mut ids: Vec<&str> = notes.comments.keys().map(String::as_str).collect();
        ids.sort_unstable();
        sort_as_hashed(&mut ids);
        let comment_ids = ids.into_iter().map(str::to_owned).collect();
        Self { notes, numbering, comment_ids, ..Self::default() }
    }

    /// The text. Comments that nothing refers to follow it, as in the reference.
    pub fn into_text(self) -> String {
        let mut text = self.paragraphs.text;
        for comment in self.comment_ids.iter().filter_map(|id| self.notes.comments.get(id)) {
            text.push_str(comment);
            text.push('\n');
        }
        text
    }

    pub fn read(&mut self, token: &Token<'_>) {
        match token {
            Token::Open { name, .. } if is_ignored(name) => self.ignored += 1,
            Token::Close { name } if is_ignored(name) => {
                self.ignored = self.ignored.saturating_sub(1);
            }
            _ if self.ignored > 0 => {}
            Token::Open { name, attributes } => self.open(name, attributes),
            Token::Text(piece) if self.in_text > 0 => self.push(piece),
            Token::Text(_) => {}
            Token::Close { name } => self.close(name),
        }
    }

    fn open(&mut self, name: &str, attributes: &Attributes<'_>) {
        match name {
            "w:t" | "m:t" => self.in_text += 1,
            "w:tab" => self.push("\t"),
            "w:br" | "w:cr" => self.push("\n"),
            "w:noBreakHyphen" => self.push("\u{2011}"),
            "w:softHyphen" => self.push("\u{ad}"),
            "w:p" => self.paragraphs.start_paragraph(),
            "w:tc" => self.paragraphs.start_cell(),
            "w:numPr" => self.list = (None, None),
            "w:numId" => self.list.0 = attributes.get("w:val"),
            "w:ilvl" => self.list.1 = attributes.get("w:val").and_then(|it| it.parse().ok()),
            "w:rt" => self.ruby = (Some(self.paragraphs.text.len()), None),
            "w:footnoteReference" => self.push_note(attributes, |notes| &mut notes.footnotes),
            "w:endnoteReference" => self.push_note(attributes, |notes| &mut notes.endnotes),
            "w:commentReference" => {
                let id = attributes.get("w:id").unwrap_or_default();
                if let Some(comment) = self.notes.comments.remove(&id) {
                    self.comments.push_str(&comment);
                    self.comments.push('\n');
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "w:t" | "m:t" => self.in_text = self.in_text.saturating_sub(1),
            "w:pPr" => {
                if let (Some(id), Some(level)) = std::mem::take(&mut self.list)
                    && let Some(number) = self.numbering.next(&id, level)
                {
                    self.push(&number);
                    self.push(" ");
                }
            }
            "w:p" => {
                self.paragraphs.end_paragraph();
                let comments = std::mem::take(&mut self.comments);
                self.push(&comments);
            }
            "w:tc" => self.paragraphs.end_cell(),
            "w:tr" => self.paragraphs.end_row(),
            "w:rt" => self.ruby.1 = self.ruby.0.map(|_| self.paragraphs.text.len()),
            "w:ruby" => self.end_ruby(),
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        self.paragraphs.text.push_str(text);
    }

    /// Appends a note. Each is used once, so that the text cannot grow by repeated references.
    fn push_note(
        &mut self,
        attributes: &Attributes<'_>,
        notes: impl Fn(&mut Notes) -> &mut HashMap<String, String>,
    ) {
        let id = attributes.get("w:id").unwrap_or_default();
        if let Some(note) = notes(&mut self.notes).remove(&id) {
            self.paragraphs.text.push_str(&note);
            self.paragraphs.text.push('\n');
        }
    }

    /// Moves the annotation of a ruby behind its base, in parentheses. An end without a start moves
    /// nothing: each move takes time.
    fn end_ruby(&mut self) {
        let (Some(start), Some(end)) = std::mem::take(&mut self.ruby) else { return };
        let text = &mut self.paragraphs.text;
        if start < end && end <= text.len() {
            let annotation = text[start..end].to_owned();
            text.replace_range(start..end, "");
            text.push_str(&format!(" ({annotation})"));
        }
    }
}

/// Whether the content of an element is not text: alternatives for old programs, and the original
/// place of moved text.
fn is_ignored(name: &str) -> bool {
    matches!(name, "mc:Fallback" | "w:moveFrom" | "w:pPrChange")
}

#[cfg(test)]
mod tests {
    use super::*;
    use iscc_media::xml::for_each_token;

    fn text_of(xml: &str) -> String {
        let mut body = Body::default();
        for_each_token("document", xml.as_bytes(), |token| body.read(&token)).unwrap();
        body.into_text()
    }

    #[test]
    fn an_annotation_follows_its_base_in_parentheses() {
        let ruby =
            "<w:ruby><w:rt><w:t>kan</w:t></w:rt><w:rubyBase><w:t>漢</w:t></w:rubyBase></w:ruby>";
        assert_eq!(text_of(&format!("<d>{ruby}{ruby}</d>")), "漢 (kan)漢 (kan)");
    }

    #[test]
    fn ends_without_a_start_move_nothing() {
        let words = "word ".repeat(200_000);
        // Each would copy all text before it.
        let ends = "</w:rt></w:ruby>".repeat(40_000);
        assert_eq!(text_of(&format!("<w:t>{words}</w:t>{ends}")), words);
    }
}
