//! JSON one level at a time: members and items stay raw text until somebody looks at them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A value whose members or items are still text.
#[derive(Debug, Clone)]
pub enum Node<'a> {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as it was written.
    Number(&'a str),
    /// A string without its escapes.
    String(Cow<'a, str>),
    /// Items in order.
    Array(Vec<&'a RawValue>),
    /// Members in order; of equal names, the last one stands.
    Object(Vec<(Cow<'a, str>, &'a RawValue)>),
}

impl<'a> Node<'a> {
    /// Reads the outermost level of a value.
    ///
    /// Fails only on strings: `raw` is known to be JSON, but not that its escapes decode.
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

/// A string, borrowed where it has no escapes.
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

/// Members of an object, in order, the last of equal names.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members: Pairs<'de, &'de RawValue> = Pairs::deserialize(deserializer)?;
        let mut places: HashMap<Cow<'a, str>, usize> = HashMap::new();
        let mut kept: Vec<(Cow<'a, str>, &'a RawValue)> = Vec::with_capacity(members.0.len());
        for (name, value) in members.0 {
            // Few are found faster by looking at all; and a client may send any number.
            let known = if kept.len() < FEW_MEMBERS {
                kept.iter().position(|(known, _)| *known == name)
            } else {
                if places.is_empty() {
                    let names = kept.iter().enumerate();
                    places.extend(names.map(|(place, (name, _))| (name.clone(), place)));
                }
                places.get(&name).copied()
            };
            if let Some(place) = known {
                kept[place].1 = value;
            } else {
                if !places.is_empty() {
                    places.insert(name.clone(), kept.len());
                }
                kept.push((name, value));
            }
        }
        Ok(Self(kept))
    }
}

/// Members of an object as they come, with typed values.
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

/// A value that is an object; the derived forms would take the list of its values as well.
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

/// Appends a string as JSON.
pub fn push_string(json: &mut Vec<u8>, text: &str) {
    // Writing to memory cannot fail, and a string is always valid JSON.
    let _ = serde_json::to_writer(json, text);
}

/// Appends a number as JSON, with the fewest digits that give it back.
pub fn push_number(json: &mut Vec<u8>, number: f64) {
    let _ = serde_json::to_writer(json, &number);
}
