//! From the tags of sound and films to fields of a result: the tables of `src/services/codes/pipeline/formats`.

use iscc_content::title::Fields;

/// Tag and field. The first tag of a field that the file has wins.
type Table = [(&'static str, &'static str)];

/// Names of Vorbis comments; those of MP4 can't contain a colon.
const SOUND: &Table = &[
    ("ISCC:NAME", "name"),
    ("ISCC:DESCRIPTION", "description"),
    ("ISCC:META", "meta"),
    ("ISCC:LICENSE", "license"),
    ("ISCC:ACQUIRE", "acquire"),
    ("ISCC:CREDIT", "credit"),
    ("ISCC:IDENTIFIER", "identifier"),
    ("ISCC_NAME", "name"),
    ("ISCC_DESCRIPTION", "description"),
    ("ISCC_META", "meta"),
    ("ISCC_LICENSE", "license"),
    ("ISCC_ACQUIRE", "acquire"),
    ("ISCC_CREDIT", "credit"),
    ("ISCC_IDENTIFIER", "identifier"),
    ("TITLE", "name"),
    ("COMPOSER", "creator"),
    ("ORIGINALARTIST", "creator"),
    ("ARTIST", "creator"),
    ("ALBUMARTIST", "creator"),
    ("LICENSE", "license"),
    ("COPYRIGHT", "rights"),
    ("KEYWORDS", "keywords"),
    ("LANGUAGE", "language"),
    ("URL", "acquire"),
    ("ARTISTWEBPAGE", "acquire"),
];

const FILM: &Table = &[
    ("iscc_name", "name"),
    ("iscc_description", "description"),
    ("iscc_meta", "meta"),
    ("title", "name"),
    ("track", "name"),
    ("show", "name"),
    ("album", "name"),
    ("description", "description"),
    ("synopsis", "description"),
    ("comment", "description"),
    ("author", "creator"),
    ("composer", "creator"),
    ("artist", "creator"),
    ("album_artist", "creator"),
    ("copyright", "rights"),
    ("license", "license"),
    ("acquire", "acquire"),
    ("credit", "credit"),
    ("identifier", "identifier"),
    ("keywords", "keywords"),
];

/// FFmpeg's names of tags of sound that differ from those of Vorbis comments.
const RENAMED: [(&str, &str); 3] =
    [("ALBUM_ARTIST", "ALBUMARTIST"), ("TOPE", "ORIGINALARTIST"), ("WOAR", "ARTISTWEBPAGE")];

/// Marks a film whose values contain the two characters of a line break literally.
const VERBATIM: &str = "iscc_verbatim";

/// Tags of streams that the Meta-Code does not depend on, or that only ISCC software writes.
const OF_STREAMS: [&str; 11] = [
    "iscc_name",
    "iscc_description",
    "iscc_meta",
    "author",
    "copyright",
    "license",
    "acquire",
    "credit",
    "identifier",
    "keywords",
    VERBATIM,
];

/// Canonical forms of codes of languages, by Unicode CLDR: `ger de`.
const LANGUAGES: &str = include_str!("languages.txt");

/// Fields of sound, by upper-case names of Vorbis comments, with the language among them.
pub fn of_sound<'a>(value_of: impl Fn(&str) -> Option<&'a str>) -> Fields {
    mapped(SOUND, value_of)
}

/// The Vorbis name of a tag that FFmpeg names.
pub fn vorbis_name(name: &str) -> String {
    let name = name.to_uppercase();
    let known = RENAMED.iter().find(|(ffmpeg, _)| *ffmpeg == name);
    known.map_or(name, |(_, vorbis)| (*vorbis).to_owned())
}

/// Fields of a film, by lower-case names.
pub fn of_film<'a>(value_of: impl Fn(&str) -> Option<&'a str>) -> Fields {
    let is_verbatim = value_of(VERBATIM).is_some();
    let mut fields = mapped(FILM, value_of);
    if !is_verbatim {
        // Line breaks are stored as these two characters, as the reference does.
        fields.values_mut().for_each(|value| *value = value.replace("\\n", "\n"));
    }
    fields
}

/// Whether a tag of a stream counts in an Ogg film.
pub fn is_of_stream(name: &str) -> bool {
    OF_STREAMS.contains(&name)
}

fn mapped<'a>(table: &Table, value_of: impl Fn(&str) -> Option<&'a str>) -> Fields {
    let mut fields = Fields::new();
    for (tag, field) in table {
        if let Some(value) = value_of(tag).filter(|value| !value.is_empty()) {
            fields.entry(field).or_insert_with(|| value.to_owned());
        }
    }
    fields
}

/// BCP 47 form of an ISO 639-2 code (`ger` becomes `de`) or of a tag; `None` if it is neither.
pub fn language_tag(text: &str) -> Option<String> {
    let text = text.replace('_', "-");
    let mut parts = text.split('-');
    let language = parts.next()?.to_ascii_lowercase();
    let is_language =
        matches!(language.len(), 2 | 3) && language.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_language {
        return None;
    }
    let alias = LANGUAGES.lines().filter_map(|line| line.split_once(' '));
    let canonical = alias.clone().find(|(code, _)| *code == language);
    let mut tag = canonical.map_or(language, |(_, canonical)| canonical.to_owned());
    for part in parts {
        tag.push('-');
        tag.push_str(&subtag(part)?);
    }
    Some(tag)
}

/// A script or region; other subtags are rare.
fn subtag(part: &str) -> Option<String> {
    let is_alphabetic = part.bytes().all(|byte| byte.is_ascii_alphabetic());
    match part.len() {
        2 if is_alphabetic => Some(part.to_ascii_uppercase()),
        3 if part.bytes().all(|byte| byte.is_ascii_digit()) => Some(part.to_owned()),
        4 if is_alphabetic => {
            let (first, rest) = part.split_at(1);
            Some(first.to_ascii_uppercase() + &rest.to_ascii_lowercase())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{language_tag, of_film};

    #[test]
    fn languages_have_their_shortest_code() {
        let tags = [
            ("ger", Some("de")),
            ("eng", Some("en")),
            ("und", Some("und")),
            ("EN_us", Some("en-US")),
            ("zh-hant", Some("zh-Hant")),
            ("English", None),
            ("e", None),
        ];
        for (text, tag) in tags {
            assert_eq!(language_tag(text).as_deref(), tag, "{text}");
        }
    }

    #[test]
    fn line_breaks_of_films_are_two_characters_unless_marked() {
        let value = |name: &str| (name == "title").then_some("a\\nb");
        assert_eq!(of_film(value)["name"], "a\nb");
        let marked = |name: &str| (name == "title" || name == "iscc_verbatim").then_some("a\\nb");
        assert_eq!(of_film(marked)["name"], "a\\nb");
    }
}
