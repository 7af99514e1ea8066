//! Embedding keeps the bytes of what is not submitted. The files are made and read by hand here, not
//! by the library that the crate uses.

use std::io::Cursor;
use std::path::PathBuf;

use iscc_av::audio::tags::{self, Property};

const TITLE: Property<'_> = Property { name: "TITLE", value: "Neu ü中", only_existing: false };

fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/fixtures/codes/files");
    std::fs::read(PathBuf::from(folder).join(name)).unwrap()
}

fn embedded(bytes: &[u8], properties: &[Property<'_>]) -> Vec<u8> {
    let mut copy = Cursor::new(bytes.to_vec());
    tags::embed(&mut copy, properties).unwrap();
    let once = copy.get_ref().clone();
    tags::embed(&mut copy, properties).unwrap();
    assert!(*copy.get_ref() == once, "the same properties give the same file");
    once
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn value<'a>(name: &'a str, value: &'a str) -> Property<'a> {
    Property { name, value, only_existing: false }
}

/// The audio of the MP3 file, without tags.
fn mp3_audio() -> Vec<u8> {
    let bytes = fixture("song_a.mp3");
    let size = bytes[6..10].iter().fold(0, |size, byte| size << 7 | usize::from(*byte));
    let start = if bytes.starts_with(b"ID3") { 10 + size } else { 0 };
    let end = bytes.len() - if contains(&bytes[bytes.len() - 128..], b"TAG") { 128 } else { 0 };
    bytes[start..end].to_vec()
}

fn synchsafe(size: usize) -> [u8; 4] {
    [21, 14, 7, 0].map(|shift| (size >> shift & 0x7F) as u8)
}

fn frame(version: u8, id: &[u8; 4], flags: [u8; 2], body: &[u8]) -> Vec<u8> {
    let size = if version == 3 { (body.len() as u32).to_be_bytes() } else { synchsafe(body.len()) };
    [id, &size[..], &flags, body].concat()
}

fn tag(version: u8, flags: u8, body: &[u8]) -> Vec<u8> {
    [b"ID3", &[version, 0, flags][..], &synchsafe(body.len()), body].concat()
}

/// Names and bodies of frames.
fn frames(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    let version = file[3];
    assert_eq!(file[5], 0);
    let size = |bytes: &[u8], bits: u32| {
        bytes.iter().fold(0, |size, byte| size << bits | usize::from(*byte))
    };
    let mut rest = &file[10..10 + size(&file[6..10], 7)];
    let mut found = Vec::new();
    while rest.first().is_some_and(|byte| *byte != 0) {
        let end = 10 + size(&rest[4..8], if version == 3 { 8 } else { 7 });
        found.push((String::from_utf8_lossy(&rest[..4]).into_owned(), rest[10..end].to_vec()));
        rest = &rest[end..];
    }
    found
}

/// Frames that lofty changes, drops or does not know.
fn rare(version: u8) -> Vec<Vec<u8>> {
    let utf16 = b"\x01\xff\xfeb\0l\0o\0g\0\0\0http://b.example/";
    [
        (b"WXXX", &utf16[..]),
        (b"COMM", b"\0eng\0Kommentar"),
        (b"COMM", b"\0engiTunNORM\0 0000"),
        (b"COMM", b"\x01eng\xff\xfeN\0o\0t\0e\0s\0\0\0\xff\xfex\0"),
        (b"POPM", b"a@b\0\x64\0\0\0\x03"),
        (b"TXXX", b"\0replaygain_track_gain\0-3 dB"),
        (b"OWNE", b"\0EUR1\x0020240101s"),
        (b"ETCO", b"\x02\x01\0\0\0\x05"),
        (b"LINK", b"WOARhttp://z\0"),
        (b"XXYZ", b"\xff\xff\0unknown"),
    ]
    .iter()
    .map(|(id, body)| frame(version, id, [0, 0], body))
    .collect()
}

#[test]
fn id3_frames_keep_their_bytes() {
    for version in [3, 4] {
        let title = frame(version, b"TIT2", [0, 0], b"\0Old");
        let list = [title, rare(version).concat()].concat();
        let file = [tag(version, 0, &list), mp3_audio()].concat();
        let before = frames(&file);
        let after = embedded(&file, &[TITLE]);
        assert_eq!(after[3], version);
        assert!(after.ends_with(&mp3_audio()));
        let after = frames(&after);
        assert_eq!(after[1..], before[1..]);
        let text = if version == 3 {
            &b"\x01\xff\xfeN\0e\0u\0 \0\xfc\0-N"[..]
        } else {
            "\x03Neu ü中".as_bytes()
        };
        assert_eq!(after[0], ("TIT2".to_owned(), text.to_vec()));
    }
}

#[test]
fn only_the_comment_without_a_name_is_replaced() {
    for version in [3, 4] {
        let file = [tag(version, 0, &rare(version).concat()), mp3_audio()].concat();
        let mut expected = frames(&file);
        let after = frames(&embedded(&file, &[value("COMMENT", "D")]));
        expected[1].1 = match version {
            3 => b"\x01eng\xff\xfe\0\0\xff\xfeD\0".to_vec(),
            _ => b"\x03eng\0D".to_vec(),
        };
        assert_eq!(after, expected);
    }
}

#[test]
fn unsynchronised_and_extended_tags_keep_frames() {
    let audio = mp3_audio();
    let kept = frame(3, b"PRIV", [0, 0], b"o\0\xff\0\xe0");
    let encoded = frame(3, b"PRIV", [0, 0], b"o\0\xff\0\0\xe0");
    // In ID3v2.3, sizes are those before unsynchronisation.
    let encoded = [&kept[..10], &encoded[10..]].concat();
    let list = [&[0, 0, 0, 6, 0, 0, 0, 0, 0, 0][..], &encoded].concat();
    let after = embedded(&[tag(3, 0xC0, &list), audio.clone()].concat(), &[TITLE]);
    assert_eq!(frames(&after)[0], ("PRIV".to_owned(), kept[10..].to_vec()));
    let encoded = frame(4, b"PRIV", [0, 2], b"o\0\xff\0\0\xe0");
    let after = embedded(&[tag(4, 0x80, &encoded), audio.clone()].concat(), &[TITLE]);
    assert_eq!(frames(&after)[0], ("PRIV".to_owned(), kept[10..].to_vec()));
    // With plain sizes, as old versions of iTunes write them.
    let long = [&b"o\0"[..], &[7; 300]].concat();
    let list = [frame(3, b"PRIV", [0, 0], &long), frame(3, b"TIT2", [0, 0], b"\0Old")].concat();
    let after = embedded(&[tag(4, 0, &list), audio].concat(), &[TITLE]);
    let names: Vec<_> = frames(&after).into_iter().collect();
    assert_eq!(names[0], ("PRIV".to_owned(), long));
    assert_eq!(names[1].0, "TIT2");
}

fn chunk(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let size = (content.len() as u32).to_le_bytes();
    let padding = vec![0; content.len() % 2];
    [name, &size[..], content, &padding].concat()
}

#[test]
fn riff_info_keeps_fields() {
    let base = fixture("chords_a.wav");
    let fields: [(&[u8; 4], &[u8]); 10] = [
        (b"IENG", b"Eng\0"),
        (b"ISRC", b"Src\0"),
        (b"ITRK", b"3\0"),
        (b"INAM", b"Old\0"),
        (b"IMED", b"CD\0"),
        (b"IARL", b"Archiv\0"),
        (b"ICMS", b"WDR\0"),
        (b"ISMP", b"10:00\0"),
        // Latin-1, and without the final zero
        (b"ITCH", b"M\xfcller\0"),
        (b"IXXX", b"abc"),
    ];
    let kept: Vec<_> = fields.iter().map(|(name, content)| chunk(name, content)).collect();
    let list = chunk(b"LIST", &[b"INFO".to_vec(), kept.concat()].concat());
    let id3 = tag(4, 0, &rare(4).concat());
    let odd = chunk(b"id3 ", &[&id3[..], &[0; 3]].concat());
    let body = [&base[12..], &list, &chunk(b"smpl", &[7; 36]), &odd].concat();
    let size = (body.len() as u32 + 4).to_le_bytes();
    let file = [b"RIFF", &size[..], b"WAVE", &body, b"junk after"].concat();
    let after = embedded(&file, &[TITLE]);
    for (field, bytes) in fields.iter().zip(&kept) {
        assert_eq!(contains(&after, bytes), field.0 != b"INAM", "{field:?}");
    }
    assert!(contains(&after, &chunk(b"INAM", "Neu ü中\0".as_bytes())));
    assert!(contains(&after, &chunk(b"smpl", &[7; 36])));
    assert!(rare(4).iter().all(|frame| contains(&after, frame)));
    let size = u32::from_le_bytes(*after[4..8].first_chunk().unwrap());
    assert_eq!(size as usize + 8 + b"junk after".len(), after.len());
    assert_eq!(after[12..base.len()], base[12..]);
    assert_eq!(tags::read(Cursor::new(&after)).unwrap().get("TITLE"), Some(TITLE.value));
}

#[test]
fn long_wav_sizes_are_updated_and_data_is_kept() {
    let base = fixture("chords_a.wav");
    let data = &base[base.windows(4).position(|name| name == b"data").unwrap()..];
    let samples = (data.len() - 8) as u64;
    let format = &base[12..base.len() - data.len()];
    let file = |magic: &[u8; 4], total: u64, samples: u64| {
        let sizes = [total, samples, samples / 2].map(u64::to_le_bytes).concat();
        let long = chunk(b"ds64", &[&sizes[..], &[0; 4]].concat());
        let data = [b"data", &[0xFF; 4][..], &data[8..]].concat();
        [magic, &[0xFF; 4][..], b"WAVE", &long, format, &data].concat()
    };
    let total = file(b"RF64", 0, samples).len() as u64 - 8;
    for magic in [b"RF64", b"BW64"] {
        let before = file(magic, total, samples);
        let after = embedded(&before, &[TITLE]);
        assert_eq!(after[20..28], (after.len() as u64 - 8).to_le_bytes());
        assert_eq!(after[..20], before[..20]);
        assert_eq!(after[28..before.len()], before[28..]);
        assert!(contains(&after, &chunk(b"INAM", "Neu ü中\0".as_bytes())));
        assert!(contains(&after[before.len()..], "\x03Neu ü中".as_bytes()));
    }
    for wrong in [file(b"RF64", total + 1, samples), file(b"RF64", total, samples + 1)] {
        assert!(tags::embed(&mut Cursor::new(wrong), &[TITLE]).is_err());
    }
    for sizes in [[u64::MAX, samples], [total, u64::MAX]] {
        let wrong = file(b"RF64", sizes[0], sizes[1]);
        assert!(tags::embed(&mut Cursor::new(wrong), &[TITLE]).is_err());
    }
    for length in 0..90 {
        let cut = file(b"RF64", total, samples)[..length].to_vec();
        assert!(tags::embed(&mut Cursor::new(cut), &[TITLE]).is_err());
    }
}

#[test]
fn frames_of_id3v22_keep_their_bytes() {
    let short =
        |id: &[u8; 3], body: &[u8]| [id, &(body.len() as u32).to_be_bytes()[1..], body].concat();
    let kept = [
        short(b"TRK", b"\x003/12"),
        short(b"COM", b"\0engiTunNORM\0 0000"),
        short(b"PIC", b"\0PNG\x03c\0\x89PNG"),
        short(b"XXY", b"\xff\xffunknown"),
    ];
    let old = [short(b"TT2", b"\0Old"), short(b"TXX", b"\0iscc:name\0Old")].concat();
    let file = [tag(2, 0, &[old, kept.concat()].concat()), mp3_audio()].concat();
    let properties =
        [TITLE, value("COMMENT", "D"), value("KEYWORDS", "k"), value("ISCC:NAME", "N")];
    let after = embedded(&file, &properties);
    let expected = [
        short(b"TT2", b"\x01\xff\xfeN\0e\0u\0 \0\xfc\0-N"),
        short(b"TXX", b"\x01\xff\xfei\0s\0c\0c\0:\0n\0a\0m\0e\0\0\0\xff\xfeN\0"),
        kept.concat(),
        short(b"COM", b"\x01XXX\xff\xfe\0\0\xff\xfeD\0"),
        short(b"TXX", b"\x01\xff\xfeK\0E\0Y\0W\0O\0R\0D\0S\0\0\0\xff\xfek\0"),
    ];
    assert_eq!(after[3], 2);
    assert!(after[10..].starts_with(&expected.concat()));
    assert!(after.ends_with(&mp3_audio()));
    assert_eq!(tags::read(Cursor::new(&after)).unwrap().get("TITLE"), Some(TITLE.value));
}

#[test]
fn comments_of_ogg_and_flac_have_another_writer() {
    for name in ["song_a.ogg", "song_a.opus"] {
        assert!(tags::embed(&mut Cursor::new(fixture(name)), &[TITLE]).is_err());
    }
    let flac = fixture("song_a.flac");
    assert!(embedded(&flac, &[TITLE]) == flac);
    let id3 = tag(3, 0, &frame(3, b"TIT2", [0, 0], b"\0Old"));
    let after = embedded(&[id3, flac.clone()].concat(), &[TITLE]);
    assert_eq!(frames(&after)[0].1, b"\x01\xff\xfeN\0e\0u\0 \0\xfc\0-N");
    assert!(after.ends_with(&flac));
}

fn padded(text: &str, blank: u8) -> Vec<u8> {
    let mut field = text.as_bytes().to_vec();
    field.resize(30, blank);
    field
}

fn id3v1() -> Vec<u8> {
    let fields = [padded("V1 title", 0), padded("Artist", b' '), padded("Album", b' ')];
    [b"TAG", &fields.concat()[..], b"2024", &[0; 28], &[0, 7, 17]].concat()
}

fn ape() -> Vec<u8> {
    let item = |key: &str, flags: u32, value: &[u8]| {
        let size = (value.len() as u32).to_le_bytes();
        [&size[..], &flags.to_le_bytes(), key.as_bytes(), &[0], value].concat()
    };
    let items =
        [item("Title", 0, b"Ape title"), item("Custom", 0, b"a\0b"), item("Data", 2, b"\xff")];
    let items = items.concat();
    let header = |flags: u32| {
        let size = items.len() as u32 + 32;
        let numbers = [2000, size, 3, flags].map(u32::to_le_bytes).concat();
        [b"APETAGEX", &numbers[..], &[0; 8]].concat()
    };
    [header(0xA000_0000), items.clone(), header(0x8000_0000)].concat()
}

#[test]
fn ape_comes_before_id3v1_whose_fields_are_trimmed() {
    let file = [mp3_audio(), ape(), id3v1()].concat();
    let before = tags::read(Cursor::new(&file)).unwrap();
    assert_eq!(before.get("TITLE"), Some("Ape title"));
    assert_eq!(before.get("ARTIST"), Some("Artist"));
    let after = embedded(&file, &[TITLE]);
    assert!(contains(&after, b"Custom\0a\0b"));
    assert!(contains(&after, &[&b"Title\0"[..], TITLE.value.as_bytes()].concat()));
    let old = id3v1();
    let new = &after[after.len() - 128..];
    assert_eq!(new[..3], old[..3]);
    assert!(new[3..].starts_with(b"Neu \xfc?\0"));
    assert_eq!(new[33..], old[33..]);
    assert!(contains(&after, &mp3_audio()));
}
