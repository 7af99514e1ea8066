//! Media type by file name extension.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Media type of the file name's last extension, in any case; `None` for unknown extensions and
/// for compressed forms (`.svgz`, `.tar.gz`), whose content is not what the name says.
pub fn from_name(filename: &str) -> Option<&'static str> {
    let base = filename.rsplit('/').next()?;
    let (stem, extension) = base.rsplit_once('.')?;
    // A name of a dot and a word has no extension: `.bashrc`
    if stem.chars().all(|character| character == '.') {
        return None;
    }
    BY_EXTENSION.get(extension.to_ascii_lowercase().as_str()).copied()
}

/// What Debian 12's tables, Python's and the reference's additions come to (spec C.2). Fixed here,
/// because the reference's result otherwise depends on the machine it runs on.
static BY_EXTENSION: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| include_str!("extensions.tsv").lines().filter_map(row).collect());

fn row(line: &'static str) -> Option<(&'static str, &'static str)> {
    line.split_once('\t')
}

#[cfg(test)]
mod tests {
    use super::from_name;

    #[test]
    fn extension_decides() {
        assert_eq!(from_name("a.PNG"), Some("image/png"));
        assert_eq!(from_name("dir.txt/a.b.docx").map(|t| t.ends_with("document")), Some(true));
        assert_eq!(from_name("song.m4a"), Some("audio/mp4"));
    }

    #[test]
    fn no_extension_no_type() {
        for name in ["", "a", ".png", "..png", "a.", "a.nothing", "a.tar.gz", "a.svgz", "b.png/a"] {
            assert_eq!(from_name(name), None, "{name}");
        }
    }
}
