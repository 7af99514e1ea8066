//! Position and text of the first JSON error, as Python's `json.loads` reports them.
//!
//! The reference service returns these errors to clients. Serde's differ in text and position.
use iscc_index::json::push_string;

use crate::failure::{Failure, FailureKind};

/// Maximum nesting depth. A deeper value is reported as an error at its position.
const DEPTH_MAX: usize = 1000;

/// The failure for a body that is not JSON. Its position counts characters, not bytes.
pub fn failure(text: &str) -> Failure {
    let error = first_error(text);
    let offset = text.char_indices().take_while(|&(at, _)| at < error.at).count();
    let mut detail = format!(
        "[{{\"type\":\"json_invalid\",\"loc\":[\"body\",{offset}],\
         \"msg\":\"JSON decode error\",\"input\":{{}},\"ctx\":{{\"error\":"
    )
    .into_bytes();
    push_string(&mut detail, error.message);
    detail.extend_from_slice(b"}}]");
    Failure { kind: FailureKind::Invalid, detail }
}

/// An error and its byte offset.
#[derive(Debug, PartialEq, Eq)]
struct JsonError {
    at: usize,
    message: &'static str,
}

fn first_error(text: &str) -> JsonError {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    scanner.space();
    match scanner.value(0) {
        Err(error) => error,
        Ok(()) => {
            scanner.space();
            JsonError { at: scanner.at, message: "Extra data" }
        }
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn fail<T>(&self, at: usize, message: &'static str) -> Result<T, JsonError> {
        Err(JsonError { at, message })
    }

    fn value(&mut self, depth: usize) -> Result<(), JsonError> {
        if depth > DEPTH_MAX {
            return self.fail(self.at, "Expecting value");
        }
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            _ => self.scalar(),
        }
    }

    fn scalar(&mut self) -> Result<(), JsonError> {
        for word in [&b"null"[..], b"true", b"false"] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(());
            }
        }
        let digits =
            |from: usize| self.text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let start = self.at + usize::from(self.peek() == Some(b'-'));
        let whole = match digits(start) {
            0 => return self.fail(self.at, "Expecting value"),
            // A leading 0 must be the only digit before the decimal point.
            _ if self.text[start] == b'0' => 1,
            count => count,
        };
        let mut end = start + whole;
        if self.text.get(end) == Some(&b'.') && digits(end + 1) > 0 {
            end += 1 + digits(end + 1);
        }
        if matches!(self.text.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.text.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits((end + 1 + sign).min(self.text.len()));
            if exponent > 0 {
                end += 1 + sign + exponent;
            }
        }
        self.at = end;
        Ok(())
    }

    fn string(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => return self.fail(start, "Unterminated string starting at"),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape(start)?,
                Some(0..0x20) => return self.fail(self.at, "Invalid control character at"),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self, start: usize) -> Result<(), JsonError> {
        match self.text.get(self.at + 1) {
            None => self.fail(start, "Unterminated string starting at"),
            Some(b'u') => {
                let digits = self.text.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return self.fail(self.at + 1, "Invalid \\uXXXX escape");
                }
                self.at += 6;
                Ok(())
            }
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(_) => self.fail(self.at, "Invalid \\escape"),
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), JsonError> {
        const NAME: &str = "Expecting property name enclosed in double quotes";
        self.at += 1;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            if self.peek() != Some(b'"') {
                return self.fail(self.at, NAME);
            }
            self.string()?;
            self.space();
            if self.peek() != Some(b':') {
                return self.fail(self.at, "Expecting ':' delimiter");
            }
            self.at += 1;
            self.space();
            self.value(depth + 1)?;
            self.space();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b',') => self.at += 1,
                _ => return self.fail(self.at, "Expecting ',' delimiter"),
            }
            self.space();
        }
    }

    fn array(&mut self, depth: usize) -> Result<(), JsonError> {
        self.at += 1;
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.value(depth + 1)?;
            self.space();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b',') => self.at += 1,
                _ => return self.fail(self.at, "Expecting ',' delimiter"),
            }
            self.space();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Python 3.11's `json.loads` reports for each text.
    #[test]
    fn reports_the_positions_and_texts_of_python() {
        let cases = [
            ("{name:", 1, "Expecting property name enclosed in double quotes"),
            ("[{", 2, "Expecting property name enclosed in double quotes"),
            ("{\"a\":1,}", 7, "Expecting property name enclosed in double quotes"),
            ("{\"a\" 1}", 5, "Expecting ':' delimiter"),
            ("[1 2]", 3, "Expecting ',' delimiter"),
            ("[1,]", 3, "Expecting value"),
            ("", 0, "Expecting value"),
            ("01", 1, "Extra data"),
            ("1.", 1, "Extra data"),
            ("-", 0, "Expecting value"),
            ("{} x", 3, "Extra data"),
            ("[\"abc", 1, "Unterminated string starting at"),
            ("\"a\nb\"", 2, "Invalid control character at"),
            ("\"a\\x\"", 2, "Invalid \\escape"),
            ("\"\\u12g4\"", 2, "Invalid \\uXXXX escape"),
            ("nul", 0, "Expecting value"),
        ];
        for (text, at, message) in cases {
            assert_eq!(first_error(text), JsonError { at, message }, "{text:?}");
        }
    }

    #[test]
    fn the_position_counts_characters() {
        let detail = String::from_utf8(failure("[\"é\" 1]").detail).unwrap();
        assert!(detail.contains("[\"body\",5]"), "{detail}");
    }

    #[test]
    fn errors_are_found_to_the_limit_of_depth() {
        let error = |depth: usize| first_error(&"[".repeat(depth).to_string());
        // The scanner ends with the text, or above the limit before it.
        for depth in [DEPTH_MAX, DEPTH_MAX + 1] {
            assert_eq!(error(depth), JsonError { at: depth, message: "Expecting value" });
        }
        assert_eq!(
            error(DEPTH_MAX + 2),
            JsonError { at: DEPTH_MAX + 1, message: "Expecting value" }
        );
    }
}
