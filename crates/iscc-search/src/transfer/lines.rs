//! NDJSON: one entry per line. A line that breaks a rule is refused on its own; the others are added.
use iscc_index::json::push_string;
use iscc_index::segment::Matching;

use crate::asset::NewAsset;
use crate::failure::Failure;
use crate::request::entry;
use crate::request::queries::numbered;
use crate::response::AddStatus;

/// Appends an entry as a line. Line breaks in JSON can only be between its tokens, where spaces mean the same.
pub fn push(lines: &mut Vec<u8>, entry: &[u8]) {
    let start = lines.len();
    lines.extend_from_slice(entry);
    for byte in &mut lines[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    lines.push(b'\n');
}

/// Lines to add, and those that were refused so far.
#[derive(Debug, Default)]
pub struct NewLines {
    /// Number of all lines, without empty ones.
    pub count: u64,
    /// Assets with the number of their line.
    pub assets: Vec<(u64, NewAsset)>,
    /// Refused lines.
    pub refused: Vec<Refused>,
}

/// A refused line.
#[derive(Debug, Clone)]
pub struct Refused {
    /// Number of the line.
    pub line: u64,
    /// Its ISCC-ID, if it has one.
    pub id: Option<String>,
    /// The reason.
    pub failure: Failure,
}

impl NewLines {
    /// Parses and checks all lines.
    pub fn read(body: &[u8], first: u64, matching: Matching) -> Self {
        let mut lines = Self::default();
        for (number, line) in numbered(body, first) {
            lines.count += 1;
            let mut id = None;
            let asset = entry::read_one(line).and_then(|entry| {
                id = entry.iscc_id.as_ref().map(|id| id.to_string());
                NewAsset::new(entry, matching)
            });
            match asset {
                Ok(asset) => lines.assets.push((number, asset)),
                Err(failure) => lines.refused.push(Refused { line: number, id, failure }),
            }
        }
        lines
    }
}

/// Counts what happened to the lines of a batch.
#[derive(Debug, Default)]
pub struct LinesResult {
    created: u64,
    updated: u64,
    refused: Vec<Refused>,
}

impl LinesResult {
    /// Starts with lines that were refused earlier.
    pub fn new(refused: Vec<Refused>) -> Self {
        Self { refused, ..Self::default() }
    }

    /// Counts an added asset.
    pub fn add(&mut self, status: AddStatus) {
        match status {
            AddStatus::Created => self.created += 1,
            AddStatus::Updated => self.updated += 1,
        }
    }

    /// Counts a refused line.
    pub fn refuse(&mut self, line: u64, id: Option<String>, failure: Failure) {
        self.refused.push(Refused { line, id, failure });
    }

    /// `{"lines":…,"created":…,"updated":…,"refused":[…]}`
    pub fn json(mut self, lines: u64) -> Vec<u8> {
        self.refused.sort_by_key(|refused| refused.line);
        let Self { created, updated, refused } = self;
        let head = format!("{{\"lines\":{lines},\"created\":{created},\"updated\":{updated}");
        let mut json = head.into_bytes();
        json.extend_from_slice(b",\"refused\":[");
        for (index, Refused { line, id, failure }) in refused.iter().enumerate() {
            if index > 0 {
                json.push(b',');
            }
            json.extend_from_slice(format!("{{\"line\":{line}").as_bytes());
            if let Some(id) = id {
                json.extend_from_slice(b",\"iscc_id\":");
                push_string(&mut json, id);
            }
            json.extend_from_slice(b",\"detail\":");
            json.extend_from_slice(&failure.detail);
            json.push(b'}');
        }
        json.extend_from_slice(b"]}");
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_with_line_breaks_is_one_line() {
        let mut lines = Vec::new();
        push(&mut lines, b"{\"a\":\r\n1}");
        assert_eq!(lines, b"{\"a\":  1}\n");
    }

    #[test]
    fn empty_lines_count_as_lines_but_are_skipped() {
        let lines: Vec<_> = numbered(b"a\n\n b \r\nc", 5).collect();
        assert_eq!(lines, [(5, &b"a"[..]), (7, b"b"), (8, b"c")]);
    }
}
