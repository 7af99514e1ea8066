//! A name for files without a title.

/// The file name without its last extension, with `-` and `_` replaced by spaces. May be empty.
pub fn from_filename(filename: &str) -> String {
    let base = filename.rsplit('/').next().unwrap_or_default();
    let stem = match base.rsplit_once('.') {
        // Leading dots are part of the name.
        Some((stem, _)) if !stem.trim_start_matches('.').is_empty() => stem,
        _ => base,
    };
    stem.replace(['-', '_'], " ")
}

#[cfg(test)]
mod tests {
    use super::from_filename;

    #[test]
    fn drops_folder_and_extension_and_replaces_separators() {
        assert_eq!(from_filename("photo-q85_a.jpg"), "photo q85 a");
        assert_eq!(from_filename("archive.tar.gz"), "archive.tar");
        assert_eq!(from_filename("dir/no-extension"), "no extension");
        assert_eq!(from_filename(".hidden"), ".hidden");
        assert_eq!(from_filename(""), "");
    }
}
