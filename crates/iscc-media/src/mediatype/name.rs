//! Media type by file name extension.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Media type of the file name's last extension, ignoring case. `None` for unknown extensions and
/// for compressed forms (`.svgz`, `.tar.gz`), whose content has another type.
pub fn from_name(filename: &str) -> Option<&'static str> {
    let base = filename.rsplit('/').next()?;
    let (stem, extension) = base.rsplit_once('.')?;
    // A name such as `.bashrc` has no extension.
    if stem.chars().all(|character| character == '.') {
        return None;
    }
    BY_EXTENSION.get(extension.to_ascii_lowercase().as_str()).copied()
}

/// The union of Debian 12's tables, Python's and the reference's additions. Fixed here,
/// because the reference's own result depends on the machine it runs on.
static BY_EXTENSION: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| include_str!("extensions.tsv").lines().filter_map(row).collect());

fn row(line: &'static str) -> Option<(&'static str, &'static str)> {
    line.split_once('\t')
}

#[cfg(test)]
mod tests {
    use super::from_name;

    #[test]
    fn maps_extensions_ignoring_case() {
        assert_eq!(from_name("a.PNG"), Some("image/png"));
        assert_eq!(from_name("dir.txt/a.b.docx").map(|t| t.ends_with("document")), Some(true));
        assert_eq!(from_name("song.m4a"), Some("audio/mp4"));
    }

    #[test]
    fn names_without_known_extension_have_no_type() {
        for name in ["", "a", ".png", "..png", "a.", "a.nothing", "a.tar.gz", "a.svgz", "b.png/a"] {
            assert_eq!(from_name(name), None, "{name}");
        }
    }
}
