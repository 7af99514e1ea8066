//! Flake: a unique identifier that sorts by time, and its short text, the media id.

use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;
use std::str::FromStr;

use crate::Error;
use crate::base::base32::BASE32HEX;
use crate::kind::Kind;
use crate::unit::Unit;

/// Milliseconds since 1970 have 48 bits: enough until the year 10889.
const TIME_MS_LIMIT: u64 = 1 << 48;

/// Characters of a media id: 64 bits in base32hex, five bits each, the last one with a zero bit.
const MEDIA_ID_CHARS: usize = 13;

/// A 64-bit Flake: 48 bits of milliseconds since 1970, then a counter of 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flake(u64);

impl Flake {
    /// A Flake of a time in milliseconds since 1970 (below 2^48) and a counter.
    pub fn new(time_ms: u64, counter: u16) -> Result<Self, Error> {
        if time_ms >= TIME_MS_LIMIT {
            return Err(Error::OutOfRange { field: "time in milliseconds", limit: TIME_MS_LIMIT });
        }
        Ok(Self(time_ms << 16 | u64::from(counter)))
    }

    /// Milliseconds since 1970.
    pub fn time_ms(self) -> u64 {
        self.0 >> 16
    }

    /// Counter within the millisecond.
    pub fn counter(self) -> u16 {
        (self.0 & 0xFFFF) as u16
    }

    /// The Flake as lower-case base32hex: sorts as the Flakes do.
    pub fn media_id(self) -> MediaId {
        let mut text = [0; MEDIA_ID_CHARS];
        BASE32HEX.encode_into(&self.0.to_be_bytes(), &mut text);
        text.make_ascii_lowercase();
        MediaId(text)
    }
}

impl From<Flake> for Unit {
    fn from(flake: Flake) -> Self {
        Self::filled(Kind::FLAKE, &flake.0.to_be_bytes())
    }
}

impl Display for Flake {
    /// The canonical code.
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Display::fmt(&Unit::from(*self), out)
    }
}

/// Makes Flakes, each later than the one before. Time and randomness come from the caller.
#[derive(Debug, Clone, Default)]
pub struct FlakeMaker {
    last: Option<Flake>,
}

impl FlakeMaker {
    /// The next Flake, for the time `now_ms` in milliseconds since 1970.
    ///
    /// The first Flake of a millisecond has `random` as its counter, the others count on from
    /// it. If the counter is used up, or the clock went back, the Flake is a little ahead of time.
    pub fn next(&mut self, now_ms: u64, random: u16) -> Result<Flake, Error> {
        let flake = match self.last {
            Some(last) if now_ms <= last.time_ms() => match last.counter().checked_add(1) {
                Some(counter) => Flake::new(last.time_ms(), counter)?,
                None => Flake::new(last.time_ms() + 1, random)?,
            },
            _ => Flake::new(now_ms, random)?,
        };
        self.last = Some(flake);
        Ok(flake)
    }
}

/// Thirteen characters `0-9a-v` that name an upload; behaves as a `str`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MediaId([u8; MEDIA_ID_CHARS]);

impl MediaId {
    /// The Flake that the id was made from.
    pub fn flake(self) -> Flake {
        let mut bytes = [0; 10];
        // Every media id was made from, or checked to be, the text of eight bytes.
        BASE32HEX.try_decode(&self.0, &mut bytes);
        let [bytes @ .., _, _] = bytes;
        Flake(u64::from_be_bytes(bytes))
    }
}

impl FromStr for MediaId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let characters: [u8; MEDIA_ID_CHARS] =
            text.as_bytes().try_into().map_err(|_| Error::MediaId)?;
        let canonical = !characters.iter().any(u8::is_ascii_uppercase)
            && BASE32HEX.try_decode(&characters, &mut [0; 10]) == Some(8);
        if canonical { Ok(Self(characters)) } else { Err(Error::MediaId) }
    }
}

impl Deref for MediaId {
    type Target = str;

    fn deref(&self) -> &str {
        // Base32hex is ASCII, so the default is never taken.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl Display for MediaId {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        out.pad(self)
    }
}

impl Debug for MediaId {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        Debug::fmt(&**self, out)
    }
}
