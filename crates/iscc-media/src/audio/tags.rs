//! Tags of audio files, under TagLib's property names for all containers.

use std::io::{BufReader, Read, Seek};

use lofty::config::{ParseOptions, WriteOptions};
use lofty::file::{AudioFile, FileType, TaggedFile, TaggedFileExt};
use lofty::id3::v2::{ExtendedTextFrame, Frame, Id3v2Tag};
use lofty::io::FileLike;
use lofty::mp4::{Atom, AtomData, AtomIdent, Ilst};
use lofty::ogg::tag::VorbisComments;
use lofty::picture::Picture;
use lofty::probe::Probe;
use lofty::tag::{ItemKey, Tag, TagExt, TagItem, TagType};
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

/// Sets `properties` in the file itself; pass a copy.
///
/// Keeps all other properties. Audio data may move but does not change. Tags of other kinds in the
/// same file, such as ID3v1 after ID3v2, get the same values.
pub fn embed<F: FileLike>(copy: &mut F, properties: &[Property<'_>]) -> Result<(), TagError> {
    let file = open(&mut *copy)?;
    copy.rewind().map_err(TagError::new)?;
    let primary = file.primary_tag_type();
    let mut others: Vec<Tag> =
        file.tags().iter().filter(|tag| tag.tag_type() != primary).cloned().collect();
    // Many programs read only this list of WAV files.
    if file.file_type() == FileType::Wav
        && !others.iter().any(|it| it.tag_type() == TagType::RiffInfo)
    {
        others.push(Tag::new(TagType::RiffInfo));
    }
    let tag = file.primary_tag().cloned().unwrap_or_else(|| Tag::new(primary));
    write_primary(copy, tag, properties)?;
    for mut tag in others {
        let is_list = tag.tag_type() == TagType::RiffInfo;
        for property in properties {
            if let Some(key) = common_key(property.name)
                && (tag.get_string(key).is_some() || is_list && !property.only_existing)
            {
                set(&mut tag, key, property.value);
            }
        }
        copy.rewind().map_err(TagError::new)?;
        tag.save_to(copy, WriteOptions::default()).map_err(TagError::new)?;
    }
    Ok(())
}

/// Sets a value in place of all old ones. `false` if this kind of tag has no such property.
fn set(tag: &mut Tag, key: ItemKey, value: &str) -> bool {
    let is_address =
        matches!(key, ItemKey::CopyrightUrl | ItemKey::PaymentUrl | ItemKey::TrackArtistUrl);
    let content = if is_address { ItemValue::Locator } else { ItemValue::Text };
    tag.remove_key(key);
    tag.insert(TagItem::new(key, content(value.to_owned())))
}

fn write_primary<F: FileLike>(
    copy: &mut F,
    mut tag: Tag,
    properties: &[Property<'_>],
) -> Result<(), TagError> {
    let mut free: Vec<&Property<'_>> = Vec::new();
    for property in properties {
        let key = common_key(property.name);
        let is_skipped =
            property.only_existing && key.is_some_and(|key| tag.get_string(key).is_none());
        if is_skipped || key.is_some_and(|key| set(&mut tag, key, property.value)) {
            continue;
        }
        free.push(property);
    }
    let options = WriteOptions::default();
    match tag.tag_type() {
        TagType::Id3v2 => {
            let mut tag = Id3v2Tag::from(tag);
            for property in properties {
                let is_added = !property.only_existing && free.contains(&property);
                set_user_text(&mut tag, property, is_added);
            }
            sort_frames(&mut tag);
            tag.save_to(copy, options).map_err(TagError::new)
        }
        TagType::VorbisComments => {
            let mut tag = VorbisComments::from(tag);
            for Property { name, value, only_existing } in free {
                if !only_existing || tag.get(name).is_some() {
                    tag.insert((*name).to_owned(), (*value).to_owned());
                }
            }
            // They are in random order; the same properties must give the same file.
            let mut items: Vec<_> = tag.take_items().collect();
            items.sort();
            for (name, value) in items {
                tag.push(name, value);
            }
            tag.save_to(copy, options).map_err(TagError::new)
        }
        TagType::Mp4Ilst => {
            let mut tag = Ilst::from(tag);
            for Property { name, value, only_existing } in free {
                let ident =
                    AtomIdent::Freeform { mean: MP4_OWNER.into(), name: (*name).to_owned().into() };
                if !only_existing || tag.get(&ident).is_some() {
                    tag.replace_atom(Atom::new(ident, AtomData::UTF8((*value).to_owned())));
                }
            }
            tag.save_to(copy, options).map_err(TagError::new)
        }
        TagType::Ape => {
            let mut tag = ApeTag::from(tag);
            for Property { name, value, only_existing } in free {
                if !only_existing || tag.get(name).is_some() {
                    let value = ItemValue::Text((*value).to_owned());
                    tag.insert(ApeItem::new((*name).to_owned(), value).map_err(TagError::new)?);
                }
            }
            tag.save_to(copy, options).map_err(TagError::new)
        }
        other => Err(TagError(format!("{other:?} tags cannot be written"))),
    }
}

/// Sets the user-defined text of this name, whose case readers ignore. Some programs store a comment
/// only there, so texts that exist are also set for properties with a frame of their own.
fn set_user_text(tag: &mut Id3v2Tag, property: &Property<'_>, is_added: bool) {
    let Property { name, value, .. } = *property;
    let mut is_found = false;
    tag.retain_mut(|frame| {
        let Frame::UserText(text) = frame else { return true };
        if !text.description.eq_ignore_ascii_case(name) {
            return true;
        }
        text.encoding = TextEncoding::UTF16;
        text.content = value.to_owned().into();
        !std::mem::replace(&mut is_found, true)
    });
    if is_added && !is_found {
        let (name, value) = (name.to_owned(), value.to_owned());
        let frame = ExtendedTextFrame::new(TextEncoding::UTF16, name, value);
        tag.insert(Frame::UserText(frame));
    }
}

/// Sorts frames, which are in random order, so that the same properties give the same file.
fn sort_frames(tag: &mut Id3v2Tag) {
    let mut frames: Vec<_> = tag.clone().into_iter().collect();
    frames.sort_by_cached_key(|frame| {
        let description = match frame {
            Frame::Comment(text) => text.description.to_string(),
            Frame::UnsynchronizedText(text) => text.description.to_string(),
            Frame::UserText(text) => text.description.to_string(),
            Frame::UserUrl(url) => url.description.to_string(),
            _ => String::new(),
        };
        (frame.id_str().to_owned(), description)
    });
    let mut sorted = frames.into_iter();
    tag.retain_mut(|frame| sorted.next().map(|next| *frame = next).is_some());
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

fn open<R: Read + Seek>(reader: R) -> Result<TaggedFile, TagError> {
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
