//! Encodings of RTF: the document's code page and the character sets of fonts.

use std::collections::HashMap;

use encoding_rs::{Encoding, WINDOWS_1252};

/// Encodings by font number.
#[derive(Default)]
pub struct Fonts {
    encodings: HashMap<i32, &'static Encoding>,
    /// The font that the font table is defining.
    defining: i32,
}

impl Fonts {
    /// Starts the definition of a font.
    pub fn define(&mut self, font: i32) {
        self.defining = font;
    }

    /// Sets the character set (`\fcharset`) of the font that is being defined.
    pub fn set_charset(&mut self, charset: i32) {
        if let Some(encoding) = of_charset(charset) {
            self.encodings.insert(self.defining, encoding);
        }
    }

    /// The encoding of a font; `None` if it uses the document's code page.
    pub fn encoding(&self, font: i32) -> Option<&'static Encoding> {
        self.encodings.get(&font).copied()
    }
}

/// The encoding of a Windows code page (`\ansicpg`); windows-1252 for unknown ones.
pub fn of_code_page(number: i32) -> &'static Encoding {
    let label = match number {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10_000 => "macintosh".to_owned(),
        20_866 => "koi8-r".to_owned(),
        21_866 => "koi8-u".to_owned(),
        part @ 28_592..=28_606 => format!("iso-8859-{}", part - 28_590),
        50_220..=50_222 => "iso-2022-jp".to_owned(),
        51_932 => "euc-jp".to_owned(),
        54_936 => "gb18030".to_owned(),
        65_001 => "utf-8".to_owned(),
        other => format!("windows-{other}"),
    };
    Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252)
}

/// The encoding of a font's character set; `None` for default, symbol and unknown sets.
pub fn of_charset(charset: i32) -> Option<&'static Encoding> {
    let code_page = match charset {
        0 => 1252,
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    };
    Some(of_code_page(code_page))
}
