//! A name for files that have no title.

/// The file name without its last extension, with `-` and `_` as spaces; may be empty.
pub fn from_filename(filename: &str) -> String {
    let base = filename.rsplit('/').next().unwrap_or_default();
    let stem = match base.rsplit_once('.') {
        // Leading dots belong to the name.
        Some((stem, _)) if !stem.trim_start_matches('.').is_empty() => stem,
        _ => base,
    };
    stem.replace(['-', '_'], " ")
}

#[cfg(test)]
mod tests {
    use super::from_filename;

    #[test]
    fn stems_become_names() {
        assert_eq!(from_filename("photo-q85_a.jpg"), "photo q85 a");
        assert_eq!(from_filename("archive.tar.gz"), "archive.tar");
        assert_eq!(from_filename("dir/no-extension"), "no extension");
        assert_eq!(from_filename(".hidden"), ".hidden");
        assert_eq!(from_filename(""), "");
    }
}
