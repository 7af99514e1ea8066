//! The storage format of an asset: compact, but returns exactly what the client sent.
//!
//! A record is a byte of flags, then the code, the units and the metadata, each if its flag is set. Codes and units are
//! stored decoded if encoding restores the same text, otherwise as text.
use iscc_columns::code;
use iscc_columns::column::Body;
use iscc_columns::unit::{Unit, UnitType, decompose};

use crate::json::is_object;
use crate::leb128::{Cursor, put_bytes, put_number};

const HAS_CODE: u8 = 1;
const HAS_UNITS: u8 = 2;
const HAS_METADATA: u8 = 4;
const HAS_SIMPRINTS: u8 = 8;

// Form of a stored text, in the two lowest bits of its length prefix.
const CANONICAL: u64 = 0;
const WITHOUT_SCHEME: u64 = 1;
const AS_TEXT: u64 = 2;

/// The stored data of an asset, without its simprints.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record<'a> {
    /// The ISCC-CODE as it was sent.
    pub code: Option<String>,
    /// The units as they were sent.
    pub units: Option<Vec<String>>,
    /// JSON text of the metadata object.
    pub metadata: Option<&'a [u8]>,
    /// Whether the asset has stored simprints.
    pub has_simprints: bool,
}

impl<'a> Record<'a> {
    /// Encodes the record.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(256);
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        bytes.push(
            flag(self.code.is_some(), HAS_CODE)
                | flag(self.units.is_some(), HAS_UNITS)
                | flag(self.metadata.is_some(), HAS_METADATA)
                | flag(self.has_simprints, HAS_SIMPRINTS),
        );
        if let Some(code) = &self.code {
            put_code(&mut bytes, code);
        }
        if let Some(units) = &self.units {
            put_number(&mut bytes, units.len() as u64);
            for unit in units {
                put_code(&mut bytes, unit);
            }
        }
        bytes.extend_from_slice(self.metadata.unwrap_or_default());
        bytes
    }

    /// Sets the flag for simprints in an encoded record.
    pub fn mark_simprints(record: &mut [u8], has_simprints: bool) {
        if has_simprints {
            record[0] |= HAS_SIMPRINTS;
        } else {
            record[0] &= !HAS_SIMPRINTS;
        }
    }

    /// Decodes a record. Returns `None` if it is damaged.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut parts = Parts::read(bytes)?;
        let code = if parts.flags & HAS_CODE != 0 { Some(parts.code()?.to_text()?) } else { None };
        let units = if parts.flags & HAS_UNITS != 0 {
            let units = (0..parts.cursor.number()?).map(|_| parts.code()?.to_text());
            Some(units.collect::<Option<Vec<String>>>()?)
        } else {
            None
        };
        let flags = parts.flags;
        Some(Self {
            code,
            units,
            metadata: parts.metadata()?,
            has_simprints: flags & HAS_SIMPRINTS != 0,
        })
    }

    /// Decodes only the metadata of a record. The outer `None` means that the record is damaged.
    pub fn read_metadata(bytes: &'a [u8]) -> Option<Option<&'a [u8]>> {
        let mut parts = Parts::read(bytes)?;
        parts.skip_codes()?;
        parts.metadata()
    }

    /// Decodes only what is indexed: the units, or those of the code if no units were sent, and whether the asset has
    /// simprints.
    pub fn read_units(bytes: &'a [u8]) -> Option<(Vec<(UnitType, Body)>, bool)> {
        let mut parts = Parts::read(bytes)?;
        let has_simprints = parts.flags & HAS_SIMPRINTS != 0;
        let code = if parts.flags & HAS_CODE != 0 { Some(parts.code()?) } else { None };
        let mut units = Vec::new();
        if parts.flags & HAS_UNITS != 0 {
            let count = parts.cursor.number()?;
            for _ in 0..count {
                let unit = Unit::stored(&parts.code()?.to_bytes()?).ok()?;
                units.push((unit.kind, unit.body));
            }
        } else if let Some(code) = code {
            for bytes in decompose(&code.to_bytes()?).ok()? {
                let unit = Unit::stored(&bytes).ok()?;
                units.push((unit.kind, unit.body));
            }
        }
        Some((units, has_simprints))
    }
}

/// A code in stored form.
struct StoredCode<'a> {
    form: u64,
    bytes: &'a [u8],
}

impl StoredCode<'_> {
    fn to_text(&self) -> Option<String> {
        match self.form {
            CANONICAL => Some(code::encode(self.bytes)),
            WITHOUT_SCHEME => Some(code::encode(self.bytes).split_off(code::SCHEME.len())),
            AS_TEXT => String::from_utf8(self.bytes.to_vec()).ok(),
            _ => None,
        }
    }

    fn to_bytes(&self) -> Option<Vec<u8>> {
        match self.form {
            CANONICAL | WITHOUT_SCHEME => Some(self.bytes.to_vec()),
            AS_TEXT => code::decode(std::str::from_utf8(self.bytes).ok()?).ok(),
            _ => None,
        }
    }
}

struct Parts<'a> {
    flags: u8,
    cursor: Cursor<'a>,
}

impl<'a> Parts<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(bytes);
        Some(Self { flags: cursor.byte()?, cursor })
    }

    fn code(&mut self) -> Option<StoredCode<'a>> {
        let number = self.cursor.number()?;
        let bytes = self.cursor.take(usize::try_from(number >> 2).ok()?)?;
        Some(StoredCode { form: number & 3, bytes })
    }

    /// The metadata, if they are a JSON object: they become part of responses as they are.
    fn metadata(self) -> Option<Option<&'a [u8]>> {
        if self.flags & HAS_METADATA == 0 {
            return Some(None);
        }
        let bytes = self.cursor.rest();
        is_object(bytes).then_some(Some(bytes))
    }

    fn skip_codes(&mut self) -> Option<()> {
        if self.flags & HAS_CODE != 0 {
            self.code()?;
        }
        if self.flags & HAS_UNITS != 0 {
            for _ in 0..self.cursor.number()? {
                self.code()?;
            }
        }
        Some(())
    }
}

fn put_code(record: &mut Vec<u8>, text: &str) {
    let decoded = code::decode(text).ok().map(|bytes| (code::encode(&bytes), bytes));
    let (form, bytes) = match &decoded {
        Some((canonical, bytes)) if canonical == text => (CANONICAL, &bytes[..]),
        Some((canonical, bytes)) if canonical.strip_prefix(code::SCHEME) == Some(text) => {
            (WITHOUT_SCHEME, &bytes[..])
        }
        _ => (AS_TEXT, text.as_bytes()),
    };
    put_number(record, (bytes.len() as u64) << 2 | form);
    record.extend_from_slice(bytes);
}

/// A stored simprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredSimprint {
    /// The simprint.
    pub body: Body,
    /// Start in the asset's content.
    pub offset: u32,
    /// Length in the asset's content.
    pub size: u32,
}

/// Simprints by type, in the order sent.
pub type StoredSimprints = Vec<(String, Vec<StoredSimprint>)>;

/// Applies an update: a type with simprints replaces the stored ones, a type without any removes them, and types that
/// the update does not name stay.
pub fn merge_simprints(stored: &mut StoredSimprints, update: &StoredSimprints) {
    for (name, list) in update {
        match stored.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.clone_from(list),
            None => stored.push((name.clone(), list.clone())),
        }
    }
    stored.retain(|(_, list)| !list.is_empty());
}

/// Encodes an asset's simprints: per type its name and their number, then the value, offset and size of each. Empty
/// without simprints.
pub fn write_simprints(simprints: &StoredSimprints) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, list) in simprints {
        put_bytes(&mut bytes, name.as_bytes());
        put_number(&mut bytes, list.len() as u64);
        for simprint in list {
            put_bytes(&mut bytes, &simprint.body.to_bytes());
            put_number(&mut bytes, u64::from(simprint.offset));
            put_number(&mut bytes, u64::from(simprint.size));
        }
    }
    bytes
}

/// Decodes what [`write_simprints`] encoded. Returns `None` if it is damaged.
pub fn read_simprints(bytes: &[u8]) -> Option<StoredSimprints> {
    let mut cursor = Cursor::new(bytes);
    let mut simprints = Vec::new();
    while !cursor.is_at_end() {
        let name = cursor.text()?.to_owned();
        let mut list = Vec::new();
        for _ in 0..cursor.number()? {
            let body = Body::new(cursor.bytes()?)?;
            let offset = u32::try_from(cursor.number()?).ok()?;
            let size = u32::try_from(cursor.number()?).ok()?;
            list.push(StoredSimprint { body, offset, size });
        }
        simprints.push((name, list));
    }
    Some(simprints)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: &str = "ISCC:AAA42YWGSRP3HXGY";

    #[test]
    fn restores_texts_exactly() {
        let odd = "ISCC:GAATJG64JEMFOR35"; // not canonical if it has leftover bits
        let record = Record {
            code: Some("ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI".into()),
            units: Some(vec![UNIT.into(), UNIT[5..].into(), odd.into()]),
            metadata: Some(b"{ \"a\" : 1.50 }"),
            has_simprints: false,
        };
        let mut bytes = record.write();
        assert_eq!(Record::read(&bytes), Some(record.clone()));
        assert_eq!(Record::read_metadata(&bytes), Some(record.metadata));
        Record::mark_simprints(&mut bytes, true);
        assert!(Record::read(&bytes).is_some_and(|record| record.has_simprints));
        assert!(bytes.len() < 120, "{} bytes", bytes.len());
        for length in 0..20 {
            assert!(Record::read(&bytes[..length]).is_none(), "{length}");
        }
    }

    #[test]
    fn metadata_that_are_no_json_object_are_damage() {
        let record = |metadata: &'static [u8]| {
            Record { metadata: Some(metadata), ..Record::default() }.write()
        };
        for sound in [&br#"{"a":"\u00e9 \ud800"}"#[..], b"{}", br#"{"a":[{"b":null}]}"#] {
            assert_eq!(Record::read_metadata(&record(sound)), Some(Some(sound)));
        }
        // Bits that flipped: in a quote, a bracket, a colon, a control character, a byte of UTF-8.
        let damages: [&[u8]; 7] = [
            br#"{"a#:1}"#,
            br#"{"a":1]"#,
            br#"{"a"z1}"#,
            b"{\"a\":\"\x01\"}",
            b"{\"a\":\"\xff\"}",
            b"[]",
            b"",
        ];
        for damaged in damages {
            assert_eq!(Record::read_metadata(&record(damaged)), None);
            assert_eq!(Record::read(&record(damaged)), None);
        }
    }

    #[test]
    fn an_asset_without_units_is_indexed_by_the_units_of_its_code() {
        let code = "ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI";
        let record = Record { code: Some(code.into()), ..Record::default() };
        let bytes = record.write();
        let (units, has_simprints) = Record::read_units(&bytes).unwrap();
        let names: Vec<String> = units.iter().map(|(unit, _)| unit.to_string()).collect();
        let expected = ["META_NONE_V0", "CONTENT_TEXT_V0", "DATA_NONE_V0", "INSTANCE_NONE_V0"];
        assert_eq!(names, expected);
        assert!(!has_simprints && Record::read_metadata(&bytes) == Some(None));
    }

    #[test]
    fn updates_merge_simprints_by_type() {
        let simprint =
            |offset| StoredSimprint { body: Body::new(&[9; 16]).unwrap(), offset, size: 1 };
        let list = |name: &str, offsets: &[u32]| {
            (name.to_owned(), offsets.iter().map(|&offset| simprint(offset)).collect::<Vec<_>>())
        };
        let mut stored = vec![list("A", &[1]), list("B", &[2]), list("C", &[3])];
        merge_simprints(&mut stored, &vec![list("B", &[4, 5]), list("C", &[]), list("D", &[6])]);
        assert_eq!(stored, [list("A", &[1]), list("B", &[4, 5]), list("D", &[6])]);
        merge_simprints(&mut stored, &StoredSimprints::new());
        assert_eq!(stored.len(), 3);
    }

    #[test]
    fn restores_simprints() {
        let body = Body::new(&[9; 16]).unwrap();
        let simprint = StoredSimprint { body, offset: u32::MAX, size: 7 };
        let simprints = vec![("A".to_owned(), vec![simprint; 3]), ("b é".to_owned(), vec![])];
        let bytes = write_simprints(&simprints);
        assert_eq!(read_simprints(&bytes), Some(simprints));
        assert_eq!(read_simprints(&bytes[..bytes.len() - 1]), None);
    }
}
