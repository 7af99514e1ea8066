//! Control words: those that end the header, those of groups without text, and those that stand for a character.

/// Words that end the header of a document. Text before them is not text of the document.
pub const BODY_WORDS: [&str; 9] =
    ["htmlrtf", "line", "ltrch", "par", "pard", "plain", "rtlch", "sect", "sectd"];

/// Groups of the header without text, in addition to those that start with `\*`. After it, the reference shows their text.
pub const HEADER_TABLES: [&str; 2] = ["colortbl", "stylesheet"];

/// The group with the number of a list paragraph for old readers, which has no text.
pub const OLD_NUMBER: &str = "listtext";

/// The text of a control word; empty for most.
pub fn character(word: &str) -> &'static str {
    match word {
        "par" | "line" | "cell" | "page" | "softline" | "softpage" => "\n",
        "tab" => "\t",
        "column" | "softcol" => " ",
        "emdash" => "\u{2014}",
        "endash" => "\u{2013}",
        "emspace" => "\u{2003}",
        "enspace" => "\u{2002}",
        "qmspace" => "\u{2005}",
        "lquote" => "\u{2018}",
        "rquote" => "\u{2019}",
        "ldblquote" => "\u{201c}",
        "rdblquote" => "\u{201d}",
        "bullet" => "\u{2022}",
        _ => "",
    }
}
