//! Standard output.

use std::io::{self, ErrorKind, Write};

use crate::failure::{EXIT_FAILED, Failed};

/// Writes text. A closed pipe ends the command without a message.
pub fn text(text: &str) -> Result<(), Failed> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|error| {
        match error.kind() {
            ErrorKind::BrokenPipe => Failed::new(0, ""),
            _ => Failed::new(EXIT_FAILED, format!("standard output can't be written: {error}")),
        }
    })
}

/// One line in which control characters and changes of direction are escaped, for terminals.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' => {
                safe.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            control if control.is_control() => {
                safe.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn controls_are_escaped() {
        assert_eq!(printable("a\u{1b}[1m\n\u{202e}ü"), "a\\u001b[1m\\n\\u202eü");
    }
}
