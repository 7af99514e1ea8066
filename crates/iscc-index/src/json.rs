//! JSON parsing one level at a time: members and items stay raw text until they are read.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value whose members or items are still raw text.
#[derive(Debug, Clone)]
pub enum Node<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// Text of a number.
    Number(&'a str),
    /// A decoded string.
    String(Cow<'a, str>),
    /// Items in order.
    Array(Vec<&'a RawValue>),
    /// Members in order. The last of equal names counts.
    Object(Vec<(Cow<'a, str>, &'a RawValue)>),
}

impl<'a> Node<'a> {
    /// Parses the outermost level of a value.
    ///
    /// `raw` is valid JSON, but the escapes of its strings may not decode.
    pub fn read(raw: &'a RawValue) -> Result<Self, InvalidString> {
        let text = raw.get();
        let node = match text.as_bytes().first() {
            Some(b'n') => Ok(Self::Null),
            Some(b't') => Ok(Self::Bool(true)),
            Some(b'f') => Ok(Self::Bool(false)),
            Some(b'"') => serde_json::from_str(text).map(|text: Text<'a>| Self::String(text.0)),
            Some(b'[') => serde_json::from_str(text).map(Self::Array),
            Some(b'{') => {
                serde_json::from_str(text).map(|members: Members<'a>| Self::Object(members.0))
            }
            _ => Ok(Self::Number(text)),
        };
        node.map_err(|_| InvalidString)
    }
}

/// A JSON string with an escape that does not decode: half of a surrogate pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidString;

/// A string. Borrowed if it has no escapes.
#[derive(Debug, Clone)]
pub struct Text<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

const FEW_MEMBERS: usize = 16;

/// Members of an object in order. Of equal names, only the last member.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members: Pairs<'de, &'de RawValue> = Pairs::deserialize(deserializer)?;
        let mut positions: HashMap<Cow<'a, str>, usize> = HashMap::new();
        let mut kept: Vec<(Cow<'a, str>, &'a RawValue)> = Vec::with_capacity(members.0.len());
        for (name, value) in members.0 {
            // A linear search is faster for few members. The map bounds the cost for many.
            let known = if kept.len() < FEW_MEMBERS {
                kept.iter().position(|(known, _)| *known == name)
            } else {
                if positions.is_empty() {
                    let names = kept.iter().enumerate();
                    positions.extend(names.map(|(position, (name, _))| (name.clone(), position)));
                }
                positions.get(&name).copied()
            };
            if let Some(position) = known {
                kept[position].1 = value;
            } else {
                if !positions.is_empty() {
                    positions.insert(name.clone(), kept.len());
                }
                kept.push((name, value));
            }
        }
        Ok(Self(kept))
    }
}

/// Members of an object in order, with typed values. Equal names are kept.
#[derive(Debug, Clone)]
pub struct Pairs<'a, T>(pub Vec<(Cow<'a, str>, T)>);

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Pairs<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor<'a, T>(std::marker::PhantomData<(&'a (), T)>);
        impl<'de: 'a, 'a, T: Deserialize<'de>> Visitor<'de> for PairsVisitor<'a, T> {
            type Value = Pairs<'a, T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(name) = map.next_key::<Text<'de>>()? {
                    pairs.push((name.0, map.next_value()?));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor(std::marker::PhantomData))
    }
}

/// A struct that is parsed only from an object. Serde's derived parsers also accept an array of the values.
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = Object<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_map(ObjectVisitor(std::marker::PhantomData))
    }
}

/// Whether the bytes are the JSON text of an object.
pub fn is_object(json: &[u8]) -> bool {
    // Skipping a value does not check that strings are UTF-8.
    let text = std::str::from_utf8(json);
    text.is_ok_and(|text| text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok())
}

/// How deep objects and arrays are nested in valid JSON: 1 for `{}`.
pub fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut bytes = json.bytes();
    let mut is_string = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_string = !is_string,
            // An escaped quote does not end the string.
            b'\\' => drop(bytes.next()),
            b'{' | b'[' if !is_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !is_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Appends a string as JSON.
pub fn push_string(json: &mut Vec<u8>, text: &str) {
    // Writing a string to memory cannot fail.
    let _ = serde_json::to_writer(json, text);
}

/// Appends a number as JSON, in the shortest form that parses to the same number.
pub fn push_number(json: &mut Vec<u8>, number: f64) {
    let _ = serde_json::to_writer(json, &number);
}
/// A JSON array of items that are JSON.
pub fn array(items: &[Vec<u8>]) -> Vec<u8> {
    [b"[", &items.join(&b","[..])[..], b"]"].concat()
}
