//! Writes properties by means of lofty's conversion between kinds of tags. It may rename or drop what
//! is not submitted, so it is only for kinds of tags without an editor of their own.

use lofty::TextEncoding;
use lofty::config::WriteOptions;
use lofty::file::{TaggedFile, TaggedFileExt};
use lofty::id3::v2::{ExtendedTextFrame, Frame, Id3v2Tag};
use lofty::io::FileLike;
use lofty::mp4::{Atom, AtomData, AtomIdent, Ilst};
use lofty::tag::{ItemKey, ItemValue, Tag, TagExt, TagItem, TagType};

use super::{MP4_OWNER, Property, TagError, common_key, open};

/// Sets `properties` in the primary tag of the container and, where they exist, in others.
pub(super) fn embed<F: FileLike>(
    copy: &mut F,
    properties: &[Property<'_>],
) -> Result<(), TagError> {
    let file = parsed(copy)?;
    let tag = file.primary_tag().cloned();
    let tag = tag.unwrap_or_else(|| Tag::new(file.primary_tag_type()));
    write_primary(copy, tag, properties)?;
    embed_others(copy, others_of(&file), properties)
}

/// Whether the file has an ID3v2 tag, also not at its start.
pub(super) fn has_id3<F: FileLike>(copy: &mut F) -> bool {
    parsed(copy).is_ok_and(|file| file.tag(TagType::Id3v2).is_some())
}

/// Sets frames of an ID3v2 tag, and rewrites it as ID3v2.4.
pub(super) fn embed_id3<F: FileLike>(
    copy: &mut F,
    properties: &[Property<'_>],
) -> Result<(), TagError> {
    let tag = parsed(copy)?.tag(TagType::Id3v2).cloned();
    write_primary(copy, tag.unwrap_or_else(|| Tag::new(TagType::Id3v2)), properties)
}

/// The tags that are not of the container's primary kind.
pub(super) fn others<F: FileLike>(copy: &mut F) -> Result<Vec<Tag>, TagError> {
    Ok(others_of(&parsed(copy)?))
}

fn others_of(file: &TaggedFile) -> Vec<Tag> {
    let primary = file.primary_tag_type();
    file.tags().iter().filter(|tag| tag.tag_type() != primary).cloned().collect()
}

fn parsed<F: FileLike>(copy: &mut F) -> Result<TaggedFile, TagError> {
    copy.rewind().map_err(TagError::new)?;
    open(copy)
}

/// Sets `properties` that these tags have already.
pub(super) fn embed_others<F: FileLike>(
    copy: &mut F,
    others: Vec<Tag>,
    properties: &[Property<'_>],
) -> Result<(), TagError> {
    for mut tag in others {
        for property in properties {
            if let Some(key) = common_key(property.name)
                && tag.get_string(key).is_some()
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
    copy.rewind().map_err(TagError::new)?;
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
        other => Err(TagError::Damaged(format!("{other:?} tags cannot be written"))),
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
