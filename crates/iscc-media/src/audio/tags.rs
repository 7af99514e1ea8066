//! Tags of audio files, under TagLib's property names for all containers.

use std::io::{BufReader, Read, Seek};

use lofty::config::{ParseOptions, WriteOptions};
use lofty::file::{AudioFile, TaggedFile, TaggedFileExt};
use lofty::id3::v2::{ExtendedTextFrame, Frame, Id3v2Tag};
use lofty::io::FileLike;
use lofty::mp4::{Atom, AtomData, AtomIdent, Ilst};
use lofty::ogg::tag::VorbisComments;
use lofty::picture::Picture;
use lofty::probe::Probe;
use lofty::tag::{Accessor, ItemKey, Tag, TagExt, TagType};
use lofty::{TextEncoding, ape::ApeItem, ape::ApeTag, tag::ItemValue};

/// The owner that most tools write into freeform atoms of MP4.
const MP4_OWNER: &str = "com.apple.iTunes";

/// The file is damaged or not a supported audio container.
#[derive(Debug, thiserror::Error)]
#[error("audio tags: {0}")]
pub struct TagError(String);

impl TagError {
    fn new(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
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
        ..AudioTags::default()
    };
    // The container's primary kind of tag comes first. WAV and MP3 may have a second, older kind.
    let primary = file.primary_tag_type();
    let ordered = file.primary_tag().into_iter();
    for tag in ordered.chain(file.tags().iter().filter(|tag| tag.tag_type() != primary)) {
        properties_of(tag, &mut tags.properties);
        if tags.cover.is_none() {
            tags.cover = tag.pictures().first().map(Picture::data).map(<[u8]>::to_vec);
        }
    }
    Ok(tags)
}

/// Sets the title, if given, and `properties` in the file itself; pass a copy.
///
/// Keeps all other properties. Audio data may move but does not change.
pub fn embed<F: FileLike>(
    copy: &mut F,
    title: Option<&str>,
    properties: &[(&str, &str)],
) -> Result<(), TagError> {
    let file = open(&mut *copy)?;
    copy.rewind().map_err(TagError::new)?;
    let kind = file.primary_tag_type();
    let mut tag = file.primary_tag().cloned().unwrap_or_else(|| Tag::new(kind));
    if let Some(title) = title {
        tag.set_title(title.to_owned());
    }
    let options = WriteOptions::default();
    match kind {
        TagType::Id3v2 => {
            let mut tag = Id3v2Tag::from(tag);
            for (name, value) in properties {
                let (name, value) = ((*name).to_owned(), (*value).to_owned());
                let frame = ExtendedTextFrame::new(TextEncoding::UTF16, name, value);
                tag.insert(Frame::UserText(frame));
            }
            tag.save_to(copy, options).map_err(TagError::new)?;
        }
        TagType::VorbisComments => {
            let mut tag = VorbisComments::from(tag);
            for (name, value) in properties {
                tag.insert((*name).to_owned(), (*value).to_owned());
            }
            tag.save_to(copy, options).map_err(TagError::new)?;
        }
        TagType::Mp4Ilst => {
            let mut tag = Ilst::from(tag);
            for (name, value) in properties {
                let ident =
                    AtomIdent::Freeform { mean: MP4_OWNER.into(), name: (*name).to_owned().into() };
                tag.replace_atom(Atom::new(ident, AtomData::UTF8((*value).to_owned())));
            }
            tag.save_to(copy, options).map_err(TagError::new)?;
        }
        TagType::Ape => {
            let mut tag = ApeTag::from(tag);
            for (name, value) in properties {
                let value = ItemValue::Text((*value).to_owned());
                tag.insert(ApeItem::new((*name).to_owned(), value).map_err(TagError::new)?);
            }
            tag.save_to(copy, options).map_err(TagError::new)?;
        }
        other => return Err(TagError(format!("{other:?} tags cannot be written"))),
    }
    Ok(())
}

fn open<R: Read + Seek>(reader: R) -> Result<TaggedFile, TagError> {
    Probe::new(BufReader::new(reader))
        .options(ParseOptions::new())
        .guess_file_type()
        .map_err(TagError::new)?
        .read()
        .map_err(TagError::new)
}

/// Keys that all kinds of tags share, and TagLib's name of each.
const COMMON: [(ItemKey, &str); 11] = [
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
];

fn properties_of(tag: &Tag, properties: &mut Vec<(String, String)>) {
    for (key, name) in &COMMON {
        let values = tag.get_strings(*key);
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
