//! The Meta-Code of a file from the metadata in it, and the rules of file names: those of `src/iscc/file-meta.ts` and
//! `src/iscc/filename.ts`, which pages need without this crate. `test/cli/isccd-code.test.ts` compares both.

use std::collections::BTreeMap;

use iscc_codec::Kind;
use iscc_units::meta::{self, Meta, MetaCode, MetaError, Metadata};
use iscc_units::text;

/// Bytes per field of a result.
pub const FIELD_BYTES_MAX: usize = 192 << 10;
/// One byte below the limit of file systems, because reserved names get an underscore.
const FILENAME_BYTES_MAX: usize = 254;
const EXTENSION_CHARACTERS_MAX: usize = 16;
/// Fields that are cut. The others are dropped, because a cut URL or Data-URL would be wrong.
const CUT: [&str; 6] = ["name", "description", "creator", "credit", "rights", "keywords"];

/// Fields of a file's metadata by their name.
pub type Fields = BTreeMap<&'static str, String>;

/// Fields that replace those of the file.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Title; empty: that of the file name
    pub name: Option<String>,
    /// Description
    pub description: Option<String>,
    /// A base64 Data-URL, or the text of a JSON object
    pub meta: Option<String>,
}

/// A file with its Meta-Code.
#[derive(Debug, Clone)]
pub struct Titled {
    /// The Meta-Code
    pub unit: String,
    /// Multihash of what the Meta-Code covers
    pub metahash: String,
    /// Metadata, with name and description as hashed
    pub metadata: Fields,
}

/// The Meta-Code of a file and its metadata. `embedded` are the fields that were read from it.
pub fn titled(filename: &str, embedded: Fields, given: &Given) -> Result<Titled, MetaError> {
    let mut metadata = limited(embedded);
    let title = given.name.clone().or_else(|| metadata.get("name").cloned());
    let name =
        title.filter(|title| !is_blank(&text::clean(title))).unwrap_or_else(|| title_of(filename));
    if let Some(description) = &given.description {
        metadata.insert("description", description.clone());
    }
    let described = metadata.get("description").cloned().unwrap_or_default();
    let further = given.meta.clone().or_else(|| metadata.get("meta").cloned()).unwrap_or_default();
    let code = code(&name, &described, &further)?;
    if given.description.is_some() {
        metadata.remove("description");
    }
    if given.meta.is_some() {
        metadata.remove("meta");
        metadata.extend(code.meta.map(|meta| ("meta", meta)));
    }
    metadata.insert("name", code.name);
    metadata.extend(code.description.map(|description| ("description", description)));
    let unit = crate::unit(Kind::META, &code.digest, crate::UNIT_BITS);
    // A Meta-Code has 256 bits.
    Ok(Titled { unit: unit.unwrap_or_default(), metahash: code.metahash, metadata })
}

/// The Meta-Code of a name, a description and further metadata, a Data-URL or JSON.
pub fn code(name: &str, description: &str, further: &str) -> Result<MetaCode, MetaError> {
    let is_url = further.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"));
    let meta = match further {
        "" => Meta::None,
        url if is_url => Meta::DataUrl(url),
        json => Meta::Json(json),
    };
    meta::code(Metadata { name, description, meta })
}

/// Cuts or drops fields above [`FIELD_BYTES_MAX`].
pub fn limited(fields: Fields) -> Fields {
    let limit = |(name, mut value): (&'static str, String)| {
        if value.len() <= FIELD_BYTES_MAX {
            return Some((name, value));
        }
        value.truncate(value.floor_char_boundary(FIELD_BYTES_MAX));
        CUT.contains(&name).then_some((name, value))
    };
    fields.into_iter().filter_map(limit).collect()
}

/// A title of a file name: `my-notes_v2.txt` becomes "my notes v2".
pub fn title_of(filename: &str) -> String {
    let stem = match filename.rfind('.') {
        Some(dot) if dot > 0 && !filename[..dot].ends_with('.') => &filename[..dot],
        _ => filename,
    };
    stem.replace(['-', '_'], " ")
}

/// A single path segment without special meaning on any file system; may be empty.
pub fn sanitized(name: &str) -> String {
    let allowed: String = name
        .chars()
        .filter(|character| !character.is_control() && !"/\\:*?\"<>|".contains(*character))
        .collect();
    let short = shortened(&allowed);
    let trimmed = short.trim_start_matches(' ').trim_end_matches([' ', '.']);
    if is_blank(trimmed) {
        return String::new();
    }
    let root = trimmed.split('.').next().unwrap_or_default();
    match is_reserved(root) {
        true => format!("{root}_{}", &trimmed[root.len()..]),
        false => trimmed.to_owned(),
    }
}

/// Whether a text is all that JavaScript trims: unlike Rust, also byte order marks.
fn is_blank(text: &str) -> bool {
    text.chars().all(|character| character == '\u{feff}' || character.is_whitespace())
}

/// Windows device names.
fn is_reserved(root: &str) -> bool {
    let root = root.to_lowercase();
    let numbered = |name: &str| {
        let number = root.strip_prefix(name).unwrap_or_default();
        let mut characters = number.chars();
        characters
            .next()
            .is_some_and(|digit| digit.is_ascii_digit() || "\u{b9}\u{b2}\u{b3}".contains(digit))
            && characters.next().is_none()
    };
    ["con", "prn", "aux", "nul", "clock$"].contains(&root.as_str())
        || numbered("com")
        || numbered("lpt")
}

/// Cuts the stem and keeps the extension, which determines the format.
fn shortened(name: &str) -> String {
    if name.len() <= FILENAME_BYTES_MAX {
        return name.to_owned();
    }
    let units = |text: &str| text.encode_utf16().count();
    let extension = name.rfind('.').map(|dot| &name[dot..]).unwrap_or_default();
    let extension = match units(extension) {
        2..=17 => extension,
        _ => "",
    };
    debug_assert!(units(extension) <= EXTENSION_CHARACTERS_MAX + 1);
    let stem = &name[..name.len() - extension.len()];
    let end = stem.floor_char_boundary(FILENAME_BYTES_MAX - extension.len());
    format!("{}{extension}", &stem[..end])
}

#[cfg(test)]
mod tests {
    use super::{Given, sanitized, title_of, titled};

    #[test]
    fn titles_come_from_file_names() {
        let titles = [
            ("my-notes_v2.txt", "my notes v2"),
            (".hidden", ".hidden"),
            ("a..b", "a..b"),
            ("archive.tar.gz", "archive.tar"),
            ("plain", "plain"),
        ];
        for (filename, title) in titles {
            assert_eq!(title_of(filename), title, "{filename}");
        }
    }

    #[test]
    fn names_are_safe_for_every_file_system() {
        let names = [
            ("a/b\\c:d.txt", "abcd.txt"),
            ("  leading", "leading"),
            ("trailing. .", "trailing"),
            ("con.txt", "con_.txt"),
            ("LPT\u{b9}", "LPT\u{b9}_"),
            ("com10.txt", "com10.txt"),
            ("\u{7f}\u{85}", ""),
            (" . ", ""),
        ];
        for (name, safe) in names {
            assert_eq!(sanitized(name), safe, "{name:?}");
        }
        let long = sanitized(&format!("{}.jpeg", "ü".repeat(200)));
        assert_eq!(long, format!("{}.jpeg", "ü".repeat(124)));
    }

    #[test]
    fn given_fields_replace_those_of_the_file() {
        let embedded = [("name", "Read".to_owned()), ("description", "Text".to_owned())];
        let read = titled("file.txt", embedded.clone().into(), &Given::default()).expect("a code");
        assert_eq!(read.metadata["name"], "Read");
        let given = Given {
            name: Some(String::new()),
            description: Some(String::new()),
            meta: Some("{}".into()),
        };
        let titled = titled("my-file.txt", embedded.into(), &given).expect("a code");
        assert_eq!(titled.metadata["name"], "my file");
        assert!(!titled.metadata.contains_key("description"));
        assert_ne!(titled.unit, read.unit);
    }
}
