//! Tags of audio files, under TagLib's property names for all containers.

use std::io::{BufReader, Read, Seek};

use lofty::ape::ApeTag;
use lofty::config::ParseOptions;
use lofty::file::{AudioFile, TaggedFile, TaggedFileExt};
use lofty::id3::v2::{Frame, Id3v2Tag};
use lofty::mp4::{AtomData, AtomIdent, Ilst};
use lofty::ogg::tag::VorbisComments;
use lofty::picture::Picture;
use lofty::probe::Probe;
use lofty::tag::{ItemKey, ItemValue, Tag, TagType};

mod chunks;
mod embed;
mod frames;
mod generic;
mod guard;

pub use embed::embed;

/// The owner that most tools write into freeform atoms of MP4.
const MP4_OWNER: &str = "com.apple.iTunes";

/// Why tags can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TagError {
    /// The file is damaged or not a supported audio container.
    #[error("audio tags: {0}")]
    Damaged(String),
    /// The tags ask for more work than any program's: other readers must not try them either.
    #[error("audio tags: {0}")]
    TooCostly(&'static str),
}

impl TagError {
    fn new(error: impl std::fmt::Display) -> Self {
        Self::Damaged(error.to_string())
    }
}

/// Tags and playing time of an audio file.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct AudioTags {
    /// Property names (upper case) and values, in the file's order.
    pub properties: Vec<(String, String)>,
    /// The image file of the first attached picture.
    pub cover: Option<Vec<u8>>,
    /// Playing time in seconds.
    pub duration_seconds: f64,
    /// Samples per second and channel; `None` if unknown.
    pub sample_rate_hz: Option<u32>,
}

impl AudioTags {
    /// The first value of a property.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }
}

/// Reads tags, cover and playing time. Audio data is skipped where the container allows.
pub fn read<R: Read + Seek>(reader: R) -> Result<AudioTags, TagError> {
    let file = open(reader)?;
    let mut tags = AudioTags {
        duration_seconds: file.properties().duration().as_secs_f64(),
        sample_rate_hz: file.properties().sample_rate(),
        ..AudioTags::default()
    };
    // The container's primary kind of tag comes first. WAV and MP3 may have older kinds. ID3v1 is last,
    // for it cuts texts after 30 characters.
    let primary = file.primary_tag_type();
    let mut ordered: Vec<&Tag> = file.tags().iter().collect();
    ordered.sort_by_key(|tag| match tag.tag_type() {
        kind if kind == primary => 0,
        TagType::Id3v1 => 2,
        _ => 1,
    });
    for tag in ordered {
        properties_of(tag, &mut tags.properties);
        if tags.cover.is_none() {
            tags.cover = tag.pictures().first().map(Picture::data).map(<[u8]>::to_vec);
        }
    }
    Ok(tags)
}

/// A property to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Property<'a> {
    /// TagLib's name
    pub name: &'a str,
    /// The new value; replaces all old ones
    pub value: &'a str,
    /// Whether the property is only written where the file has it already
    pub only_existing: bool,
}

/// The key of a property that most kinds of tags have.
fn common_key(name: &str) -> Option<ItemKey> {
    COMMON.iter().chain(&WRITTEN).find(|(_, it)| *it == name).map(|(key, _)| *key)
}

/// Keys that are only written.
const WRITTEN: [(ItemKey, &str); 3] = [
    (ItemKey::Comment, "COMMENT"),
    (ItemKey::Description, "DESCRIPTION"),
    (ItemKey::CopyrightUrl, "COPYRIGHTURL"),
];

fn open<R: Read + Seek>(mut reader: R) -> Result<TaggedFile, TagError> {
    guard::check(&mut reader)?;
    reader.rewind().map_err(TagError::new)?;
    Probe::new(BufReader::new(reader))
        .options(ParseOptions::new())
        .guess_file_type()
        .map_err(TagError::new)?
        .read()
        .map_err(TagError::new)
}

/// Keys that all kinds of tags share, and TagLib's name of each.
const COMMON: [(ItemKey, &str); 12] = [
    (ItemKey::TrackTitle, "TITLE"),
    (ItemKey::Composer, "COMPOSER"),
    (ItemKey::OriginalArtist, "ORIGINALARTIST"),
    (ItemKey::TrackArtist, "ARTIST"),
    (ItemKey::AlbumArtist, "ALBUMARTIST"),
    (ItemKey::License, "LICENSE"),
    (ItemKey::CopyrightMessage, "COPYRIGHT"),
    (ItemKey::Language, "LANGUAGE"),
    (ItemKey::TrackArtistUrl, "ARTISTWEBPAGE"),
    (ItemKey::AudioFileUrl, "FILEWEBPAGE"),
    (ItemKey::PaymentUrl, "PAYMENTWEBPAGE"),
    (ItemKey::PodcastKeywords, "KEYWORDS"),
];

fn properties_of(tag: &Tag, properties: &mut Vec<(String, String)>) {
    for (key, name) in &COMMON {
        let values = tag.get_strings(*key);
        // Some programs fill the fields of ID3v1 with blanks.
        let is_padded = tag.tag_type() == TagType::Id3v1;
        let values = values.map(|value| if is_padded { value.trim() } else { value });
        properties.extend(values.map(|value| ((*name).to_owned(), value.to_owned())));
    }
    match tag.tag_type() {
        TagType::Id3v2 => {
            for frame in &Id3v2Tag::from(tag.clone()) {
                match frame {
                    Frame::UserText(text) => {
                        properties
                            .push((text.description.to_uppercase(), text.content.to_string()));
                    }
                    Frame::UserUrl(url) => {
                        let name =
                            if url.description.is_empty() { "URL" } else { &url.description };
                        properties.push((name.to_uppercase(), url.content.to_string()));
                    }
                    _ => {}
                }
            }
        }
        TagType::VorbisComments => {
            let comments = VorbisComments::from(tag.clone());
            let items = comments.items();
            properties.extend(items.map(|(key, value)| (key.to_uppercase(), value.to_owned())));
        }
        TagType::Mp4Ilst => {
            for atom in &Ilst::from(tag.clone()) {
                if let AtomIdent::Freeform { mean, name } = atom.ident()
                    && mean == MP4_OWNER
                {
                    properties.extend(atom.data().filter_map(|data| match data {
                        AtomData::UTF8(value) => Some((name.to_uppercase(), value.clone())),
                        _ => None,
                    }));
                }
            }
        }
        TagType::Ape => {
            for item in &ApeTag::from(tag.clone()) {
                if let ItemValue::Text(value) = item.value() {
                    properties.push((item.key().to_uppercase(), value.clone()));
                }
            }
        }
        _ => {}
    }
}
