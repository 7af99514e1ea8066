//! Detects JSON objects and arrays.

/// Whether `head` is a JSON object or array, or a truncated one. Scalars do not count: a file with
/// one number is plain text.
pub(super) fn is_json(head: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(super::sniff::trim_partial_character(head)) else { return false };
    let text = text.trim_start_matches('\u{feff}').trim_start_matches(SPACE);
    if !text.starts_with(['{', '[']) {
        return false;
    }
    Prefix { bytes: text.as_bytes(), at: 0 }.accepts()
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// What the grammar allows next.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Key,
    Colon,
    CommaOrEnd,
}

struct Prefix<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Prefix<'_> {
    /// Whether the bytes follow the grammar. The input may end anywhere.
    fn accepts(&mut self) -> bool {
        let mut open: Vec<u8> = Vec::new();
        let mut expect = Expect::Value;
        while let Some(byte) = self.next_after_space() {
            let closes =
                matches!(expect, Expect::ValueOrEnd | Expect::KeyOrEnd | Expect::CommaOrEnd);
            expect = match (expect, byte) {
                (_, b']' | b'}')
                    if closes && open.last().is_some_and(|it| closing(*it) == byte) =>
                {
                    open.pop();
                    if open.is_empty() {
                        return self.next_after_space().is_none();
                    }
                    Expect::CommaOrEnd
                }
                (Expect::CommaOrEnd, b',') if open.last() == Some(&b'{') => Expect::Key,
                (Expect::CommaOrEnd, b',') => Expect::Value,
                (Expect::Key | Expect::KeyOrEnd, b'"') if self.string() => Expect::Colon,
                (Expect::Colon, b':') => Expect::Value,
                (Expect::Value | Expect::ValueOrEnd, b'{') => {
                    open.push(b'{');
                    Expect::KeyOrEnd
                }
                (Expect::Value | Expect::ValueOrEnd, b'[') => {
                    open.push(b'[');
                    Expect::ValueOrEnd
                }
                (Expect::Value | Expect::ValueOrEnd, b'"') if self.string() => Expect::CommaOrEnd,
                (Expect::Value | Expect::ValueOrEnd, _) if self.word() => Expect::CommaOrEnd,
                _ => return false,
            };
        }
        true
    }

    fn next_after_space(&mut self) -> Option<u8> {
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            if !SPACE.contains(&char::from(*byte)) {
                return Some(*byte);
            }
        }
        None
    }

    /// Reads the rest of a string after its opening quote.
    fn string(&mut self) -> bool {
        while let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => return true,
                b'\\' => self.at += 1,
                0..0x20 => return false,
                _ => {}
            }
        }
        true
    }

    /// Reads the rest of a number or literal after its first byte.
    fn word(&mut self) -> bool {
        let start = self.at - 1;
        let is_part =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        while self.bytes.get(self.at).is_some_and(is_part) {
            self.at += 1;
        }
        let word = str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        let is_truncated = self.at >= self.bytes.len();
        let is_word = ["true", "false", "null"].iter().any(|name| {
            *name == word || is_truncated && !word.is_empty() && name.starts_with(word)
        });
        let begins_number = || word.bytes().all(|byte| b"+-.0123456789Ee".contains(&byte));
        is_word
            || word.parse::<f64>().is_ok()
            || is_truncated && !word.is_empty() && begins_number()
    }
}

fn closing(open: u8) -> u8 {
    if open == b'[' { b']' } else { b'}' }
}

#[cfg(test)]
mod tests {
    use super::is_json;

    #[test]
    fn accepts_objects_and_arrays_and_their_prefixes() {
        for text in ["{}", "[]", " [1, -2.5e3, true, null]\n", r#"{"a": {"b": ["\"", {}]}}"#] {
            assert!(is_json(text.as_bytes()), "{text}");
            for end in text.find(['{', '[']).unwrap() + 1..text.len() {
                assert!(is_json(&text.as_bytes()[..end]), "{}", &text[..end]);
            }
        }
    }

    #[test]
    fn rejects_other_text() {
        for text in ["", "1", "\"a\"", "[section]", "{a: 1}", "{} x", "[1 2]", "{\"a\" 1}", "[1}"] {
            assert!(!is_json(text.as_bytes()), "{text}");
        }
    }
}
