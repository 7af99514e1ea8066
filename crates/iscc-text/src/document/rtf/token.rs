//! Lexical elements of RTF (specification 1.9.1, "RTF Syntax").

/// A lexical element.
pub enum Token<'a> {
    Open,
    Close,
    /// A control word and its parameter.
    Word {
        name: &'a str,
        value: Option<i32>,
    },
    /// A control symbol.
    Symbol(u8),
    /// `\'hh`: a byte in the current code page.
    Byte(u8),
    /// Literal bytes.
    Plain(&'a [u8]),
}

impl<'a> Token<'a> {
    /// Splits the first token off; `None` at the end of the input.
    pub fn next(rest: &'a [u8]) -> Option<(Self, &'a [u8])> {
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
